package newsroom_test

import (
	"encoding/json"
	"testing"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

// A group that is filled holds what a write of it may hold, so that the entry can be written afterwards.
func TestFillLeavesEntriesThatItWouldBreak(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		ctx, admin := t.Context(), w.Actor("admin")
		_, err := w.Collections.Components().Create(ctx, core.SystemActor, w.Project, definition.CollectionInput{
			Slug: "seo", Name: "SEO", Fields: []definition.FieldInput{{Name: "code", Type: core.TypeText, Max: new(5.0)}},
		})
		w.OK(err)
		change := definition.Change{Actor: core.SystemActor, Project: w.Project, CollectionID: w.Articles.ID}
		_, err = w.Collections.AddField(ctx, change, definition.FieldInput{Name: "seo", Type: core.TypeGroup, Component: "seo"})
		w.OK(err)
		create := func(code string) int64 {
			e, err := w.Writer.Create(ctx, admin, w.Project, w.Articles.ID, core.EntryWrite{
				Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"title": json.RawMessage(`"A"`), "code": json.RawMessage(code)}}, Published: new(true),
			})
			w.OK(err)
			return e.ID
		}
		long, short := create(`"thirteen long"`), create(`"short"`)
		done, err := w.Writer.Fill(ctx, admin, w.Project, w.Articles.ID, writing.Filling{Field: "seo", Fields: []string{"code"}})
		w.OK(err)
		if done.Changed != 1 || w.Entry(long).Published.Value("seo") != nil || w.Entry(short).Published.Value("seo") == nil {
			t.Errorf("filled %+v", done)
		}
		for _, id := range []int64{long, short} {
			_, err := w.Writer.Update(ctx, admin, review.EntryRef{Project: w.Project, CollectionID: w.Articles.ID, ID: id}, nil, core.EntryWrite{
				Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"title": json.RawMessage(`"B"`)}},
			})
			w.OK(err)
		}
	})
}
