package reading

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/core/canonical"
	"imprimatur/core/query"
)

// The limits of the referrers that entries show, and of a page of them.
const (
	MaxReferrerFields    = 3
	MaxReferrers         = 20
	DefaultReferrers     = 5
	MaxReferrersPage     = 100
	DefaultReferrersPage = 25
)

// referrersOf are the referrers that entries show for one field.
type referrersOf struct {
	name  string // "articles.author"
	field query.FieldOf
	limit int
}

// referrers reads "articles.author:5,pages.body".
func (c *checker) referrers(text string) (all []referrersOf) {
	if text == "" {
		return nil
	}
	parts := strings.SplitN(text, ",", MaxReferrerFields+1)
	if len(parts) > MaxReferrerFields {
		c.fault("referrers", text, "takes at most %d fields", MaxReferrerFields)
		return nil
	}
	for _, part := range parts {
		name, number, numbered := strings.Cut(part, ":")
		one := referrersOf{name: name, limit: DefaultReferrers}
		if numbered {
			n, err := strconv.Atoi(number)
			if err != nil || n < 1 || n > MaxReferrers || strconv.Itoa(n) != number {
				c.fault("referrers", part, "the number of referrers must be between 1 and %d", MaxReferrers)
			}
			one.limit = n
		}
		slug, path, _ := strings.Cut(name, ".")
		one.field = c.referring("referrers", slug, path)
		if slices.ContainsFunc(all, func(o referrersOf) bool { return o.name == name }) {
			c.fault("referrers", part, "names %s twice", quoted(name))
		}
		all = append(all, one)
	}
	return all
}

// referring returns the field of a collection in which entries may refer to those of the collection of c.
func (c *checker) referring(location, slug, name string) (of query.FieldOf) {
	if of.Collection = c.schema.BySlug(slug); of.Collection == nil {
		c.fault(location, slug, "unknown collection %s", quoted(slug))
		return of
	}
	of.Field = of.Collection.Queryable(name)
	switch {
	case of.Field == nil:
		c.fault(location, name, "unknown field %s of %s: name it as in articles.author", quoted(name), quoted(slug))
	case !c.schema.Refers(of.Field, c.schema.Collection.ID):
		c.fault(location, name, "%s of %s cannot refer to entries of %s", quoted(name), quoted(slug), quoted(c.schema.Collection.Slug))
	}
	return of
}

// loadReferrers reads the entries that refer to the rows: one store call for each field, one for the entries, and those
// of Reader.shape for what they show.
func (p *encoder) loadReferrers(ctx context.Context, r *Reader, laid []rowLayout) error {
	if len(p.view.referrers) == 0 || len(laid) == 0 {
		return nil
	}
	q := query.ReferrersQuery{Counts: true}
	for i := range laid {
		if to := (query.GroupIn{Group: laid[i].row.Group, Locale: laid[i].locale}); to.Locale >= 0 && !slices.Contains(q.To, to) {
			q.To = append(q.To, to)
		}
	}
	var refs references
	shown := len(laid)
	p.referrers = make([]map[query.GroupIn]query.Referrers, len(p.view.referrers))
	for n, one := range p.view.referrers {
		p.view.depends.List(one.field.Collection.Slug)
		q.Fields, q.Limit = []query.FieldOf{one.field}, one.limit
		found, err := r.entries.Referrers(ctx, p.schema.Project, q)
		if err != nil {
			return err
		}
		p.referrers[n] = make(map[query.GroupIn]query.Referrers, len(found))
		for _, of := range found {
			p.referrers[n][of.To] = of
			refs.addLocale(of.To.Locale)
			for _, e := range of.Entries {
				refs.groups = append(refs.groups, e.Group)
				shown++
			}
		}
	}
	if p.view.bounded && shown > query.MaxEntries {
		return errTooDeep
	}
	refs.groups = core.Distinct(refs.groups)
	var err error
	p.referring, err = p.shapeReferrers(ctx, r, refs)
	return err
}

// referringEntries are entries as JSON by the group and the locale that they serve.
type referringEntries map[query.GroupIn]Shaped

// shapeReferrers returns the entries of the groups as a list of depth 0 shows them.
func (p *encoder) shapeReferrers(ctx context.Context, r *Reader, refs references) (referringEntries, error) {
	found, err := serving(ctx, r.entries, p.schema.Project, core.StatePublished, refs, true)
	if err != nil || len(found.rows) == 0 {
		return nil, err
	}
	shaped, _, err := r.shape(ctx, p.schema, view{state: core.StatePublished, locale: p.view.locale, shape: shape{depends: p.view.depends}}, found.rows)
	if err != nil {
		return nil, err
	}
	entries := make(referringEntries, len(found.members))
	for of, i := range found.members {
		entries[query.GroupIn{Group: of.group, Locale: of.locale}] = shaped[i]
	}
	return entries, nil
}

// appendReferrers appends the member with the entries that refer to a row.
func (p *encoder) appendReferrers(b []byte, s *rowLayout) []byte {
	b = append(b, `,"`+query.ReferrersMember+`":{`...)
	for n, one := range p.view.referrers {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(canonical.AppendQuote(b, one.name), `:{"items":[`...)
		of := p.referrers[n][query.GroupIn{Group: s.row.Group, Locale: s.locale}]
		first := true
		for _, e := range of.Entries {
			entry, ok := p.referring[query.GroupIn{Group: e.Group, Locale: s.locale}]
			if !ok {
				continue // it is no longer public
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(b, entry.JSON...)
			p.entries++
		}
		b = strconv.AppendInt(append(b, `],"total":`...), int64(min(of.Total, query.MaxReferrersCounted)), 10)
		if of.Total > query.MaxReferrersCounted {
			b = append(b, `,"more":true`...)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

// ReferrersOf asks for the entries that refer to an entry.
type ReferrersOf struct {
	Collection string // slug; empty: all
	Field      string // of Collection; empty: all
	Before     int64  // the id of the last entry of the page before; 0: none
	Limit      *int64
	// Depends collects what the response depends on; nil: nothing collects it.
	Depends *cachetag.Dependencies
}

// ReferrersPage are entries that refer to an entry, the highest ids first.
type ReferrersPage struct {
	Limit   int64
	JSON    []byte // the entries, joined by commas
	HasMore bool
	Next    int64 // ReferrersOf.Before of the page that follows, if HasMore is true
}

// Referrers returns the published entries that refer to a public entry and serve its locale, with the relations as a
// list of depth 0 has them. Its errors are those of Entry, and core.KindBadRequest for faults of q. It makes two store
// calls, one for the entries, and those for what they show.
func (r *Reader) Referrers(ctx context.Context, project *core.Project, slug string, id int64, q ReferrersOf) (page *ReferrersPage, err error) {
	err = r.Whole(ctx, project, func(r *Reader) error {
		page, err = r.referrers(ctx, project, slug, id, q)
		return err
	})
	return page, err
}

func (r *Reader) referrers(ctx context.Context, project *core.Project, slug string, id int64, q ReferrersOf) (*ReferrersPage, error) {
	schema, err := r.schema(ctx, project, slug)
	if err != nil {
		return nil, err
	}
	c := checker{schema: schema}
	page := &ReferrersPage{Limit: c.within("limit", q.Limit, DefaultReferrersPage, 1, MaxReferrersPage)}
	fields := c.referringFields(q)
	if err := c.err(); err != nil {
		return nil, err
	}
	row, err := r.entries.Published(ctx, project.ID, schema.Collection.ID, id)
	if err != nil {
		return nil, named(err, "entry")
	}
	q.Depends.Entry(row.ID, row.Group)
	q.Depends.Of(slug)
	for _, f := range fields {
		q.Depends.List(f.Collection.Slug)
	}
	to := query.GroupIn{Group: row.Group, Locale: project.LocaleBit(row.Locale)}
	if len(fields) == 0 || to.Locale < 0 {
		return page, nil
	}
	found, err := r.entries.Referrers(ctx, project, query.ReferrersQuery{Fields: fields, To: []query.GroupIn{to}, Before: q.Before, Limit: int(page.Limit) + 1})
	if err != nil || len(found) == 0 {
		return page, err
	}
	entries := found[0].Entries
	if page.HasMore = len(entries) > int(page.Limit); page.HasMore {
		entries = entries[:page.Limit]
		page.Next = entries[page.Limit-1].ID
	}
	var refs references
	refs.addLocale(to.Locale)
	for _, e := range entries {
		refs.groups = append(refs.groups, e.Group)
	}
	refs.groups = core.Distinct(refs.groups)
	p := newEncoder(schema, view{state: core.StatePublished, locale: row.Locale, shape: shape{depends: q.Depends}})
	shaped, err := p.shapeReferrers(ctx, r, refs)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		entry, ok := shaped[query.GroupIn{Group: e.Group, Locale: to.Locale}]
		if !ok {
			continue
		}
		if len(page.JSON) > 0 {
			page.JSON = append(page.JSON, ',')
		}
		page.JSON = canonical.AppendQuote(append(page.JSON, `{"`+core.RelatedCollection+`":`...), entry.collection)
		page.JSON = append(append(page.JSON, ','), entry.JSON[1:]...)
	}
	return page, nil
}

// referringFields returns the fields that q asks for, in which entries may refer to those of the collection of c.
func (c *checker) referringFields(q ReferrersOf) (fields []query.FieldOf) {
	switch {
	case q.Field != "" && q.Collection == "":
		c.fault("field", q.Field, "needs the parameter collection")
		return nil
	case q.Field != "":
		return []query.FieldOf{c.referring("field", q.Collection, q.Field)}
	case q.Collection != "" && c.schema.BySlug(q.Collection) == nil:
		c.fault("collection", q.Collection, "unknown collection %s", quoted(q.Collection))
	}
	for _, of := range c.schema.Collections {
		if q.Collection != "" && of.Slug != q.Collection {
			continue
		}
		for _, f := range of.Fields {
			if c.schema.Refers(f, c.schema.Collection.ID) {
				fields = append(fields, query.FieldOf{Collection: of, Field: f})
			}
		}
	}
	slices.SortStableFunc(fields, func(a, b query.FieldOf) int { return cmp.Compare(a.Collection.ID, b.Collection.ID) })
	return fields
}
