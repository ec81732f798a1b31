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
)

// picture returns a small PNG that differs by n.
func picture(n int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	img.Set(n%8, n/8%8, color.RGBA{R: uint8(n), G: 200, B: 40, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // into memory
	}
	return b.Bytes()
}

// upload receives and keeps a file, again when the database or the queue is too busy.
func (d *desk) upload(ctx context.Context, content []byte) (item core.MediaItem, err error) {
	for range 50 {
		if item, err = d.uploadOnce(ctx, content); !errors.Is(err, core.ErrUnavailable) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return item, err
}

func (d *desk) uploadOnce(ctx context.Context, content []byte) (core.MediaItem, error) {
	library := d.library()
	received, err := library.Receive(ctx, d.project, "a.png", bytes.NewReader(content))
	if err != nil {
		return core.MediaItem{}, err
	}
	defer received.Discard(ctx)
	return library.Keep(ctx, core.Actor{System: true}, d.project, received, "", nil)
}

// TestRaces uploads and deletes the same pictures from many sides, while sweeps
// take all that looks unneeded, however young, uploads under way aside: nothing that
// was kept may ever lack its bytes.
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

func races(t *testing.T, d *desk) {
	const sides, rounds, pictures = 12, 12, 8
	sweeping, stop := context.WithCancel(t.Context())
	var uploads, sweeps sync.WaitGroup
	d.Tx = hesitant{d.Tx}
	sweeper := media.NewSweeper(d.Stores, d.Tx, sparing{d.Blobs}, d.Clock)
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
					d.has(t, item)
				}
				for len(mine) > chance.IntN(3) {
					d.delete(t, mine[0].ID)
					mine = mine[1:]
				}
			}
		})
	}
	uploads.Wait()
	d.whole(t)
	stop()
	sweeps.Wait()
	d.whole(t)
	d.swept(t)
	for _, item := range d.items(t) {
		d.delete(t, item.ID)
	}
	d.swept(t)
	require.Empty(t, d.names(t))
}

// has checks that the bytes of an item, which stays, are there.
func (d *desk) has(t *testing.T, item core.MediaItem) {
	t.Helper()
	for _, name := range item.Blobs() {
		if there, err := d.Blobs.Exists(t.Context(), name); err != nil || !there {
			t.Errorf("item %d lacks %s: %v", item.ID, name, err)
		}
	}
}

// hesitant leaves the others time to come between what was looked at and the
// transaction that goes by it.
type hesitant struct{ ports.Tx }

func (h hesitant) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	time.Sleep(rand.N(5 * time.Millisecond))
	return h.Tx.Do(ctx, actor, do)
}

// sparing is a blob store that does not show uploads under way.
type sparing struct{ ports.BlobStore }

func (s sparing) Walk(ctx context.Context, prefix string, each func(ports.BlobInfo) error) error {
	return s.BlobStore.Walk(ctx, prefix, func(info ports.BlobInfo) error {
		if strings.HasPrefix(info.Name, ports.UploadPrefix) {
			return nil
		}
		return each(info)
	})
}

func (d *desk) delete(t *testing.T, id int64) {
	t.Helper()
	for range 50 {
		err := d.library().Delete(t.Context(), core.Actor{System: true}, d.project, id, false)
		if errors.Is(err, core.ErrUnavailable) {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err != nil {
			t.Errorf("deleting: %v", err)
		}
		return
	}
	t.Error("deleting: the database stayed busy")
}
