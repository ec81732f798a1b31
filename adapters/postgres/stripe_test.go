package postgres_test

import (
	"context"
	"testing"

	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

// TestWritersOfACollectionDoNotWait adds and publishes an entry while another transaction, which
// has done the same in the same collection, is open.
func TestWritersOfACollectionDoNotWait(t *testing.T) {
	t.Parallel()
	address := postgrestest.Migrated(t)
	schema, _ := largeProject(t, open(t, address), 1)
	title := int64(1)
	publish := func(ctx context.Context, stores ports.Stores) error {
		title++
		draft := document(title, 1)
		return stores.Entries.Insert(ctx, schema, &core.Entry{
			ProjectID: schema.Project.ID, CollectionID: schema.Collection.ID, Locale: "en", Version: 1, Draft: draft, Published: draft,
			CreatedAt: someTime, UpdatedAt: someTime, PublishedAt: someTime, ReleasedAt: someTime,
		})
	}
	address += "&lock_timeout=1s" // a transaction that waits fails
	first, stripe := oneConnection(t, address)
	second, other := oneConnection(t, address)
	for other == stripe {
		second, other = oneConnection(t, address)
	}
	err := first.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := publish(ctx, stores); err != nil {
			return err
		}
		return second.Do(t.Context(), core.SystemActor, publish)
	})
	if err != nil {
		t.Error(err)
	}
	if err := first.Stores().IndexChecks.CheckTotals(t.Context(), schema.Project.ID, func(d core.Difference) { t.Error(d) }); err != nil {
		t.Error(err)
	}
}

// oneConnection opens a database with one connection that writes, and returns the stripe of its
// counts.
func oneConnection(t *testing.T, address string) (db *sqlstore.DB, stripe int) {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, postgres.Options{Conns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Writer().QueryRowContext(t.Context(), "SELECT pg_backend_pid() % 8").Scan(&stripe); err != nil {
		t.Fatal(err)
	}
	return db, stripe
}
