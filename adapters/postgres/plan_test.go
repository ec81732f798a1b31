package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/test/postgrestest"
)

// TestAWriteReadsNoMoreThanItChanges writes entries of a large Project before its tables are
// analysed: in a new database, and in a database whose statistics are of small Projects.
func TestAWriteReadsNoMoreThanItChanges(t *testing.T) {
	t.Parallel()
	const entries, changed = 1500, 20
	for name, before := range map[string]string{
		"new database":        "SELECT 1",
		"many small projects": smallProjects,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Migrated(t)
			execute(t.Context(), t, url, before)
			db := open(t, url)
			schema, ids := largeProject(t, db, entries)
			read := rowsRead(t, url)
			db = open(t, url)
			for i := range changed {
				save(t, db, schema, ids[i:i+1])
			}
			save(t, db, schema, ids[changed:2*changed])
			closed(t, db)
			if read = rowsRead(t, url) - read; read > entries {
				var by string
				queryInto(t, url, &by, "SELECT string_agg(indexrelname || ' ' || idx_tup_read || '/' || idx_scan, ', ' ORDER BY idx_tup_read DESC) FROM pg_stat_user_indexes WHERE relname LIKE 'entr%' AND idx_tup_read > 0")
				t.Errorf("to change %d of %d entries, %d rows were read: %s", 2*changed, entries, read, by)
			}
		})
	}
}

// TestTheTotalOfAnEditorReadsOneIndex checks that the number of the entries that a user edited last is counted
// in the index of editors, once for all languages, and looks up no entry.
func TestTheTotalOfAnEditorReadsOneIndex(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	execute(t.Context(), t, url, smallProjects)
	db := open(t, url)
	defer closed(t, db)
	for _, locale := range []string{query.AllLocales, "en"} {
		explained, err := db.Explain(t.Context(), query.Selection{
			Schema: core.Schema{Project: &core.Project{ID: 1000, DefaultLocale: "en", Locales: []string{"en", "de", "fr"}}, Collection: &core.Collection{ID: 1000, ProjectID: 1000}},
			State:  core.StateWithDraft, Locale: locale, EditedBy: 1, Limit: 1, Sort: []query.SortKey{{Field: core.SystemID}},
		})
		if err != nil {
			t.Fatal(err)
		}
		total := explained[len(explained)-1]
		engine := strings.ReplaceAll(total.Engine, "Index Scan using release_counts_pkey", "") // the releases of the project
		if total.Title != "Total" || strings.Count(engine, "Scan") != 1 || !strings.Contains(total.Engine, "Index Only Scan using entries_edited") {
			t.Errorf("%s is counted by\n%s", total.Title, total.Engine)
		}
	}
}

// smallProjects adds 100 Projects with a collection of 100 entries each, and updates the
// statistics.
const smallProjects = `
	INSERT INTO entries (project_id, id, collection_id, locale, group_id, version, draft, created_at, updated_at, created_by, updated_by)
	SELECT 1000 + n % 100, -n, 1000 + n % 100, 'en', -n, 1, '{}', n, n, 1, 1 FROM generate_series(1, 10000) AS n;
	INSERT INTO entry_index (project_id, scope, entry_id, collection_id, shelf, locale, group_id, serves, serves_draft, created_at, updated_at, signature, t1)
	SELECT 1000 + n % 100, (1000 + n % 100) * 256 + 64, -n, 1000 + n % 100, 1, 0, -n, 1, 1, n, n, n, 'text ' || n FROM generate_series(1, 10000) AS n;
	INSERT INTO entry_values (project_id, collection_id, entry_id, field_id, versions, locale, text)
	SELECT 1000 + n % 100, 1000 + n % 100, -n, 2, 2, 0, 'text ' || n FROM generate_series(1, 10000) AS n;
	INSERT INTO entry_texts (project_id, collection_id, entry_id, field_id, versions, locale, searchable, text)
	SELECT 1000 + n % 100, 1000 + n % 100, -n, 1, 2, 0, false, 'text ' || n FROM generate_series(1, 10000) AS n;
	INSERT INTO entry_claims (project_id, collection_id, field_id, locale, hash, entry_id)
	SELECT 1000 + n % 100, 1000 + n % 100, 1, 'en', sha256(convert_to(n::text, 'UTF8')), -n FROM generate_series(1, 10000) AS n;
	ANALYZE entries, entry_index, entry_values, entry_texts, entry_claims`

// largeProject adds a Project with a collection of n entries to db, which it closes.
func largeProject(t *testing.T, db *sqlstore.DB, n int) (core.Schema, []int64) {
	t.Helper()
	project, now := newProject(t, db.Stores()), time.Now()
	c := &core.Collection{
		ProjectID: project.ID, Slug: "articles", Name: "Articles", Version: 1, NextFieldID: 3, CreatedAt: now, UpdatedAt: now,
		Fields: []*core.Field{
			{ID: 1, Name: "title", Type: core.TypeText, Unique: true, Slot: "t1", SlotReady: true},
			{ID: 2, Name: "tags", Type: core.TypeText, Multiple: true},
		},
	}
	if err := db.Stores().Collections.Insert(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	schema := core.Schema{Project: project, Collection: c, Collections: []*core.Collection{c}}
	ids, err := db.Stores().Entries.NewIDs(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	batch := make([]*core.Entry, n)
	for i, id := range ids {
		batch[i] = &core.Entry{
			ID: id, Group: id, ProjectID: project.ID, CollectionID: c.ID, Locale: "en", Version: 1,
			Draft: document(id, 1), CreatedAt: now, UpdatedAt: now,
		}
	}
	if err := db.Stores().Entries.Save(t.Context(), schema, batch, nil); err != nil {
		t.Fatal(err)
	}
	closed(t, db)
	return schema, ids
}

func document(id, version int64) core.Document {
	return core.Document(fmt.Sprintf(`{"tags":["a"],"title":"title %d.%d"}`, id, version))
}

// save changes the entries in one transaction.
func save(t *testing.T, db *sqlstore.DB, schema core.Schema, ids []int64) {
	t.Helper()
	entries, err := db.Stores().Entries.Entries(t.Context(), schema.Project.ID, ids)
	if err != nil || len(entries) != len(ids) {
		t.Fatalf("%d of %d entries, %v", len(entries), len(ids), err)
	}
	updated := make([]*core.Entry, len(entries))
	for i := range entries {
		updated[i] = &entries[i]
		updated[i].Version++
		updated[i].Draft = document(updated[i].ID, updated[i].Version)
	}
	if err := db.Stores().Entries.Save(t.Context(), schema, nil, updated); err != nil {
		t.Fatal(err)
	}
}

// closed closes db, because the server updates its row counts when a connection ends.
func closed(t *testing.T, db *sqlstore.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// rowsRead waits until all connections have ended and returns the number of rows of content, and
// of its indexes, that the server has read.
func rowsRead(t *testing.T, url string) (rows int64) {
	t.Helper()
	for rest := 1; rest > 0; {
		queryInto(t, url, &rest, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'imprimatur'")
	}
	queryInto(t, url, &rows, `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname LIKE 'entr%')::bigint
		+ (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE 'entr%')::bigint`)
	return rows
}

// TestNewTablesHaveRowEstimates checks the statistics that migrations set. With the estimates
// of empty tables, the planner would read whole tables during the first import.
func TestNewTablesHaveRowEstimates(t *testing.T) {
	t.Parallel()
	var empty []string
	queryInto(t, postgrestest.Migrated(t), &empty, "SELECT array_agg(relname::text ORDER BY relname) FROM pg_class"+
		" WHERE relname IN ('entries', 'entry_index', 'entry_values', 'entry_texts', 'entry_claims') AND reltuples < 1000")
	if len(empty) > 0 {
		t.Errorf("the estimates of %v are too low", empty)
	}
}

// TestThePendingListIsShort checks the size of the pending list of the trigram index. Each search
// reads all of this list.
func TestThePendingListIsShort(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	execute(t.Context(), t, url, "INSERT INTO entry_texts (project_id, collection_id, entry_id, field_id, versions, locale, searchable, text)"+
		" SELECT 1, 1, n, 1, 3, 0, true, md5(n::text) || md5((-n)::text) FROM generate_series(1, 3000) AS n")
	const most = 256 / 8
	var pages int
	queryInto(t, url, &pages, "SELECT gin_clean_pending_list('entry_texts_search')")
	if pages == 0 || pages > most {
		t.Errorf("the pending list has %d pages, want 1 to %d", pages, most)
	}
}
