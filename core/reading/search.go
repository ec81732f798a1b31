package reading

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/core/query"
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
	Locale      string   // as query.Query.Locale
	Limit       int64    // 1 to MaxSearchLimit
	Fields      string   // what results show of their entries: "articles.slug,pages.seo.title"; empty: nothing
	After       string   // the SearchPage.Next of the page before; empty: the first page
	// Depends collects what the response depends on; nil: nothing collects it.
	Depends *cachetag.Dependencies
}

// SearchResult is a published entry that a search found.
type SearchResult struct {
	Collection string // slug
	ID         int64
	Locale     string
	Title      string // see core.Collection.Title
	// Excerpt is a part of a text around the first words that were found: core.Collection.Excerpt.
	Excerpt []words.Piece
	// Entry is the entry as a list of depth 0 shows it with those of SearchQuery.Fields; nil: its collection has none.
	Entry []byte
}

// SearchPage is a window of the results of a search.
type SearchPage struct {
	Results []SearchResult
	Limit   int64
	HasMore bool
	Next    string // SearchQuery.After of the window that follows, if HasMore is true
}

// Search returns up to q.Limit published entries with all words of the text: first those that have them in
// the title, then the newest, then the higher id. It has one statement for each collection, and for each collection with
// fields those that a list has for what it shows. Errors are core.KindBadRequest with the faults at "q", "collections",
// "locale", "fields" and "after".
func (r *Reader) Search(ctx context.Context, project *core.Project, q SearchQuery) (page *SearchPage, err error) {
	err = r.Whole(ctx, project, func(r *Reader) error {
		page, err = r.search(ctx, project, q)
		return err
	})
	return page, err
}

func (r *Reader) search(ctx context.Context, project *core.Project, q SearchQuery) (*SearchPage, error) {
	collections, err := r.schemas.Collections(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	sel := query.Selection{
		Schema: core.Schema{Project: project, Collections: collections}, State: core.StatePublished, Sort: ranked, Limit: q.Limit,
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
	var searched []*core.Collection
	for _, slug := range q.Collections {
		switch named := sel.Schema.BySlug(slug); {
		case named == nil:
			c.fault("collections", slug, "unknown collection %s", quoted(slug))
		case !named.Searches():
			c.fault("collections", slug, "%s", notSearched(slug))
		}
	}
	for _, collection := range collections {
		if (len(q.Collections) == 0 || slices.Contains(q.Collections, collection.Slug)) && collection.Searches() {
			searched = append(searched, collection)
		}
	}
	if len(collections) > 0 && !slices.ContainsFunc(collections, (*core.Collection).Searches) {
		c.fault("q", q.Text, "no field of the Project's collections is searchable: set searchable of a text field to true")
	}
	shapes := c.searchFields(q, searched)
	if err := c.err(); err != nil {
		return nil, err
	}
	checked := checkedBySearch(&sel, searched)
	if q.After != "" {
		if sel.After = openCursor(checked, ranked, q.After); sel.After == nil {
			c.fault("after", q.After, "must be the meta.next of a search with the same other parameters")
			return nil, c.err()
		}
	}
	var found []foundRow
	for _, collection := range searched {
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
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.moment(), a.moment()), cmp.Compare(b.row.ID, a.row.ID))
	})
	page := &SearchPage{Results: make([]SearchResult, 0, q.Limit), Limit: q.Limit, HasMore: len(found) > int(q.Limit)}
	if page.HasMore {
		found = found[:q.Limit]
		last := found[q.Limit-1]
		page.Next = sealCursor(checked, ranked, &query.Position{
			Values: []*core.Value{{Num: last.rank}, {Num: float64(last.moment())}}, ID: last.row.ID,
		})
	}
	for _, f := range found {
		if q.Depends != nil {
			q.Depends.Entry(f.row.ID, f.row.Group)
		}
		page.Results = append(page.Results, SearchResult{
			Collection: f.collection.Slug, ID: f.row.ID, Locale: f.row.Locale, Title: f.collection.Title(f.row.Document),
			Excerpt: f.collection.Excerpt(sel.Search, f.row.Document),
		})
	}
	for _, shown := range shapes {
		if err := r.showFound(ctx, page, found, sel, shown); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// checkedBySearch returns what the checksum of a cursor of the search covers. 0 is the id of no collection, so that no
// list has such a cursor.
func checkedBySearch(sel *query.Selection, searched []*core.Collection) cursorBytes {
	checked := make(cursorBytes, 0, 512).number(sel.Schema.Project.ID).number(0).byte(byte(sel.State)).text(sel.Locale)
	for _, collection := range searched {
		checked = checked.number(collection.ID)
	}
	return checked.number(0).search(sel.Search).text(words.Version)
}

// searchFields reads "articles.slug,pages.seo.title" as the shapes of the collections that it names.
func (c *checker) searchFields(q SearchQuery, searched []*core.Collection) (shapes []foundShape) {
	if q.Fields == "" {
		return nil
	}
	if len(q.Fields) > query.MaxValueLength || strings.Count(q.Fields, ",") >= query.MaxPaths {
		c.fault("fields", nil, "must have at most %d names and %d bytes", query.MaxPaths, query.MaxValueLength)
		return nil
	}
	paths := map[*core.Collection][]string{}
	for name := range strings.SplitSeq(q.Fields, ",") {
		slug, path, _ := strings.Cut(name, ".")
		i := slices.IndexFunc(searched, func(of *core.Collection) bool { return of.Slug == slug })
		switch {
		case i < 0:
			c.fault("fields", name, "%s is not searched: name a collection and its field, as in articles.slug", quoted(slug))
		case path == "":
			c.fault("fields", name, "must name a field of %s, as in articles.slug", quoted(slug))
		default:
			paths[searched[i]] = append(paths[searched[i]], path)
		}
	}
	for _, collection := range searched {
		if of := paths[collection]; of != nil {
			own := checker{schema: core.Schema{Project: c.schema.Project, Collections: c.schema.Collections, Collection: collection}}
			shapes = append(shapes, foundShape{collection, own.shape(query.Shape{Fields: strings.Join(of, ","), Depth: new(int64), Depends: q.Depends})})
			c.faults = append(c.faults, own.faults...)
		}
	}
	return shapes
}

// foundShape is what results in a collection show of their entries.
type foundShape struct {
	collection *core.Collection
	shape      shape
}

// showFound sets the Entry of the results in a collection.
func (r *Reader) showFound(ctx context.Context, page *SearchPage, found []foundRow, sel query.Selection, shown foundShape) error {
	var rows []core.Row
	var at []int
	for i, f := range found {
		if f.collection == shown.collection {
			rows, at = append(rows, f.row), append(at, i)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	sel.Schema.Collection = shown.collection
	shaped, _, err := r.shape(ctx, sel.Schema, view{state: sel.State, locale: sel.Locale, shape: shown.shape}, rows)
	for i := range shaped {
		page.Results[at[i]].Entry = shaped[i].JSON
	}
	return err
}

type foundRow struct {
	row        core.Row
	collection *core.Collection
	rank       float64
}

func (f *foundRow) moment() int64 { return query.Moment(f.row.PublishedAt, f.row.CreatedAt) }
