package service

import (
	"context"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/config"
	"imprimatur/test/postgrestest"
)

func onPostgres(url string) config.Config {
	cfg := config.Default()
	cfg.DatabaseURL = url
	return cfg
}

// TestOpenCreatesTheDatabase opens a schema that does not exist in a database that does not exist.
func TestOpenCreatesTheDatabase(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(postgrestest.NewServer(t).URL())
	require.NoError(t, err)
	address.Path = "/content of a site"
	query := address.Query()
	query.Set("search_path", "imprimatur")
	address.RawQuery = query.Encode()
	cfg := onPostgres(address.String())
	cfg.Existing = true
	_, err = OpenDatabase(t.Context(), cfg, nil)
	require.EqualError(t, err, `setting --database-url: the server has no database "content of a site"`)
	cfg.Existing = false
	for range 2 {
		db, err := OpenDatabase(t.Context(), cfg, nil)
		require.NoError(t, err)
		require.NoError(t, db.Migrate(t.Context()))
		var tables int
		require.NoError(t, db.Writer().QueryRowContext(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'imprimatur' AND tablename = 'entries'").Scan(&tables))
		require.Equal(t, 1, tables)
		require.NoError(t, db.Close())
	}
}

// TestOpenWaitsForTheServer starts the server after the program.
func TestOpenWaitsForTheServer(t *testing.T) {
	t.Parallel()
	server := postgrestest.NewServer(t)
	server.Stop(t)
	var reasons []string
	db, err := OpenDatabase(t.Context(), onPostgres(server.URL()), func(reason string) {
		reasons = append(reasons, reason)
		server.Start(t)
	})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.Len(t, reasons, 1) // a busy server may still be stopping
	require.Regexp(t, "^no server answers at |^the server is starting or stopping$", reasons[0])
}

// TestStopWhileTheServerIsAway stops the service while it waits for the server.
func TestStopWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	_, err := OpenDatabase(ctx, onPostgres("postgres://127.0.0.1:1/content"), func(string) { stop() })
	require.EqualError(t, err, "setting --database-url: no server answers at 127.0.0.1:1; the start was stopped")
}

// TestMigrationWithoutTheRight migrates as a role that may connect and not create tables.
func TestMigrationWithoutTheRight(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(postgrestest.New(t))
	require.NoError(t, err)
	owner, err := OpenDatabase(t.Context(), onPostgres(address.String()), nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, _ = owner.Writer().ExecContext(context.WithoutCancel(t.Context()), "DROP ROLE reader") // other tests have the server
		_ = owner.Close()
	})
	_, err = owner.Writer().ExecContext(t.Context(), "CREATE ROLE reader LOGIN; REVOKE CREATE ON SCHEMA public FROM public")
	require.NoError(t, err)
	address.User = url.User("reader")
	cfg := onPostgres(address.String())
	db, err := OpenDatabase(t.Context(), cfg, nil)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // the test is over
	require.EqualError(t, Explained(cfg, db.Migrate(t.Context())),
		`setting --database-url: the role "reader" lacks a right: permission denied for schema public; grant it, or use the role that owns the schema`)
}
