package sqlstore_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
)

// bookkeeping are the tables of the database itself.
var bookkeeping = []string{"migrations", "installation", "entry_ids"}

// TestArchivesHaveEveryColumn compares the list of tables of archives with those of the migrations. A
// new table or column must be in archives, or in the list of what is left out.
func TestArchivesHaveEveryColumn(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		out := append(sqlstore.LeftOut(), bookkeeping...)
		var stored []string
		for _, column := range columnsOf(t, db) {
			table, _, _ := strings.Cut(column, ".")
			name, _, _ := strings.Cut(column, " ")
			if !slices.Contains(out, table) && !slices.Contains(out, name) {
				stored = append(stored, column)
			}
		}
		archived := sqlstore.ArchivedColumns()
		if isSQLite(t) {
			archived = withoutTypes(archived)
			stored = withoutTypes(stored)
		}
		slices.Sort(archived)
		slices.Sort(stored)
		if diff := cmp.Diff(stored, archived); diff != "" {
			t.Errorf("columns of the database (-) and of archives (+): %s", diff)
		}
	})
}

func isSQLite(t *testing.T) bool { return strings.Contains(t.Name(), "sqlite") }

func withoutTypes(columns []string) (names []string) {
	for _, column := range columns {
		name, _, _ := strings.Cut(column, " ")
		names = append(names, name)
	}
	return names
}

// columnsOf returns "table.column type" of all columns of a migrated database.
func columnsOf(t *testing.T, db *sqlstore.DB) (columns []string) {
	t.Helper()
	query := "SELECT table_name || '.' || column_name || ' ' || data_type FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)" +
		" WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
	if isSQLite(t) {
		query = "SELECT t.name || '.' || c.name FROM pragma_table_list t, pragma_table_xinfo(t.name) c" +
			" WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
	}
	rows, err := db.Writer().QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var column string
		require.NoError(t, rows.Scan(&column))
		columns = append(columns, column)
	}
	require.NoError(t, rows.Err())
	return columns
}

// TestRowsBeforeARestore adds a row while a restore waits for the services of an empty database to end.
func TestRowsBeforeARestore(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		restored := make(chan error, 1)
		go func() { restored <- db.BeginRestore(t.Context()) }()
		for marked := false; !marked; {
			var err error
			marked, err = db.Restoring(t.Context())
			require.NoError(t, err)
		}
		tenant := &core.Tenant{Name: "Late", CreatedAt: time.Now(), UpdatedAt: time.Now()}
		require.NoError(t, db.Stores().Tenants.Insert(t.Context(), tenant))
		require.ErrorContains(t, <-restored, "the database is not empty, it has tenants")
		marked, err := db.Restoring(t.Context())
		require.NoError(t, err)
		require.False(t, marked)
		kept, err := db.Stores().Tenants.Tenants(t.Context())
		require.NoError(t, err)
		require.Len(t, kept, 1)
	})
}

// TestRestoresRowsOfEarlierVersions restores rows without the columns that later migrations added.
func TestRestoresRowsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		for _, row := range [][2]string{
			{"tenants", `{"id":1,"name":"Meridian","neutral_mail":false,"assistants":false,"created_at":1,"updated_at":1}`},
			{"projects", `{"id":1,"uuid":"7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f","tenant_id":1,"name":"Desk","default_locale":"en","locales":"[\"en\"]","fallbacks":"{}",
				"locale_index":"{}","reindexing":false,"upload_limit":1,"allowed_origins":"[]","preview_url":"","revision_limit":0,"publication_days":0,"keep_location":false,"shared_cache":0,
				"created_at":1,"updated_at":1}`},
			{"collections", `{"project_id":1,"id":1,"slug":"news","name":"News","description":"","icon":"article","singleton":false,"fields":"[]","removed":"[]","leaves":"[]","next_field_id":1,
				"version":1,"forms":"","forms_ready":true,"words_epoch":0,"created_at":1,"updated_at":1}`},
		} {
			require.NoError(t, db.InsertRows(t.Context(), row[0], [][]byte{[]byte(row[1])}), row[0])
		}
		stores := db.Stores()
		project, err := stores.Projects.Project(t.Context(), 1)
		require.NoError(t, err)
		require.Empty(t, project.PreviewOrigins)
		collection, err := stores.Collections.Collection(t.Context(), 1, 1)
		require.NoError(t, err)
		require.Empty(t, collection.PreviewURL)
	})
}
