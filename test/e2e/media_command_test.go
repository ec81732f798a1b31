package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/imaging"
	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/ports"
	"imprimatur/test/program"
)

// library is a media library on disk with three pictures.
type library struct {
	at      []string // command line flags
	folder  string
	uuid    string
	library *media.Library
	stores  ports.Stores
	blobs   ports.BlobStore
	project *core.Project
	items   []core.MediaItem
}

// TestMediaCommands runs media rebuild and media sweep.
func TestMediaCommands(t *testing.T) {
	t.Parallel()
	s := newLibrary(t)
	run := func(args ...string) (out, diagnostics string, err error) {
		return program.Run(t, "", append(append([]string{"media"}, args...), s.at...)...)
	}
	out, diagnostics, err := run("rebuild")
	require.NoError(t, err, diagnostics)
	require.Equal(t, "3 rebuilt, 0 without variants, 0 failed\n", out)
	require.Empty(t, diagnostics, "progress is drawn on terminals only")

	// A rendition and an original are missing.
	lacking := s.items[1]
	lacking.Thumb = ""
	require.NoError(t, s.stores.Media.Update(t.Context(), &lacking))
	out, diagnostics, err = run("rebuild", "--missing", "--project", s.uuid)
	require.NoError(t, err, diagnostics)
	require.Equal(t, "1 rebuilt, 0 without variants, 0 failed\n", out)
	require.NoError(t, s.blobs.Delete(t.Context(), s.items[2].Full))
	out, diagnostics, err = run("rebuild", "--after", fmt.Sprint(s.items[0].ID))
	require.ErrorContains(t, err, "exit status 1")
	require.Equal(t, "1 rebuilt, 0 without variants, 1 failed\n", out)
	require.Contains(t, diagnostics, fmt.Sprintf("item %d: no such file", s.items[2].ID))
	_, diagnostics, err = run("rebuild", "--project", uuid.NewString())
	require.Error(t, err)
	require.Contains(t, diagnostics, "no such project")

	for _, name := range []string{"tmp/left", s.uuid + "/stray.png", uuid.NewString() + "/foreign.png"} {
		require.NoError(t, s.blobs.Create(t.Context(), name, strings.NewReader("x")))
	}
	out, diagnostics, err = run("sweep")
	require.NoError(t, err, diagnostics)
	require.Equal(t, "removed 0 blobs of deleted items, 0 unreferenced blobs, 0 partial uploads and 0 unused renditions\n", out)
	time.Sleep(2 * time.Millisecond) // the clock has a resolution of 1 ms
	out, diagnostics, err = run("sweep", "--older-than", "0s")
	require.NoError(t, err, diagnostics)
	require.Equal(t, "removed 0 blobs of deleted items, 1 unreferenced blobs, 1 partial uploads and 0 unused renditions\n", out)
	require.Contains(t, diagnostics, "kept 1 blobs")
	_, diagnostics, err = run("sweep", "--older-than", "-1s")
	require.Error(t, err)
	require.Contains(t, diagnostics, "must not be negative")
}

// TestBlobURL checks that a wrong blob URL stops the start with one sentence.
func TestBlobURL(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for address, sentence := range map[string]string{
		"ftp://x":        "setting --blob-url: must start with file:, mem:// or s3://",
		"file:" + file:   "setting --blob-url: cannot create the folder " + file,
		"s3://":          "setting --blob-url: must name a bucket: s3://<bucket>",
		"s3://b?colour=": "setting --blob-url: the bucket address has an unknown or invalid parameter",
	} {
		_, diagnostics, err := program.Run(t, "", "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--blob-url", address)
		require.Error(t, err, address)
		require.Equal(t, "imprimatur: "+sentence+"\n", diagnostics)
	}
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	s := &library{folder: t.TempDir(), uuid: uuid.NewString()}
	path := filepath.Join(t.TempDir(), "imprimatur.db")
	s.at = []string{"--database-url", "sqlite:" + path, "--blob-url", "file:" + s.folder}
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(t.Context()))
	blobs, err := blobstore.Open(t.Context(), "file:"+s.folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	s.stores, s.blobs = db.Stores(), blobs
	s.library = media.NewLibrary(db.Stores(), db, blobs, imaging.New(imaging.Options{}), systemclock.New())
	now := systemclock.New().Now()
	tenant := core.Tenant{Name: "Meridian", CreatedAt: now, UpdatedAt: now}
	require.NoError(t, db.Stores().Tenants.Insert(t.Context(), &tenant))
	s.project = &core.Project{
		UUID: s.uuid, TenantID: tenant.ID, Name: "Desk", DefaultLocale: "en", Locales: []string{"en"},
		UploadLimit: core.DefaultUploadLimit, CreatedAt: now, UpdatedAt: now,
	}
	require.NoError(t, db.Stores().Projects.Insert(t.Context(), s.project))
	for side := range 3 {
		s.items = append(s.items, s.upload(t.Context(), t, side+5))
	}
	return s
}

// upload adds a square picture of side pixels.
func (s *library) upload(ctx context.Context, t *testing.T, side int) core.MediaItem {
	t.Helper()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, side, side))))
	received, err := s.library.Receive(ctx, s.project, "a.png", &picture)
	require.NoError(t, err)
	item, err := s.library.Keep(ctx, core.Actor{System: true}, s.project, received, media.Change{})
	require.NoError(t, err)
	return item
}
