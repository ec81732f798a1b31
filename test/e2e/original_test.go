package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

// engines are the databases that the program supports.
var engines = [...]string{"SQLite", "Postgres"}

// originals are organisations that tests start with, by engine. Each is created once by the program,
// which hashes a password for each user and for each sign-in, and tests use copies of its database.
type originals[T any] map[string]*original[T]

func newOriginals[T any]() originals[T] {
	all := originals[T]{}
	for _, engine := range engines {
		all[engine] = &original[T]{}
	}
	return all
}

// original is the database of an organisation, on which no program runs.
type original[T any] struct {
	once         sync.Once
	database     string // its URL; empty until the organisation is complete
	organisation *T
}

// copy returns what create returned, which tests share, and the URL of a database for t with that
// organisation. The first call lets create start a program on an empty database.
func (all originals[T]) copy(t *testing.T, engine string, create func(t *testing.T, database string) (*T, *program.Process)) (organisation *T, database string) {
	t.Helper()
	o := all[engine]
	o.once.Do(func() {
		empty := lasting(t, engine)
		created, process := create(t, empty)
		process.Stop(t)           // no connection is left, and the database is one file
		if engine == "Postgres" { // copies are no restores by other tools
			conn, err := pgx.Connect(t.Context(), empty)
			ok(t, err)
			_, err = conn.Exec(t.Context(), "UPDATE installation SET place = NULL")
			ok(t, errors.Join(err, conn.Close(t.Context())))
		}
		o.organisation, o.database = created, empty
	})
	if o.database == "" {
		t.Fatal("an earlier test failed to create the organisation")
	}
	if engine == "Postgres" {
		return o.organisation, postgrestest.Copy(t, o.database)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Dir(fileOf(o.database)))); err != nil {
		t.Fatal(err)
	}
	return o.organisation, "sqlite:" + filepath.Join(folder, filepath.Base(fileOf(o.database)))
}

// lasting returns the URL of an empty database that lasts until all tests have ended.
func lasting(t *testing.T, engine string) string {
	t.Helper()
	if engine == "Postgres" {
		// The database outlives the context of t.
		url, err := postgrestest.Database(context.WithoutCancel(t.Context()))
		ok(t, err)
		return url
	}
	folder, err := os.MkdirTemp(filepath.Dir(program.Binary()), "original-") // removed with the program
	ok(t, err)
	return "sqlite:" + filepath.Join(folder, "imprimatur.db")
}

// fileOf returns the path of an SQLite database.
func fileOf(database string) string { return strings.TrimPrefix(database, "sqlite:") }
