package newsroom_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/core/delivery"
	"imprimatur/core/event"
	"imprimatur/core/secret"
	"imprimatur/core/transfer"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// publicAddresses admits all addresses of webhooks.
type publicAddresses struct{}

func (publicAddresses) Fault(context.Context, string) string { return "" }

// noNotices makes no notices.
type noNotices struct{}

func (noNotices) Notify(context.Context, ports.Stores, []event.Event) error { return nil }

// delivered distributes all events and returns the types of the messages to a webhook, the oldest first.
func delivered(w *newsroom.Fixture, id int64) (types []string) {
	for more := true; more; {
		var err error
		more, err = delivery.NewDistributor(w.Stores.Outbox, w.Tx, noNotices{}).Distribute(w.Context())
		w.OK(err)
	}
	found, err := w.Stores.DeliveryLog.Deliveries(w.Context(), ports.DeliveryQuery{ProjectID: w.Project.ID, WebhookID: id, Limit: 100})
	w.OK(err)
	for _, d := range slices.Backward(found) {
		types = append(types, d.Type)
	}
	return types
}

// A receiver gets the events of an import unless it or the run leaves them out, and in any case the end of the
// import. Copies that follow the changes miss nothing.
func TestWebhooksAndImports(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		admin := w.Actor("admin")
		webhooks := delivery.NewWebhooks(w.Stores, w.Tx, publicAddresses{}, secret.New(), w.Clock)
		create := func(change delivery.Change) int64 {
			change.Name, change.URL, change.Events = new("Site"), new("https://example.org"), &[]string{"entry.*", "import.finished"}
			hook, _, err := webhooks.Create(t.Context(), admin, w.Project, change)
			w.OK(err)
			return hook.ID
		}
		all, without, elsewhere := create(delivery.Change{}), create(delivery.Change{Imports: new(false)}), create(delivery.Change{Imports: new(false)})
		pages := core.Collection{ProjectID: w.Project.ID, Slug: "pages", Name: "Pages", CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()}
		w.OK(w.Stores.Collections.Insert(t.Context(), &pages))
		_, err := webhooks.Update(t.Context(), admin, w.Project, elsewhere, delivery.Change{Collections: &[]string{"pages"}, Imports: new(true)})
		w.OK(err)

		load := func(code string, quiet bool) transfer.ImportReport {
			lines := fmt.Sprintf(`{"key":"%s1","published":true,"fields":{"title":"A"}}
				{"key":"%[1]s2","fields":{"title":"B"}}
				{"key":"%[1]s3","fields":{"title":7}}`, code)
			report, err := w.Importer.Import(t.Context(), core.SystemActor, w.Project, w.Articles.ID, strings.NewReader(lines), transfer.ImportOptions{Quiet: quiet})
			w.OK(err)
			return report
		}
		since, _, err := w.Stores.Log.Mark(t.Context())
		w.OK(err)
		before := w.Clock.Now()
		load("a", false)
		want := []string{"entry.created", "entry.published", "entry.created", "import.finished"}
		end := want[3:]
		check := func(wantAll, wantWithout []string) {
			t.Helper()
			if got := delivered(w, all); !slices.Equal(got, wantAll) {
				t.Errorf("a webhook with imports got %v, want %v", got, wantAll)
			}
			if got := delivered(w, without); !slices.Equal(got, wantWithout) {
				t.Errorf("a webhook without imports got %v, want %v", got, wantWithout)
			}
			if got := delivered(w, elsewhere); got != nil {
				t.Errorf("a webhook of another collection got %v", got)
			}
		}
		check(want, end)
		load("b", true)
		_, err = w.Writer.Create(t.Context(), admin, w.Project, w.Articles.ID, core.EntryWrite{Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"title": json.RawMessage(`"C"`)}}})
		w.OK(err)
		check(slices.Concat(want, end, []string{"entry.created"}), slices.Concat(end, end, []string{"entry.created"}))
		for id, count := range map[int64]int{all: 6, without: 3} {
			got, err := webhooks.Replay(t.Context(), admin, w.Project, id, before)
			w.OK(err)
			if got != count {
				t.Errorf("delivered %d events again, want %d", got, count)
			}
		}

		until, _, err := w.Stores.Log.Mark(t.Context())
		w.OK(err)
		public, err := w.Stores.Log.Public(t.Context(), ports.PublicQuery{ProjectID: w.Project.ID, Since: since, Until: until, Limit: 100})
		w.OK(err)
		if len(public) != 2 || public[0].Type != event.EntryPublished || public[1].Type != event.EntryPublished {
			t.Errorf("copies see %+v", public)
		}
	})
}

// endless is a file that has no more data until its context ends.
type endless struct{ ctx context.Context }

func (e endless) Read([]byte) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}

// The end of an import is recorded with its counts, also if the import stops, and outdates all cached responses.
func TestImportsEnd(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		load := func(ctx context.Context, rest io.Reader, opts transfer.ImportOptions) {
			first := `{"key":"a","locale":"en","translations":{"de":{"code":"b"}},"fields":{"title":"A"}}` + "\n"
			in := io.MultiReader(strings.NewReader(first), rest)
			_, err := w.Importer.Import(ctx, core.SystemActor, w.Project, w.Articles.ID, in, opts)
			if !errors.Is(err, ctx.Err()) {
				t.Error(err)
			}
		}
		const rest = `{"key":"c","fields":{}}` + "\n" + `{"key":"d","fields":{"title":"D"}}`
		load(t.Context(), strings.NewReader(rest), transfer.ImportOptions{})
		load(t.Context(), strings.NewReader(rest), transfer.ImportOptions{})
		stopped, stop := context.WithCancel(t.Context())
		load(stopped, endless{stopped}, transfer.ImportOptions{Quiet: true, Portion: 1, Progress: func(int64, int64) { stop() }})
		stop()
		found, err := w.Stores.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.Project.ID, Type: event.ImportFinished, Limit: 10})
		w.OK(err)
		var counts []event.ImportCounts
		tags := cachetag.New(cachetag.CacheTag, secret.New())
		for _, e := range found {
			counts = append(counts, e.Imported.Counts)
			if !slices.Equal(e.Imported.Collections, []string{"articles"}) || !slices.Equal(tags.Of(&e), tags.Definition(w.Project.ID)) || e.TenantID != w.Tenant.ID {
				t.Errorf("recorded %+v with the tags %v", e, tags.Of(&e))
			}
		}
		if want := []event.ImportCounts{{Created: 3, Refused: 1}, {Unchanged: 3, Refused: 1}, {Unchanged: 2}}; !slices.Equal(counts, want) {
			t.Errorf("counted %+v, want %+v", counts, want)
		}
	})
}
