package service

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
)

// readiness reports whether the process accepts requests: the database is available, migrated and
// writable, and the process is not stopping. Files that cannot be written are reported, but the process
// stays ready: everything else works.
type readiness struct {
	db       *sqlstore.DB
	writes   *writeCheck
	blobs    *watchedBlobs
	paused   pauseCheck
	migrated atomic.Bool // does not change back
	stopping atomic.Bool
}

func newReadiness(cfg config.Config, db *sqlstore.DB, blobs *watchedBlobs, paused pauseCheck, log *zap.Logger) *readiness {
	return &readiness{db: db, blobs: blobs, paused: paused, writes: &writeCheck{check: checkOf(cfg, db), log: log}}
}

// fewestFree is the free space that a SQLite database needs, in bytes. With less, small writes may still
// find space in the files that exist, and others fail.
const fewestFree = 1 << 20

// checkOf returns a function that returns why the database cannot be written; see sqlstore.DB.Unwritable.
func checkOf(cfg config.Config, db *sqlstore.DB) func(ctx context.Context) (string, error) {
	folder, local := disks(cfg)[databaseDisk]
	return func(ctx context.Context) (string, error) {
		if free, _, err := diskSpace(folder); local && err == nil && free < fewestFree {
			return "the disk is full", nil
		}
		return db.Unwritable(ctx)
	}
}

// checkTimeout is the time limit of the checks of one request.
const checkTimeout = time.Second

// report is the body of /readyz?verbose. A member is "ok" or what is wrong.
type report struct {
	Status   string `json:"status"` // why the process is not ready
	Database string `json:"database"`
	Blobs    string `json:"blobs"`
	Paused   bool   `json:"paused,omitempty"` // since a restore
}

func (r *readiness) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	ctx, cancel := context.WithTimeout(request.Context(), checkTimeout)
	defer cancel()
	now := r.report(ctx)
	status := http.StatusOK
	if now.Status != fine {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case request.URL.Query().Has("verbose"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(now) // fails only if the client disconnected
	case status != http.StatusOK:
		http.Error(w, now.Status, status)
	default:
		writeOK(w, request)
		if now.Paused {
			_, _ = io.WriteString(w, "paused\n") // fails only if the client disconnected
		}
	}
}

// fine is a member of report without a fault.
const fine = "ok"

func (r *readiness) report(ctx context.Context) report {
	now := report{Database: r.database(ctx), Blobs: r.blobs.state()}
	now.Status = now.Database
	if paused, err := r.paused(ctx); err == nil {
		now.Paused = paused
	}
	if r.stopping.Load() {
		now.Status = "stopping"
	}
	return now
}

// database returns what is wrong with the database.
func (r *readiness) database(ctx context.Context) string {
	if r.db.Ping(ctx) != nil {
		return "database unavailable"
	}
	if !r.hasTables(ctx) {
		return "database not migrated"
	}
	if fault := r.writes.fault(ctx); fault != "" {
		return "database cannot write: " + fault
	}
	return fine
}

func (r *readiness) hasTables(ctx context.Context) bool {
	if !r.migrated.Load() {
		done, err := r.db.Migrated(ctx)
		r.migrated.Store(done && err == nil)
	}
	return r.migrated.Load()
}

// writable returns 1 if the database is available and can be written, for metrics.
func (r *readiness) writable() int64 {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	if r.database(ctx) != fine {
		return 0
	}
	return 1
}

// writeCheckInterval is how long a check that succeeded counts: each commits, and probes come every second.
const writeCheckInterval = 5 * time.Second

// writeCheck finds out whether the database can be written.
type writeCheck struct {
	check func(ctx context.Context) (fault string, err error)
	log   *zap.Logger

	mu   sync.Mutex
	at   time.Time // of the last check that succeeded
	last string    // its fault
}

// fault returns why the database cannot be written, or "". While a check cannot be made, the result is
// that of the last one.
func (c *writeCheck) fault(ctx context.Context) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == "" && time.Since(c.at) < writeCheckInterval {
		return ""
	}
	fault, err := c.check(ctx)
	if err != nil {
		return c.last
	}
	switch {
	case fault != "" && fault != c.last:
		c.log.Error("the database cannot be written", zap.String("reason", fault))
	case fault == "" && c.last != "":
		c.log.Info("the database can be written again")
	}
	c.at, c.last = time.Now(), fault
	return fault
}
