package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
)

// Collections checks a ports.CollectionStore.
func Collections(t *testing.T, open Factory) {
	least, most, indexed := -1.5, 12.0, true
	newCollection := func(t *testing.T, w *fixture, slug string) *core.Collection {
		t.Helper()
		c := &core.Collection{
			ProjectID: w.project.ID, Slug: slug, Name: "Articles", Description: "what we wrote", Icon: "book",
			PreviewURL: "https://www.example.com/é/{slug}?locale={locale}",
			Fields: []*core.Field{
				{ID: 3, Name: "title", Label: "Title", Type: core.TypeText, Required: true, Unique: true, Pattern: "^.+$", Slot: "t1", SlotReady: true, Searchable: true},
				{ID: 1, Name: "rating", Label: "Rating", Type: core.TypeNumber, Min: &least, Max: &most, Indexed: &indexed, Slot: "n1", Default: json.RawMessage("5")},
				{ID: 4, Name: "mood", Label: "Mood", Type: core.TypeEnumeration, Choices: []string{"good", "bad"}, Hidden: true},
				{ID: 5, Name: "path", Label: "Path", Type: core.TypeSlug, Source: "title"},
				{ID: 6, Name: "places", Label: "Places", Type: core.TypeRelation, Multiple: true, Collection: "countries"},
				{ID: 8, Name: "about", Label: "About", Type: core.TypeRelation, Collections: []string{"articles", "countries"}, Former: []string{"people"}},
			},
			Removed:     []*core.Field{{ID: 2, Name: "old", Label: "Old", Type: core.TypeDate}},
			NextFieldID: 9, Version: 1, CreatedAt: at(1), UpdatedAt: at(2),
		}
		changeBooleans(c)
		requireNoError(t, w.Collections.Insert(t.Context(), c))
		return c
	}
	update := func(t *testing.T, w *fixture, c *core.Collection) error {
		t.Helper()
		return w.do(t, inTx(func(s ports.Stores) error { return s.Collections.Update(t.Context(), c) }))
	}
	run(t, open, cases{
		"stores all members of a definition": func(t *testing.T, w *fixture) {
			c := newCollection(t, w, "articles")
			assertEqual(t, result(w.Collections.Collection(t.Context(), w.project.ID, c.ID))(t), c)
		},
		"lists by slug, in byte order": func(t *testing.T, w *fixture) {
			newCollection(t, w.otherProject(t), "elsewhere")
			var got []string
			for _, slug := range []string{"news", "new-s", "a2", "a10", "new", "a-z"} {
				newCollection(t, w, slug)
			}
			for _, c := range result(w.Collections.Collections(t.Context(), w.project.ID))(t) {
				got = append(got, c.Slug)
			}
			assertEqual(t, got, []string{"a-z", "a10", "a2", "new", "new-s", "news"})
		},
		"serializes changes of definitions by the lock of the project": func(t *testing.T, w *fixture) {
			articles, countries := newCollection(t, w, "articles"), newCollection(t, w, "countries")
			const rounds = 4
			errs := make(chan error, 2*rounds)
			for _, id := range []int64{articles.ID, countries.ID} {
				for range rounds {
					go func() {
						errs <- w.do(t, inTx(func(s ports.Stores) error {
							if err := s.Projects.Lock(t.Context(), w.project.ID); err != nil {
								return err
							}
							all, err := s.Collections.Collections(t.Context(), w.project.ID)
							if err != nil {
								return err
							}
							c := all[slices.IndexFunc(all, func(c *core.Collection) bool { return c.ID == id })]
							c.Version++
							return s.Collections.Update(t.Context(), c)
						}))
					}()
				}
			}
			for range 2 * rounds {
				requireNoError(t, <-errs)
			}
			for _, c := range result(w.Collections.Collections(t.Context(), w.project.ID))(t) {
				assertEqual(t, c.Version, int64(1+rounds))
			}
		},
		"does not change definitions while a project is held": func(t *testing.T, w *fixture) {
			articles := newCollection(t, w, "articles")
			const rounds = 5
			for _, err := range race(6, func(side int) error {
				hold := holdOrTry[side%2]
				for range rounds {
					var err error
					if side < 4 {
						err = w.do(t, holding(w, hold))
					} else {
						err = w.do(t, renaming(w, articles.ID))
					}
					if err != nil {
						return err
					}
				}
				return nil
			}).failures {
				t.Errorf("holding and changing definitions: %v", err)
			}
			assertEqual(t, result(w.Collections.Collection(t.Context(), w.project.ID, articles.ID))(t).Version, int64(1+2*rounds))
			_, err := w.Projects.Hold(t.Context(), unknown)
			requireError(t, err, core.ErrNotFound)
			_, ok, err := w.Projects.TryHold(t.Context(), unknown)
			requireError(t, err, core.ErrNotFound)
			assertEqual(t, ok, false)
		},
		"returns a collection with its relation targets": func(t *testing.T, w *fixture) {
			newCollection(t, w.otherProject(t), "countries")
			articles, countries := newCollection(t, w, "articles"), newCollection(t, w, "countries")
			unrelated := newCollection(t, w, "unrelated")
			unrelated.Fields, unrelated.Version = nil, 2
			requireNoError(t, update(t, w, unrelated))
			for of, want := range map[*core.Collection][]*core.Collection{
				articles: {articles, countries}, countries: {countries, articles}, unrelated: {unrelated},
			} {
				assertEqual(t, result(w.Collections.Related(t.Context(), w.project.ID, of.ID))(t), want)
				requireNoError(t, w.do(t, func(ctx context.Context, stores ports.Stores) error {
					held, err := stores.Collections.Hold(ctx, w.project.ID, of.ID)
					assertEqual(t, held, core.Schema{Project: w.project, Collection: want[0], Collections: want})
					return err
				}))
			}
			requireError(t, errorOf(w.Collections.Related(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
			requireError(t, errorOf(w.Collections.Related(t.Context(), w.otherProject(t).project.ID, articles.ID)), core.ErrNotFound)
		},
		"keeps slugs unique in a project": func(t *testing.T, w *fixture) {
			newCollection(t, w, "articles")
			again := &core.Collection{ProjectID: w.project.ID, Slug: "articles", Version: 1, CreatedAt: at(1), UpdatedAt: at(1)}
			requireError(t, w.Collections.Insert(t.Context(), again), core.ErrConflict)
			newCollection(t, w.otherProject(t), "articles")
		},
		"updates a collection with a current version": func(t *testing.T, w *fixture) {
			c := newCollection(t, w, "articles")
			c.Name, c.Description, c.UpdatedAt, c.Version = "Texts", "", at(5), 2
			c.PreviewURL = "http://localhost:4321/{id}"
			c.Fields, c.Removed, c.NextFieldID = c.Fields[1:], append(c.Removed, c.Fields[0]), 8
			requireNoError(t, update(t, w, c))
			assertEqual(t, result(w.Collections.Collection(t.Context(), w.project.ID, c.ID))(t), c)

			late := *c
			late.Name = "too late"
			requireError(t, update(t, w, &late), core.ErrConflict)
			late.Version = 4
			requireError(t, update(t, w, &late), core.ErrConflict)
			assertEqual(t, result(w.Collections.Collection(t.Context(), w.project.ID, c.ID))(t), c)
		},
		"deletes with all its entries": func(t *testing.T, w *fixture) {
			deleted, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField())
			live := deleted.add(t, publicOf("en", fields{"title": "a"}))
			trashed := deleted.add(t, draftOf("fr", fields{"title": "b"}))
			deleted.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = at(9) })
			kept := other.add(t, publicOf("en", fields{"title": "a"}))
			requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				return s.Collections.Delete(ctx, w.project.ID, deleted.schema.Collection.ID)
			}))
			requireError(t, errorOf(w.Collections.Collection(t.Context(), w.project.ID, deleted.schema.Collection.ID)), core.ErrNotFound)
			left := result(w.Entries.Entries(t.Context(), w.project.ID, []int64{live.ID, trashed.ID, kept.ID}))(t)
			assertEqual(t, entryIDs(left), []int64{kept.ID})
			assertEqual(t, deleted.list(t, deleted.all()), []int64{})
			assertEqual(t, other.list(t, other.all()), []int64{kept.ID})
			newTestCollection(t, w, "articles", titleField())
		},
		"returns ErrNotFound for another project": func(t *testing.T, w *fixture) {
			c, other := newCollection(t, w, "articles"), w.otherProject(t)
			requireError(t, errorOf(w.Collections.Collection(t.Context(), other.project.ID, c.ID)), core.ErrNotFound)
			requireError(t, w.Collections.Delete(t.Context(), other.project.ID, c.ID), core.ErrNotFound)
			stolen := *c
			stolen.ProjectID, stolen.Version = other.project.ID, 2
			requireError(t, update(t, w, &stolen), core.ErrNotFound)
			assertEqual(t, result(w.Collections.Collection(t.Context(), w.project.ID, c.ID))(t), c)
		},
		"returns ErrNotFound for unknown ids": func(t *testing.T, w *fixture) {
			requireError(t, errorOf(w.Collections.Collection(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
			requireError(t, w.Collections.Delete(t.Context(), w.project.ID, unknown), core.ErrNotFound)
			requireError(t, update(t, w, &core.Collection{ID: unknown, ProjectID: w.project.ID, Version: 2}), core.ErrNotFound)
		},
		"does not share memory with the caller": func(t *testing.T, w *fixture) {
			c := newCollection(t, w, "articles")
			c.Fields[0].Name, c.Fields[2].Choices[0] = "changed", "changed"
			read := result(w.Collections.Collection(t.Context(), w.project.ID, c.ID))(t)
			assertEqual(t, []string{read.Fields[0].Name, read.Fields[2].Choices[0]}, []string{"title", "good"})
			read.Fields[1].Label = "changed"
			*read.Fields[1].Min = 99
			again := result(w.Collections.Collection(t.Context(), w.project.ID, c.ID))(t)
			assertEqual(t, again.Fields[1].Label, "Rating")
			assertEqual(t, *again.Fields[1].Min, -1.5)
		},
	})
}

// holdOrTry are the two ways to hold a project.
var holdOrTry = []func(ctx context.Context, s ports.Stores, id int64) (*core.Project, bool, error){
	func(ctx context.Context, s ports.Stores, id int64) (*core.Project, bool, error) {
		p, err := s.Projects.Hold(ctx, id)
		return p, err == nil, err
	},
	func(ctx context.Context, s ports.Stores, id int64) (*core.Project, bool, error) {
		return s.Projects.TryHold(ctx, id)
	},
}

// holding reads the definitions of a held project several times and checks that they do not
// change.
func holding(w *fixture, hold func(context.Context, ports.Stores, int64) (*core.Project, bool, error)) func(context.Context, ports.Stores) error {
	return func(ctx context.Context, s ports.Stores) error {
		held, ok, err := hold(ctx, s, w.project.ID)
		if err != nil || !ok {
			return err
		}
		for range 5 {
			project, err := s.Projects.Project(ctx, held.ID)
			if err != nil {
				return err
			}
			all, err := s.Collections.Collections(ctx, held.ID)
			if err != nil {
				return err
			}
			if project.Name != held.Name || all[0].Version > 1 && all[0].Name != held.Name {
				return fmt.Errorf("held project %q, then read %q with collection %q", held.Name, project.Name, all[0].Name)
			}
		}
		return nil
	}
}

// renaming sets the same new name for the project and its collection.
func renaming(w *fixture, collectionID int64) func(context.Context, ports.Stores) error {
	return func(ctx context.Context, s ports.Stores) error {
		if err := s.Projects.Lock(ctx, w.project.ID); err != nil {
			return err
		}
		project, err := s.Projects.Project(ctx, w.project.ID)
		if err != nil {
			return err
		}
		c, err := s.Collections.Collection(ctx, project.ID, collectionID)
		if err != nil {
			return err
		}
		c.Version++
		c.Name = fmt.Sprint("name ", c.Version)
		project.Name = c.Name
		if err := s.Collections.Update(ctx, c); err != nil {
			return err
		}
		return s.Projects.Update(ctx, project)
	}
}
