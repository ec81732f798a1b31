// Package blobstore implements ports.BlobStore on gocloud.dev/blob: in a folder, in
// memory, or on S3 and compatible servers.
package blobstore

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"gocloud.dev/blob"

	"imprimatur/core"
	"imprimatur/ports"
)

// Store implements ports.BlobStore. It is safe for concurrent use.
type Store struct {
	bucket   *blob.Bucket
	folder   string        // root of a file store; empty for others
	patience time.Duration // time limit of one operation
	places   chan struct{} // one element per running upload; nil means no limit
}

var _ ports.BlobStore = (*Store)(nil)

// Close closes the store. Open blobs stay open.
func (s *Store) Close() error { return s.bucket.Close() }

// An upload to S3 holds up to three parts in memory: two that are being sent and one that
// is being filled. A slow client holds that memory for long, so the number of uploads is
// limited.
const (
	partSize      = 5 << 20
	partsAtOnce   = 2
	uploadsAtOnce = 32
)

// Create implements ports.BlobStore.
func (s *Store) Create(ctx context.Context, name string, source io.Reader) error {
	if !valid(name) {
		return errName
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	writing := newSteps(ctx)
	defer writing.close()
	var file *os.File // of a file store, if the blob must be synced to disk
	w, err := s.bucket.NewWriter(writing.ctx, name, &blob.WriterOptions{
		ContentType: "application/octet-stream", BufferSize: partSize, MaxConcurrency: partsAtOnce,
		BeforeWrite: func(as func(any) bool) error {
			if !strings.HasPrefix(name, ports.UploadPrefix) {
				as(&file)
			}
			return nil
		},
	})
	if err != nil {
		return lost(err)
	}
	in := &watched{source: source}
	_, err = io.Copy(pieces{w, writing, slower * s.patience}, in)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		writing.close()
		_ = w.Close() // removes the partial file; its error only says so
		if in.failed != nil {
			return in.failed
		}
		return lost(err)
	}
	err = writing.run(slower*s.patience, func(context.Context) error { return w.Close() })
	if err != nil || file == nil {
		return lost(err)
	}
	return s.settle(name)
}

// pieces is a writer with a time limit for each write.
type pieces struct {
	io.Writer
	steps    *steps
	patience time.Duration
}

func (p pieces) Write(piece []byte) (n int, err error) {
	err = p.steps.run(p.patience, func(context.Context) error {
		n, err = p.Writer.Write(piece)
		return err
	})
	return n, err
}

// watched records an error of source, so that it is not reported as an error of the
// store.
type watched struct {
	source io.Reader
	failed error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.source.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.failed = err
	}
	return n, err
}

// Copy implements ports.BlobStore.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	if !valid(from) || !valid(to) {
		return errName
	}
	if s.folder == "" {
		return once(ctx, slower*s.patience, func(ctx context.Context) error { return s.bucket.Copy(ctx, to, from, nil) })
	}
	// Create syncs the file to disk; a copy by the bucket would not.
	source, err := s.Open(ctx, from)
	if err != nil {
		return err
	}
	return errors.Join(s.Create(ctx, to, source), source.Close())
}

// Open implements ports.BlobStore.
func (s *Store) Open(ctx context.Context, name string) (ports.Blob, error) {
	if !valid(name) {
		return nil, errName
	}
	reading := newSteps(ctx)
	var r *blob.Reader
	err := reading.run(s.patience, func(ctx context.Context) (err error) {
		r, err = s.bucket.NewReader(ctx, name, nil)
		return err
	})
	if err != nil {
		reading.close()
		return nil, fault(err)
	}
	return reader{r, reading, s.patience}, nil
}

// reader is a blob.Reader that returns errors of the port and has a time limit for each
// read.
type reader struct {
	*blob.Reader
	steps    *steps
	patience time.Duration
}

func (r reader) Read(p []byte) (n int, err error) {
	err = r.steps.run(r.patience, func(context.Context) error {
		n, err = r.Reader.Read(p)
		return err
	})
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault(err)
	}
	return n, err
}

func (r reader) Close() error {
	defer r.steps.close()
	return r.Reader.Close()
}

// Exists implements ports.BlobStore.
func (s *Store) Exists(ctx context.Context, name string) (there bool, err error) {
	if !valid(name) {
		return false, nil
	}
	err = once(ctx, s.patience, func(ctx context.Context) (err error) {
		there, err = s.bucket.Exists(ctx, name)
		return err
	})
	if errors.Is(err, core.ErrNotFound) {
		return false, nil
	}
	return there, err
}

// Delete implements ports.BlobStore.
func (s *Store) Delete(ctx context.Context, name string) error {
	if !valid(name) {
		return nil
	}
	err := once(ctx, s.patience, func(ctx context.Context) error { return s.bucket.Delete(ctx, name) })
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	return err
}

// Walk implements ports.BlobStore.
func (s *Store) Walk(ctx context.Context, prefix string, each func(ports.BlobInfo) error) error {
	if s.folder != "" {
		return s.walkFolder(ctx, prefix, each)
	}
	names := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		var object *blob.ListObject
		err := once(ctx, s.patience, func(ctx context.Context) (err error) {
			object, err = names.Next(ctx)
			return err
		})
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(ports.BlobInfo{Name: object.Key, Size: object.Size, ModTime: object.ModTime}); err != nil {
			return err
		}
	}
}

// valid reports whether name is allowed by the port and stays inside the store.
func valid(name string) bool {
	return nameForm.MatchString(name) && !strings.Contains("/"+name+"/", "/../") && !strings.Contains("/"+name+"/", "/./") &&
		!strings.HasSuffix(name, ".attrs") // reserved by gocloud.dev
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)
