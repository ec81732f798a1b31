package media_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/media"
	"imprimatur/core/review"
)

// TestUploadRemovesLocation checks the item of a cleaned picture.
func TestUploadRemovesLocation(t *testing.T) {
	t.Parallel()
	d := setup(t)
	dirty, dirtyHash := png("somewhere"), d.hash(t, png("somewhere"))
	a, b := d.upload(t, "a.png", dirty), d.upload(t, "b.png", dirty)
	require.Equal(t, dirtyHash, a.Uploaded)
	require.Equal(t, d.hash(t, png("nowhere")), a.Hash)
	require.EqualValues(t, len(png("nowhere")), a.Size)
	require.Equal(t, d.project.UUID+"/"+a.Hash+".png", a.Full)
	require.Equal(t, a.Blobs(), b.Blobs(), "equal files are stored once")
	require.Equal(t, png("nowhere"), d.content(t, a.Full))
	require.Equal(t, "thumb"+png("nowhere"), d.content(t, a.Thumb), "renditions are made from the cleaned file")
	moved, err := d.Moved(t.Context(), d.project.UUID, dirtyHash)
	require.NoError(t, err)
	require.Equal(t, a, moved)
	for _, hash := range []string{a.Hash, ""} {
		_, err = d.Moved(t.Context(), d.project.UUID, hash)
		require.ErrorIs(t, err, core.ErrNotFound)
	}

	received, err := d.Receive(t.Context(), d.project, "c.png", strings.NewReader(dirty))
	require.NoError(t, err)
	require.Equal(t, dirtyHash, received.Hash())
	received.Discard(t.Context())

	plain := d.upload(t, "d.txt", "somewhere")
	require.Empty(t, plain.Uploaded)
	require.Equal(t, "somewhere", d.content(t, plain.Full))

	d.project.KeepLocation = true
	located := d.upload(t, "e.png", dirty)
	require.Equal(t, dirtyHash, located.Hash)
	require.Empty(t, located.Uploaded)
	require.Equal(t, dirty, d.content(t, located.Full))
}

// TestClean cleans the pictures that were stored before.
func TestClean(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.project.KeepLocation = true
	dirty, twin, clean := d.upload(t, "a.png", png("somewhere")), d.upload(t, "twin.png", png("somewhere")), d.upload(t, "b.png", png("b"))
	sealed, requested := d.upload(t, "c.png", png("somewhere c")), d.upload(t, "d.png", png("somewhere d"))
	svg, text := d.upload(t, "e.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`), d.upload(t, "f.txt", "somewhere")
	lost := d.upload(t, "g.png", png("somewhere g"))
	require.NoError(t, d.blobs.Delete(t.Context(), lost.Full))
	d.publish(t, time.Now(), sealed)
	d.request(t, requested)
	d.events.drain()

	report, err := d.cleaner.Clean(t.Context(), media.PictureSelection{}, nil)
	require.NoError(t, err)
	require.Len(t, report.Failed, 1)
	require.Equal(t, lost.ID, report.Failed[0].ID)
	report.Failed = nil
	require.Equal(t, media.CleanReport{Cleaned: 2, Clean: 1, Sealed: 2, Skipped: 1, Last: lost.ID}, report)
	items := map[int64]core.MediaItem{}
	for _, item := range d.items(t) {
		items[item.ID] = item
	}
	require.Equal(t, []event.Type{event.MediaUpdated, event.MediaUpdated}, d.events.drain())
	want := dirty
	want.Hash, want.Uploaded, want.Size = d.hash(t, png("nowhere")), dirty.Hash, int64(len(png("nowhere")))
	want.Full = d.project.UUID + "/" + want.Hash + ".png"
	require.Equal(t, want, items[dirty.ID])
	require.Equal(t, want.Full, items[twin.ID].Full)
	require.Equal(t, png("nowhere"), d.content(t, want.Full))
	for _, same := range []core.MediaItem{clean, sealed, requested, svg, text} {
		require.Equal(t, same, items[same.ID])
	}
	_, err = d.blobs.Open(t.Context(), dirty.Full)
	require.ErrorIs(t, err, core.ErrNotFound, "no item needs the old bytes")
	require.Equal(t, png("somewhere c"), d.content(t, sealed.Full))

	again, err := d.cleaner.Clean(t.Context(), media.PictureSelection{After: dirty.ID}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 2, again.Clean)
	require.EqualValues(t, 0, again.Cleaned)

	d.project.KeepLocation = true
	require.NoError(t, d.stores.Projects.Update(t.Context(), d.project))
	located, err := d.cleaner.Clean(t.Context(), media.PictureSelection{}, nil)
	require.NoError(t, err)
	require.Equal(t, media.CleanReport{Skipped: 7, Last: lost.ID}, located)
}

// TestCleanInSeveralProcesses cleans the same pictures concurrently, while they are uploaded and
// deleted.
func TestCleanInSeveralProcesses(t *testing.T) {
	t.Parallel()
	d := setup(t)
	located := *d.project
	located.KeepLocation = true
	for i := range 30 {
		d.uploadTo(t, &located, fmt.Sprint(i%10))
	}
	faults := make(chan error)
	work := []func() error{func() error {
		for i := range 10 {
			if err := d.Delete(t.Context(), core.SystemActor, d.project, int64(i+1), false); err != nil {
				return err
			}
		}
		return nil
	}}
	for range 3 {
		work = append(work, func() error {
			_, err := d.cleaner.Clean(t.Context(), media.PictureSelection{}, nil)
			return err
		})
	}
	for _, do := range work {
		go func() { faults <- do() }()
	}
	for range work {
		require.NoError(t, <-faults)
	}
	items := d.items(t)
	require.Len(t, items, 20)
	for _, item := range items {
		require.Contains(t, d.content(t, item.Full), "nowhere")
	}
	_, err := d.sweeper.Sweep(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, d.needed(items...), d.names(t), "the ledger is correct")
}

// uploadTo uploads a picture with a location.
func (d *fixture) uploadTo(t *testing.T, project *core.Project, name string) {
	t.Helper()
	received, err := d.Receive(t.Context(), project, name, strings.NewReader(png("somewhere "+name)))
	require.NoError(t, err)
	_, err = d.Keep(t.Context(), core.SystemActor, project, received, media.Change{})
	require.NoError(t, err)
}

// request stores an open request of an entry that shows the item.
func (d *fixture) request(t *testing.T, item core.MediaItem) {
	t.Helper()
	c := &core.Collection{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, Slug: "notes",
		Version: 1, Fields: []*core.Field{{ID: 1, Name: "cover", Type: core.TypeMedia}}}
	require.NoError(t, d.stores.Collections.Insert(t.Context(), c))
	e := core.Entry{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, CollectionID: c.ID, Locale: "en", Version: 1, Draft: core.Document("{}")}
	require.NoError(t, d.stores.Entries.Insert(t.Context(), core.Schema{Project: d.project, Collection: c}, &e))
	request := review.Request{
		SubmittedAt: d.clock.Now(), TenantID: d.project.TenantID, ProjectID: d.project.ID, Status: review.RequestPending, Version: 1, ReleaseYear: 2026, Steps: []review.Step{{Order: 1}},
		Items: []review.RequestItem{{
			CollectionID: c.ID, EntryID: e.ID, Locale: "en", Snapshot: fmt.Appendf(nil, `{"collection":"notes","fields":{"cover":%d},"locale":"en"}`, item.ID),
		}},
	}
	require.NoError(t, d.stores.Requests.Insert(t.Context(), &request))
	require.NoError(t, d.stores.Requests.Seal(t.Context(), &request, &review.Action{CreatedAt: d.clock.Now(), Type: review.ActionSubmit}))
}

// content returns the bytes of a blob.
func (d *fixture) content(t *testing.T, name string) string {
	t.Helper()
	blob, err := d.blobs.Open(t.Context(), name)
	require.NoError(t, err)
	content, err := io.ReadAll(blob)
	require.NoError(t, err)
	require.NoError(t, blob.Close())
	return string(content)
}

func (*fixture) hash(t *testing.T, content string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}
