// Package postgrestest gives tests databases on a real PostgreSQL server. The first
// call in a process starts the server; the server stops when the process ends.
package postgrestest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/postgres"
)

var (
	startServer     = sync.OnceValues(start)
	migrateTemplate = sync.OnceValues(func() (string, error) { return template("migrated", 1) })
	partedTemplate  = sync.OnceValues(func() (string, error) { return template("partitioned", partitions) })
	databases       atomic.Int64
)

// SecretKey is a secret key for services on a test database.
const SecretKey = "dGVzdCBkYXRhYmFzZXMgcHJvdGVjdCBubyBzZWNyZXQ="

// New returns the URL of a new empty database for t. The test fails when no server can
// be started. With -short, and only then, it skips the test.
func New(t testing.TB) string { return create(t, "template0") }

// Migrated returns the URL of a new database for t with every migration applied.
func Migrated(t testing.TB) string {
	t.Helper()
	skipShort(t)
	name, err := migrateTemplate()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, name)
}

// Partitioned is like Migrated, and the tables of content have 4 partitions each.
func Partitioned(t testing.TB) string {
	t.Helper()
	skipShort(t)
	name, err := partedTemplate()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, name)
}

// Copy returns the URL of a new database for t that is a copy of the one at url, to which no program
// is connected.
func Copy(t testing.TB, url string) string {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return create(t, config.Database)
}

// skipShort skips a test on Postgres in a quick run, which has one engine.
func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out Postgres")
	}
}

// Database returns the URL of an empty database that lasts as long as the process. It
// is for programs that are not tests. The server syncs its files only with POSTGRESTEST_SYNC=on in
// the environment.
func Database(ctx context.Context) (url string, err error) {
	s, name, err := database(ctx, "template0")
	if err != nil {
		return "", err
	}
	return s.url(name), nil
}

// Server is a server for one test, which can stop and start it.
type Server struct{ server *server }

// NewServer starts a server that is removed at the end of t.
func NewServer(t testing.TB) Server {
	t.Helper()
	skipShort(t)
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.lifeline.Close(); err != nil {
			t.Error(err)
		}
	})
	return Server{s}
}

// URL returns the URL of the server's only database.
func (s Server) URL() string { return s.server.url("postgres") }

// Stop stops the server and closes every connection. Committed data is kept.
func (s Server) Stop(t testing.TB) {
	t.Helper()
	s.order(t, "stop", func(err error) bool { return err != nil })
}

// Start starts a stopped server and returns when it accepts connections.
func (s Server) Start(t testing.TB) {
	t.Helper()
	s.order(t, "start", func(err error) bool { return err == nil })
}

func (s Server) order(t testing.TB, what string, done func(error) bool) {
	t.Helper()
	if _, err := s.server.lifeline.WriteString(what + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.server.await(done); err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, from string) string {
	t.Helper()
	skipShort(t)
	s, name, err := database(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The context of a test has ended when its cleanups run.
		if err := s.exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return s.url(name)
}

// database creates a copy of the database from.
func database(ctx context.Context, from string) (s *server, name string, err error) {
	if s, err = startServer(); err != nil {
		return nil, "", err
	}
	name = fmt.Sprintf("test_%d", databases.Add(1))
	return s, name, s.exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+from+" STRATEGY file_copy")
}

// template creates and migrates the database name, which create copies.
func template(name string, partitions int) (string, error) {
	ctx := context.Background()
	s, err := startServer()
	if err != nil {
		return "", err
	}
	if err := s.exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", err
	}
	db, err := postgres.Open(ctx, s.url(name), postgres.Options{})
	if err != nil {
		return "", err
	}
	defer db.Close() //nolint:errcheck // nothing was left to write
	if err := db.Migrate(ctx); err != nil {
		return "", err
	}
	if partitions == 1 {
		return name, nil
	}
	return name, Partition(ctx, s.url(name), partitions)
}

// exec runs one statement on the server's own database.
func (s *server) exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement has been answered
	_, err = conn.Exec(ctx, statement)
	return err
}
