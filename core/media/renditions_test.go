package media_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/media"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

var asPNG, _ = media.TypeOf(".png")

// rendition returns the n-th of many renditions.
func numbered(n int) rendition.Rendition {
	return rendition.Rendition{Width: 64 + n, Fit: rendition.FitInside, Format: rendition.WebP, Quality: 75}
}

// show opens a rendition and returns its bytes.
func (d *fixture) show(t *testing.T, p *media.Renditions, item core.MediaItem, r rendition.Rendition) string {
	t.Helper()
	content, err := d.tryShow(t.Context(), p, item, r)
	require.NoError(t, err)
	return content
}

func (d *fixture) tryShow(ctx context.Context, p *media.Renditions, item core.MediaItem, r rendition.Rendition) (string, error) {
	blob, err := p.Open(ctx, d.project.UUID, item.Full, asPNG, r)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(blob)
	return string(content), errors.Join(err, blob.Close())
}

func (d *fixture) onDemand() *media.Renditions {
	return media.NewRenditions(d.stores, d.tx, d.blobs, d.imager, d.clock)
}

// countRenditions returns how many renditions are in the blob store.
func (d *fixture) countRenditions(t *testing.T) (n int) {
	t.Helper()
	for _, name := range d.names(t) {
		if strings.Count(name, "/") == 2 {
			n++
		}
	}
	return n
}

func TestRenditionsAreMadeOnce(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	p, other := d.onDemand(), d.onDemand()
	require.Equal(t, numbered(1).Key()+" of "+png("a"), d.show(t, p, item, numbered(1)))
	for range 3 {
		d.show(t, p, item, numbered(1))
		d.show(t, other, item, numbered(1))
	}
	require.Equal(t, 1, d.imager.rendered)
	d.show(t, p, item, numbered(2))
	require.Equal(t, 2, d.imager.rendered)
	require.Equal(t, 2, d.countRenditions(t))
	require.Equal(t, []event.Type{event.MediaCreated}, d.events.drain(), "a rendition is no change")
}

// TestRenditionAtOnce asks for one rendition from many goroutines. It is made once, also when the first
// request has ended before.
func TestRenditionAtOnce(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	p := d.onDemand()
	d.imager.mu.Lock() // the first call waits here
	var group sync.WaitGroup
	for range 500 {
		group.Go(func() {
			_, err := d.tryShow(t.Context(), p, item, numbered(1))
			if err != nil {
				t.Error(err)
			}
		})
	}
	d.imager.mu.Unlock()
	group.Wait()
	require.Equal(t, 1, d.imager.rendered)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = d.tryShow(ctx, p, item, numbered(2))
	require.Equal(t, numbered(2).Key()+" of "+png("a"), d.show(t, p, item, numbered(2)))
}

// TestTooManyRenditions makes as many renditions of an original as a day has. Others are refused, and
// the stored ones stay.
func TestTooManyRenditions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item, second := d.upload(t, "a.png", png("a")), d.upload(t, "b.png", png("b"))
	p := d.onDemand()
	for n := range media.MaxRenditions {
		d.show(t, p, item, numbered(n))
	}
	made := d.imager.rendered
	_, err := d.tryShow(t.Context(), p, item, numbered(media.MaxRenditions))
	var refused *core.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, core.KindTooManyRequests, refused.Kind)
	require.Positive(t, refused.RetryAfter)
	require.Equal(t, made, d.imager.rendered, "it is refused before it is made")
	require.Equal(t, media.MaxRenditions, d.countRenditions(t))
	d.show(t, p, item, numbered(0))
	d.show(t, d.onDemand(), item, numbered(1))
	d.show(t, p, second, numbered(media.MaxRenditions))

	d.clock.pass(25 * time.Hour)
	for n := range 5 {
		d.show(t, p, item, numbered(n)) // are used again
	}
	for n := range media.MaxRenditions - 5 {
		d.show(t, p, item, numbered(1000+n))
	}
	_, err = d.tryShow(t.Context(), p, item, numbered(media.MaxRenditions))
	require.Equal(t, core.KindTooManyRequests, core.KindOf(err))
	d.show(t, p, item, numbered(100))
}

// TestUnusedRenditions deletes the renditions that were not used, and no others.
func TestUnusedRenditions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	p := d.onDemand()
	d.show(t, p, item, numbered(1))
	d.show(t, p, item, numbered(2))
	for range 32 {
		d.clock.pass(23 * time.Hour)
		d.show(t, p, item, numbered(2))
		report, err := d.sweeper.Sweep(t.Context(), time.Hour)
		require.NoError(t, err)
		require.Equal(t, media.SweepReport{}, report)
	}
	d.clock.pass(48 * time.Hour) // 32 days
	report, err := d.sweeper.Sweep(t.Context(), time.Hour)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Unused: 1}, report)
	require.Equal(t, 1, d.countRenditions(t))
	made := d.imager.rendered
	d.show(t, p, item, numbered(2))
	require.Equal(t, made, d.imager.rendered)
	d.show(t, p, item, numbered(1))
	require.Equal(t, made+1, d.imager.rendered, "it is made again")
}

// TestRenditionsGoWithTheirOriginal deletes items, of which two have the same bytes, and a Project.
func TestRenditionsGoWithTheirOriginal(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item, same := d.upload(t, "a.png", png("a")), d.upload(t, "b.png", png("a"))
	p := d.onDemand()
	for n := range 40 {
		d.show(t, p, item, numbered(n))
	}
	require.NoError(t, d.Delete(t.Context(), core.SystemActor, d.project, item.ID, false))
	require.Equal(t, 40, d.countRenditions(t), "another item has the original")
	require.NoError(t, d.Delete(t.Context(), core.SystemActor, d.project, same.ID, false))
	require.Empty(t, d.names(t))
	_, err := d.tryShow(t.Context(), p, item, numbered(1))
	require.ErrorIs(t, err, core.ErrNotFound)
	require.Empty(t, d.names(t))

	again := d.upload(t, "a.png", png("a"))
	d.show(t, p, again, numbered(1))
	require.NoError(t, d.stores.Projects.Delete(t.Context(), d.project.ID))
	_, err = d.sweeper.Tidy(t.Context(), time.Hour)
	require.NoError(t, err)
	require.Empty(t, d.names(t))
}

// deletingImager deletes the original while a rendition of it is made.
type deletingImager struct {
	*imager
	deleteOriginal func()
}

func (m deletingImager) Render(ctx context.Context, source io.ReadSeeker, mimeType string, r rendition.Rendition) ([]byte, error) {
	m.deleteOriginal()
	return m.imager.Render(ctx, source, mimeType, r)
}

func TestOriginalDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	p := media.NewRenditions(d.stores, d.tx, d.blobs, deletingImager{d.imager, func() {
		require.NoError(t, d.Delete(t.Context(), core.SystemActor, d.project, item.ID, false))
	}}, d.clock)
	_, err := d.tryShow(t.Context(), p, item, numbered(1))
	require.ErrorIs(t, err, core.ErrNotFound)
	require.Empty(t, d.names(t))
	require.Empty(t, d.recorded(t, item, 1))
}

// recorded returns the names of the first n renditions of an item that have a record.
func (d *fixture) recorded(t *testing.T, item core.MediaItem, n int) []string {
	t.Helper()
	var names []string
	for i := range n + 1 {
		names = append(names, strings.TrimSuffix(item.Full, ".png")+"/"+numbered(i).Key())
	}
	recorded, err := d.stores.Renditions.Recorded(t.Context(), d.project.ID, names)
	require.NoError(t, err)
	return recorded
}

// TestIncompleteRenditions makes a rendition again that lost its bytes or its record.
func TestIncompleteRenditions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	d.show(t, d.onDemand(), item, numbered(1))
	name := d.recorded(t, item, 1)[0]
	require.NoError(t, d.blobs.Delete(t.Context(), name))
	d.show(t, d.onDemand(), item, numbered(1))
	require.Equal(t, 2, d.imager.rendered)

	_, err := d.stores.Renditions.RemoveOf(t.Context(), d.project.ID, item.Full)
	require.NoError(t, err)
	report, err := d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Stray: 1}, report, "no record: a crash left it")
	d.show(t, d.onDemand(), item, numbered(1))
	_, err = d.stores.Renditions.RemoveOf(t.Context(), d.project.ID, item.Full)
	require.NoError(t, err)
	d.show(t, d.onDemand(), item, numbered(1))
	require.Equal(t, 4, d.imager.rendered)
	report, err = d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{}, report)
}

// TestFailedRenditions keeps nothing of a rendition that cannot be made.
func TestFailedRenditions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	before := len(d.names(t))
	d.imager.fail = &core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "busy", RetryAfter: time.Second}
	p := d.onDemand()
	_, err := d.tryShow(t.Context(), p, item, numbered(1))
	require.ErrorIs(t, err, core.ErrUnavailable)
	require.Len(t, d.names(t), before)
	d.imager.fail = nil
	d.show(t, p, item, numbered(1))
}

// TestStoredRenditionsNeedNoDatabase serves a stored rendition while the database is away.
func TestStoredRenditionsNeedNoDatabase(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	d.show(t, d.onDemand(), item, numbered(1))
	d.stores.Renditions = awayRenditions{d.stores.Renditions}
	p := d.onDemand()
	d.show(t, p, item, numbered(1))
	_, err := d.tryShow(t.Context(), p, item, numbered(2))
	require.ErrorIs(t, err, core.ErrUnavailable)
}

type awayRenditions struct{ ports.RenditionStore }

var errAway = &core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "away"}

func (awayRenditions) Touch(context.Context, int64, string, time.Time, time.Time) error {
	return errAway
}

func (awayRenditions) Recorded(context.Context, int64, []string) ([]string, error) {
	return nil, errAway
}

// TestManyRenditionsAtOnce asks for 2,000 different renditions at once: each is made or refused, and the
// number of those in progress is bounded.
func TestManyRenditionsAtOnce(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	p := d.onDemand()
	var group sync.WaitGroup
	var mu sync.Mutex
	count := map[core.Kind]int{}
	for n := range 2000 {
		group.Go(func() {
			_, err := d.tryShow(t.Context(), p, item, numbered(n))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				count[0]++
				return
			}
			count[core.KindOf(err)]++
		})
	}
	group.Wait()
	require.Equal(t, 2000, count[0]+count[core.KindTooManyRequests]+count[core.KindUnavailable], fmt.Sprint(count))
	require.LessOrEqual(t, count[0], media.MaxRenditions)
	require.Positive(t, count[0])
	require.Equal(t, count[0], d.countRenditions(t))
}
