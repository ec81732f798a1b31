package media_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
)

// mp4Header is the beginning of an MP4 file.
const mp4Header = "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"

// TestStream sends 2 GB where 20 MB are allowed, and then an allowed large file: neither
// allocates more memory than a small one. It does not run in parallel, because it measures
// allocations of the process.
func TestStream(t *testing.T) {
	const most = 16 << 20 // total bytes allocated
	for name, database := range engines {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			d := setup(t, database(t), "file:"+folder)
			for kind, head := range map[string]string{
				"video":   mp4Header,
				"unknown": "\x00\x01",
			} {
				source := &countingReader{source: io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 2<<30))}
				allocated := allocations(func() {
					_, err := d.library().Receive(t.Context(), d.project, "film.mp4", source)
					require.Equal(t, core.KindTooLarge, core.KindOf(err), "%s: %v", kind, err)
				})
				require.Less(t, source.read, int64(core.DefaultUploadLimit+1<<20), "%s: read on after the limit was passed", kind)
				require.Less(t, allocated, uint64(most), "%s: memory", kind)
				require.Zero(t, files(t, folder), "%s: files remain", kind)
			}
			d.project.UploadLimit = 1 << 30
			source := &countingReader{source: io.MultiReader(strings.NewReader(mp4Header), io.LimitReader(zeros{}, 200<<20))}
			allocated := allocations(func() {
				received, err := d.library().Receive(t.Context(), d.project, "film.mp4", source)
				require.NoError(t, err)
				_, err = d.library().Keep(t.Context(), core.Actor{System: true}, d.project, received, media.Change{})
				require.NoError(t, err)
			})
			require.Less(t, allocated, uint64(most), "memory of 200 MB")
			require.Equal(t, 1, files(t, folder))
			d.sweep(t)
		})
	}
}

// allocations returns the bytes allocated while work runs, on all goroutines.
func allocations(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// countingReader counts the bytes read.
type countingReader struct {
	source io.Reader
	read   int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	c.read += int64(n)
	return n, err
}

// TestUploadStopsWhenCancelled checks that a cancelled upload leaves no files.
func TestUploadStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d := setup(t, "sqlite:"+filepath.Join(t.TempDir(), "imprimatur.db"), "file:"+folder)
	ctx, cancel := context.WithCancel(t.Context())
	half := io.MultiReader(strings.NewReader(mp4Header), io.LimitReader(zeros{}, 1<<20), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, context.Canceled
	}))
	_, err := d.library().Receive(ctx, d.project, "a.mp4", half)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, files(t, folder))
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
