package archive

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestMove moves the demo from SQLite to Postgres and back. Readers, editors and auditors get the same bytes, and
// check and verify find nothing.
func TestMove(t *testing.T) {
	t.Parallel()
	first, facts := demoPlace(t)
	s := first.serve(t)
	want, recorded := s.reads(t, facts), s.records(t, facts)
	if len(recorded) < 300 {
		t.Errorf("only %d records", len(recorded))
	}
	s.Stop(t)
	file := first.backup(t)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	for _, engine := range []string{"postgres", "sqlite"} {
		moved := newPlace(t, engine, first.key)
		moved.restore(t, file)
		require.Equal(t, "0 differences found, 0 repaired\n", run(t, append([]string{"check"}, moved.settings()...)...))
		s := moved.serve(t)
		if diff := cmp.Diff(want, s.reads(t, facts)); diff != "" {
			t.Errorf("what readers get on %s: %s", engine, diff)
		}
		if diff := cmp.Diff(recorded, s.records(t, facts)); diff != "" {
			t.Errorf("what editors get on %s: %s", engine, diff)
		}
		s.Stop(t)
		file = moved.backup(t)
		require.Contains(t, run(t, "backup", "verify", file), "the archive is whole")
		require.Contains(t, run(t, "backup", "verify", "--restore", file), "0 differences found")
	}
}

// TestRestoreNeedsAnEmptyDatabase restores into a database with an installation.
func TestRestoreNeedsAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	source, _ := demoPlace(t)
	file := source.backup(t, "--blobs", "none")
	for _, engine := range []string{"sqlite", "postgres"} {
		p := newPlace(t, engine, source.key)
		p.restore(t, file)
		before := p.backup(t, "--blobs", "none")
		fails(t, "the database is not empty, it has tenants: restore into a new database", append(append([]string{"restore"}, p.settings()...), file)...)
		require.Equal(t, rows(t, before), rows(t, p.backup(t, "--blobs", "none")), "the refused restore changed something")
	}
}
