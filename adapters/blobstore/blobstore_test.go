package blobstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gocloud.dev/blob/memblob"

	"imprimatur/core"
	"imprimatur/ports"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	endpoint := "endpoint=" + url.QueryEscape(missing.URL) + "&anonymous=true"
	for address, want := range map[string]string{
		"":                          "must start with",
		"ftp://x":                   "must start with",
		"file:":                     "must name a folder",
		"file:" + file:              "cannot create the folder",
		"file:" + file + "/below":   "cannot create the folder",
		"s3://":                     "must name a bucket",
		"s3://b?colour=red":         "parameter",
		"s3://b?use_path_style=no!": "parameter",
		"s3://media?" + endpoint:    "cannot reach the bucket media",
	} {
		store, err := Open(t.Context(), address)
		if err == nil {
			t.Errorf("%q was opened", address)
			_ = store.Close() // the test has failed
			continue
		}
		if text := err.Error(); !strings.Contains(text, want) || strings.ContainsAny(text, "\n") {
			t.Errorf("%q: %q, want one sentence with %q", address, text, want)
		}
	}
}

func TestOpenMakesFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, form := range []string{"file:", "file://"} {
		folder := filepath.Join(root, strings.ReplaceAll(form, "/", "x"), "deep er", "blobs%20?")
		store, err := Open(t.Context(), form+folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Create(t.Context(), "u/a.txt", strings.NewReader("a")); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(folder, "u", "a.txt"))
		if err != nil || string(content) != "a" {
			t.Errorf("%s: %q, %v", form, content, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != 1 {
			t.Errorf("%v, %v: want only the blob directory", left, err)
		}
	}
}

func TestWalkFollowsLinkedFolder(t *testing.T) {
	t.Parallel()
	folder, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	store, err := Open(t.Context(), "file:"+link)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Create(t.Context(), "u/a.txt", strings.NewReader("a")); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "u/", "u/a"} {
		var found []string
		err := store.Walk(t.Context(), prefix, func(b ports.BlobInfo) error {
			found = append(found, b.Name)
			return nil
		})
		if err != nil || !slices.Equal(found, []string{"u/a.txt"}) {
			t.Errorf("%q: %v, %v", prefix, found, err)
		}
	}
}

// TestUnavailable uses an S3 server that has stopped.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<ListBucketResult></ListBucketResult>`)) // the client may be closed
	}))
	store, err := Open(t.Context(), "s3://media?anonymous=true&endpoint="+url.QueryEscape(bucket.URL))
	if err != nil {
		t.Fatal(err)
	}
	bucket.Close()
	for what, do := range map[string]func(ctx context.Context) error{
		"opening":  func(ctx context.Context) error { _, err := store.Open(ctx, "u/a"); return err },
		"looking":  func(ctx context.Context) error { _, err := store.Exists(ctx, "u/a"); return err },
		"writing":  func(ctx context.Context) error { return store.Create(ctx, "u/a", strings.NewReader("a")) },
		"copying":  func(ctx context.Context) error { return store.Copy(ctx, "u/a", "u/b") },
		"deleting": func(ctx context.Context) error { return store.Delete(ctx, "u/a") },
		"walking":  func(ctx context.Context) error { return store.Walk(ctx, "", nil) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var fault *core.Error
			err := do(t.Context())
			if !errors.As(err, &fault) || fault.Kind != core.KindUnavailable || fault.RetryAfter == 0 || strings.Contains(fault.Message, "127.0.0.1") {
				t.Error(err)
			}
		})
	}
}

// TestHanging uses an S3 server that accepts every request and does not respond.
func TestHanging(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{}) // closed to start hanging
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/begun"): // the first half of a file
			w.Header().Set("Content-Length", "2")
			_, _ = w.Write([]byte("a"))
			_ = http.NewResponseController(w).Flush()
		case r.URL.Query().Has("list-type") && !closed(hangs):
			_, _ = w.Write([]byte(`<ListBucketResult></ListBucketResult>`))
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(bucket.Close)
	store, err := Open(t.Context(), "s3://media?anonymous=true&endpoint="+url.QueryEscape(bucket.URL))
	if err != nil {
		t.Fatal(err)
	}
	close(hangs)
	if cap(store.uploads) != maxUploads {
		t.Errorf("%d uploads, want the maximum", cap(store.uploads))
	}
	store.timeout = 50 * time.Millisecond
	large := strings.NewReader(strings.Repeat("a", 4*partSize)) // exceeds the buffer before the first part is sent
	t.Run("all", func(t *testing.T) {
		for what, do := range map[string]func(ctx context.Context) error{
			"opening": func(ctx context.Context) error { _, err := store.Open(ctx, "u/a"); return err },
			"reading": func(ctx context.Context) error {
				file, err := store.Open(ctx, "u/begun")
				if err != nil {
					t.Errorf("a request to a responding server failed: %v", err)
					return err
				}
				_, err = io.ReadAll(file)
				return errors.Join(err, file.Close())
			},
			"looking":       func(ctx context.Context) error { _, err := store.Exists(ctx, "u/a"); return err },
			"writing":       func(ctx context.Context) error { return store.Create(ctx, "u/a", strings.NewReader("a")) },
			"writing a lot": func(ctx context.Context) error { return store.Create(ctx, "u/b", large) },
			"copying":       func(ctx context.Context) error { return store.Copy(ctx, "u/a", "u/b") },
			"deleting":      func(ctx context.Context) error { return store.Delete(ctx, "u/a") },
			"walking":       func(ctx context.Context) error { return store.Walk(ctx, "", nil) },
		} {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				var fault *core.Error
				if err := do(t.Context()); !errors.As(err, &fault) || fault.Kind != core.KindUnavailable || !errors.Is(err, errTimeout) {
					t.Error(err)
				}
			})
		}
	})
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestSlowCallers uploads from a caller that sends nothing for a long time: timeouts apply
// only to the store.
func TestSlowCallers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &Store{bucket: memblob.OpenBucket(nil), timeout: timeout}
		source, caller := io.Pipe()
		go func() {
			for range 3 {
				time.Sleep(writeFactor * 2 * timeout)
				_, _ = caller.Write([]byte("a")) // a failure shows in the result
			}
			_ = caller.Close()
		}()
		if err := store.Create(t.Context(), "u/a", source); err != nil {
			t.Error(err)
		}
	})
}

// TestUploadLimit writes more files concurrently than the limit.
func TestUploadLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &Store{bucket: memblob.OpenBucket(nil), timeout: timeout, uploads: make(chan struct{}, 1)}
		source, caller := io.Pipe()
		first := make(chan error)
		go func() { first <- store.Create(t.Context(), "u/a", source) }()
		synctest.Wait()
		var refusal *core.Error
		began := time.Now()
		err := store.Create(t.Context(), "u/b", strings.NewReader("b"))
		if !errors.As(err, &refusal) || refusal.Kind != core.KindUnavailable || refusal.RetryAfter == 0 || time.Since(began) != timeout {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := store.Create(gone, "u/b", strings.NewReader("b")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := caller.Close(); err != nil {
			t.Error(err)
		}
		if err := <-first; err != nil {
			t.Error(err)
		}
		if err := store.Create(t.Context(), "u/b", strings.NewReader("b")); err != nil {
			t.Error(err)
		}
	})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want core.Kind
	}{
		"no room":                {&fs.PathError{Op: "write", Path: "/srv/x", Err: syscall.ENOSPC}, core.KindStorageFull},
		"no quota":               {&fs.PathError{Op: "write", Path: "/srv/x", Err: syscall.EDQUOT}, core.KindStorageFull},
		"no room on S3":          {s3Error{code: "XMinioStorageFull"}, core.KindStorageFull},
		"507 of S3":              {s3Error{status: http.StatusInsufficientStorage}, core.KindStorageFull},
		"something of S3":        {s3Error{code: "SlowDown", status: 503}, core.KindUnavailable},
		"a broken disk":          {&fs.PathError{Op: "read", Path: "/srv/x", Err: syscall.EIO}, core.KindUnavailable},
		"through a file":         {&fs.PathError{Op: "open", Path: "/srv/x", Err: syscall.ENOTDIR}, core.KindNotFound},
		"an error of the caller": {core.Forbidden("no"), core.KindForbidden},
	} {
		err := fault(test.err)
		var known *core.Error
		if !errors.As(err, &known) || known.Kind != test.want || strings.Contains(known.Message, "/srv") || !errors.Is(err, test.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := fault(context.Canceled); !errors.Is(err, context.Canceled) || core.KindOf(err) != core.KindInternal {
		t.Errorf("a cancelled caller: %v", err)
	}
	if fault(nil) != nil || writeFault(nil) != nil {
		t.Error("nil becomes an error")
	}
}

// s3Error imitates an error of the S3 client.
type s3Error struct {
	code   string
	status int
}

func (a s3Error) Error() string       { return "at http://127.0.0.1/srv" }
func (a s3Error) ErrorCode() string   { return a.code }
func (a s3Error) HTTPStatusCode() int { return a.status }

// TestCopiesInFoldersWriteNoBytes copies a file to a new name and to one that is taken.
func TestCopiesInFoldersWriteNoBytes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	store, err := Open(t.Context(), "file:"+folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for name, content := range map[string]string{"tmp/a": "a", "u/taken": "b"} {
		if err := store.Create(t.Context(), name, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	for to, linked := range map[string]bool{"u/new/a": true, "u/taken": false} {
		if err := store.Copy(t.Context(), "tmp/a", to); err != nil {
			t.Fatal(err)
		}
		one, err := os.Stat(filepath.Join(folder, "tmp", "a"))
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.Stat(filepath.Join(folder, to))
		if err != nil || os.SameFile(one, other) != linked {
			t.Errorf("%s: the same file as its source: %t, %v", to, !linked, err)
		}
		content, err := os.ReadFile(filepath.Join(folder, to))
		if err != nil || string(content) != "a" {
			t.Errorf("%s: %q, %v", to, content, err)
		}
	}
}
