package command

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/adapters/sqlite"
	"imprimatur/app/config"
)

func TestLongJobsPauseOnSQLite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var version int64
		y := &yield{ctx: t.Context(), began: time.Now(), version: func(context.Context) (int64, error) { return version, nil }}
		for range 3 {
			expectPause(t, y.between, 0, false)
			time.Sleep(writeTime)
			expectPause(t, y.between, writePause, false)
		}
		version++
		expectPause(t, y.between, 0, true)
		expectPause(t, y.between, writePause, true)
		expectPause(t, y.between, writePause, true)
		time.Sleep(othersFor)
		expectPause(t, y.between, writePause, false)
		expectPause(t, y.between, 0, false)
	})
}

func TestLongJobsDoNotPauseOnPostgres(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := config.Default()
		cfg.DatabaseURL = "postgres://user@localhost/none"
		between, err := newYield(t.Context(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			time.Sleep(writeTime)
			expectPause(t, between, 0, false)
		}
	})
}

func expectPause(t *testing.T, yield func() (others bool), want time.Duration, others bool) {
	t.Helper()
	began := time.Now()
	if yield() != others {
		t.Errorf("others write: %t", !others)
	}
	if took := time.Since(began); took != want {
		t.Errorf("paused for %v, want %v", took, want)
	}
}

// Writes of other processes are noticed, and the job's own are not.
func TestLongJobsNoticeOtherWriters(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	path := filepath.Join(t.TempDir(), "shared.db")
	cfg.DatabaseURL = "sqlite:" + path
	own, err := sqlite.Open(t.Context(), path, sqlite.Options{Bulk: true})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close() //nolint:errcheck // a test
	other, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // a test
	between, err := newYield(t.Context(), cfg, own)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own.Writer().ExecContext(t.Context(), "CREATE TABLE shared (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if between() {
		t.Error("the job's own write counts")
	}
	if _, err := other.Writer().ExecContext(t.Context(), "INSERT INTO shared VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if !between() {
		t.Error("the write of another process is not noticed")
	}
}
