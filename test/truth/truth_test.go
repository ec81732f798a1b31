// Package truth compares the history of entries with what readers saw. Pollers read entries of the
// real program through REST and GraphQL, and files of media, while editors, reviewers, importers,
// schedules, changes of workflows, and removals of media and entries run. Afterwards every
// publication, what asOf answers at the times of the polls, and every proof must agree with the polls.
package truth

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

var (
	operations = flag.Int("operations", 2500, "how many changes to make, on both databases together")
	seed       = flag.Uint64("seed", 0, "of the random changes; 0: the time")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(program.Main(m))
}

// TestHistoryIsWhatReadersSaw runs on SQLite with one process and on Postgres with two. The first
// process caches no responses, so that its readers see each commit at once. Responses of the second
// may be one second old.
func TestHistoryIsWhatReadersSaw(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
	}
	t.Logf("-seed %d", *seed)
	for _, on := range []struct {
		name      string
		database  string
		processes int
	}{
		{"sqlite", "sqlite:" + filepath.Join(t.TempDir(), "truth.db"), 1},
		{"postgres", postgrestest.Migrated(t), 2},
	} {
		t.Run(on.name, func(t *testing.T) {
			w := newWorld(t, on.database, on.processes, rand.New(rand.NewPCG(*seed, 1)))
			w.run(*operations / 2)
			w.judge()
		})
	}
}
