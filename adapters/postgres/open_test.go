package postgres_test

import (
	"errors"
	"net/url"
	"testing"

	"imprimatur/adapters/postgres"
	"imprimatur/test/postgrestest"
)

// TestNoSuchDatabase distinguishes a missing database from an unreachable server.
func TestNoSuchDatabase(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(postgrestest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/missing"
	db, err := postgres.Open(t.Context(), address.String(), postgres.Options{Conns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Ping(t.Context()); !postgres.NoSuchDatabase(err) {
		t.Errorf("a database that does not exist: %v", err)
	}
	if postgres.NoSuchDatabase(errors.New("other")) {
		t.Error("any error is taken for a missing database")
	}
}
