package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"modernc.org/sqlite"

	"imprimatur/adapters/sqlstore"
)

// Options tune a database. The zero value has good defaults.
type Options struct {
	// Bulk is for a process that only writes large amounts of data. It uses more memory,
	// so that a transaction writes each page once, and a larger log, so that a checkpoint
	// covers many transactions.
	Bulk bool
	// Bounded is for a process whose memory must not grow with the database: connections map less of the file, and those
	// that read keep fewer pages.
	Bounded bool
}

// pragmas returns the pragmas of all connections, as pool takes them.
func (o Options) pragmas() []string {
	if o.Bounded {
		return []string{"_pragma", "mmap_size(4194304)"}
	}
	return nil
}

// The cache size of a connection in KiB, and the number of pages in the log at which a
// commit starts a checkpoint. The longer the log, the more of its pages a checkpoint writes once for
// many transactions, and the longer reads look for a page in it: with 4,000 pages they take up to a tenth longer.
const (
	smallCache, bulkCache           = 8 << 10, 64 << 10
	boundedCache, boundedReads      = 32 << 10, 2 << 10
	smallCheckpoint, bulkCheckpoint = 2000, 8000
)

// fewestReaders is the minimum number of concurrent reads. The default is one per processor.
const fewestReaders = 4

// groupSize is how many requests should write at once. Their transactions share a commit.
const groupSize = 16

const (
	// busyTimeout is how long a statement waits for the lock of another process.
	busyTimeout = 2500 * time.Millisecond
	// busyAttempt is how long SQLite waits for it before the connection starts the statement again.
	// SQLite tries again after 1, 2 and 5 ms and then less and less often, at last every 100 ms. That
	// is too seldom for the short pauses of an import.
	busyAttempt = 8 * time.Millisecond
)

// Open opens the database file at path, which may start with "sqlite:". It creates the
// file and its directory if they do not exist. One connection writes, the others read. The
// error is core.ErrUnavailable while another process holds the lock of the file.
func Open(ctx context.Context, path string, options Options) (*sqlstore.DB, error) {
	path = filePath(path)
	if err := prepare(path); err != nil {
		return nil, err
	}
	write, err := writer(path, options)
	if err != nil {
		return nil, err
	}
	readers := max(fewestReaders, runtime.GOMAXPROCS(0))
	only, cache := append(options.pragmas(), "_pragma", "query_only(1)"), smallCache
	if options.Bounded {
		cache = boundedReads
	}
	read, err := pool(path, readers, cache, maxBytes, only...)
	if err != nil {
		return nil, err
	}
	watch, err := pool(path, 1, cache, maxBytes, only...)
	if err != nil {
		return nil, err
	}
	db := sqlstore.New(dialect{}, sqldb.Pools{
		Write: write, Read: read, Hot: reads{read}, Watch: watch, Place: place{path + placeSuffix}, Reads: readers, Writes: groupSize, OneWriter: true,
	})
	// The writer connects first, because it switches the file to WAL mode.
	if err := db.Connect(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// prepare creates an empty file if it does not exist, accessible only for its owner. SQLite
// creates its log and index files with the same permissions.
func prepare(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// filePath returns the path in "sqlite:var/x.db", "sqlite:///var/x.db" or a plain path.
func filePath(path string) string {
	rest, prefixed := strings.CutPrefix(path, "sqlite:")
	if !prefixed {
		return path
	}
	return strings.TrimPrefix(rest, "//")
}

// writer opens the connection that writes. synchronous=FULL syncs the log at each commit, so that
// acknowledged writes survive a power failure. Concurrent transactions share a commit.
func writer(path string, options Options) (*sql.DB, error) {
	cache, checkpoint := smallCache, smallCheckpoint
	if options.Bulk {
		cache, checkpoint = bulkCache, bulkCheckpoint
	}
	if options.Bounded {
		cache = min(cache, boundedCache)
	}
	return pool(path, 1, cache, longestWrite, append(options.pragmas(), "_pragma", fmt.Sprintf("wal_autocheckpoint(%d)", checkpoint), "_txlock", "immediate",
		"_pragma", "journal_mode(WAL)", "_pragma", "synchronous(FULL)", "_pragma", "journal_size_limit(67108864)")...)
}

// longestWrite is the longest text of a write, in bytes, that stays prepared: longer texts are lists
// of many rows and rarely repeated.
const longestWrite = 4096

// pool opens a pool of size connections to the database at path. cache is the cache size of each
// in KiB, longest the longest text that stays prepared, and options are further pairs of driver
// parameters. A pragma among them replaces that of the same name.
func pool(path string, size, cache, longest int, options ...string) (*sql.DB, error) {
	parameters := url.Values{}
	for i := 0; i < len(options); i += 2 {
		parameters.Add(options[i], options[i+1])
	}
	for _, pragma := range []string{
		fmt.Sprintf("busy_timeout(%d)", busyAttempt.Milliseconds()), "foreign_keys(1)", "temp_store(MEMORY)",
		// Reads use the memory map, which all connections share. The cache is for
		// writes and for pages beyond the map.
		fmt.Sprintf("cache_size(-%d)", cache), "mmap_size(268435456)",
	} {
		name, _, _ := strings.Cut(pragma, "(")
		if !slices.ContainsFunc(parameters["_pragma"], func(given string) bool { return strings.HasPrefix(given, name+"(") }) {
			parameters.Add("_pragma", pragma)
		}
	}
	plain, err := sqlite.NewConnector("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + parameters.Encode())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector{plain, longest})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}
