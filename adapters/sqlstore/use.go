package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/review"
)

// Uses implements ports.MediaStore.
func (s mediaStore) Uses(ctx context.Context, projectID, id int64, limit int) ([]library.Use, error) {
	return s.uses(ctx, projectID, id, limit, false)
}

// SealedUses is Uses of sealed published versions and of open requests, without secret fields. It finds what
// they are sealed with also where the definition withholds it by now.
func (s mediaStore) SealedUses(ctx context.Context, projectID, id int64, limit int) ([]library.Use, error) {
	return s.uses(ctx, projectID, id, limit, true)
}

func (s mediaStore) uses(ctx context.Context, projectID, id int64, limit int, sealed bool) ([]library.Use, error) {
	items, err := s.PastMedia(ctx, projectID, []int64{id})
	if err != nil {
		return nil, err
	}
	item := &core.MediaItem{ID: id}
	if len(items) > 0 {
		item = &items[0]
	}
	q := useQuery{
		projectID: projectID, id: id, files: item.Files(), limit: limit, sealed: sealed,
		rows: func(f *core.Field) (ids, names int) {
			if f.RefersInside() {
				names = entryindex.Inner(f)
			}
			if f.CanShowMedia() {
				ids = f.ID
			}
			return ids, names
		},
		has: func(r core.References) bool { return r.Shows(item) },
	}
	return q.run(ctx, s.Conn)
}

// groupRows returns the field number of the rows of entry_values with translation groups; 0: none.
func groupRows(f *core.Field) (ids, names int) {
	switch {
	case f.RefersInside():
		return entryindex.Inner(f), 0
	case f.Type == core.TypeRelation:
		return f.ID, 0
	}
	return 0, 0
}

// PublicReferrers implements ports.EntryStore.
func (s entryStore) PublicReferrers(ctx context.Context, projectID int64, groups []int64) ([]core.Referrer, error) {
	collections, err := collectionStore{s.Conn}.Collections(ctx, projectID)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	fields, _ := fieldRows(collections, func(f *core.Field) (ids, names int) {
		if f.Secret() {
			return 0, 0
		}
		return groupRows(f)
	})
	if fields == "" {
		return nil, nil
	}
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(r *core.Referrer) []any { return []any{&r.Group, &r.EntryID} }),
		"SELECT DISTINCT v.ref, v.entry_id"+valuesOfFields(fields)+" AND v.ref ? AND v.versions & 1 <> 0 ORDER BY v.ref, v.entry_id", projectID, sqldb.AmongIDs(groups))
}

// Uses implements ports.EntryStore.
func (s entryStore) Uses(ctx context.Context, projectID, group int64, limit int) ([]library.Use, error) {
	q := useQuery{
		projectID: projectID, id: group, limit: limit, rows: groupRows,
		has: func(r core.References) bool { _, has := slices.BinarySearch(r.Groups, group); return has },
	}
	return q.run(ctx, s.Conn)
}

// useQuery finds the entries that refer to something. Live entries are found in entry_values, by
// each field that can refer to it. Entries in the trash and open requests are not in that table:
// those whose text contains the digits of the id or the hash of a file are read and checked. It is
// one statement, because a version may move between these places meanwhile.
type useQuery struct {
	projectID, id int64
	files         []string // names of blobs
	limit         int
	sealed        bool // only sealed published versions and open requests, without secret fields
	// rows returns the field numbers of the rows of entry_values with ids and with names of blobs;
	// 0: none.
	rows func(f *core.Field) (ids, names int)
	// has reports whether references include the thing.
	has func(r core.References) bool
}

func (q *useQuery) run(ctx context.Context, c sqldb.Conn) ([]library.Use, error) {
	collections, err := collectionStore{c}.Collections(ctx, q.projectID)
	if err != nil {
		return nil, err
	}
	byID := map[int64]*core.Collection{}
	for _, c := range collections {
		byID[c.ID] = c
	}
	ids, names := fieldRows(collections, func(f *core.Field) (ids, names int) {
		if q.sealed && f.Secret() {
			return 0, 0
		}
		return q.rows(f)
	})
	if ids == "" && !q.sealed {
		return nil, nil
	}
	text, args := q.statement(ids, names)
	found, err := sqldb.Collect(ctx, c, func(rows sqldb.Rows) (library.Use, error) { return q.scan(rows, byID) }, text, args...)
	if err != nil {
		return nil, err
	}
	return merged(found, q.limit), nil
}

// fieldRows returns the pairs (collection, field number) that rows returns for the fields of
// collections, as lists for VALUES; "" without one. 0 is no field number.
func fieldRows(collections []*core.Collection, rows func(f *core.Field) (ids, names int)) (ids, names string) {
	var idRows, nameRows []string
	for _, c := range collections {
		for _, f := range c.Fields {
			id, name := rows(f)
			if id != 0 {
				idRows = append(idRows, fmt.Sprintf("(%d, %d)", c.ID, id))
			}
			if name != 0 {
				nameRows = append(nameRows, fmt.Sprintf("(%d, %d)", c.ID, name))
			}
		}
	}
	return strings.Join(idRows, ", "), strings.Join(nameRows, ", ")
}

// valuesOfFields returns a FROM clause with the rows v of entry_values of fields, a result of
// fieldRows.
func valuesOfFields(fields string) string {
	return " FROM (SELECT column1 AS collection_id, column2 AS field_id FROM (VALUES " + fields + ") AS n) AS f CROSS JOIN entry_values v" +
		" WHERE v.project_id = @project AND v.collection_id = f.collection_id AND v.field_id = f.field_id"
}

func (q *useQuery) statement(ids, names string) (text string, args []any) {
	args = []any{sqldb.As("project", q.projectID), sqldb.As("id", q.id), sqldb.As("limit", q.limit)}
	var sources []string
	if ids != "" {
		sources = append(sources, "SELECT v.entry_id, v.versions"+valuesOfFields(ids)+" AND v.ref = @id")
	}
	if q.sealed {
		sources = append(sources, "SELECT m.entry_id, 1 AS versions FROM publication_media m JOIN publications p"+
			" ON p.project_id = m.project_id AND p.entry_id = m.entry_id AND p.number = m.number"+
			" WHERE m.project_id = @project AND m.media_id = @id AND p.unpublished_at IS NULL")
	}
	patterns := []string{"@pattern"}
	args = append(args, sqldb.As("pattern", fmt.Sprintf("%%%d%%", q.id)))
	if names != "" && len(q.files) > 0 {
		files := make([]string, len(q.files))
		for i, name := range q.files {
			file, pattern := fmt.Sprintf("file%d", i), fmt.Sprintf("pattern%d", i)
			args = append(args, sqldb.As(file, name), sqldb.As(pattern, "%"+strings.TrimSuffix(path.Base(name), path.Ext(name))+"%"))
			files[i], patterns = "@"+file, append(patterns, "@"+pattern)
		}
		sources = append(sources, "SELECT v.entry_id, v.versions"+valuesOfFields(names)+" AND v.text IN ("+strings.Join(files, ", ")+")")
	}
	like := func(columns ...string) string {
		var conditions []string
		for _, column := range columns {
			for _, pattern := range patterns {
				conditions = append(conditions, column+" LIKE "+pattern)
			}
		}
		return "(" + strings.Join(conditions, " OR ") + ")"
	}
	draft, having, live := "max(v.versions & 2)", "", ""
	trashed := "UNION ALL SELECT id, collection_id, locale, 0, 0, 'trashed', draft, coalesce(published, '') FROM entries " +
		"WHERE project_id = @project AND trashed_at IS NOT NULL AND " + like("draft", "published") + " "
	if q.sealed {
		draft, having, trashed = "0", "HAVING max(v.versions & 1) > 0 ", ""
		live = "AND e.published_media IS NOT NULL "
	}
	return "WITH live AS (" +
		"SELECT e.id, e.collection_id, e.locale, max(v.versions & 1) AS published, " + draft + " AS draft FROM (" + strings.Join(sources, " UNION ALL ") + ") v " +
		"JOIN entries e ON e.project_id = @project AND e.id = v.entry_id WHERE e.trashed_at IS NULL " + live + strings.TrimPrefix(kept("e"), " ") + " " +
		"GROUP BY e.id, e.collection_id, e.locale " + having + "ORDER BY e.id LIMIT @limit) " +
		"SELECT id, collection_id, locale, published, draft, 'live' AS kind, '' AS one, '' AS other FROM live " + trashed +
		"UNION ALL SELECT entry_id, collection_id, locale, 0, 0, 'requested', snapshot, coalesce(withheld, '') FROM request_items " +
		"WHERE project_id = @project AND status IN ('pending', 'approved') AND " + like("snapshot", "withheld"), args
}

// scan scans an entry that may refer to the thing. If no version does, the flags of the use are
// false.
func (q *useQuery) scan(rows sqldb.Rows, collections map[int64]*core.Collection) (u library.Use, err error) {
	var published, draft int64
	var kind string
	var one, other []byte
	err = rows.Scan(&u.EntryID, &u.CollectionID, &u.Locale, &published, &draft, &kind, &one, &other)
	c := collections[u.CollectionID]
	if err != nil || c == nil {
		return u, err
	}
	switch kind {
	case "live":
		u.Published, u.Draft = published != 0, draft != 0
	case "trashed":
		u.Draft, u.Published, u.Trashed = q.has(c.AllReferences(one)), q.has(c.AllReferences(other)), true
	case "requested":
		item := review.RequestItem{Snapshot: one, Withheld: other}
		u.Requested = q.has(item.References(c, q.sealed)) || q.sealed && item.Seals(q.id)
	}
	return u, nil
}

// merged merges the uses of each entry and returns the first by entry id.
func merged(found []library.Use, limit int) []library.Use {
	byEntry := map[int64]library.Use{}
	for _, u := range found {
		if !u.Draft && !u.Published && !u.Requested {
			continue
		}
		before := byEntry[u.EntryID]
		u.Draft, u.Published = u.Draft || before.Draft, u.Published || before.Published
		u.Requested, u.Trashed = u.Requested || before.Requested, u.Trashed || before.Trashed
		byEntry[u.EntryID] = u
	}
	uses := slices.SortedFunc(maps.Values(byEntry), func(a, b library.Use) int { return cmp.Compare(a.EntryID, b.EntryID) })
	return uses[:min(limit, len(uses))]
}
