package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"imprimatur/app/demo"
	"imprimatur/test/program"
)

// upload adds a text to the library of the Blog, and returns the item.
func (s server) upload(t *testing.T, facts demo.Facts, text string, header ...string) int64 {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "note.txt")
	require.NoError(t, err)
	_, err = io.WriteString(part, text)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	path := fmt.Sprintf("/api/projects/%d/media/upload", facts.Projects.Blog.ID)
	return idOf(t, s.call(t, "POST", path, body.String(), append([]string{"Content-Type", form.FormDataContentType()}, header...)...))
}

// blobOf returns the name that the bytes of a text have in archives.
func blobOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "blobs/" + hex.EncodeToString(sum[:])
}

func has(t *testing.T, archive, name string) bool {
	t.Helper()
	for _, m := range unpack(t, archive) {
		if m.Name == name {
			return true
		}
	}
	return false
}

// TestFilesOfArchives restores archives without files, and with those since an earlier archive.
func TestFilesOfArchives(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	first := source.backup(t)
	s := source.serve(t)
	s.upload(t, facts, "a new file", s.signIn(t, facts, "tenantAdmin")...)
	want := s.reads(t, facts)
	s.Stop(t)
	since, none := source.backup(t, "--blobs", "since:"+first), source.backup(t, "--blobs", "none")
	later := source.backup(t, "--blobs", "since:"+since)
	require.True(t, has(t, since, blobOf("a new file")))
	require.False(t, has(t, none, blobOf("a new file")))
	require.False(t, has(t, later, blobOf("a new file")))
	same := func(p place) {
		t.Helper()
		require.Equal(t, "0 differences found, 0 repaired\n", run(t, append([]string{"check"}, p.settings()...)...))
		s := p.serve(t)
		if diff := cmp.Diff(want, s.reads(t, facts)); diff != "" {
			t.Errorf("what readers get: %s", diff)
		}
		s.Stop(t)
	}

	p := newPlace(t, "postgres", source.key)
	fails(t, "files are neither in this archive nor in the blob store: name the archives before it with --with", append(append([]string{"restore"}, p.settings()...), since)...)
	p.restore(t, since, "--with", first)
	same(p)

	p = newPlace(t, "sqlite", source.key)
	p.restore(t, later, "--with", first, "--with", since)
	same(p)

	p = newPlace(t, "sqlite", source.key)
	out := run(t, append(append([]string{"restore", "--allow-missing"}, p.settings()...), later)...)
	require.Contains(t, out, "files have no bytes")

	p = newPlace(t, "sqlite", source.key)
	out = run(t, append(append([]string{"restore"}, p.settings()...), none)...)
	require.Contains(t, out, "files have no bytes")
	require.NoError(t, os.CopyFS(strings.TrimPrefix(p.blobs, "file:"), os.DirFS(strings.TrimPrefix(source.blobs, "file:"))))
	same(p)
}

// TestArchiveOfABucket moves the files from a folder into a bucket and back.
func TestArchiveOfABucket(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("media"))
	bucket := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(bucket.Close)
	source, facts := demoPlace(t)
	s := source.serve(t)
	want := s.reads(t, facts)
	s.Stop(t)
	file := source.backup(t)
	for _, blobs := range []string{"s3://media/demo?anonymous=true&endpoint=" + url.QueryEscape(bucket.URL), ""} {
		p := newPlace(t, "sqlite", source.key)
		if blobs != "" {
			p.blobs = blobs
		}
		p.restore(t, file)
		s := p.serve(t)
		if diff := cmp.Diff(want, s.reads(t, facts)); diff != "" {
			t.Errorf("what readers get from %s: %s", p.blobs, diff)
		}
		s.Stop(t)
		file = p.backup(t)
	}
}

// TestSweepBesideABackup deletes an item, and sweeps, while a backup waits for its output. The archive has the
// bytes, which the next sweep deletes.
func TestSweepBesideABackup(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	s := source.serve(t)
	admin := s.signIn(t, facts, "tenantAdmin")
	item := s.upload(t, facts, "soon gone", admin...)
	stored := func() bool {
		found, err := filepath.Glob(filepath.Join(strings.TrimPrefix(source.blobs, "file:"), "*", strings.TrimPrefix(blobOf("soon gone"), "blobs/")+"*"))
		require.NoError(t, err)
		return len(found) > 0
	}
	require.True(t, stored())

	backup := exec.Command(program.Binary(), append([]string{"backup", "--out", "-"}, source.settings()...)...)
	out, err := backup.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, backup.Start())
	begin := make([]byte, 1)
	_, err = io.ReadFull(out, begin) // the rows are read; the pipe is full long before the files are written
	require.NoError(t, err)
	deleted := s.call(t, "DELETE", fmt.Sprintf("/api/projects/%d/media/%d", facts.Projects.Blog.ID, item), "", admin...)
	require.Equal(t, 200, deleted.status, deleted.body)
	sweep := append([]string{"media", "sweep", "--older-than", "0s"}, source.settings()...)
	require.Contains(t, run(t, sweep...), "removed 0 blobs of deleted items, 0 unreferenced blobs")
	require.True(t, stored(), "the bytes were deleted under the backup")

	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	require.NoError(t, backup.Wait())
	file := filepath.Join(t.TempDir(), "streamed.imp")
	require.NoError(t, os.WriteFile(file, append(begin, rest...), 0o600))
	require.True(t, has(t, file, blobOf("soon gone")))
	require.Contains(t, run(t, "backup", "verify", file), "the archive is whole")
	run(t, sweep...)
	require.False(t, stored(), "the hold did not end with the backup")
	s.Stop(t)
}
