package contract

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
)

// Revisions checks a ports.RevisionStore.
func Revisions(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a revision":              keepsRevisions,
		"replaces a revision":                           replacesRevisions,
		"pages through revisions, newest first":         pagesRevisions,
		"deletes revisions by number":                   deletesRevisions,
		"finds what can be pruned":                      findsPrunable,
		"stores many revisions with many entries":       storesManyRevisions,
		"forgets revisions of a rolled back write":      forgetsRevisions,
		"stores the newest revision with its entry":     storesNewestRevision,
		"removes revisions with entry and collection":   removesRevisions,
		"removes revisions with the project":            removesProjectRevisions,
		"keeps the revisions of other entries separate": separatesRevisions,
	})
}

// pastRevision returns a past revision of an entry.
func (c *testCollection) pastRevision(entryID, number int64) core.Revision {
	return core.Revision{
		ProjectID: c.schema.Project.ID, CollectionID: c.schema.Collection.ID, EntryID: entryID,
		RevisionRecord: core.RevisionRecord{
			Number: number, ContentHash: strings.Repeat("ab", 32), CreatedAt: core.InstantOf(at(1)), UpdatedAt: core.InstantOf(at(2)), By: ada,
		},
	}
}

func numbersOf(revisions []core.Revision) (list []int64) {
	for _, r := range revisions {
		list = append(list, r.Number)
	}
	return list
}

func (w *fixture) revisions(t reporter, entryID int64) []core.Revision {
	t.Helper()
	return result(w.Revisions.Revisions(t.Context(), core.RevisionQuery{ProjectID: w.project.ID, EntryID: entryID}))(t)
}

func keepsRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	for n, text := range hostileTexts {
		r := coll.pastRevision(int64(n+1), 3)
		r.Changed, r.Note, r.Closed, r.Kept = []string{"title", "body"}, strings.ToValidUTF8(text, "?"), true, true
		r.Media = []byte(`{"7":{"caption":"<i>"}}`)
		r.Undo = core.Delta{{From: 2, Length: 5}, {Text: strings.ToValidUTF8("x"+text, "?")}}
		requireNoError(t, w.Revisions.Save(t.Context(), r))
		assertEqual(t, w.revisions(t, r.EntryID), []core.Revision{r})
	}
	requireNoError(t, w.Revisions.Save(t.Context()))
	assertEqual(t, w.revisions(t, unknown), []core.Revision{})
}

func replacesRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	r := coll.pastRevision(1, 1)
	requireNoError(t, w.Revisions.Save(t.Context(), r))
	r.Kept, r.Undo = true, core.Delta{{Text: "other"}}
	requireNoError(t, w.Revisions.Save(t.Context(), r))
	assertEqual(t, w.revisions(t, 1), []core.Revision{r})
	assertEqual(t, numbersOf(result(w.Revisions.Prunable(t.Context(), w.project.ID, core.RevisionKey{EntryID: 1, Number: 9}))(t)), []int64{})
}

func pagesRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	for _, n := range []int64{3, 1, 12, 2, 7} {
		requireNoError(t, w.Revisions.Save(t.Context(), coll.pastRevision(1, n)))
	}
	assertEqual(t, result(w.Revisions.Count(t.Context(), w.project.ID, 1))(t), int64(5))
	assertEqual(t, result(w.Revisions.Count(t.Context(), w.project.ID, 2))(t), int64(0))
	for _, test := range []struct {
		q    core.RevisionQuery
		want []int64
	}{
		{core.RevisionQuery{}, []int64{12, 7, 3, 2, 1}},
		{core.RevisionQuery{From: 3}, []int64{12, 7, 3}},
		{core.RevisionQuery{From: 13}, nil},
		{core.RevisionQuery{Limit: 2}, []int64{12, 7}},
		{core.RevisionQuery{Limit: 2, Offset: 4}, []int64{1}},
		{core.RevisionQuery{Limit: 2, Offset: 5}, nil},
		{core.RevisionQuery{Limit: 100, Offset: 1 << 40}, nil},
	} {
		test.q.ProjectID, test.q.EntryID = w.project.ID, 1
		assertEqual(t, numbersOf(result(w.Revisions.Revisions(t.Context(), test.q))(t)), test.want)
	}
}

func deletesRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	for n := range int64(5) {
		requireNoError(t, w.Revisions.Save(t.Context(), coll.pastRevision(1, n), coll.pastRevision(2, n)))
	}
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		return errors.Join(s.Revisions.Save(ctx, coll.pastRevision(1, 5)), s.Revisions.Delete(ctx, w.project.ID, keysOf(1, 0, 3, 5, 99)...))
	}))
	requireNoError(t, w.Revisions.Delete(t.Context(), w.project.ID))
	assertEqual(t, numbersOf(w.revisions(t, 1)), []int64{4, 2, 1})
	assertEqual(t, numbersOf(w.revisions(t, 2)), []int64{4, 3, 2, 1, 0})
	requireNoError(t, w.Revisions.Delete(t.Context(), w.project.ID, append(keysOf(1, 4, 1), keysOf(2, 2, 0, 99)...)...))
	assertEqual(t, numbersOf(w.revisions(t, 1)), []int64{2})
	assertEqual(t, numbersOf(w.revisions(t, 2)), []int64{4, 3, 1})
}

// keysOf returns the keys of revisions of an entry.
func keysOf(entryID int64, numbers ...int64) (keys []core.RevisionKey) {
	for _, n := range numbers {
		keys = append(keys, core.RevisionKey{EntryID: entryID, Number: n})
	}
	return keys
}

func findsPrunable(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	for n := range int64(10) {
		r := coll.pastRevision(1, n+1)
		r.Kept = slices.Contains([]int64{1, 2, 5, 6, 9}, r.Number)
		requireNoError(t, w.Revisions.Save(t.Context(), r, coll.pastRevision(2, n+1)))
	}
	for _, test := range []struct {
		through int64
		want    []int64
	}{
		{0, nil}, {1, nil}, {2, nil}, {3, []int64{2, 3, 4}}, {4, []int64{2, 3, 4, 5}}, {6, []int64{2, 3, 4, 5, 6, 7}},
		{10, []int64{2, 3, 4, 5, 6, 7, 8, 9, 10}}, {99, []int64{2, 3, 4, 5, 6, 7, 8, 9, 10}},
	} {
		assertEqual(t, numbersOf(result(w.Revisions.Prunable(t.Context(), w.project.ID, keysOf(1, test.through)...))(t)), test.want)
	}
	assertEqual(t, numbersOf(result(w.Revisions.Prunable(t.Context(), w.project.ID, keysOf(2, 1)...))(t)), []int64{1, 2})
	assertEqual(t, numbersOf(result(w.Revisions.Prunable(t.Context(), w.project.ID, keysOf(unknown, 9)...))(t)), []int64{})
	assertEqual(t, result(w.Revisions.Prunable(t.Context(), w.project.ID))(t), []core.Revision(nil))
	both := result(w.Revisions.Prunable(t.Context(), w.project.ID, slices.Concat(keysOf(2, 2), keysOf(unknown, 9), keysOf(1, 3))...))(t)
	var found []core.RevisionKey
	for _, r := range both {
		found = append(found, core.RevisionKey{EntryID: r.EntryID, Number: r.Number})
	}
	assertEqual(t, found, append(keysOf(1, 2, 3, 4), keysOf(2, 1, 2, 3)...))
}

// storesManyRevisions saves many revisions in one transaction, each before its entry.
func storesManyRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	var entries []*core.Entry
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		ids := result(s.Entries.NewIDs(ctx, 1200))(t)
		entries = nil
		for _, id := range ids {
			e := draftOf("en", fields{"title": "a"})
			e.ID, e.Group, e.ProjectID, e.CollectionID, e.Version = id, id, w.project.ID, coll.schema.Collection.ID, 1
			entries = append(entries, &e)
			requireNoError(t, s.Revisions.Save(ctx, coll.pastRevision(id, 1), coll.pastRevision(id, 2)))
		}
		assertEqual(t, numbersOf(result(s.Revisions.Revisions(ctx, core.RevisionQuery{ProjectID: w.project.ID, EntryID: ids[7]}))(t)), []int64{2, 1})
		requireNoError(t, s.Revisions.Save(ctx, coll.pastRevision(ids[7], 3)))
		return s.Entries.Save(ctx, coll.schema, entries, nil)
	}))
	assertEqual(t, numbersOf(w.revisions(t, entries[7].ID)), []int64{3, 2, 1})
	assertEqual(t, numbersOf(w.revisions(t, entries[1199].ID)), []int64{2, 1})
}

func forgetsRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	errAborted := errors.New("aborted")
	err := w.do(t, func(ctx context.Context, s ports.Stores) error {
		requireNoError(t, s.Revisions.Save(ctx, coll.pastRevision(1, 1)))
		assertEqual(t, result(s.Revisions.Count(ctx, w.project.ID, 1))(t), int64(1))
		requireNoError(t, s.Revisions.Save(ctx, coll.pastRevision(1, 2)))
		return errAborted
	})
	if !errors.Is(err, errAborted) {
		t.Fatal(err)
	}
	assertEqual(t, w.revisions(t, 1), []core.Revision{})
}

func storesNewestRevision(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := draftOf("en", fields{"title": "a"})
	e.Revision = core.Document(`{"number":1}`)
	e = coll.add(t, e)
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	coll.change(t, &e, func(e *core.Entry) { e.Revision = core.Document(`{"number":2}`) })
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	e.Revision = core.Document(`{"number":2,"closed":true}`)
	requireNoError(t, w.Entries.SetRevision(t.Context(), w.project.ID, e.ID, e.Revision))
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	requireError(t, w.Entries.SetRevision(t.Context(), w.project.ID, unknown, e.Revision), core.ErrNotFound)
	requireError(t, w.Entries.SetRevision(t.Context(), w.otherProject(t).project.ID, e.ID, e.Revision), core.ErrNotFound)
}

func removesRevisions(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField())
	first, second, third := coll.add(t, draftOf("en", fields{})), coll.add(t, draftOf("en", fields{})), other.add(t, draftOf("en", fields{}))
	requireNoError(t, w.Revisions.Save(t.Context(), coll.pastRevision(first.ID, 1), coll.pastRevision(second.ID, 1), other.pastRevision(third.ID, 1)))
	requireNoError(t, w.Entries.Destroy(t.Context(), coll.schema, first.ID, ""))
	assertEqual(t, w.revisions(t, first.ID), []core.Revision{})
	assertEqual(t, numbersOf(w.revisions(t, second.ID)), []int64{1})
	requireNoError(t, w.Collections.Delete(t.Context(), w.project.ID, coll.schema.Collection.ID))
	assertEqual(t, w.revisions(t, second.ID), []core.Revision{})
	assertEqual(t, numbersOf(w.revisions(t, third.ID)), []int64{1})
}

func removesProjectRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	requireNoError(t, w.Revisions.Save(t.Context(), coll.pastRevision(1, 1)))
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, w.revisions(t, 1), []core.Revision{})
}

func separatesRevisions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	other := w.otherProject(t)
	elsewhere := newTestCollection(t, other, "articles", titleField())
	requireNoError(t, w.Revisions.Save(t.Context(), coll.pastRevision(1, 1), coll.pastRevision(2, 2), elsewhere.pastRevision(1, 3)))
	assertEqual(t, numbersOf(w.revisions(t, 1)), []int64{1})
	assertEqual(t, numbersOf(w.revisions(t, 2)), []int64{2})
	assertEqual(t, numbersOf(other.revisions(t, 1)), []int64{3})
	requireNoError(t, w.Revisions.Delete(t.Context(), other.project.ID, keysOf(2, 2)...))
	assertEqual(t, numbersOf(w.revisions(t, 2)), []int64{2})
}
