// Package blobstore keeps bytes by name on what gocloud.dev/blob reaches: the files
// of this machine, memory, and S3 or what speaks its protocol.
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

// Store implements ports.BlobStore.
type Store struct {
	bucket   *blob.Bucket
	folder   string        // of a store of files; else empty
	patience time.Duration // with the bucket
	places   chan struct{} // one in it for each file that is being put away; nil: any number may be
}

var _ ports.BlobStore = (*Store)(nil)

// Close closes the store; blobs that are open stay so.
func (s *Store) Close() error { return s.bucket.Close() }

// What an upload to S3 holds in memory: two parts of the smallest size that S3 takes, and
// one that comes in. Who sends one slowly holds that for long, so that their number is
// bounded, too.
const (
	partSize      = 5 << 20
	partsAtOnce   = 2
	uploadsAtOnce = 32
)

// Create is described at ports.BlobStore.
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
	var file *os.File // of a store of files, when it is to be on the disk in the end
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
		_ = w.Close() // which undoes what was written, and says that it did
		if in.failed != nil {
			return in.failed
		}
		return lost(err)
	}
	err = writing.take(slower*s.patience, func(context.Context) error { return w.Close() })
	if err != nil || file == nil {
		return lost(err)
	}
	return s.settle(name)
}

// pieces writes each piece in a step of its own.
type pieces struct {
	io.Writer
	steps    *steps
	patience time.Duration
}

func (p pieces) Write(piece []byte) (n int, err error) {
	err = p.steps.take(p.patience, func(context.Context) error {
		n, err = p.Writer.Write(piece)
		return err
	})
	return n, err
}

// watched remembers why source failed, so that it is not taken for the store's fault.
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

// Copy is described at ports.BlobStore.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	if !valid(from) || !valid(to) {
		return errName
	}
	if s.folder == "" {
		return once(ctx, slower*s.patience, func(ctx context.Context) error { return s.bucket.Copy(ctx, to, from, nil) })
	}
	// Written as everything else is, so that it is on the disk when this returns.
	source, err := s.Open(ctx, from)
	if err != nil {
		return err
	}
	return errors.Join(s.Create(ctx, to, source), source.Close())
}

// Open is described at ports.BlobStore.
func (s *Store) Open(ctx context.Context, name string) (ports.Blob, error) {
	if !valid(name) {
		return nil, errName
	}
	reading := newSteps(ctx)
	var r *blob.Reader
	err := reading.take(s.patience, func(ctx context.Context) (err error) {
		r, err = s.bucket.NewReader(ctx, name, nil)
		return err
	})
	if err != nil {
		reading.close()
		return nil, fault(err)
	}
	return reader{r, reading, s.patience}, nil
}

// reader is a blob.Reader that speaks of errors as the port does, and reads each piece in
// a step of its own.
type reader struct {
	*blob.Reader
	steps    *steps
	patience time.Duration
}

func (r reader) Read(p []byte) (n int, err error) {
	err = r.steps.take(r.patience, func(context.Context) error {
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

// Exists is described at ports.BlobStore.
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

// Delete is described at ports.BlobStore.
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

// Walk is described at ports.BlobStore.
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

// valid reports whether the port knows such names, and they lead nowhere else.
func valid(name string) bool {
	return nameForm.MatchString(name) && !strings.Contains("/"+name+"/", "/../") && !strings.Contains("/"+name+"/", "/./") &&
		!strings.HasSuffix(name, ".attrs") // which gocloud.dev keeps for itself
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)
