package media_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// publish stores an entry with two publications: the first shows the items and ends at ended, the
// second shows none.
func (d *fixture) publish(t *testing.T, ended time.Time, items ...core.MediaItem) {
	t.Helper()
	c := &core.Collection{
		CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, Slug: "articles", Name: "Articles",
		Fields: []*core.Field{{ID: 1, Name: "pages", Type: core.TypeMedia, Multiple: true}},
	}
	require.NoError(t, d.stores.Collections.Insert(t.Context(), c))
	schema := core.Schema{Project: d.project, Collection: c, Collections: []*core.Collection{c}}
	ids, err := d.stores.Entries.NewIDs(t.Context(), 1)
	require.NoError(t, err)
	e := &core.Entry{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ID: ids[0], Group: ids[0], ProjectID: d.project.ID,
		CollectionID: c.ID, Locale: "en", Version: 1, Draft: core.Document("{}")}
	show := func(at time.Time, items ...core.MediaItem) {
		e.Published, e.PublishedAt, e.ReleasedAt, e.Publishing = core.Document("{}"), at, at, &core.Publishing{By: core.SystemActor.Ref()}
		e.Publishing.Content, e.PublishedHash, _ = c.Snapshot("en", e.Published, core.Seal(items))
	}
	show(ended.Add(-time.Hour), items...)
	require.NoError(t, d.stores.Entries.Insert(t.Context(), schema, e))
	e.Version++
	show(ended)
	require.NoError(t, d.stores.Entries.Update(t.Context(), schema, e))
}

// govern sets a workflow for the Project.
func (d *fixture) govern(t *testing.T) {
	t.Helper()
	require.NoError(t, d.stores.Workflows.Put(t.Context(), review.Workflow{ProjectID: d.project.ID, Steps: []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}}))
}

// keptFor sets PublicationDays to days and sweeps.
func (d *fixture) keptFor(t *testing.T, days int64) {
	t.Helper()
	d.project.PublicationDays = days
	require.NoError(t, d.stores.Projects.Update(t.Context(), d.project))
	_, err := d.sweep(t)
	require.NoError(t, err)
}

// TestExpire deletes items that an earlier publication names, until the publication expires.
func TestExpire(t *testing.T) {
	t.Parallel()
	d := setup(t)
	shared, named, never := d.upload(t, "shared.png", png("a")), d.upload(t, "named.png", png("b")), d.upload(t, "never.png", png("c"))
	d.publish(t, time.Now().AddDate(0, 0, -500), shared, named)
	d.govern(t)
	for _, item := range []core.MediaItem{shared, named, never} {
		require.NoError(t, d.Delete(t.Context(), core.SystemActor, d.project, item.ID, true))
		_, err := d.Item(t.Context(), d.project, item.ID)
		require.ErrorIs(t, err, core.ErrNotFound)
	}
	require.Equal(t, d.needed(named, shared), d.names(t), "the bytes of an item that no publication names are deleted")
	again := d.upload(t, "again.png", png("a"))
	require.NotEqual(t, shared.ID, again.ID)
	require.Equal(t, shared.Full, again.Full)
	for _, days := range []int64{0, 501} {
		d.keptFor(t, days)
		require.Equal(t, d.needed(named, shared), d.names(t), "%d days", days)
	}
	d.keptFor(t, 499)
	require.Equal(t, d.needed(again), d.names(t))
	items, err := d.stores.Media.PastMedia(t.Context(), d.project.ID, []int64{shared.ID, named.ID, again.ID})
	require.NoError(t, err)
	require.Equal(t, []core.MediaItem{again}, items)
}

// TestExpireKeepsAYear checks that publications of the last year stay.
func TestExpireKeepsAYear(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	d.publish(t, time.Now().AddDate(0, 0, -360), item)
	d.govern(t)
	require.NoError(t, d.Delete(t.Context(), core.SystemActor, d.project, item.ID, false))
	d.keptFor(t, 1)
	require.Equal(t, d.needed(item), d.names(t))
}

// TestDeleteUngoverned deletes an item that an earlier publication is sealed with, after the workflow
// of the Project was removed. Its bytes stay.
func TestDeleteUngoverned(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	d.publish(t, time.Now(), item)
	require.NoError(t, d.Delete(t.Context(), core.SystemActor, d.project, item.ID, false))
	require.Equal(t, d.needed(item), d.names(t))
}

// TestExpireInBatches expires more items than one batch has, in two processes.
func TestExpireInBatches(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for range 501 {
		item := core.MediaItem{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, FileName: "a.txt", Full: d.project.UUID + "/a.txt"}
		require.NoError(t, d.stores.Media.Insert(t.Context(), &item))
		require.NoError(t, d.tx.Do(t.Context(), core.SystemActor, func(_ context.Context, stores ports.Stores) error {
			if err := stores.Blobs.Hold(t.Context(), d.project.ID, item.Blobs()); err != nil {
				return err
			}
			return stores.Media.Keep(t.Context(), d.project.ID, item.ID)
		}))
	}
	d.put(t, d.project.UUID+"/a.txt")
	faults := make(chan error)
	for range 2 {
		go func() {
			_, err := d.sweeper.Sweep(t.Context(), 0)
			faults <- err
		}()
	}
	for range 2 {
		require.NoError(t, <-faults)
	}
	require.Empty(t, d.names(t))
}
