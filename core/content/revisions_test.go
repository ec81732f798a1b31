package content_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/ports"
)

func (d *writerFixture) manager() *content.Manager {
	return content.NewManager(d.stores, d.gate, content.NewReader(d.stores.Entries, storedSchemas{d.stores}, d.stores.Media, ""))
}

// revisions describes the revisions of an entry, the newest first: number, author, changed fields,
// C if it is closed and K if it is kept.
func (d *writerFixture) revisions(t testing.TB, m *content.Managed) []string {
	t.Helper()
	p, err := d.manager().Revisions(context.Background(), d.project, m.CollectionID, m.ID, 1, 100)
	require.NoError(t, err)
	var lines []string
	for _, r := range p.Items {
		lines = append(lines, fmt.Sprint(r.Number, " ", r.By.Kind, r.By.ID, " ", r.Changed, map[bool]string{true: "C"}[r.Closed], map[bool]string{true: "K"}[r.Kept]))
	}
	return lines
}

func (d *writerFixture) as(id int64) { d.actor = core.Actor{User: &core.User{ID: id}} }

func noted(note string) func(*content.Write) {
	return func(w *content.Write) { w.Note = &note }
}

func TestWritesOfOnePersonShareARevision(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	d.gate.gated = true
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`)
	for range 3 {
		d.clock.now = d.clock.now.Add(10*time.Minute - time.Millisecond)
		d.update(t, m, fmt.Sprintf(`{"views":%d}`, d.clock.now.Unix()))
	}
	require.Equal(t, []string{"1 user7 [title slug views]"}, d.revisions(t, m))
	d.clock.now = d.clock.now.Add(10 * time.Minute)
	d.update(t, m, `{"pin":"1234","note":"x"}`) // secret
	require.Equal(t, []string{"2 user7 []", "1 user7 [title slug views]"}, d.revisions(t, m))
	d.as(8)
	d.update(t, m, `{"tags":["a"]}`)
	d.update(t, m, `{"tags":["a"]}`)
	d.update(t, m, `{"code":"B"}`, noted("checked"))
	d.update(t, m, `{}`, noted("again"))
	require.Equal(t, []string{"4 user8 []C", "3 user8 [code tags]C", "2 user7 []", "1 user7 [title slug views]"}, d.revisions(t, m))
	d.update(t, m, `{"code":"C"}`, published(true))
	d.update(t, m, `{"code":"D"}`, published(true)) // a request is pending
	d.update(t, m, `{"code":"E"}`)
	require.Equal(t, []string{"6 user8 [code]", "5 user8 [code]CK"}, d.revisions(t, m)[:2])
	_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{}`, noted(string(make([]byte, 201)))))
	require.Equal(t, map[string]string{"note": "must have at most 200 characters"}, faultsOf(t, err))
}

func TestLiveWritesAreRevisions(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`)
	d.update(t, m, `{}`, published(true))
	d.update(t, m, `{"title":"B"}`)
	d.update(t, m, `{"title":"C"}`)
	require.Equal(t, []string{"3 user7 [title]CK", "2 user7 [title]CK", "1 user7 [title slug views]CK"}, d.revisions(t, m))
	e := d.entry(t, m.ID)
	newest, err := core.DecodeRevision(e.Revision)
	require.NoError(t, err)
	require.Equal(t, e.PublishedHash, newest.ContentHash)
}

// noRevisions fails the test when a write uses the store of past revisions.
type noRevisions struct {
	ports.Tx
	t *testing.T
}

type noRevisionStore struct {
	ports.RevisionStore
}

func (x noRevisions) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return x.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Revisions = noRevisionStore{} // panics
		return do(ctx, stores)
	})
}

// The newest revision is stored with its entry: new entries and autosaves take no more statements.
func TestAutosavesUseNoPastRevisions(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	d.update(t, d.create(t, c, `{"title":"A"}`), `{"title":"B"}`, noted("n"))
	writer := content.NewWriter(d.stores, noRevisions{d.store, t}, d.stores.Collections, d.gate, readableHasher{}, d.clock)
	m, err := writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"A"}`))
	require.NoError(t, err)
	for _, write := range []content.Write{writeOf(t, `{"title":"B"}`), writeOf(t, `{"title":"B"}`), writeOf(t, `{}`, published(true)), writeOf(t, `{}`, published(false))} {
		_, err = writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, write)
		require.NoError(t, err)
	}
}

// A restored revision keeps the present password and gets its hidden value back.
func TestRestoreKeepsPasswords(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	d.gate.gated = true
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A","note":"one","pin":"1"}`, noted("first"))
	d.update(t, m, `{"title":"B","note":"two","pin":"2","slug":"b"}`)
	restored, err := d.writer.RestoreRevision(t.Context(), d.actor, d.project, c.ID, m.ID, 1, nil)
	require.NoError(t, err)
	require.Empty(t, restored.Dropped)
	require.NotNil(t, restored.Dropped)
	require.JSONEq(t, `{"title":"A","slug":"a","note":"one","pin":"hash of 2","views":10,"tags":[],"related":[]}`, d.draft(t, m.ID))
	require.Equal(t, []string{"3 user7 [title slug]C", "2 user7 [title slug]", "1 user7 [title slug views]C"}, d.revisions(t, m))
	for _, r := range d.revisions(t, m) {
		require.NotContains(t, r, "pin")
	}
}
