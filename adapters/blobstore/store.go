package blobstore

import (
	"bytes"
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
	bucket  *blob.Bucket
	folder  string        // root of a file store; empty for others
	timeout time.Duration // of one step
	uploads chan struct{} // one element per running upload; nil means no limit
}

var _ ports.BlobStore = (*Store)(nil)

// Close closes the store. Open blobs stay open.
func (s *Store) Close() error { return s.bucket.Close() }

// Local reports whether the store is a folder.
func (s *Store) Local() bool { return s.folder != "" }

// probeSize is the number of bytes that CheckWrite writes. A disk with less space is full.
const probeSize = 64 << 10

// CheckWrite writes a small blob and deletes it. It returns the error of Create.
func (s *Store) CheckWrite(ctx context.Context) error {
	if s.Local() {
		return writeFault(probe(s.folder, probeSize))
	}
	const name = ports.UploadPrefix + "probe"
	if err := s.Create(ctx, name, strings.NewReader("probe")); err != nil {
		return err
	}
	return s.Delete(ctx, name)
}

// An upload to S3 holds up to three parts in memory: two that are being sent and one that
// is being filled. A slow client holds that memory for long, so the number of uploads is
// limited.
const (
	partSize   = 5 << 20
	maxParts   = 2 // being sent
	maxUploads = 32
)

// Create implements ports.BlobStore.
func (s *Store) Create(ctx context.Context, name string, source io.Reader) error {
	if !valid(name) {
		return errName
	}
	end, err := s.startUpload(ctx)
	if err != nil {
		return err
	}
	defer end()
	writing := newSteps(ctx)
	defer writing.close()
	part := partSize
	if whole, ok := source.(*bytes.Reader); ok { // in memory anyway: one request
		part = max(part, whole.Len())
	}
	var file *os.File // of a file store, if the blob must be synced to disk
	w, err := s.bucket.NewWriter(writing.ctx, name, &blob.WriterOptions{
		ContentType: "application/octet-stream", BufferSize: part, MaxConcurrency: maxParts,
		BeforeWrite: func(as func(any) bool) error {
			if !strings.HasPrefix(name, ports.UploadPrefix) {
				as(&file)
			}
			return nil
		},
	})
	if err != nil {
		return writeFault(err)
	}
	in := &sourceReader{source: source}
	_, err = io.Copy(timedWriter{w, writing, writeFactor * s.timeout}, in)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		writing.close()
		_ = w.Close() // removes the partial file; its error is only the cancellation
		if in.err != nil {
			return in.err
		}
		return writeFault(err)
	}
	err = writing.run(writeFactor*s.timeout, func(context.Context) error { return w.Close() })
	if err != nil || file == nil {
		return writeFault(err)
	}
	return s.syncFolders(name)
}

// timedWriter has a timeout for each write.
type timedWriter struct {
	io.Writer
	steps   *steps
	timeout time.Duration
}

func (w timedWriter) Write(p []byte) (n int, err error) {
	err = w.steps.run(w.timeout, func(context.Context) error {
		n, err = w.Writer.Write(p)
		return err
	})
	return n, err
}

// sourceReader records an error of source, so that Create does not report it as an error
// of the store.
type sourceReader struct {
	source io.Reader
	err    error
}

func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.source.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// Copy implements ports.BlobStore.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	if !valid(from) || !valid(to) {
		return errName
	}
	if s.folder == "" {
		return runStep(ctx, writeFactor*s.timeout, func(ctx context.Context) error { return s.bucket.Copy(ctx, to, from, nil) })
	}
	if err := s.link(from, to); err == nil {
		return s.syncFolders(to)
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
	err := reading.run(s.timeout, func(ctx context.Context) (err error) {
		r, err = s.bucket.NewReader(ctx, name, nil)
		return err
	})
	if err != nil {
		reading.close()
		return nil, fault(err)
	}
	return reader{r, reading, s.timeout}, nil
}

// reader is a blob.Reader that returns errors of ports.BlobStore and has a timeout for each read.
type reader struct {
	*blob.Reader
	steps   *steps
	timeout time.Duration
}

func (r reader) Read(p []byte) (n int, err error) {
	err = r.steps.run(r.timeout, func(context.Context) error {
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
func (s *Store) Exists(ctx context.Context, name string) (exists bool, err error) {
	if !valid(name) {
		return false, nil
	}
	err = runStep(ctx, s.timeout, func(ctx context.Context) (err error) {
		exists, err = s.bucket.Exists(ctx, name)
		return err
	})
	if errors.Is(err, core.ErrNotFound) {
		return false, nil
	}
	return exists, err
}

// Delete implements ports.BlobStore.
func (s *Store) Delete(ctx context.Context, name string) error {
	if !valid(name) {
		return nil
	}
	err := runStep(ctx, s.timeout, func(ctx context.Context) error { return s.bucket.Delete(ctx, name) })
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
		err := runStep(ctx, s.timeout, func(ctx context.Context) (err error) {
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
