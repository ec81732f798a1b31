package newsroom_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// values are the values of one version by field name.
type values map[string]any

// model is an entry that no workflow governs. A nil public version is unpublished.
type model struct{ draft, public values }

// apply returns the versions after a write of fields, or false if the write must be refused. whole
// says that the write accepts no incomplete draft.
func (m model) apply(fields values, mode string, whole bool) (model, bool) {
	named := maps.Clone(fields)
	next := model{m.draft.with(named), m.public}
	if next.draft["slug"] == nil && next.draft["title"] != nil {
		named["slug"] = next.draft["title"]
		next.draft["slug"] = named["slug"]
	}
	checked, all := next.draft, whole && !maps.Equal(m.draft, next.draft)
	switch {
	case mode == "publish":
		next.public, all = next.draft, true
	case mode == "withdraw":
		next.public, all = nil, false
	case mode == "follow" && m.public != nil:
		next.public = m.public.with(named)
		checked, all = next.public, !maps.Equal(m.public, next.public)
	}
	_, title := fields["title"]
	return next, checked["title"] != nil || !all && (!whole || !title)
}

func (v values) with(fields values) values {
	all := maps.Clone(v)
	maps.Copy(all, fields)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// holds reports whether m has the code in one of its versions.
func (m model) holds(code any) bool {
	return code != nil && (m.draft["code"] == code || m.public["code"] == code)
}

// versionRun compares random writes of two entries with their models.
type versionRun struct {
	*newsroom.Fixture
	notes  *core.Collection
	ids    []int64
	models []model
}

func TestWritesPublishWhatTheyName(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			rapid.Check(t, func(rt *rapid.T) {
				newVersionRun(rt, stores, tx).run(rt)
			})
		})
	}
}

func newVersionRun(rt *rapid.T, stores ports.Stores, tx ports.Tx) *versionRun {
	v := &versionRun{Fixture: newsroom.New(rt, stores, tx, systemclock.New()), models: make([]model, 2)}
	var err error
	v.notes, err = v.Collections.Create(v.Context(), core.SystemActor, v.Project, definition.CollectionInput{Slug: "notes", Name: "Notes", Fields: []definition.FieldInput{
		{Name: "title", Type: core.TypeText, Required: true},
		{Name: "slug", Type: core.TypeSlug, Source: "title"},
		{Name: "code", Type: core.TypeText, Unique: true},
		{Name: "body", Type: core.TypeText},
		{Name: "secret", Type: core.TypeText, Hidden: true},
	}})
	v.OK(err)
	for i := range v.models {
		m, err := v.Writer.Create(v.Context(), v.Actor("editor"), v.Project, v.notes.ID, core.EntryWrite{AllowIncomplete: true})
		v.OK(err)
		v.ids, v.models[i].draft = append(v.ids, m.ID), values{}
	}
	return v
}

func (v *versionRun) run(rt *rapid.T) {
	rt.Repeat(map[string]func(*rapid.T){
		"": v.check, "write": v.write, "write again": v.write, "revision": v.restoreRevision, "trash": v.trash, "unschedule": v.schedule,
	})
	v.Check()
	v.CheckLists(v.notes.ID)
	v.CheckValues(v.notes.ID)
}

// modes are the kinds of writes; half of them name no publication state.
var modes = []string{"follow", "follow", "follow", "keep", "keep", "publish", "withdraw"}

func (v *versionRun) write(rt *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(rt, "entry")
	fields := values{}
	for _, name := range []string{"title", "slug", "code", "body", "secret"} {
		if rapid.IntRange(0, 2).Draw(rt, name+" named") == 0 {
			fields[name] = any(nil)
			if text := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(rt, name); text != "" {
				fields[name] = text
			}
		}
	}
	mode, whole := rapid.SampledFrom(modes).Draw(rt, "mode"), rapid.Bool().Draw(rt, "whole")
	next, accepted := v.models[i].apply(fields, mode, whole)
	accepted = accepted && !v.models[1-i].holds(next.draft["code"])
	before := v.entry(i)
	err := v.send(rt, before, fields, mode, whole)
	switch {
	case !accepted && !errors.Is(err, core.ErrInvalid):
		rt.Fatalf("%s %v of %+v: got %v, want faults", mode, fields, v.models[i], err)
	case accepted:
		v.OK(err)
		after, events := v.entry(i), v.events()
		v.models[i] = next
		v.OK(v.send(rt, after, fields, mode, whole))
		if again := v.entry(i); again.Version != after.Version || v.events() != events || !again.UpdatedAt.Equal(after.UpdatedAt) {
			rt.Fatalf("%s %v has an effect again: version %d, was %d", mode, fields, again.Version, after.Version)
		}
	}
}

// send writes through one of the doors of a Writer.
func (v *versionRun) send(rt *rapid.T, e core.Entry, fields values, mode string, whole bool) error {
	raw := map[string]json.RawMessage{}
	for name, value := range fields {
		text, err := json.Marshal(value)
		v.OK(err)
		raw[name] = text
	}
	publish := map[string]*bool{"publish": new(true), "withdraw": new(false)}[mode]
	if mode == "keep" || rapid.Bool().Draw(rt, "alone") {
		_, err := v.Writer.Update(v.Context(), v.Actor("editor"), review.EntryRef{Project: v.Project, CollectionID: v.notes.ID, ID: e.ID}, nil, core.EntryWrite{
			Fields: core.WrittenFields{Raw: raw}, Published: publish, KeepPublished: mode == "keep", AllowIncomplete: !whole, Note: map[bool]*string{true: new("a note")}[rapid.Bool().Draw(rt, "note")],
		})
		return err
	}
	checked, err := v.Writer.Check(v.Context(), v.notes, raw)
	v.OK(err)
	return v.Writer.WriteBatch(v.Context(), v.Actor("editor"), v.Project, v.notes.ID, func(ctx context.Context, batch ports.Batch) error {
		e, err := batch.Stores().Entries.Entry(ctx, v.Project.ID, e.ID)
		if err != nil {
			return err
		}
		_, err = batch.Revise(ctx, e, core.EntryWrite{Fields: checked, Published: publish, AllowIncomplete: !whole})
		return err
	})
}

// restoreRevision changes only the draft.
func (v *versionRun) restoreRevision(rt *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(rt, "entry")
	newest, err := core.DecodeRevision(v.entry(i).Revision)
	v.OK(err)
	_, err = v.Writer.RestoreRevision(v.Context(), v.Actor("editor"), review.EntryRef{Project: v.Project, CollectionID: v.notes.ID, ID: v.ids[i]}, rapid.Int64Range(1, newest.Number).Draw(rt, "revision"), nil)
	if !errors.Is(err, core.ErrInvalid) { // the other entry may have the code
		v.OK(err)
	}
	v.models[i].draft = decoded(v.Fixture, v.entry(i).Draft)
}

// trash changes neither version, unless the other entry takes the code meanwhile.
func (v *versionRun) trash(rt *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(rt, "entry")
	_, err := v.Writer.Trash(v.Context(), v.Actor("editor"), review.EntryRef{Project: v.Project, CollectionID: v.notes.ID, ID: v.ids[i]}, nil, "")
	v.OK(err)
	_, err = v.Writer.Restore(v.Context(), v.Actor("editor"), review.EntryRef{Project: v.Project, CollectionID: v.notes.ID, ID: v.ids[i]}, nil)
	v.OK(err)
}

// schedule checks that a write changes only the draft while a publication is scheduled.
func (v *versionRun) schedule(rt *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(rt, "entry")
	if v.models[i].draft["title"] == nil || reflect.DeepEqual(v.models[i].draft, v.models[i].public) {
		rt.Skip("nothing to schedule")
	}
	_, err := v.Writer.Publish(v.Context(), v.Actor("editor"), review.EntryRef{Project: v.Project, CollectionID: v.notes.ID, ID: v.ids[i]}, writing.Publication{At: new(time.Now().Add(time.Hour))}, nil)
	v.OK(err)
	v.OK(v.send(rt, v.entry(i), values{"body": "later"}, "follow", false))
	v.models[i].draft = v.models[i].draft.with(values{"body": "later"})
	v.check(rt)
	_, err = v.Writer.Unschedule(v.Context(), v.Actor("editor"), review.EntryRef{Project: v.Project, CollectionID: v.notes.ID, ID: v.ids[i]}, nil)
	v.OK(err)
}

func (v *versionRun) entry(i int) core.Entry { return v.Entry(v.ids[i]) }

// events returns the id of the newest event of the Project.
func (v *versionRun) events() int64 {
	events, err := v.Stores.Events.Events(v.Context(), ports.EventQuery{ProjectID: v.Project.ID, Limit: 1 << 20})
	v.OK(err)
	newest := int64(0)
	for _, e := range events {
		newest = max(newest, e.ID)
	}
	return newest
}

// check compares the entries, and what was recorded of them, with the models.
func (v *versionRun) check(rt *rapid.T) {
	for i, m := range v.models {
		e := v.entry(i)
		if draft := decoded(v.Fixture, e.Draft); !maps.Equal(draft, m.draft) {
			rt.Fatalf("the draft is %v, want %v", draft, m.draft)
		}
		if (e.Published == nil) != (m.public == nil) {
			rt.Fatalf("published: %s, want %v", e.Published, m.public)
		}
		kept, err := v.Stores.Publications.Publications(v.Context(), v.Project.ID, v.notes.ID, e.ID, 0, 1)
		v.OK(err)
		if m.public == nil {
			if len(kept) > 0 && kept[0].UnpublishedAt.IsZero() {
				rt.Fatalf("publication %d goes on", kept[0].Number)
			}
			continue
		}
		if public := decoded(v.Fixture, e.Published); !maps.Equal(public, m.public) {
			rt.Fatalf("readers see %v, want %v", public, m.public)
		}
		if changed := !maps.Equal(m.public, m.draft); changed != e.HasTwoDocuments() {
			rt.Fatalf("unpublished changes: %t, want %t", !changed, changed)
		}
		newest, err := v.Stores.Publications.Publication(v.Context(), v.Project.ID, v.notes.ID, e.ID, kept[0].Number)
		v.OK(err)
		shown := maps.Clone(m.public)
		delete(shown, "secret")
		if recorded := decoded(v.Fixture, core.Document(newest.Content).Value("fields")); !newest.UnpublishedAt.IsZero() || newest.ContentHash != e.PublishedHash ||
			!maps.Equal(recorded, shown) {
			rt.Fatalf("the publication has %v, readers see %v", recorded, shown)
		}
	}
}

func decoded(w *newsroom.Fixture, doc core.Document) values {
	var all values
	w.OK(json.Unmarshal(doc, &all))
	return all
}

// A scheduled draft, a note, an empty write and another field leave the rest of the draft alone.
func TestAnotherFieldKeepsTheDraftUnpublished(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		id := w.Create(newsroom.Article("Public", newsroom.Field("code", "A"), newsroom.Published(true))).ID
		autosave := func(write *core.EntryWrite) { write.KeepPublished, write.AllowIncomplete = true, true }
		w.Update(id, newsroom.Article("", newsroom.Field("code", "B"), autosave))
		for name, write := range map[string]core.EntryWrite{
			"nothing": {}, "note": {Note: new("checked")}, "tags": {Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"tags": json.RawMessage(`["x"]`)}}},
			"whole": {Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"tags": json.RawMessage(`["y"]`)}}, AllowIncomplete: true},
		} {
			m := w.Update(id, write)
			e := w.Entry(id)
			if !strings.Contains(string(e.Published), `"title":"Public"`) || !strings.Contains(string(e.Published), `"code":"A"`) || !m.HasUnpublishedChanges {
				t.Errorf("after %s readers see %s", name, e.Published)
			}
			if tags := write.Fields.Raw["tags"]; tags != nil && string(e.Published.Value("tags")) != string(tags) {
				t.Errorf("after %s readers see the tags %s", name, e.Published.Value("tags"))
			}
		}
		if _, err := w.Writer.Update(t.Context(), w.Actor("editor"), w.Ref(id), nil, core.EntryWrite{
			Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"title": json.RawMessage(`""`)}}, AllowIncomplete: true,
		}); !errors.Is(err, core.ErrInvalid) {
			t.Errorf("an empty title became public: %v", err)
		}
		holders, err := w.Stores.Entries.Holders(t.Context(), core.Schema{Project: w.Project, Collection: w.Articles}, []string{"en"},
			[]core.UniqueValue{{Field: "code", Value: core.Value{Text: "A"}}, {Field: "code", Value: core.Value{Text: "B"}}})
		w.OK(err)
		if len(holders) != 2 || slices.ContainsFunc(holders, func(h core.Holder) bool { return h.Entry != id }) {
			t.Errorf("unique values are held by %v", holders)
		}
	})
}
