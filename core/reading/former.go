package reading

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// The numbers of former slugs in a page.
const (
	DefaultFormer = 100
	MaxFormer     = 500
)

// Former reads the slugs that published entries had, for redirects. It is safe for concurrent use.
type Former struct {
	reader *Reader
	slugs  ports.FormerSlugs
}

// NewFormer returns a Former.
func NewFormer(reader *Reader, slugs ports.FormerSlugs) *Former { return &Former{reader, slugs} }

// FormerPage is a page of former slugs.
type FormerPage struct {
	Slugs   []query.FormerSlug // in the order of locale and slug
	HasMore bool
	Next    string // the cursor of the next page, if HasMore
}

// Find returns the published entry of the collection of that slug whose slug in the locale is or was text: the entry that has
// it now or, if there is none, the latest one that had it. Without such an entry, and in collections without a
// slug field, it is core.ErrNotFound. An empty locale is the default one. depends collects what the response depends on.
func (f *Former) Find(ctx context.Context, project *core.Project, collection, text, locale string, depends *cachetag.Dependencies) (found query.FormerSlug, err error) {
	err = f.reading(ctx, project, collection, depends, func(c checker) error {
		if locale = c.locale(locale); locale == query.AllLocales {
			c.fault("locale", locale, "must be one locale")
		}
		value, fault := fieldtype.Of(core.TypeSlug).Operand(text)
		if text == "" {
			fault = "is empty"
		}
		if fault != "" {
			c.fault("slug", text, "%s", fault)
		}
		slug := c.schema.Collection.SlugField()
		if err := c.err(); err != nil || slug == nil {
			return orNotFound(err)
		}
		at := query.SlugIn{Locale: locale, Slug: value.Text}
		holders, err := f.used(ctx, c.schema, slug, locale, []string{at.Slug})
		if err != nil {
			return err
		}
		if row, used := holders[at]; used {
			depends.Entry(row.ID, row.Group)
			found = query.FormerSlug{SlugIn: at, EntryID: row.ID, Present: at.Slug}
			return nil
		}
		former, err := f.slugs.FormerSlugs(ctx, query.FormerQuery{
			ProjectID: project.ID, CollectionID: c.schema.Collection.ID, Field: slug, Locale: locale, Slug: at.Slug, Limit: 1,
		})
		if err != nil || len(former) == 0 {
			return orNotFound(err)
		}
		found = former[0]
		return nil
	})
	return found, err
}

// Page returns former slugs of the collection of that slug, without those that a published entry has now. after is the cursor
// of the page before, or empty. An empty locale means every locale.
func (f *Former) Page(ctx context.Context, project *core.Project, collection, locale, after string, limit int, depends *cachetag.Dependencies) (page FormerPage, err error) {
	err = f.reading(ctx, project, collection, depends, func(c checker) error {
		page = FormerPage{}
		if locale != "" {
			if locale = c.locale(locale); locale == query.AllLocales {
				locale = ""
			}
		}
		from, ok := readFormerCursor(after)
		if !ok {
			c.fault("after", after, "is not a cursor of former slugs")
		}
		slug := c.schema.Collection.SlugField()
		if err := c.err(); err != nil || slug == nil {
			return err
		}
		found, err := f.slugs.FormerSlugs(ctx, query.FormerQuery{
			ProjectID: project.ID, CollectionID: c.schema.Collection.ID, Field: slug, Locale: locale, After: from, Limit: limit + 1,
		})
		if err != nil {
			return err
		}
		if page.HasMore = len(found) > limit; page.HasMore {
			found = found[:limit]
			page.Next = formerCursor(found[limit-1].SlugIn)
		}
		page.Slugs, err = f.unused(ctx, c.schema, slug, found)
		return err
	})
	return page, err
}

// reading calls do with the definitions of the collection, until no release was published meanwhile.
func (f *Former) reading(ctx context.Context, project *core.Project, collection string, depends *cachetag.Dependencies, do func(c checker) error) error {
	schema, err := f.reader.schema(ctx, project, collection)
	if err != nil {
		return err
	}
	depends.List(collection)
	return f.reader.whole.severally(ctx, project.ID, func() error { return do(checker{schema: schema}) })
}

// unused returns found without the slugs that entries have now.
func (f *Former) unused(ctx context.Context, schema core.Schema, slug *core.Field, found []query.FormerSlug) (unused []query.FormerSlug, err error) {
	for len(found) > 0 {
		n := slices.IndexFunc(found, func(s query.FormerSlug) bool { return s.Locale != found[0].Locale })
		if n < 0 {
			n = len(found)
		}
		texts := make([]string, n)
		for i := range texts {
			texts[i] = found[i].Slug
		}
		used, err := f.used(ctx, schema, slug, found[0].Locale, texts)
		if err != nil {
			return nil, err
		}
		for _, s := range found[:n] {
			if _, taken := used[s.SlugIn]; !taken {
				unused = append(unused, s)
			}
		}
		found = found[n:]
	}
	return unused, nil
}

// used returns the published entries that have one of the slugs, one for each.
func (f *Former) used(ctx context.Context, schema core.Schema, slug *core.Field, locale string, texts []string) (map[query.SlugIn]core.Row, error) {
	used := map[query.SlugIn]core.Row{}
	for len(texts) > 0 {
		condition := query.Filter{Field: slug.Name, Op: string(query.OpIn), Operand: query.Operand{Listed: true}}
		for _, text := range texts {
			condition.Operand.Items = append(condition.Operand.Items, text)
		}
		limit := int64(query.MaxLimit)
		listing, err := f.reader.Prepare(ctx, schema.Project, false, query.Query{
			Collection: schema.Collection.Slug, Locale: query.AllLocales, Limit: &limit,
			Where: []query.Filter{condition, {Field: core.SystemLocale.Name, Operand: query.Operand{Items: []any{locale}}}},
		})
		if err != nil {
			return nil, err
		}
		rows, more, _, err := listing.rows(ctx)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			value, _ := core.DecodeValue(slug.Type, row.Document.Value(slug.Name))
			used[query.SlugIn{Locale: locale, Slug: value.Text}] = row
		}
		if !more {
			break
		}
		// Many entries have the same slugs: look for the others.
		texts = slices.DeleteFunc(texts, func(text string) bool { _, known := used[query.SlugIn{Locale: locale, Slug: text}]; return known })
	}
	return used, nil
}

// orNotFound returns err, or core.ErrNotFound without one.
func orNotFound(err error) error {
	if err == nil {
		return core.NotFound("entry with this slug")
	}
	return err
}

// formerCursor returns a cursor of the slugs that follow at.
func formerCursor(at query.SlugIn) string {
	return base64.RawURLEncoding.EncodeToString([]byte(at.Locale + "/" + at.Slug))
}

func readFormerCursor(cursor string) (at query.SlugIn, ok bool) {
	if cursor == "" {
		return query.SlugIn{}, true
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return query.SlugIn{}, false
	}
	value, fault := fieldtype.Of(core.TypeSlug).Operand(string(text))
	at.Locale, at.Slug, ok = strings.Cut(value.Text, "/")
	return at, ok && fault == "" && at.Locale != "" && formerCursor(at) == cursor
}
