package newsroom

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition"
	"imprimatur/core/query"
)

// CheckLists compares the lists and totals of the collection, in every state and locale,
// with the documents.
func (w *Fixture) CheckLists(collectionID int64) {
	w.Helper()
	schema := w.schema(collectionID)
	entries, err := w.Stores.Entries.Walk(w.Context(), schema.Project.ID, collectionID, 0, most)
	w.OK(err)
	for _, state := range []core.State{core.StatePublished, core.StateOnlyDraft, core.StateWithDraft} {
		serving := servedBy(schema.Project, entries, state)
		for _, locale := range append([]string{query.AllLocales}, schema.Project.Locales...) {
			selection := query.Selection{
				Schema: schema, Sort: []query.SortKey{{Field: core.SystemID}}, Locale: locale, State: state, Limit: query.MaxLimit,
			}
			listed := w.listed(selection)
			count, err := w.Stores.Entries.Count(w.Context(), selection)
			w.OK(err)
			if want := serving[locale]; !slices.Equal(listed, want) || count != int64(len(want)) {
				w.Fatalf("state %d, locale %s: %d entries listed, %d counted, want %d", state, locale, len(listed), count, len(want))
			}
		}
	}
}

// Check compares indexes and counters with the documents.
func (w *Fixture) Check() {
	w.Helper()
	var all []string
	report, err := w.Checker.Check(w.Context(), w.Project, false, func(collection string, d core.Difference) {
		all = append(all, collection+" "+d.String())
	})
	w.OK(err)
	if report.Left > 0 {
		w.Fatalf("%d differences:\n%s", report.Left, strings.Join(all[:min(len(all), 20)], "\n"))
	}
}

// CheckValues compares the results of filters on each text field of the collection with the
// documents.
func (w *Fixture) CheckValues(collectionID int64) {
	w.Helper()
	schema := w.schema(collectionID)
	entries, err := w.Stores.Entries.Walk(w.Context(), schema.Project.ID, collectionID, 0, most)
	w.OK(err)
	for _, field := range schema.Collection.Fields {
		if field.Type == core.TypeText && !field.Multiple && !field.Hidden {
			w.checkValues(schema, field, entries)
		}
	}
}

func (w *Fixture) checkValues(schema core.Schema, field *core.Field, entries []core.Entry) {
	w.Helper()
	holders := map[core.Value][]int64{}
	for i := range entries {
		doc := core.StateWithDraft.Admits(&entries[i])
		value, ok := core.DecodeValue(field.Type, doc.Values()[field.Name])
		if ok && (holders[value] != nil || len(holders) < mostValues) {
			holders[value] = append(holders[value], entries[i].ID)
		}
	}
	for value, want := range holders {
		found := w.listed(query.Selection{
			Schema: schema, Where: []query.Predicate{{Field: field, Op: query.OpEqual, Values: []core.Value{value}}},
			Sort: []query.SortKey{{Field: core.SystemID}}, Locale: query.AllLocales, State: core.StateWithDraft, Limit: query.MaxLimit,
		})
		if !slices.Equal(found, want) {
			w.Fatalf("%d entries match %s = %v, want %d", len(found), field.Name, value, len(want))
		}
	}
}

const (
	most       = 10_000 // checked entries of a collection
	mostValues = 30     // checked values of a field
)

// listed returns the ids of all selected entries, read page by page.
func (w *Fixture) listed(selection query.Selection) []int64 {
	w.Helper()
	var listed []int64
	for {
		selection.Offset = int64(len(listed))
		rows, _, err := w.Stores.Entries.List(w.Context(), selection, false)
		w.OK(err)
		for _, row := range rows[:min(len(rows), int(selection.Limit))] {
			listed = append(listed, row.ID)
		}
		if len(rows) <= int(selection.Limit) {
			return listed
		}
	}
}

// schema reads the current definition of the collection.
func (w *Fixture) schema(collectionID int64) core.Schema {
	w.Helper()
	project, err := w.Stores.Projects.Project(w.Context(), w.Project.ID)
	w.OK(err)
	related, err := w.Stores.Collections.Related(w.Context(), project.ID, collectionID)
	w.OK(err)
	return core.Schema{Project: project, Collection: related[0], Collections: related}
}

// servedBy computes the ids of the entries that lists in state contain, by locale, in the
// order of entries.
func servedBy(project *core.Project, entries []core.Entry, state core.State) map[string][]int64 {
	groups, serving := map[int64]map[string]bool{}, map[string][]int64{}
	for i := range entries {
		if e := &entries[i]; state.Admits(e) != nil {
			if groups[e.Group] == nil {
				groups[e.Group] = map[string]bool{}
			}
			groups[e.Group][e.Locale] = true
		}
	}
	for i := range entries {
		e := &entries[i]
		if state.Admits(e) == nil {
			continue
		}
		serving[query.AllLocales] = append(serving[query.AllLocales], e.ID)
		for _, locale := range project.Locales {
			chain := project.FallbackChain(locale)
			if best := slices.IndexFunc(chain, func(l string) bool { return groups[e.Group][l] }); best >= 0 && chain[best] == e.Locale {
				serving[locale] = append(serving[locale], e.ID)
			}
		}
	}
	return serving
}

// Countries creates a collection with a unique code and an unindexed name.
func (w *Fixture) Countries() *core.Collection {
	w.Helper()
	c, err := w.Collections.Create(w.Context(), core.Actor{System: true}, w.Project, definition.CollectionInput{Slug: "countries", Name: "Countries", Fields: []definition.FieldInput{
		{Name: "code", Type: core.TypeText, Unique: true}, {Name: "name", Type: core.TypeText, Indexed: new(false)},
	}})
	w.OK(err)
	return c
}

// Country returns a write of a published country in the default locale.
func Country(n int) core.EntryWrite {
	return core.EntryWrite{Published: new(true), Fields: core.WrittenFields{Raw: map[string]json.RawMessage{
		"code": canonical.Quote(fmt.Sprint("C", n)), "name": canonical.Quote(fmt.Sprint("name ", n%7)),
	}}}
}
