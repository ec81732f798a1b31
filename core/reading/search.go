package reading

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/words"
)

// The numbers of results of Reader.Search.
const (
	DefaultSearchLimit = 20
	MaxSearchLimit     = 50
)

// SearchQuery is a search in several collections of a Project.
type SearchQuery struct {
	Text        string
	Collections []string // slugs; empty: all
	Locale      string   // as core.Query.Locale
	Limit       int64    // 1 to MaxSearchLimit
	// Depends collects what the response depends on; nil: nothing collects it.
	Depends *core.Dependencies
}

// SearchResult is a published entry that a search found.
type SearchResult struct {
	Collection string // slug
	ID         int64
	Locale     string
	Title      string // see core.Collection.Title
}

// Search returns up to q.Limit published entries with all words of the text: first those that have them in
// the title, then the newest, then the higher id. It has one statement for each collection. Errors are
// core.KindBadRequest with the faults at "q", "collections" and "locale".
func (r *Reader) Search(ctx context.Context, project *core.Project, q SearchQuery) (results []SearchResult, err error) {
	err = r.Whole(ctx, project, func(r *Reader) error {
		results, err = r.search(ctx, project, q)
		return err
	})
	return results, err
}

func (r *Reader) search(ctx context.Context, project *core.Project, q SearchQuery) ([]SearchResult, error) {
	collections, err := r.schemas.Collections(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	sel := core.Selection{
		Schema: core.Schema{Project: project, Collections: collections}, State: core.StatePublished, Sort: ranked, Limit: q.Limit, Without: core.RowDates,
	}
	if r.drafts {
		sel.State = core.StateWithDraft
	}
	c := checker{schema: sel.Schema}
	sel.Locale = c.locale(q.Locale)
	var fault string
	if sel.Search, fault = words.ParseSearch(q.Text); fault != "" {
		c.fault("q", q.Text, "%s", fault)
	}
	for _, slug := range q.Collections {
		switch named := sel.Schema.BySlug(slug); {
		case named == nil:
			c.fault("collections", slug, "unknown collection %s", quoted(slug))
		case !named.Searches():
			c.fault("collections", slug, "%s", notSearched(slug))
		}
	}
	if len(collections) > 0 && !slices.ContainsFunc(collections, (*core.Collection).Searches) {
		c.fault("q", q.Text, "no field of the Project's collections is searchable: set searchable of a text field to true")
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	var found []foundRow
	for _, collection := range collections {
		if len(q.Collections) > 0 && !slices.Contains(q.Collections, collection.Slug) || !collection.Searches() {
			continue
		}
		if q.Depends != nil {
			q.Depends.List(collection.Slug)
		}
		sel.Schema.Collection = collection
		rows, _, err := r.entries.List(ctx, sel, false)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found = append(found, foundRow{row, collection, collection.Rank(sel.Search, row.Document)})
		}
	}
	slices.SortFunc(found, func(a, b foundRow) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(core.Moment(b.row.PublishedAt, b.row.CreatedAt), core.Moment(a.row.PublishedAt, a.row.CreatedAt)), cmp.Compare(b.row.ID, a.row.ID))
	})
	results := make([]SearchResult, 0, q.Limit)
	for _, f := range found[:min(int(q.Limit), len(found))] {
		if q.Depends != nil {
			q.Depends.Entry(f.row.ID, f.row.Group)
		}
		results = append(results, SearchResult{f.collection.Slug, f.row.ID, f.row.Locale, f.collection.Title(f.row.Document)})
	}
	return results, nil
}

type foundRow struct {
	row        core.Row
	collection *core.Collection
	rank       float64
}
