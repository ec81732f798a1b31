package newsroom_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/test/newsroom"
)

// Components lose fields, gain filterable ones, go and come back, and one is deleted while editors and an import write
// their items. Every write and change succeeds or is refused, and the index has what the entries have.
func TestComponentsChangeWhileItemsAreWritten(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		components, system := w.Collections.Components(), core.SystemActor
		create := func(slug string) (*core.Component, error) {
			return components.Create(t.Context(), system, w.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: []definition.FieldInput{
				{Name: "words", Type: core.TypeText}, {Name: "rank", Type: core.TypeNumber},
			}})
		}
		hero, err := create("hero")
		w.OK(err)
		quote, err := create("quote")
		w.OK(err)
		both := []string{"hero", "quote"}
		pages, err := w.Collections.Create(t.Context(), system, w.Project, definition.CollectionInput{Slug: "pages", Name: "Pages", Fields: []definition.FieldInput{
			{Name: "title", Type: core.TypeText, Unique: true}, {Name: "body", Type: core.TypeBlocks, Components: both},
		}})
		w.OK(err)
		body := func(r *rand.Rand) string {
			return fmt.Sprintf(`[{"_type":"hero","_key":"a","words":"%d","rank":%d},{"_type":"quote","_key":"b","words":"%d"}]`, r.IntN(9), r.IntN(9), r.IntN(9))
		}
		var made atomic.Int64
		refused := func(err error) {
			if kind := core.KindOf(err); err != nil && (kind == core.KindInternal || kind == core.KindUnavailable) {
				t.Error(err)
			}
		}
		const writes = 40
		var writers, changes sync.WaitGroup
		for n := range 3 {
			writers.Go(func() {
				r := rand.New(rand.NewPCG(uint64(n), 1))
				for i := range writes {
					fields := map[string]json.RawMessage{"title": fmt.Appendf(nil, `"%d %d"`, n, i), "body": json.RawMessage(body(r))}
					if _, err := w.Writer.Create(t.Context(), w.Actor("editor"), w.Project, pages.ID, core.EntryWrite{Published: new(r.IntN(2) == 0), Fields: core.WrittenFields{Raw: fields}}); err != nil {
						refused(err)
						continue
					}
					made.Add(1)
				}
			})
		}
		writers.Go(func() {
			r := rand.New(rand.NewPCG(7, 1))
			for i := range writes / 4 {
				var lines bytes.Buffer
				for n := range 20 {
					fmt.Fprintf(&lines, `{"key":"line %d","published":true,"fields":{"body":%s}}`+"\n", (i+n)%30, body(r))
				}
				_, err := w.Importer.Import(t.Context(), system, w.Project, pages.ID, &lines, transfer.ImportOptions{})
				refused(err)
			}
		})
		done := make(chan struct{})
		changes.Go(func() {
			r := rand.New(rand.NewPCG(9, 1))
			of := func(id int64) definition.ComponentChange {
				return definition.ComponentChange{Actor: system, Project: w.Project, ComponentID: id, Acknowledged: true}
			}
			admit := func(slugs []string) error {
				_, err := w.Collections.ReviseField(t.Context(), definition.Change{Actor: system, Project: w.Project, CollectionID: pages.ID, Acknowledged: true}, "body",
					func(in definition.FieldInput) definition.FieldInput {
						in.Components = slugs
						return in
					})
				return err
			}
			for {
				select {
				case <-done:
					return
				default:
				}
				var err error
				switch r.IntN(6) {
				case 0:
					_, err = components.RemoveField(t.Context(), of(hero.ID), "rank")
				case 1:
					_, err = components.AddField(t.Context(), of(hero.ID), definition.FieldInput{Name: "rank", Type: core.TypeNumber, Filterable: r.IntN(2) == 0})
				case 2:
					_, err = components.ReviseField(t.Context(), of(hero.ID), "words", func(in definition.FieldInput) definition.FieldInput {
						in.Filterable = !in.Filterable
						return in
					})
				case 3:
					if err = admit(both[:1]); err == nil && r.IntN(9) == 0 {
						err = components.Delete(t.Context(), of(quote.ID))
					}
				case 4:
					err = admit(both) // refused once quote is deleted
				case 5:
					_, err = w.Collections.Backfill(t.Context())
				}
				refused(err)
			}
		})
		writers.Wait()
		close(done)
		changes.Wait()
		if made.Load() == 0 {
			t.Error("no write succeeded")
		}
		w.OK(w.Backfill(t.Context()))
		w.CheckLists(pages.ID)
		w.Check()
	})
}

// A definition is narrowed and widened again while editors change and publish other fields and other items of the
// same entries: the items that it withholds for a time are in the draft and before readers in the end, as written.
func TestNarrowedItemsOutliveWriters(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		system, both := core.SystemActor, []string{"hero", "quote"}
		for _, slug := range both {
			_, err := w.Collections.Components().Create(t.Context(), system, w.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: []definition.FieldInput{{Name: "words", Type: core.TypeText}}})
			w.OK(err)
		}
		pages, err := w.Collections.Create(t.Context(), system, w.Project, definition.CollectionInput{Slug: "pages", Name: "Pages", Fields: []definition.FieldInput{
			{Name: "title", Type: core.TypeText}, {Name: "body", Type: core.TypeBlocks, Components: both},
		}})
		w.OK(err)
		body := func(entry, n int) json.RawMessage {
			return fmt.Appendf(nil, `[{"_key":"a","_type":"hero","words":"%d"},{"_key":"b","_type":"quote","words":"of %d"}]`, n, entry)
		}
		const entries, writes = 3, 40
		ids := make([]int64, entries)
		for i := range ids {
			e, err := w.Writer.Create(t.Context(), w.Actor("editor"), w.Project, pages.ID, core.EntryWrite{Published: new(true), Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"body": body(i, 0)}}})
			w.OK(err)
			ids[i] = e.ID
		}
		admit := func(slugs []string) error {
			_, err := w.Collections.ReviseField(t.Context(), definition.Change{Actor: system, Project: w.Project, CollectionID: pages.ID, Acknowledged: true}, "body",
				func(in definition.FieldInput) definition.FieldInput {
					in.Components = slugs
					return in
				})
			return err
		}
		var written, narrowed atomic.Int64
		var writers, changes sync.WaitGroup
		for i, id := range ids {
			writers.Go(func() {
				for n := range writes {
					fields := map[string]json.RawMessage{"title": fmt.Appendf(nil, `"%d"`, n)}
					if n%3 == 0 { // refused while the definition has no quotes
						fields = map[string]json.RawMessage{"body": body(i, n)}
					}
					write := core.EntryWrite{Fields: core.WrittenFields{Raw: fields}}
					if n%4 != 1 { // never unpublished: a publication after that has what readers may see at that time, and no more
						write.Published = new(true)
					}
					ref := review.EntryRef{Project: w.Project, CollectionID: pages.ID, ID: id}
					_, err := w.Writer.Update(t.Context(), w.Actor("editor"), ref, nil, write)
					switch kind := core.KindOf(err); {
					case err == nil:
						written.Add(1)
					case kind == core.KindInternal || kind == core.KindUnavailable:
						t.Error(err)
					}
				}
			})
		}
		done := make(chan struct{})
		changes.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for _, slugs := range [][]string{both[:1], both} {
					if err := admit(slugs); err != nil {
						t.Error(err)
					}
				}
				narrowed.Add(1)
			}
		})
		writers.Wait()
		close(done)
		changes.Wait()
		if written.Load() == 0 || narrowed.Load() < 2 {
			t.Errorf("%d writes beside %d changes of the definition", written.Load(), narrowed.Load())
		}
		for i, id := range ids {
			kept := fmt.Appendf(nil, `{"_key":"b","_type":"quote","words":"of %d"}`, i)
			e := w.Entry(id)
			for name, version := range map[string]core.Document{"draft": e.Draft, "published": e.Published} {
				if !bytes.Contains(version.Value("body"), kept) {
					t.Errorf("the %s version of entry %d lost %s: %s", name, i, kept, version)
				}
			}
		}
		w.OK(w.Backfill(t.Context()))
		w.CheckLists(pages.ID)
		w.Check()
	})
}
