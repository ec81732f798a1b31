package reading

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"imprimatur/core"
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

// FindCollections returns up to limit collections of the Projects whose name contains text, ignoring
// case. The caller must leave out secret fields when it shows them.
func (d *Drafts) FindCollections(ctx context.Context, projects []*core.Project, text string, limit int) ([]core.Schema, error) {
	var found []core.Schema
	err := d.eachCollection(ctx, projects, func(schema core.Schema) {
		if len(found) < limit && strings.Contains(words.Caseless(schema.Collection.Name), words.Caseless(text)) {
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

// FindEntries returns up to limit entries of the Projects whose draft has a title that contains text,
// ignoring case: first those whose title begins with it, then the last changed. If very many entries
// match, it chooses among some of them. A text without three letters or digits in a row finds none.
func (d *Drafts) FindEntries(ctx context.Context, projects []*core.Project, text string, limit int) ([]FoundEntry, error) {
	q := core.TitleQuery{Text: words.Caseless(text), Limit: maxTitled}
	schemas := map[int64]core.Schema{}
	err := d.eachCollection(ctx, projects, func(schema core.Schema) {
		if f := schema.Collection.TitleField(); f != nil {
			q.Titles = append(q.Titles, core.TitleOf{ProjectID: schema.Project.ID, CollectionID: schema.Collection.ID, FieldID: f.ID})
			schemas[schema.Collection.ID] = schema
		}
	})
	if err != nil {
		return nil, err
	}
	entries, err := d.stores.Entries.Titled(ctx, q)
	if err != nil {
		return nil, err
	}
	rank := func(e core.Entry) int {
		if strings.HasPrefix(words.Caseless(schemas[e.CollectionID].Collection.Title(e.Draft)), q.Text) {
			return 0
		}
		return 1
	}
	slices.SortFunc(entries, func(a, b core.Entry) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID))
	})
	return d.found(ctx, entries[:min(limit, len(entries))], schemas)
}

// found returns entries as Managed, in their order. It presents all entries of one collection at once.
func (d *Drafts) found(ctx context.Context, entries []core.Entry, schemas map[int64]core.Schema) ([]FoundEntry, error) {
	byCollection := map[int64][]core.Entry{}
	for _, e := range entries {
		byCollection[e.CollectionID] = append(byCollection[e.CollectionID], e)
	}
	managed := map[int64]Managed{}
	for id, some := range byCollection {
		all, err := d.all(ctx, schemas[id], some)
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
