package writing

import (
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/slug"
)

// makeSlugs generates the missing slugs of doc from their sources, and returns the names of the
// fields that it set.
func (c *composer) makeSlugs(ctx context.Context, e *core.Entry, doc map[string]json.RawMessage, found *core.Faults) ([]string, error) {
	var made []string
	for _, f := range c.schema.Collection.Fields {
		if f.Type != core.TypeSlug || f.Source == "" || !f.Missing(doc[f.Name]) || found.HasField(f.Name) || found.HasField(f.Source) {
			continue
		}
		base := f.DeriveSlug(unquote(doc[f.Source]), e.Locale)
		if base == "" {
			continue // checkOptions reports it
		}
		free, err := c.freeSlug(ctx, e, f, base)
		if err != nil {
			return nil, err
		}
		if free == "" {
			found.Add(core.FieldLocation(f.Source), c.schema.Collection.Field(f.Source).Shown(doc[f.Source]),
				"all slugs that it can give "+f.Name+" are taken: change it, or send a value for "+f.Name)
			continue
		}
		doc[f.Name] = canonical.Quote(free)
		made = append(made, f.Name)
	}
	return made, nil
}

// freeSlug returns base, or base with a free number whose predecessor is taken. It doubles the number
// until it finds a free one and then bisects, so that the thousandth entry of one title does not
// need a thousand reads. The result is empty when no slug is free that fits f.
func (c *composer) freeSlug(ctx context.Context, e *core.Entry, f *core.Field, base string) (string, error) {
	if !f.Unique {
		return slug.Numbered(base, 1, f.MaxSlug()), nil
	}
	most := slug.Numbers(f.MaxSlug())
	taken, free := 0, 0 // a number that is taken and one that is free; 0: none known
	for n := 1; free-taken != 1; {
		holders, err := c.taken(ctx, e, []core.UniqueValue{{Field: f.Name, Value: core.Value{Text: slug.Numbered(base, n, f.MaxSlug())}}})
		switch {
		case err != nil:
			return "", err
		case len(holders) > 0:
			taken = n
		default:
			free = n
		}
		if taken == most {
			return c.slugGap(ctx, e, f, base, most)
		}
		if n = min(taken*2, most); free != 0 {
			n = (taken + free) / 2
		}
	}
	return slug.Numbered(base, free, f.MaxSlug()), nil
}

// slugGap returns the first of the slugs with the numbers from 1 to most that no other entry holds,
// or an empty text.
func (c *composer) slugGap(ctx context.Context, e *core.Entry, f *core.Field, base string, most int) (string, error) {
	const together = 100
	for from := 1; from <= most; from += together {
		var values []core.UniqueValue
		for n := from; n < from+together && n <= most; n++ {
			values = append(values, core.UniqueValue{Field: f.Name, Value: core.Value{Text: slug.Numbered(base, n, f.MaxSlug())}})
		}
		holders, err := c.stores.Entries.Holders(ctx, c.schema, []string{e.Locale}, values)
		if err != nil {
			return "", err
		}
		for _, v := range values {
			if !slices.ContainsFunc(holders, func(h core.Holder) bool { return h.Entry != e.ID && h.UniqueValue == v }) {
				return v.Value.Text, nil
			}
		}
	}
	return "", nil
}
