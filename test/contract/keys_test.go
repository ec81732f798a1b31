package contract_test

import (
	"context"
	"database/sql"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"imprimatur/adapters/sqlite"
	"imprimatur/test/postgrestest"
)

// ofNoProject lists the tables without a project_id, with the reason.
var ofNoProject = map[string]string{
	"tenants":                   "above Projects",
	"departments":               "above Projects",
	"projects":                  "its id is the Project's",
	"users":                     "may be a member of many projects",
	"tenant_members":            "of a Tenant",
	"department_members":        "of a Department",
	"project_members":           "its scope_id is the Project's",
	"custom_roles":              "of a Department",
	"delegations":               "between users",
	"assistants":                "of a user, for several projects",
	"custom_role_holders":       "of a Department",
	"sessions":                  "of a user",
	"failed_sign_ins":           "of an account or an address",
	"passkeys":                  "of a user",
	"spent":                     "of a sign-in",
	"previews":                  "of a session",
	"totp":                      "of a user",
	"recovery_codes":            "of a user",
	"approval_release_counters": "of a Tenant, whose release numbers have no gap",
	"holds":                     "backups of the installation",
	"idempotency_keys":          "of a caller",
	"installation":              "of the installation",
	"signing_keys":              "of the installation",
	"secret_check":              "of the installation",
	"mails":                     "of a notice or an address",
	"invitations":               "of a Tenant",
	"identity_providers":        "of a Tenant",
	"domain_claims":             "of a Tenant",
	"user_identities":           "of a Tenant",
	"links":                     "of an address",
	"event_log":                 "of the installation",
	"migrations":                "of the database",
}

// acrossProjects lists the indexes whose first column is not the project, with the reason.
var acrossProjects = map[string]string{
	"events(id)":                      "all processes read events in order",
	"events(tenant_id)":               "events outside of projects",
	"tokens(id)":                      "a token is touched by its id alone",
	"token_usage(day)":                "old days of all tokens",
	"tokens(hash)":                    "finds the project of a token",
	"tokens(created_by)":              "the tokens of a user in all projects",
	"media(id)":                       "the operator command that regenerates all pictures",
	"media(search)":                   "trigrams have no order",
	"entry_texts(folded)":             "trigrams have no order",
	"entry_texts(text)":               "trigrams have no order",
	"entry_words(words)":              "the words have the collection in them",
	"schedules(retry_at)":             "due publications of all projects",
	"media_renditions(used_at)":       "unused renditions of all projects",
	"approval_waits(remind_at)":       "due reminders of all projects",
	"approval_waits(escalate_at)":     "due notices of escalations of all projects",
	"approval_requests(late_at)":      "due notices of all projects",
	"approval_requests(tenant_id)":    "release numbers are the Tenant's",
	"approval_requests(submitter_id)": "the requests of a user in all projects",
	"webhooks(id)":                    "its deliveries name it by its id alone",
	"deliveries(ended_at)":            "old deliveries of all projects",
	"notices(id)":                     "a notice is read by its id alone",
	"notices(at)":                     "old notices of all users",
	"notices(user_id)":                "the notices of a user in all projects",
}

const (
	tablesOfPostgres = `SELECT tablename, coalesce((SELECT 1 FROM information_schema.columns c
			WHERE c.table_schema = schemaname AND c.table_name = tablename AND column_name = 'project_id'), 0)
		FROM pg_tables WHERE schemaname = 'public'`
	indexesOfPostgres = `SELECT t.relname || '(' || coalesce(a.attname, '') || ')', 0 FROM pg_index
		JOIN pg_class t ON t.oid = indrelid LEFT JOIN pg_attribute a ON attrelid = indrelid AND attnum = indkey[0]
		WHERE t.relnamespace = 'public'::regnamespace`

	tablesOfSQLite = `SELECT m.name, (SELECT count(*) FROM pragma_table_info(m.name) WHERE name = 'project_id')
		FROM sqlite_master m WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'entry_texts_search%' AND name NOT LIKE 'entry_words_search%' AND name <> 'entry_ids'`
	indexesOfSQLite = `SELECT m.name || '(' || i.name || ')', 0 FROM sqlite_master m, pragma_index_list(m.name) l, pragma_index_info(l.name) i
		WHERE m.type = 'table' AND i.seqno = 0 AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'entry_texts_search%' AND m.name NOT LIKE 'entry_words_search%'`
)

// TestProjectLeadsEveryKey reads the catalogue: every table and index starts with the
// project, so tables can be partitioned by it. On SQLite the rowid is not regarded as a
// key.
func TestProjectLeadsEveryKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "imprimatur.db")
	db, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed(t, db.Close())
	for engine, at := range map[string]struct{ driver, source, tables, indexes string }{
		"postgres": {"pgx", postgrestest.Migrated(t), tablesOfPostgres, indexesOfPostgres},
		"sqlite":   {"sqlite", file, tablesOfSQLite, indexesOfSQLite},
	} {
		t.Run(engine, func(t *testing.T) {
			pool, err := sql.Open(at.driver, at.source)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { closed(t, pool.Close()) }()
			var without, odd, led []string
			tables := read(t, pool, at.tables)
			for index := range read(t, pool, at.indexes) {
				table, column, _ := strings.Cut(strings.TrimSuffix(index, ")"), "(")
				switch {
				case !tables[table]:
				case column == "project_id":
					led = append(led, table)
				default:
					odd = append(odd, index)
				}
			}
			for table, has := range tables {
				if !has {
					without = append(without, table)
				} else if !slices.Contains(led, table) {
					t.Errorf("no index of %s begins with the Project", table)
				}
			}
			if engine == "sqlite" { // rowids, and full-text indexes instead of trigrams
				odd = append(odd, "tokens(id)", "events(id)", "media(search)", "entry_texts(text)", "entry_texts(folded)", "entry_words(words)", "webhooks(id)", "notices(id)")
			}
			expectNames(t, "tables without a Project", without, ofNoProject)
			expectNames(t, "indexes that another column leads", odd, acrossProjects)
		})
	}
}

func expectNames(t *testing.T, what string, got []string, want map[string]string) {
	t.Helper()
	slices.Sort(got)
	if named := slices.Sorted(maps.Keys(want)); !slices.Equal(slices.Compact(got), named) {
		t.Errorf("%s: %v, want %v", what, got, named)
	}
}

// read returns the rows of a name and a flag.
func read(t *testing.T, pool *sql.DB, text string) map[string]bool {
	t.Helper()
	rows, err := pool.QueryContext(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { closed(t, rows.Close()) }()
	all := map[string]bool{}
	for rows.Next() {
		var name string
		var flag int
		if err := rows.Scan(&name, &flag); err != nil {
			t.Fatal(err)
		}
		all[name] = flag != 0
	}
	if err := rows.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%d names, %v", len(all), err)
	}
	return all
}
