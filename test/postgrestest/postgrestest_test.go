package postgrestest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"imprimatur/test/postgrestest"
)

func TestNewGivesEachTestItsOwnDatabase(t *testing.T) {
	t.Parallel()
	first, second := postgrestest.New(t), postgrestest.New(t)
	exec(t, first, "CREATE TABLE mine (id bigint)")
	exec(t, second, "CREATE TABLE mine (id bigint)")
}

func TestMigratedHasTheTables(t *testing.T) {
	t.Parallel()
	exec(t, postgrestest.Migrated(t), "SELECT id FROM projects")
}

func TestCopiesAreIndependent(t *testing.T) {
	t.Parallel()
	original := postgrestest.New(t)
	exec(t, original, "CREATE TABLE mine (id bigint)")
	for range 2 {
		exec(t, postgrestest.Copy(t, original), "ALTER TABLE mine RENAME TO changed")
	}
}

func TestDatabaseIsEmpty(t *testing.T) {
	t.Parallel()
	url, err := postgrestest.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, url, "CREATE TABLE projects (id bigint)")
}

func TestServerKeepsDataWhileStopped(t *testing.T) {
	t.Parallel()
	server := postgrestest.NewServer(t)
	exec(t, server.URL(), "CREATE TABLE kept (id bigint)")
	for range 2 {
		server.Stop(t)
		if conn, err := pgx.Connect(t.Context(), server.URL()); err == nil {
			_ = conn.Close(t.Context())
			t.Fatal("a stopped server accepts connections")
		}
		server.Start(t)
		exec(t, server.URL(), "SELECT id FROM kept")
	}
}

func exec(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the statement has been answered
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
