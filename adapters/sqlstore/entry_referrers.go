package sqlstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/release"
)

// localeBits are the low bits of a group with a locale in one number.
const localeBits = 6

func (s entryStore) Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error) {
	return s.referrers(ctx, project, q, nil)
}

// referrers reads the rows of entry_values that point to a group in the order of their entries, which is that of the
// index, so that it reads no more rows than it returns or counts.
func (s entryStore) referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery, seen *release.Seen) ([]query.Referrers, error) {
	if len(q.To) == 0 || len(q.Fields) == 0 {
		return nil, nil
	}
	sighted := sightings{seen: seen}
	to := make([]any, len(q.To))
	for i, of := range q.To {
		to[i] = of.Group<<localeBits | int64(of.Locale)
	}
	from, list := s.DB.Dialect.Integers(2, to)
	args := []any{project.ID, list}
	arg := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	fields := make([][2]string, len(q.Fields))
	for i, of := range q.Fields {
		number, _ := groupRows(of.Field)
		fields[i] = [2]string{arg(of.Collection.ID), arg(int64(number))}
	}
	before := ""
	if q.Before > 0 {
		before = " AND v.entry_id < " + arg(q.Before)
	}
	referring := func(limit int) string {
		parts := make([]string, len(fields))
		for i, f := range fields {
			parts[i] = fmt.Sprintf("SELECT * FROM (SELECT v.entry_id, i.group_id FROM entry_values v%s CROSS JOIN entry_index i%s"+
				" WHERE v.project_id = @project AND v.collection_id = %s AND v.field_id = %s AND v.ref = (s.value >> %d) AND (v.versions & %d) <> 0%s"+
				" AND i.project_id = @project AND i.scope = %s * %d + %d + v.locale AND i.entry_id = v.entry_id"+
				" AND (i.serves & (CAST(1 AS bigint) << CAST(s.value & %d AS integer))) <> 0 ORDER BY v.entry_id DESC LIMIT %d) u%d",
				s.DB.Dialect.By("entry_values_ref"), s.DB.Dialect.By(entryquery.PrimaryKey), f[0], f[1], localeBits, entryindex.InPublished, before,
				f[0], entryindex.ScopesPerCollection, entryindex.Scope(0, entryindex.Published, 0), 1<<localeBits-1, limit, i)
		}
		return "SELECT * FROM (" + strings.Join(parts, " UNION ") + ") x ORDER BY x.entry_id DESC LIMIT " + strconv.Itoa(limit)
	}
	total := "0"
	if q.Counts {
		total = "(SELECT count(*) FROM (" + referring(query.MaxReferrersCounted+1) + ") y)"
	}
	found, err := sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (r query.Referrers, err error) {
		var of int64
		var entries string
		err = rows.Scan(sighted.targets([]any{&of, &entries, &r.Total})...)
		r.To = query.GroupIn{Group: of >> localeBits, Locale: int(of & (1<<localeBits - 1))}
		for pair := range strings.FieldsSeq(entries) {
			id, group, _ := strings.Cut(pair, ":")
			r.Entries = append(r.Entries, query.Referring{ID: parsedID(id), Group: parsedID(group)})
		}
		return r, err
	}, "SELECT s.value, coalesce((SELECT string_agg(CAST(y.entry_id AS text) || ':' || CAST(y.group_id AS text), ' ' ORDER BY y.entry_id DESC) FROM ("+
		referring(q.Limit)+") y), ''), "+total+sighted.column()+" FROM "+from, args...)
	sighted.done(len(found), err)
	return found, err
}

// parsedID returns the id that the database wrote.
func parsedID(text string) int64 {
	id, _ := strconv.ParseInt(text, 10, 64) // the text of an integer
	return id
}
