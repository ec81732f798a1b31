package reading

import (
	"context"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/query"
)

// loadAlternates reads the public translations of the rows: one store call.
func (p *encoder) loadAlternates(ctx context.Context, r *Reader, laid []rowLayout) error {
	if !p.view.alternates || len(laid) == 0 {
		return nil
	}
	groups := make([]int64, len(laid))
	for i := range laid {
		groups[i] = laid[i].row.Group
	}
	alternates, err := r.entries.Alternates(ctx, p.schema.Project, core.Distinct(groups), p.schema.Collection.SlugField())
	p.alternates = alternates
	for i := range alternates {
		p.view.depends.Entry(alternates[i].ID, alternates[i].Group)
	}
	return err
}

// appendAlternates appends the member with the public translations of a row.
func (p *encoder) appendAlternates(b []byte, row *core.Row) []byte {
	b = append(b, `,"`+query.AlternatesMember+`":[`...)
	first, _ := slices.BinarySearchFunc(p.alternates, row.Group, func(a query.Alternate, group int64) int { return int(a.Group - group) })
	for i := first; i < len(p.alternates) && p.alternates[i].Group == row.Group; i++ {
		a := &p.alternates[i]
		if i > first {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"id":`...), a.ID, 10)
		b = canonical.AppendQuote(append(b, `,"locale":`...), a.Locale)
		if a.Slug != "" {
			b = canonical.AppendQuote(append(b, `,"slug":`...), a.Slug)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}
