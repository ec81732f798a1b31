package service

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"imprimatur/adapters/blobstore"
	"imprimatur/core"
	"imprimatur/ports"
)

// watchedBlobs is a blob store that counts its faults and knows whether the last write succeeded. It
// implements ports.BlobStore.
type watchedBlobs struct {
	*blobstore.Store
	log    *zap.Logger
	faults *prometheus.CounterVec

	mu    sync.Mutex
	since time.Time // when writes began to fail; zero: they succeed
	fault string
}

// The operations of blob stores in metrics.
const (
	blobRead   = "read"
	blobWrite  = "write"
	blobDelete = "delete"
)

func watchBlobs(store *blobstore.Store, log *zap.Logger) *watchedBlobs {
	b := &watchedBlobs{Store: store, log: log, faults: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "imprimatur_blob_errors_total",
		Help: "Operations on the storage of files that failed because it was unavailable or full: read, write or delete.",
	}, []string{"operation"})}
	for _, operation := range []string{blobRead, blobWrite, blobDelete} {
		b.faults.WithLabelValues(operation) // a rate needs the value 0 before the first fault
	}
	return b
}

// Create implements ports.BlobStore.
func (b *watchedBlobs) Create(ctx context.Context, name string, source io.Reader) error {
	return b.wrote(b.Store.Create(ctx, name, source))
}

// Copy implements ports.BlobStore.
func (b *watchedBlobs) Copy(ctx context.Context, from, to string) error {
	return b.wrote(b.Store.Copy(ctx, from, to))
}

// Open implements ports.BlobStore.
func (b *watchedBlobs) Open(ctx context.Context, name string) (ports.Blob, error) {
	blob, err := b.Store.Open(ctx, name)
	b.count(blobRead, err)
	return blob, err
}

// Delete implements ports.BlobStore.
func (b *watchedBlobs) Delete(ctx context.Context, name string) error {
	err := b.Store.Delete(ctx, name)
	b.count(blobDelete, err)
	return err
}

// count counts err if it is a fault of the store, and reports whether it is.
func (b *watchedBlobs) count(operation string, err error) bool {
	kind := core.KindOf(err)
	failed := err != nil && (kind == core.KindUnavailable || kind == core.KindStorageFull)
	if failed {
		b.faults.WithLabelValues(operation).Inc()
	}
	return failed
}

// wrote records the result of a write and returns it. It logs the first of several failures.
func (b *watchedBlobs) wrote(err error) error {
	failed := b.count(blobWrite, err)
	if err != nil && !failed {
		return err // of the caller; it says nothing about the store
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case failed && b.since.IsZero():
		b.since = time.Now()
		b.log.Error("files cannot be written", zap.Error(err))
	case !failed && !b.since.IsZero():
		b.log.Info("files can be written again", zap.Duration("after", time.Since(b.since)))
		b.since, b.fault = time.Time{}, ""
	}
	if failed {
		b.fault = err.Error()
	}
	return err
}

// failing reports whether the last write failed.
func (b *watchedBlobs) failing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.since.IsZero()
}

// state returns "ok", or since when and why files cannot be written.
func (b *watchedBlobs) state() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() {
		return fine
	}
	return "cannot be written since " + core.FormatTime(b.since.UTC()) + ": " + b.fault
}

// check tries to write, so that a fault is known before the next upload, and its end before the next
// upload succeeds. While an object store works it does nothing: requests cost money there, and old versions
// of objects are kept.
func (b *watchedBlobs) check(ctx context.Context) error {
	if b.Local() || b.failing() {
		_ = b.wrote(b.CheckWrite(ctx)) // it has been logged and counted
	}
	return nil
}
