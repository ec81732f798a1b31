package newsroom_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// engines are the engines with an index.
var engines = map[string]open{"sqlite": openSQLite, "postgres": openPostgres}

// stores are all engines.
var stores = map[string]open{"memory": openMemory, "sqlite": openSQLite, "postgres": openPostgres}

// forEachEngine runs a test on each engine, with a Fixture of its own.
func forEachEngine(t *testing.T, test func(t *testing.T, w *newsroom.Fixture)) {
	t.Helper()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			test(t, newsroom.New(t, stores, tx, systemclock.New()))
		})
	}
}

// countryLines returns n import lines of published countries.
func countryLines(n int) []byte {
	var lines bytes.Buffer
	for i := range n {
		fmt.Fprintf(&lines, `{"published":true,"fields":{"code":"C%d","name":"name %d"}}`+"\n", i, i%7)
	}
	return lines.Bytes()
}

func TestAnImportSeesALocaleThatIsAddedMeanwhile(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		countries := w.Countries()
		added := sync.OnceFunc(func() { w.Redefine(func(p *core.Project) { p.Locales = []string{"en", "de", "fr", "ja"} }) })
		report, err := w.Importer.Import(t.Context(), core.Actor{System: true}, w.Project, countries.ID, bytes.NewReader(countryLines(2500)),
			transfer.ImportOptions{Progress: func(int64, int64) { added() }})
		w.OK(err)
		if report.Created != 2500 {
			t.Errorf("%d entries created, want 2500", report.Created)
		}
		w.CheckLists(countries.ID)
		w.Check()
	})
}

// The writes use the project as it was before the change.
func TestAWriteSeesLocalesThatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		countries, editor := w.Countries(), w.Actor("editor")
		create := func(project *core.Project, n int) *reading.Managed {
			written, err := w.Writer.Create(t.Context(), editor, project, countries.ID, newsroom.Country(n))
			w.OK(err)
			return w.Show(written)
		}
		var old []*reading.Managed
		for n := range 5 {
			old = append(old, create(w.Project, n))
		}
		before := w.Project
		w.Redefine(func(p *core.Project) {
			p.Locales = []string{"en", "de", "fr"}
			p.DefaultLocale = "de"
		})
		if m := create(before, 10); m.Locale != "de" {
			t.Errorf("an entry was created in %s, want the new default locale de", m.Locale)
		}
		translation := newsroom.Country(11)
		translation.Locale, translation.TranslationOf = new("fr"), &old[0].ID
		_, err := w.Writer.Create(t.Context(), editor, before, countries.ID, translation)
		w.OK(err)
		for i, write := range []func(id int64) error{
			func(id int64) error {
				_, err := w.Writer.Update(t.Context(), editor, review.EntryRef{Project: before, CollectionID: countries.ID, ID: id}, nil, newsroom.Country(20))
				return err
			},
			func(id int64) error {
				_, err := w.Writer.Unpublish(t.Context(), editor, review.EntryRef{Project: before, CollectionID: countries.ID, ID: id}, nil, "")
				return err
			},
			func(id int64) error {
				_, err := w.Writer.Publish(t.Context(), editor, review.EntryRef{Project: before, CollectionID: countries.ID, ID: id}, writing.Publication{}, nil)
				return err
			},
			func(id int64) error {
				_, err := w.Writer.Trash(t.Context(), editor, review.EntryRef{Project: before, CollectionID: countries.ID, ID: id}, nil, "")
				return err
			},
			func(id int64) error {
				_, err := w.Writer.Restore(t.Context(), editor, review.EntryRef{Project: before, CollectionID: countries.ID, ID: id}, nil)
				return err
			},
		} {
			w.OK(write(old[min(i, 2)].ID))
			w.CheckLists(countries.ID)
			w.Check()
		}
	})
}

func TestABackfillSeesADefaultLocaleThatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		countries, editor := w.Countries(), w.Actor("editor")
		for n := range 9 {
			_, err := w.Writer.Create(t.Context(), editor, w.Project, countries.ID, newsroom.Country(n))
			w.OK(err)
		}
		stores := w.Stores
		stores.Projects = &meanwhile{ProjectStore: stores.Projects, do: sync.OnceFunc(func() {
			w.Redefine(func(p *core.Project) { p.DefaultLocale = "de" })
		})}
		filler := definition.NewCollections(stores, w.Tx, w.Requests, w.Clock)
		_, err := filler.ReviseField(t.Context(), definition.Change{Actor: core.SystemActor, Project: w.Project, CollectionID: countries.ID}, "name", func(definition.FieldInput) definition.FieldInput {
			return definition.FieldInput{Indexed: new(true)}
		})
		w.OK(err)
		for did := true; did; {
			did, err = filler.Backfill(t.Context())
			w.OK(err)
		}
		w.CheckLists(countries.ID)
		w.CheckValues(countries.ID)
		w.Check()
	})
}

// meanwhile calls do after each read of a project.
type meanwhile struct {
	ports.ProjectStore
	do func()
}

func (m *meanwhile) Project(ctx context.Context, id int64) (*core.Project, error) {
	project, err := m.ProjectStore.Project(ctx, id)
	m.do()
	return project, err
}

// All writers of entries run concurrently with random changes of definitions.
func TestDefinitionsChangeWhileEntriesAreWritten(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			rapid.Check(t, func(rt *rapid.T) {
				w := newsroom.New(rt, stores, tx, systemclock.New())
				countries := w.Countries()
				for round := range rapid.IntRange(1, 3).Draw(rt, "rounds") {
					redefineConcurrently(rt, w, countries.ID, round)
				}
			})
		})
	}
}

// redefineConcurrently runs one round. The writers use the project from before the changes.
func redefineConcurrently(rt *rapid.T, w *newsroom.Fixture, collectionID int64, round int) {
	before, editor, ctx := w.Project, w.Actor("editor"), rt.Context()
	plan := rapid.SliceOfN(newsroom.Redefinitions, 1, 6).Draw(rt, "redefinitions")
	lines := countryLines(rapid.IntRange(0, 250).Draw(rt, "lines"))
	work := []func() error{
		func() error {
			for _, r := range plan {
				if err := w.Apply(ctx, r, collectionID); err != nil {
					return err
				}
				time.Sleep(2 * time.Millisecond) // the others work meanwhile
			}
			return nil
		},
		func() error {
			_, err := w.Importer.Import(ctx, core.Actor{System: true}, before, collectionID, bytes.NewReader(lines), transfer.ImportOptions{})
			return err
		},
		func() error {
			for range 10 {
				if _, _, err := w.Worker.PublishDue(ctx); err != nil {
					return err
				}
				time.Sleep(time.Millisecond) // the others work meanwhile
			}
			return nil
		},
		func() error { return w.Backfill(ctx) },
	}
	for writer := range 2 {
		work = append(work, func() error { return writeCountries(ctx, w, before, collectionID, editor, 1000*round+100*writer) })
	}
	var all sync.WaitGroup
	failures := make([]error, len(work))
	for i, do := range work {
		all.Go(func() { failures[i] = do() })
	}
	all.Wait()
	w.OK(errors.Join(failures...))
	w.Reload()
	check := func() {
		w.CheckLists(collectionID)
		w.CheckValues(collectionID)
		w.Check()
	}
	check() // before the backfill
	w.OK(w.Backfill(ctx))
	check()
}

// writeCountries creates, translates, changes and schedules countries. Current definitions
// may refuse some writes.
func writeCountries(ctx context.Context, w *newsroom.Fixture, before *core.Project, collectionID int64, editor core.Actor, first int) error {
	for n := first; n < first+8; n++ {
		wr := newsroom.Country(100_000 + n)
		switch n % 4 {
		case 2:
			newsroom.Field("extra", fmt.Sprint("extra ", n%3))(&wr)
		case 3:
			wr.PublishAt = new(w.Clock.Now().Add(5 * time.Millisecond))
		}
		made, err := w.Writer.Create(ctx, editor, before, collectionID, wr)
		if errors.Is(err, core.ErrInvalid) {
			continue
		}
		if err != nil {
			return err
		}
		if other := before.Locales[n%len(before.Locales)]; other != made.Locale {
			translation := newsroom.Country(200_000 + n)
			translation.Locale, translation.TranslationOf = &other, &made.ID
			_, err := w.Writer.Create(ctx, editor, before, collectionID, translation)
			if err := errExceptIn(err, core.ErrInvalid); err != nil {
				return err
			}
		}
		_, err = w.Writer.Update(ctx, editor, review.EntryRef{Project: before, CollectionID: collectionID, ID: made.ID}, nil, core.EntryWrite{
			Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"name": canonical.Quote("changed")}},
		})
		if err := errExceptIn(err, core.ErrInvalid); err != nil {
			return err
		}
		if n%4 == 1 {
			if _, err := w.Writer.Trash(ctx, editor, review.EntryRef{Project: before, CollectionID: collectionID, ID: made.ID}, nil, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// A long change of one project's definitions does not delay what is due in another project,
// however much is due before.
func TestALockedProjectDelaysNoOtherProject(t *testing.T) {
	t.Parallel()
	stores, tx := openPostgres(t)
	locked, free := newsroom.New(t, stores, tx, systemclock.New()), newsroom.New(t, stores, tx, systemclock.New())
	schedule := func(w *newsroom.Fixture) int64 {
		return w.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(w.Clock.Now().Add(200*time.Millisecond)))).ID
	}
	waiting := 0
	for range 45 {
		if id := schedule(locked); locked.Public(id) == "" { // not created so slowly that it was already due
			waiting++
		}
	}
	id := schedule(free)
	for free.Public(id) != "" {
		id = schedule(free)
	}
	time.Sleep(210 * time.Millisecond) // until everything is due
	publish := func(want int) {
		published, failed, err := free.Worker.PublishDue(t.Context())
		free.OK(err)
		if published != want || failed != 0 {
			t.Errorf("%d published, %d failed, want %d published", published, failed, want)
		}
	}
	free.OK(tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		err := stores.Projects.Lock(ctx, locked.Project.ID)
		publish(1)
		return err
	}))
	if free.Public(id) != "A" {
		t.Error("the entry of the other project is not published")
	}
	publish(waiting)
}
