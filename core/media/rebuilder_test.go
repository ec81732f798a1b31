package media_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/media"
	"imprimatur/core/query"
	"imprimatur/ports"
)

func (d *fixture) items(t *testing.T) []core.MediaItem {
	t.Helper()
	page, err := d.List(t.Context(), d.project, media.Query{Window: query.Window{PerPage: 100}})
	require.NoError(t, err)
	return page.Items
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	d := setup(t)
	first, twin := d.upload(t, "a.png", png("a")), d.upload(t, "twin.png", png("a"))
	_, svg, text := d.upload(t, "b.png", png("b")), d.upload(t, "c.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`), d.upload(t, "d.txt", "d")
	before := d.names(t)
	d.events.drain()

	same, err := d.rebuilder.Rebuild(t.Context(), media.PictureSelection{}, nil)
	require.NoError(t, err)
	require.Equal(t, media.RebuildReport{Rebuilt: 3, Skipped: 1, Last: svg.ID}, same)
	require.Equal(t, before, d.names(t), "equal renditions are stored once")
	d.events.drain()

	d.imager.mark = "new"
	d.clock.pass(1e9)
	var seen []int64
	report, err := d.rebuilder.Rebuild(t.Context(), media.PictureSelection{}, func(done int64) {
		seen = append(seen, done)
	})
	require.NoError(t, err)
	require.Equal(t, media.RebuildReport{Rebuilt: 3, Skipped: 1, Last: svg.ID}, report)
	require.Equal(t, []int64{1, 2, 3, 4}, seen)
	items := d.items(t)
	require.Equal(t, d.needed(items...), d.names(t), "new renditions replace old ones")
	require.NotEqual(t, first.Thumb, items[4].Thumb)
	require.Equal(t, first.Full, items[4].Full)
	require.Equal(t, d.clock.Now(), items[4].UpdatedAt)
	require.Equal(t, items[4].Blobs(), items[3].Blobs())
	require.Equal(t, text, items[0])
	require.Equal(t, svg, items[1])
	require.Equal(t, slices.Repeat([]event.Type{event.MediaUpdated}, 3), d.events.drain())

	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, twin.ID, false))
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, first.ID, false))
	require.Equal(t, d.needed(d.items(t)...), d.names(t), "the ledger is correct")
}

func TestRebuildOfSome(t *testing.T) {
	t.Parallel()
	d := setup(t)
	first, second := d.upload(t, "a.png", png("a")), d.upload(t, "b.png", png("b"))
	mine := d.project
	d.project = d.newProject(t, "55555555-5d0e-4c63-9f5d-2f6a1f0f7a11")
	third := d.upload(t, "c.png", png("c"))
	d.project = mine
	lacking := second
	lacking.Thumb = ""
	require.NoError(t, d.stores.Media.Update(t.Context(), &lacking))
	for name, test := range map[string]struct {
		options media.PictureSelection
		rebuilt int64
		last    int64
	}{
		"everything":   {media.PictureSelection{}, 3, third.ID},
		"one project":  {media.PictureSelection{ProjectID: mine.ID}, 2, second.ID},
		"from one on":  {media.PictureSelection{After: first.ID}, 2, third.ID},
		"no items":     {media.PictureSelection{After: third.ID}, 0, third.ID},
		"only missing": {media.PictureSelection{MissingOnly: true}, 1, second.ID},
	} {
		n, err := d.rebuilder.Count(t.Context(), test.options)
		require.NoError(t, err)
		require.Equal(t, test.rebuilt, n, name)
		if name == "only missing" {
			continue
		}
		report, err := d.rebuilder.Rebuild(t.Context(), test.options, nil)
		require.NoError(t, err)
		require.Equal(t, media.RebuildReport{Rebuilt: test.rebuilt, Last: test.last}, report, name)
		require.NoError(t, d.stores.Media.Update(t.Context(), &lacking))
	}
	report, err := d.rebuilder.Rebuild(t.Context(), media.PictureSelection{MissingOnly: true}, nil)
	require.NoError(t, err)
	require.Equal(t, media.RebuildReport{Rebuilt: 1, Last: second.ID}, report)
	whole, err := d.Item(t.Context(), mine, second.ID)
	require.NoError(t, err)
	require.Equal(t, second.Thumb, whole.Thumb)
}

func TestRebuildGoesOnAfterAFault(t *testing.T) {
	t.Parallel()
	d := setup(t)
	lost, good := d.upload(t, "a.png", png("a")), d.upload(t, "b.png", png("b"))
	require.NoError(t, d.blobs.Delete(t.Context(), lost.Full))
	report, err := d.rebuilder.Rebuild(t.Context(), media.PictureSelection{}, nil)
	require.NoError(t, err)
	require.Len(t, report.Failed, 1)
	require.Equal(t, lost.ID, report.Failed[0].ID)
	require.ErrorIs(t, report.Failed[0].Err, core.ErrNotFound)
	require.Equal(t, []int64{1, good.ID}, []int64{report.Rebuilt, report.Last})

	d.imager.fail = &core.Error{Kind: core.KindUnavailable, Code: "busy", Message: "too many pictures in work"}
	report, err = d.rebuilder.Rebuild(t.Context(), media.PictureSelection{After: lost.ID}, nil)
	require.ErrorIs(t, err, core.ErrUnavailable)
	require.Equal(t, lost.ID, report.Last, "the position to continue from")
}

// TestRebuildKeepsConcurrentChanges changes an item's caption and deletes another item
// while their renditions are made.
func TestRebuildKeepsConcurrentChanges(t *testing.T) {
	t.Parallel()
	d := setup(t)
	kept, goner := d.upload(t, "a.png", png("a")), d.upload(t, "b.png", png("b"))
	d.imager.mark = "new"
	store, meddle := d.tx, true
	d.tx = txFunc(func(ctx context.Context, do func(context.Context, ports.Stores) error) error {
		if meddle {
			meddle = false
			lib := *d
			lib.tx = store
			lib.wire()
			caption := "changed"
			_, err := lib.Change(ctx, core.Actor{System: true}, d.project, kept.ID, media.Change{Caption: &caption})
			require.NoError(t, err)
			require.NoError(t, lib.Delete(ctx, core.Actor{System: true}, d.project, goner.ID, false))
		}
		return store.Do(ctx, core.SystemActor, do)
	})
	d.wire()
	report, err := d.rebuilder.Rebuild(t.Context(), media.PictureSelection{}, nil)
	require.NoError(t, err)
	require.Equal(t, int64(1), report.Rebuilt)
	item, err := d.Item(t.Context(), d.project, kept.ID)
	require.NoError(t, err)
	require.Equal(t, "changed", item.Caption)
	require.NotEqual(t, kept.Thumb, item.Thumb)
	_, err = d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, d.needed(item), d.names(t))
}
