package newsroom_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/test/newsroom"
)

// Values of items that a change of a definition hides, and shows again, are sealed when they are shown: of
// a field of a component, of a component that a field admits, and of a field of the collection. The index
// follows, so that the media counts as used exactly while it is shown.
func TestMediaOfReturnedItemsAreSealed(t *testing.T) {
	t.Parallel()
	type change = func(w *newsroom.Fixture, collection definition.Change, component definition.ComponentChange) error
	image := definition.FieldInput{Name: "image", Type: core.TypeMedia}
	body := definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"hero", "text"}}
	admit := func(w *newsroom.Fixture, by definition.Change, components ...string) error {
		_, err := w.Collections.ReviseField(w.Context(), by, "body", func(in definition.FieldInput) definition.FieldInput {
			in.Components = components
			return in
		})
		return err
	}
	for name, one := range map[string]struct{ hide, show change }{
		"field of a component": {
			func(w *newsroom.Fixture, _ definition.Change, by definition.ComponentChange) error {
				_, err := w.Collections.Components().RemoveField(w.Context(), by, "image")
				return err
			},
			func(w *newsroom.Fixture, _ definition.Change, by definition.ComponentChange) error {
				_, err := w.Collections.Components().AddField(w.Context(), by, image)
				return err
			},
		},
		"admitted component": {
			func(w *newsroom.Fixture, by definition.Change, _ definition.ComponentChange) error {
				return admit(w, by, "text")
			},
			func(w *newsroom.Fixture, by definition.Change, _ definition.ComponentChange) error {
				return admit(w, by, "text", "hero")
			},
		},
		"field of the collection": {
			func(w *newsroom.Fixture, by definition.Change, _ definition.ComponentChange) error {
				_, err := w.Collections.RemoveField(w.Context(), by, "body")
				return err
			},
			func(w *newsroom.Fixture, by definition.Change, _ definition.ComponentChange) error {
				_, err := w.Collections.AddField(w.Context(), by, body)
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
				create := func(slug string, fields ...definition.FieldInput) *core.Component {
					c, err := w.Collections.Components().Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
					w.OK(err)
					return c
				}
				hero := create("hero", image)
				create("text", definition.FieldInput{Name: "words", Type: core.TypeText})
				pages, err := w.Collections.Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: "pages", Name: "Pages", Fields: []definition.FieldInput{body}})
				w.OK(err)
				picture := w.Picture("old")
				items := json.RawMessage(fmt.Sprintf(`[{"_type":"hero","image":%d}]`, picture))
				e, err := w.Writer.Create(t.Context(), w.Actor("editor"), w.Project, pages.ID, core.EntryWrite{Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"body": items}}, Published: new(true)})
				w.OK(err)
				used := func() bool {
					uses, err := w.Stores.Media.Uses(t.Context(), w.Project.ID, picture, 9)
					w.OK(err)
					return len(uses) > 0
				}
				collection := definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: pages.ID, Acknowledged: true}
				component := definition.ComponentChange{Actor: w.Actor("admin"), Project: w.Project, ComponentID: hero.ID, Acknowledged: true}
				w.Check()
				w.OK(one.hide(w, collection, component))
				w.Check()
				for did := true; did; {
					did, err = w.Collections.Backfill(t.Context())
					w.OK(err)
				}
				w.Check()
				if used() {
					t.Error("a medium that no version shows is in use")
				}
				w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
				if sealed := w.Entry(e.ID).PublishedMedia; sealed != nil {
					t.Errorf("sealed %s while it is not shown", sealed)
				}
				w.OK(one.show(w, collection, component))
				if sealed := string(w.Entry(e.ID).PublishedMedia); !strings.Contains(sealed, `"caption":"old"`) {
					t.Errorf("sealed media %q", sealed)
				}
				w.Check()
				if !used() {
					t.Error("a medium that a version shows again is not in use")
				}
			})
		})
	}
}
