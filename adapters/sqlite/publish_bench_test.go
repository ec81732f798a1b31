package sqlite_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/systemclock"
	"imprimatur/test/newsroom"
)

// BenchmarkPublish publishes a new version of an entry. It also reports the processor time, which
// depends less on other programs.
func BenchmarkPublish(b *testing.B) {
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "imprimatur.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the benchmark is over
	if err := db.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	f := newsroom.New(b, db.Stores(), db, systemclock.New())
	const entries = 200
	ids := make([]int64, entries)
	for i := range ids {
		ids[i] = f.Create(newsroom.Article(fmt.Sprint(i), newsroom.Published(true))).ID
	}
	n, started := 0, processorTime()
	for b.Loop() {
		f.Update(ids[n%entries], newsroom.Article(fmt.Sprint("Version ", n)))
		n++
	}
	b.ReportMetric(float64(processorTime()-started)/float64(n), "cpu-ns/op")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
