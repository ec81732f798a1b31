package memory

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/query"
)

func (s entries) Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error) {
	return view(ctx, s.conn, func(st *state) ([]query.Referrers, error) {
		rows := st.rows(project, core.StatePublished, func(core.Entry) bool { return true })
		slices.SortFunc(rows, func(a, b core.Row) int { return cmp.Compare(b.ID, a.ID) })
		found := make([]query.Referrers, len(q.To))
		for i, to := range q.To {
			found[i].To = to
			for _, row := range rows {
				if row.Serves&(1<<to.Locale) == 0 || q.Before > 0 && row.ID >= q.Before || !refers(row, q.Fields, to.Group) {
					continue
				}
				if len(found[i].Entries) < q.Limit {
					found[i].Entries = append(found[i].Entries, query.Referring{ID: row.ID, Group: row.Group})
				}
				if q.Counts {
					found[i].Total = min(found[i].Total+1, query.MaxReferrersCounted+1)
				}
			}
		}
		return found, nil
	})
}

// refers reports whether row refers to the group in one of the fields.
func refers(row core.Row, fields []query.FieldOf, group int64) bool {
	return slices.ContainsFunc(fields, func(of query.FieldOf) (refers bool) {
		if of.Collection.ID != row.CollectionID {
			return false
		}
		if of.Field.RefersInside() {
			of.Field.EachReference(row.Document.Value(of.Field.Name), func(r core.Reference) {
				refers = refers || r.Target == core.ToGroup && r.ID == group
			})
			return refers
		}
		values, _ := rowValues(of.Field, row)
		return slices.Contains(values, core.Value{Num: float64(group)})
	})
}
