package blobstore

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"imprimatur/core"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	nobody := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(nobody.Close)
	endpoint := "endpoint=" + url.QueryEscape(nobody.URL) + "&anonymous=true"
	for address, want := range map[string]string{
		"":                          "must start with",
		"ftp://x":                   "must start with",
		"file:":                     "must name a folder",
		"file:" + file:              "cannot be made",
		"file:" + file + "/below":   "cannot be made",
		"s3://":                     "must name a bucket",
		"s3://b?colour=red":         "parameter",
		"s3://b?use_path_style=no!": "parameter",
		"s3://media?" + endpoint:    "the bucket media cannot be reached",
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
			t.Errorf("%v, %v: more than the file's own folder", left, err)
		}
	}
}

// TestUnavailable asks a server of the S3 protocol that has gone.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<ListBucketResult></ListBucketResult>`)) // the client may have gone
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

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want core.Kind
	}{
		"no room":          {&fs.PathError{Op: "write", Path: "/srv/x", Err: syscall.ENOSPC}, core.KindStorageFull},
		"no quota":         {&fs.PathError{Op: "write", Path: "/srv/x", Err: syscall.EDQUOT}, core.KindStorageFull},
		"no room on S3":    {answered{code: "XMinioStorageFull"}, core.KindStorageFull},
		"507 of S3":        {answered{status: http.StatusInsufficientStorage}, core.KindStorageFull},
		"something of S3":  {answered{code: "SlowDown", status: 503}, core.KindUnavailable},
		"a broken disk":    {&fs.PathError{Op: "read", Path: "/srv/x", Err: syscall.EIO}, core.KindUnavailable},
		"through a file":   {&fs.PathError{Op: "open", Path: "/srv/x", Err: syscall.ENOTDIR}, core.KindNotFound},
		"a caller's fault": {core.Forbidden("no"), core.KindForbidden},
	} {
		err := fault(test.err)
		var known *core.Error
		if !errors.As(err, &known) || known.Kind != test.want || strings.Contains(known.Message, "/srv") || !errors.Is(err, test.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := fault(context.Canceled); !errors.Is(err, context.Canceled) || core.KindOf(err) != core.KindInternal {
		t.Errorf("a caller who has gone: %v", err)
	}
	if fault(nil) != nil || lost(nil) != nil {
		t.Error("a fault of nothing")
	}
}

// answered is an error of S3's client.
type answered struct {
	code   string
	status int
}

func (a answered) Error() string       { return "at http://127.0.0.1/srv" }
func (a answered) ErrorCode() string   { return a.code }
func (a answered) HTTPStatusCode() int { return a.status }
