package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/query"
)

// formerSlugs returns the statements that keep the slugs of versions whose publication ends, see ports.FormerSlugs.
// They read these versions from the entries, so they precede the statements that replace them. The changes are in the order of the batch of m.
func (s entryStore) formerSlugs(schema core.Schema, m *moments, changes []core.PublicationChange) []sqldb.Statement {
	f := schema.Collection.SlugField()
	if f == nil {
		return nil
	}
	var ended [][]any
	for i, change := range changes {
		before, next := m.before(m.batch[i]), ""
		if change.Begins != nil {
			next = m.batch[i].PublicSlug(f)
		}
		// A locked entry may lack its versions. Otherwise few writes change a slug.
		if !change.Ends || before.Published != nil && (before.PublicSlug(f) == "" || before.PublicSlug(f) == next) {
			continue
		}
		ended = append(ended, []any{change.EntryID, int64(f.ID), f.Name, next, entryindex.Milliseconds(change.At)})
	}
	return append(s.OnRows(formerSlug, schema.Project, ended, s.keepSlugs()), s.OnRows(formerSlugEntry, schema.Project, firsts(ended), dropSlugs)...)
}

// firsts returns rows with the first value of each of rows.
func firsts(rows [][]any) [][]any {
	return sqldb.Mapped(rows, func(row []any) []any { return row[:1] })
}

var (
	formerSlug      = sqldb.NewTable("former_slugs", "entry_id bigint", "field_id bigint", "name text", "next text", "ended_at bigint")
	formerSlugEntry = sqldb.NewTable("former_slugs", "entry_id bigint")
)

func (s entryStore) keepSlugs() string {
	return "INSERT INTO former_slugs (project_id, collection_id, locale, slug, entry_id, field_id, ended_at)" +
		" SELECT @project, e.collection_id, e.locale, document_text(e.published, v.column3), e.id, v.column2, coalesce(v.column5, " + s.DB.Dialect.Now() + ")" +
		" FROM (@rows) AS v JOIN entries e ON e.project_id = @project AND e.id = v.column1" +
		" WHERE e.published IS NOT NULL AND coalesce(document_text(e.published, v.column3), '') NOT IN ('', v.column4)" +
		" ON CONFLICT (project_id, entry_id, slug) DO UPDATE SET field_id = excluded.field_id, ended_at = excluded.ended_at"
}

var importedSlug = sqldb.NewTable("former_slugs", "entry_id bigint", "slug text", "place bigint")

func (s publicationStore) AddFormerSlugs(ctx context.Context, projectID int64, field *core.Field, slugs []query.EntrySlug) (added int, err error) {
	err = entryStore(s).change(ctx, func(ctx context.Context, s entryStore) error {
		added = 0
		rows := make([][]any, len(slugs))
		for i, old := range slugs {
			rows[i] = []any{old.EntryID, old.Slug, int64(i)}
		}
		affected, err := s.Run(ctx, s.OnRows(importedSlug, &core.Project{ID: projectID}, rows, addSlugs(field)))
		if err != nil {
			return err
		}
		added = int(affected[0])
		return nil
	})
	return added, err
}

// addSlugs adds slugs with the time 0, as far as their entries have few enough.
func addSlugs(f *core.Field) string {
	of := " FROM former_slugs o WHERE o.project_id = @project AND o.entry_id = e.id"
	return "INSERT INTO former_slugs (project_id, collection_id, locale, slug, entry_id, field_id, ended_at)" +
		" SELECT @project, n.collection_id, n.locale, n.slug, n.id, " + sqldb.Number(int64(f.ID)) + ", 0 FROM" +
		" (SELECT e.collection_id, e.locale, v.column2 AS slug, e.id, row_number() OVER (PARTITION BY e.id ORDER BY v.column3) + (SELECT count(*)" + of + ") AS place" +
		" FROM (@rows) AS v JOIN entries e ON e.project_id = @project AND e.id = v.column1" +
		" WHERE NOT EXISTS (SELECT 1" + of + " AND o.slug = v.column2)) AS n WHERE n.place <= " + sqldb.Number(query.MaxFormerSlugs) +
		" ON CONFLICT (project_id, entry_id, slug) DO NOTHING"
}

// dropSlugs drops all but the latest former slugs of entries. An entry has one locale.
var dropSlugs = "DELETE FROM former_slugs WHERE project_id = @project AND entry_id IN (SELECT v.column1 FROM (@rows) AS v)" +
	" AND (SELECT count(*) FROM former_slugs o WHERE o.project_id = @project AND o.entry_id = former_slugs.entry_id" +
	" AND (o.ended_at, o.slug) > (former_slugs.ended_at, former_slugs.slug)) >= " + sqldb.Number(query.MaxFormerSlugs)

// publicHolder is a join with the public version of the entry of a former slug f. It has another slug in the field that
// argument @slug names.
func publicHolder(f, e string) string {
	slug := "document_text(" + e + ".published, @slug)"
	return " JOIN entries " + e + " ON " + e + ".project_id = " + f + ".project_id AND " + e + ".id = " + f + ".entry_id" +
		" AND " + e + ".published IS NOT NULL AND " + e + ".trashed_at IS NULL AND coalesce(" + slug + ", '') NOT IN ('', " + f + ".slug)"
}

func (s publicationStore) FormerSlugs(ctx context.Context, q query.FormerQuery) ([]query.FormerSlug, error) {
	text := "SELECT f.locale, f.slug, f.entry_id, document_text(e.published, @slug) FROM former_slugs f" + publicHolder("f", "e") +
		" WHERE f.project_id = @project AND f.collection_id = ? AND f.field_id = ? AND (f.locale, f.slug) > (?, ?)" +
		" AND NOT EXISTS (SELECT 1 FROM former_slugs o" + publicHolder("o", "h") + " WHERE o.project_id = f.project_id AND o.collection_id = f.collection_id" +
		" AND o.locale = f.locale AND o.slug = f.slug AND o.field_id = f.field_id AND (o.ended_at, o.entry_id) > (f.ended_at, f.entry_id))" + kept("e")
	args := []any{sqldb.As("slug", q.Field.Name), sqldb.As("project", q.ProjectID), q.CollectionID, int64(q.Field.ID), q.After.Locale, q.After.Slug}
	for _, only := range []struct{ column, value string }{{"locale", q.Locale}, {"slug", q.Slug}} {
		if only.value != "" {
			args = append(args, only.value)
			text += " AND f." + only.column + " = ?"
		}
	}
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(f *query.FormerSlug) []any { return []any{&f.Locale, &f.Slug, &f.EntryID, &f.Present} }),
		text+" ORDER BY f.locale, f.slug LIMIT ?", append(args, int64(q.Limit))...)
}
