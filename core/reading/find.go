package reading

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// maxTitled is the number of entries among which Drafts.FindEntries chooses.
const maxTitled = 50

// FoundEntry is an entry that was found by its title.
type FoundEntry struct {
	Managed

	Title  string
	Schema core.Schema
}

// FindCollections returns up to limit collections of the Projects whose name contains text, accents
// and case aside. The caller must leave out secret fields when it shows them.
func (d *Drafts) FindCollections(ctx context.Context, projects []*core.Project, text string, limit int) ([]core.Schema, error) {
	var found []core.Schema
	err := d.eachCollection(ctx, projects, func(schema core.Schema) {
		if len(found) < limit && strings.Contains(words.Fold(schema.Collection.Name), words.Fold(text)) {
			found = append(found, schema)
		}
	})
	return found, err
}

func (d *Drafts) eachCollection(ctx context.Context, projects []*core.Project, do func(core.Schema)) error {
	for _, p := range projects {
		collections, err := d.reader.schemas.Collections(ctx, p.ID)
		if err != nil {
			return err
		}
		for _, c := range collections {
			do(core.Schema{Project: p, Collection: c, Collections: collections})
		}
	}
	return nil
}

// FindEntries returns up to limit entries of the Projects whose draft has all words of a text, see
// words.ParseSearch, or whose title contains the text, accents and case aside: first those whose title begins with
// it, then those that have the words in the title, those that have them elsewhere, and the others. If very
// many entries match, it chooses among some of them.
func (d *Drafts) FindEntries(ctx context.Context, projects []*core.Project, text string, limit int) (found []FoundEntry, err error) {
	err = d.reader.whole.together(ctx, projects, func() error {
		found, err = d.findEntries(ctx, projects, text, limit)
		return err
	})
	return found, err
}

func (d *Drafts) findEntries(ctx context.Context, projects []*core.Project, text string, limit int) ([]FoundEntry, error) {
	titles := query.TitleQuery{Text: words.Fold(text), Limit: maxTitled}
	var searched query.WordsQuery
	schemas := map[int64]core.Schema{}
	err := d.eachCollection(ctx, projects, func(schema core.Schema) {
		schemas[schema.Collection.ID] = schema
		searched.Schemas = append(searched.Schemas, schema)
		if f := schema.Collection.TitleField(); f != nil {
			titles.Titles = append(titles.Titles, query.TitleOf{ProjectID: schema.Project.ID, CollectionID: schema.Collection.ID, FieldID: f.ID})
		}
	})
	if err != nil {
		return nil, err
	}
	entries, err := d.worded(ctx, searched, text, maxTitled)
	if err == nil && len(entries) < limit {
		var titled []core.Entry
		titled, err = d.titled(ctx, titles)
		entries = appendNew(entries, titled)
	}
	if err != nil {
		return nil, err
	}
	begins := func(e core.Entry) int {
		if strings.HasPrefix(words.Fold(schemas[e.CollectionID].Collection.Title(e.Draft)), titles.Text) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(entries, func(a, b core.Entry) int { return begins(a) - begins(b) })
	return d.found(ctx, entries[:min(limit, len(entries))], schemas)
}

// worded returns the entries with all words of a text; none if it has no words, or too many.
func (d *Drafts) worded(ctx context.Context, q query.WordsQuery, text string, limit int) ([]core.Entry, error) {
	search, fault := words.ParseSearch(text)
	if fault != "" || len(q.Schemas) == 0 {
		return nil, nil
	}
	q.Search, q.Titles, q.Limit = search, true, limit
	entries, err := d.stores.Entries.Worded(ctx, q)
	if err != nil || len(entries) >= limit {
		return entries, err
	}
	q.Titles = false
	others, err := d.stores.Entries.Worded(ctx, q)
	return appendNew(entries, others), err
}

// titled returns entries whose title contains the text of q, the last changed first.
func (d *Drafts) titled(ctx context.Context, q query.TitleQuery) ([]core.Entry, error) {
	entries, err := d.stores.Entries.Titled(ctx, q)
	slices.SortFunc(entries, func(a, b core.Entry) int { return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID)) })
	return entries, err
}

// appendNew appends the entries of more that list does not have.
func appendNew(list, more []core.Entry) []core.Entry {
	for _, e := range more {
		if !slices.ContainsFunc(list, func(o core.Entry) bool { return o.ID == e.ID }) {
			list = append(list, e)
		}
	}
	return list
}

// found returns entries as Managed, in their order. It presents all entries of one collection at once.
func (d *Drafts) found(ctx context.Context, entries []core.Entry, schemas map[int64]core.Schema) ([]FoundEntry, error) {
	byCollection := map[int64][]core.Entry{}
	for _, e := range entries {
		byCollection[e.CollectionID] = append(byCollection[e.CollectionID], e)
	}
	managed := map[int64]Managed{}
	for id, some := range byCollection {
		shown, err := d.listed(schemas[id], "")
		if err != nil {
			return nil, err
		}
		all, err := d.all(ctx, schemas[id], some, shown)
		if err != nil {
			return nil, err
		}
		for _, m := range all {
			managed[m.ID] = m
		}
	}
	found := make([]FoundEntry, len(entries))
	for i, e := range entries {
		schema := schemas[e.CollectionID]
		found[i] = FoundEntry{managed[e.ID], schema.Collection.Title(e.Draft), schema}
	}
	return found, nil
}
