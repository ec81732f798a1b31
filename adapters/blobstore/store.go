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

	"gocloud.dev/blob"

	"imprimatur/core"
	"imprimatur/ports"
)

// Store implements ports.BlobStore.
type Store struct {
	bucket *blob.Bucket
	folder string // of a store of files; else empty
}

var _ ports.BlobStore = (*Store)(nil)

// Close closes the store; blobs that are open stay so.
func (s *Store) Close() error { return s.bucket.Close() }

// What an upload to S3 holds in memory: two parts of the smallest size that S3 takes.
const (
	partSize    = 5 << 20
	partsAtOnce = 2
)

// Create is described at ports.BlobStore.
func (s *Store) Create(ctx context.Context, name string, source io.Reader) error {
	if !valid(name) {
		return errName
	}
	writing, giveUp := context.WithCancel(ctx)
	defer giveUp()
	var file *os.File // of a store of files, when it is to be on the disk in the end
	w, err := s.bucket.NewWriter(writing, name, &blob.WriterOptions{
		ContentType: "application/octet-stream", BufferSize: partSize, MaxConcurrency: partsAtOnce,
		BeforeWrite: func(as func(any) bool) error {
			if !strings.HasPrefix(name, ports.UnderWay) {
				as(&file)
			}
			return nil
		},
	})
	if err != nil {
		return lost(err)
	}
	in := &watched{source: source}
	_, err = io.Copy(w, in)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		giveUp()
		_ = w.Close() // which undoes what was written, and says that it did
		if in.failed != nil {
			return in.failed
		}
		return lost(err)
	}
	if err := w.Close(); err != nil || file == nil {
		return lost(err)
	}
	return s.settle(name)
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
		return fault(s.bucket.Copy(ctx, to, from, nil))
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
	r, err := s.bucket.NewReader(ctx, name, nil)
	if err != nil {
		return nil, fault(err)
	}
	return reader{r}, nil
}

// reader is a blob.Reader that speaks of errors as the port does.
type reader struct{ *blob.Reader }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault(err)
	}
	return n, err
}

// Exists is described at ports.BlobStore.
func (s *Store) Exists(ctx context.Context, name string) (bool, error) {
	if !valid(name) {
		return false, nil
	}
	there, err := s.bucket.Exists(ctx, name)
	if err = fault(err); errors.Is(err, core.ErrNotFound) {
		return false, nil
	}
	return there, err
}

// Delete is described at ports.BlobStore.
func (s *Store) Delete(ctx context.Context, name string) error {
	if !valid(name) {
		return nil
	}
	if err := fault(s.bucket.Delete(ctx, name)); !errors.Is(err, core.ErrNotFound) {
		return err
	}
	return nil
}

// Walk is described at ports.BlobStore.
func (s *Store) Walk(ctx context.Context, prefix string, each func(ports.BlobInfo) error) error {
	if s.folder != "" {
		return s.walkFolder(ctx, prefix, each)
	}
	names := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		object, err := names.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault(err)
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
