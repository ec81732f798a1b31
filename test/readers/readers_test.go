// Package readers_test checks that readers of a governed Project see only approved content, after
// any requests to any route by any caller, and after background work.
package readers_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"testing"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlite"
	"imprimatur/core/event"
	"imprimatur/core/release"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

var (
	operations = flag.Int("operations", 500, "random operations per engine")
	seed       = flag.Uint64("seed", 0, "seed of the operations; 0: a random one")
)

// engine is a store that reports its commits.
type engine interface {
	ports.Tx
	Stores() ports.Stores
	OnCommit(fn func([]event.Event))
}

var engines = map[string]func(t *testing.T) engine{
	"memory": func(*testing.T) engine { return memory.New() },
	"SQLite": func(t *testing.T) engine {
		t.Helper()
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "imprimatur.db"), sqlite.Options{})
		must(t, err)
		t.Cleanup(func() { must(t, db.Close()) })
		must(t, db.Migrate(t.Context()))
		return db
	},
	"Postgres": func(t *testing.T) engine {
		t.Helper()
		db, err := postgres.Open(t.Context(), postgrestest.Migrated(t), postgres.Options{Conns: 4})
		must(t, err)
		t.Cleanup(func() { must(t, db.Close()) })
		return db
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Without an approval, readers of a published entry see neither a new caption nor the deletion of
// its medium.
func TestTokensDoNotChangeApprovedMedia(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		for _, change := range []struct{ method, body string }{{http.MethodPatch, `{"caption":"unseen"}`}, {http.MethodDelete, ""}} {
			t.Run(name+" "+change.method, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, open(t), rand.New(rand.NewPCG(1, 1)))
				medium := w.publish()
				w.send("token full", change.method, "/public/v2/projects/"+w.Project.UUID+"/media/"+itoa(medium), "", change.body)
				w.check()
				_, err := w.sweeper.Sweep(t.Context(), 0)
				w.OK(err)
				w.check()
			})
		}
	}
}

// TestReadersSeeOnlyWhatWasApproved runs random operations, and after each reads all articles as a
// reader, in lists, alone and through relations. An entry, with the words and the bytes of its
// media, must be the content of a published request, with the media as they were when it was
// submitted.
func TestReadersSeeOnlyWhatWasApproved(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			number := *seed
			if number == 0 {
				number = rand.Uint64()
			}
			w := newWorld(t, open(t), rand.New(rand.NewPCG(number, 0)))
			defer func() {
				if t.Failed() {
					t.Logf("to reproduce: -run '%s' -operations %d -seed %d; the last operations:", t.Name(), *operations, number)
					for _, line := range w.log[max(0, len(w.log)-30):] {
						t.Log(line)
					}
				}
			}()
			w.publish()
			for n := range *operations {
				w.log = append(w.log, fmt.Sprintf("%d: %s", n, w.operate()))
				w.learn()
				w.check()
				w.remember()
				w.checkPast()
				w.checkPublications()
			}
			t.Logf("%d releases published; %d requests, %d entries read, %d media, %d items; %d entries of the past with %d files, up to %d operations ago; successful operations: %v",
				len(w.releases(release.Published)), w.last, w.seen, w.seenMedia, w.seenItems, w.past.compared, w.past.files, w.past.most, w.succeeded)
		})
	}
}
