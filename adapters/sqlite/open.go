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
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore"
)

// Options tune a database. The zero value is good.
type Options struct {
	// Readers is how many reads may run at once; 0 is one per processor, at least 4.
	Readers int
	// Bulk is for a process that only writes: it takes the memory to write each page once per
	// transaction, and lets the log grow until many transactions have changed the same pages.
	Bulk bool
}

// The caches of connections in kibibytes, and the pages of the log at which a commit copies them
// to the file (checkpoint).
const (
	smallCache, bulkCache           = 8 << 10, 64 << 10
	smallCheckpoint, bulkCheckpoint = 1000, 8000
)

// groupSize is how many requests should write at once: so many transactions share a commit.
const groupSize = 16

// busyTimeout is how long a statement waits for another process's lock.
const busyTimeout = 800 * time.Millisecond

// Open opens the database in the file at path, and creates the file and its directory if they are
// missing. path may start with "sqlite:". One connection writes, the others read. Open returns
// core.ErrUnavailable while another process holds the file locked.
func Open(ctx context.Context, path string, options Options) (*sqlstore.DB, error) {
	path = filePath(path)
	if err := prepare(path); err != nil {
		return nil, err
	}
	writer, err := writer(path, options)
	if err != nil {
		return nil, err
	}
	read, err := reading(path, options.readers(), "_pragma", "query_only(1)")
	if err != nil {
		return nil, err
	}
	watch, err := reading(path, 1, "_pragma", "query_only(1)")
	if err != nil {
		return nil, err
	}
	db := sqlstore.New(dialect{}, sqlstore.Pools{
		Write: pool(writer, 1), Read: read, Hot: sqlstore.Prepare(read), Watch: watch, Reads: options.readers(), Writes: groupSize, OneWriter: true,
	})
	// The writer comes first: it creates the file, in WAL mode.
	if err := db.Connect(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// prepare creates a missing file that only its owner may read and write. SQLite gives the files
// beside it the same permissions.
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

// filePath reads "sqlite:var/x.db", "sqlite:///var/x.db" and a bare path alike.
func filePath(path string) string {
	rest, prefixed := strings.CutPrefix(path, "sqlite:")
	if !prefixed {
		return path
	}
	return strings.TrimPrefix(rest, "//")
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// writer opens the connection that writes. synchronous=FULL syncs the log at each commit, so that
// what was acknowledged survives a power failure; transactions that wait share a commit.
func writer(path string, options Options) (connector, error) {
	cache, checkpoint := smallCache, smallCheckpoint
	if options.Bulk {
		cache, checkpoint = bulkCache, bulkCheckpoint
	}
	return newConnector(name(path, cache, "_pragma", fmt.Sprintf("wal_autocheckpoint(%d)", checkpoint), "_txlock", "immediate", "_pragma", "journal_mode(WAL)", "_pragma", "synchronous(FULL)",
		"_pragma", "journal_size_limit(67108864)"))
}

// reading opens so many connections to read.
func reading(path string, size int, options ...string) (*sql.DB, error) {
	c, err := newConnector(name(path, smallCache, options...))
	if err != nil {
		return nil, err
	}
	return pool(c, size), nil
}

// name is the database at path with the pragmas that every connection needs, the size of
// its cache in kibibytes among them, and options, pairs of the driver's own parameters.
func name(path string, cache int, options ...string) string {
	parameters := url.Values{"_pragma": {
		"busy_timeout(" + milliseconds(busyTimeout) + ")", "foreign_keys(1)", "temp_store(MEMORY)",
		// Pages are read from the map, which all connections share: a cache of their
		// own serves what they write, and what lies beyond the map.
		fmt.Sprintf("cache_size(-%d)", cache), "mmap_size(268435456)",
	}}
	for i := 0; i < len(options); i += 2 {
		parameters.Add(options[i], options[i+1])
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + parameters.Encode()
}

func pool(c connector, size int) *sql.DB {
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

func (o Options) readers() int {
	if o.Readers > 0 {
		return o.Readers
	}
	return max(4, runtime.GOMAXPROCS(0))
}
