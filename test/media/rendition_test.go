package media_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/core/rendition"
)

func (d *fixture) onDemand() *media.Renditions {
	return media.NewRenditions(d.Stores, d.Tx, d.Blobs, d.Imager, d.Clock)
}

// show opens a rendition of an item and reads it.
func (d *fixture) show(t *testing.T, p *media.Renditions, item core.MediaItem, r rendition.Rendition) error {
	t.Helper()
	fileType, _ := media.TypeOf(item.Full)
	blob, err := p.Open(t.Context(), d.project.UUID, item.Full, fileType, r)
	if err != nil {
		return err
	}
	_, err = jpeg.Decode(io.NewSectionReader(readerAt{blob}, 0, blob.Size()))
	return errors.Join(err, blob.Close())
}

type readerAt struct{ io.ReadSeeker }

func (r readerAt) ReadAt(p []byte, offset int64) (int, error) {
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(r, p)
}

// rendition returns the n-th of many different renditions.
func numbered(n int) rendition.Rendition {
	return rendition.Rendition{Width: 1 + n%100, Height: 1 + n/100, Fit: rendition.FitInside, Format: rendition.JPEG, Quality: 75}
}

// countRenditions returns how many renditions are stored.
func (d *fixture) countRenditions(t *testing.T) (n int) {
	t.Helper()
	for _, name := range d.names(t) {
		if strings.Count(name, "/") == 2 {
			n++
		}
	}
	return n
}

// TestRenditionRaces makes renditions in two processes while their originals are uploaded, deleted and
// swept. In the end nothing is left, in files and on S3.
func TestRenditionRaces(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("media"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	for name, database := range engines {
		for storage, address := range map[string]string{
			"files": "file:" + t.TempDir(), "S3": "s3://media/" + name + "?anonymous=true&endpoint=" + url.QueryEscape(server.URL),
		} {
			t.Run(name+" and "+storage, func(t *testing.T) {
				t.Parallel()
				if strings.HasPrefix(address, "file:") {
					address = "file:" + t.TempDir()
				}
				d := setup(t, database(t), address)
				d.Tx = delayedTx{d.Tx}
				replicas := []*media.Renditions{d.onDemand(), d.onDemand()}
				var group sync.WaitGroup
				shown := 0
				var mu sync.Mutex
				for side := range 8 {
					group.Go(func() {
						for round := range 6 {
							item, err := d.upload(t.Context(), picture((side+round)%3))
							if err != nil {
								t.Error(err)
								return
							}
							for n := range 4 {
								switch err := d.show(t, replicas[(side+n)%2], item, numbered(n+round)); {
								case err == nil:
									mu.Lock()
									shown++
									mu.Unlock()
								case !errors.Is(err, core.ErrNotFound) && !errors.Is(err, core.ErrUnavailable):
									t.Error(err)
								}
							}
							d.delete(t, item.ID)
						}
					})
				}
				group.Wait()
				require.Positive(t, shown)
				require.Empty(t, d.items(t))
				d.sweep(t)
				require.Empty(t, d.names(t))
			})
		}
	}
}

// TestManyDifferentRenditions asks for 10,000 different renditions of one picture at once: at most
// media.MaxRenditions are made, the others are refused, and nothing is left once the picture is gone.
func TestManyDifferentRenditions(t *testing.T) {
	t.Parallel()
	for name, database := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t, database(t), "file:"+t.TempDir())
			item, err := d.upload(t.Context(), picture(1))
			require.NoError(t, err)
			p := d.onDemand()
			var group sync.WaitGroup
			var mu sync.Mutex
			count := map[core.Kind]int{}
			for n := range 10_000 {
				group.Go(func() {
					err := d.show(t, p, item, numbered(n))
					kind := core.Kind(0)
					if err != nil {
						kind = core.KindOf(err)
					}
					mu.Lock()
					defer mu.Unlock()
					count[kind]++
				})
			}
			group.Wait()
			made := count[0]
			require.Equal(t, 10_000, made+count[core.KindTooManyRequests]+count[core.KindUnavailable], "%v", count)
			require.Positive(t, made)
			require.LessOrEqual(t, made, media.MaxRenditions)
			require.LessOrEqual(t, made, d.countRenditions(t)) // one is stored although who asked was told to come back, on a slow machine
			d.delete(t, item.ID)
			d.sweep(t)
			require.Empty(t, d.names(t))
		})
	}
}

// largePlan is the plan of a process that makes renditions of large pictures.
const largePlan = "renditions of large pictures"

// TestMemoryOfLargeRenditions makes 40 renditions of a picture of 12 megapixels at once, in a process of
// its own, whose memory stays within its budget.
func TestMemoryOfLargeRenditions(t *testing.T) {
	t.Parallel()
	p := plan{Database: "sqlite:" + t.TempDir() + "/imprimatur.db", Blobs: "file:" + t.TempDir(), Point: largePlan}
	d := setup(t, p.Database, p.Blobs)
	p.ProjectID = d.project.ID
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, image.NewYCbCr(image.Rect(0, 0, 4032, 3024), image.YCbCrSubsampleRatio420), nil))
	item, err := d.upload(t.Context(), file.Bytes())
	require.NoError(t, err)
	p.Delete = item.ID
	text, err := json.Marshal(p)
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), planVariable+"="+string(text))
	output, err := child.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Equal(t, 40, d.countRenditions(t))
}

// mostMegabytes is what the process may use: 256 for pictures, and the rest of it.
const mostMegabytes = 420

// makeLarge makes the renditions at once, and returns an error if the process used too much memory.
func makeLarge(ctx context.Context, p plan) error {
	d, closeAll, err := open(ctx, p.Database, p.Blobs)
	if err != nil {
		return err
	}
	project, err := d.Stores.Projects.Project(ctx, p.ProjectID)
	if err != nil {
		return err
	}
	item, err := d.Stores.Media.Media(ctx, p.ProjectID, p.Delete)
	if err != nil {
		return err
	}
	fileType, _ := media.TypeOf(item.Full)
	pictures, errs := d.onDemand(), make([]error, 40)
	var group sync.WaitGroup
	for n := range errs {
		group.Go(func() {
			rendition := rendition.Rendition{
				Width: 1920, Height: 1000 + n, Fit: rendition.FitCover, FocalX: 5, FocalY: 5, Format: rendition.WebP, Quality: 75,
			}
			blob, err := pictures.Open(ctx, project.UUID, item.Full, fileType, rendition)
			for errors.Is(err, core.ErrUnavailable) { // the machine is slow: too many wait
				blob, err = pictures.Open(ctx, project.UUID, item.Full, fileType, rendition)
			}
			if err == nil {
				err = blob.Close()
			}
			errs[n] = err
		})
	}
	group.Wait()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	var peak int
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(after, &peak); err != nil {
		return err
	}
	if peak > mostMegabytes<<10 {
		return fmt.Errorf("%d MB were used", peak>>10)
	}
	return errors.Join(append(errs, closeAll())...)
}
