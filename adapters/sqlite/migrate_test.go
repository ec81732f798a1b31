package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"imprimatur/adapters/sqlite"
	"imprimatur/core"
)

// longMigration is longer than a statement waits for the lock.
const longMigration = 2800 * time.Millisecond

func TestMigrateWaitsForAnotherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "imprimatur.db")
	first, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close() //nolint:errcheck // the test is over
	second, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close() //nolint:errcheck // the test is over
	other, err := first.Writer().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), longMigration)
	defer cancel()
	if err := second.Migrate(short); err == nil || !errors.Is(err, core.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with an expired deadline: %v", err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- second.Migrate(t.Context()) }()
	time.Sleep(longMigration) // the other process migrates
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Errorf("after another process: %v", err)
	}
}
