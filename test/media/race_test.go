package media_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/ports"
	"imprimatur/test/await"
)

// picture returns a small PNG that differs by n.
func picture(n int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	img.Set(n%8, n/8%8, color.RGBA{R: uint8(n), G: 200, B: 40, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writes to a buffer cannot fail
	}
	return b.Bytes()
}

// busyTime is how long a test retries while the database or the queue is busy.
const busyTime = 30 * time.Second

// upload uploads a file and retries while the database or the queue is busy.
func (d *fixture) upload(ctx context.Context, content []byte) (item core.MediaItem, err error) {
	await.Within(busyTime, func() bool {
		item, err = d.uploadOnce(ctx, content)
		return !errors.Is(err, core.ErrUnavailable)
	})
	return item, err
}

func (d *fixture) uploadOnce(ctx context.Context, content []byte) (core.MediaItem, error) {
	library := d.library()
	received, err := library.Receive(ctx, d.project, "a.png", bytes.NewReader(content))
	if err != nil {
		return core.MediaItem{}, err
	}
	defer received.Discard(ctx)
	return library.Keep(ctx, core.Actor{System: true}, d.project, received, media.Change{})
}

// TestRaces uploads and deletes the same pictures concurrently, while sweeps remove
// unreferenced blobs of any age except running uploads: no stored item may ever lack its
// blobs.
func TestRaces(t *testing.T) {
	t.Parallel()
	for name, database := range engines {
		for storage, address := range map[string]func(t *testing.T) string{
			"files":  func(t *testing.T) string { return "file:" + t.TempDir() },
			"memory": func(*testing.T) string { return "mem://" },
		} {
			t.Run(name+" and "+storage, func(t *testing.T) {
				t.Parallel()
				races(t, setup(t, database(t), address(t)))
			})
		}
	}
}

func races(t *testing.T, d *fixture) {
	const sides, rounds, pictures = 12, 12, 8
	sweeping, stop := context.WithCancel(t.Context())
	var uploads, sweeps sync.WaitGroup
	d.Tx = delayedTx{d.Tx}
	sweeper := media.NewSweeper(d.Stores, d.Tx, withoutUploads{d.Blobs}, d.Clock)
	sweeps.Go(func() {
		for sweeping.Err() == nil {
			if _, err := sweeper.Sweep(sweeping, 0); err != nil && sweeping.Err() == nil && !errors.Is(err, core.ErrUnavailable) {
				t.Errorf("sweeping: %v", err)
			}
		}
	})
	for side := range sides {
		uploads.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(side), 7))
			var mine []core.MediaItem
			for range rounds {
				item, err := d.upload(t.Context(), picture(chance.IntN(pictures)))
				if err != nil {
					t.Errorf("uploading: %v", err)
					continue
				}
				mine = append(mine, item)
				for _, item := range mine {
					d.wantItemBlobs(t, item)
				}
				for len(mine) > chance.IntN(3) {
					d.delete(t, mine[0].ID)
					mine = mine[1:]
				}
			}
		})
	}
	uploads.Wait()
	d.wantBlobs(t)
	stop()
	sweeps.Wait()
	d.wantBlobs(t)
	d.sweep(t)
	for _, item := range d.items(t) {
		d.delete(t, item.ID)
	}
	d.sweep(t)
	require.Empty(t, d.names(t))
}

// wantItemBlobs checks that the blobs of an item exist.
func (d *fixture) wantItemBlobs(t *testing.T, item core.MediaItem) {
	t.Helper()
	for _, name := range item.Blobs() {
		if there, err := d.Blobs.Exists(t.Context(), name); err != nil || !there {
			t.Errorf("item %d lacks %s: %v", item.ID, name, err)
		}
	}
}

// delayedTx waits before each transaction, so that other goroutines can act between a read and the
// transaction that depends on it.
type delayedTx struct{ ports.Tx }

func (h delayedTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	time.Sleep(rand.N(5 * time.Millisecond)) // the others act meanwhile
	return h.Tx.Do(ctx, actor, do)
}

// withoutUploads is a blob store whose Walk omits running uploads.
type withoutUploads struct{ ports.BlobStore }

func (s withoutUploads) Walk(ctx context.Context, prefix string, each func(ports.BlobInfo) error) error {
	return s.BlobStore.Walk(ctx, prefix, func(info ports.BlobInfo) error {
		if strings.HasPrefix(info.Name, ports.UploadPrefix) {
			return nil
		}
		return each(info)
	})
}

func (d *fixture) delete(t *testing.T, id int64) {
	t.Helper()
	var err error
	await.Within(busyTime, func() bool {
		err = d.library().Delete(t.Context(), core.Actor{System: true}, d.project, id, false)
		return !errors.Is(err, core.ErrUnavailable)
	})
	if err != nil {
		t.Errorf("deleting: %v", err)
	}
}
