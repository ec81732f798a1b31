package media_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/ports"
)

func (d *fixture) put(t *testing.T, name string) string {
	t.Helper()
	require.NoError(t, d.blobs.Create(t.Context(), name, strings.NewReader(name)))
	return name
}

// sweep removes everything removable, of any age.
func (d *fixture) sweep(t *testing.T) (media.SweepReport, error) {
	t.Helper()
	d.clock.pass(time.Minute) // after all writes so far
	return d.sweeper.Sweep(t.Context(), 0)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	d := setup(t)
	kept := d.upload(t, "a.png", png("a"))
	d.put(t, "tmp/abandoned")
	d.put(t, d.project.UUID+"/stray.png")
	d.put(t, d.project.UUID+"/stray.jpg.18a3.tmp")
	foreign := d.put(t, "99999999-5d0e-4c63-9f5d-2f6a1f0f7a11/foreign.png")
	d.clock.pass(media.SweepAge)
	young, err := d.sweeper.Sweep(t.Context(), 2*media.SweepAge)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{}, young, "recent uploads stay")
	tidied, err := d.sweeper.Tidy(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Abandoned: 1}, tidied)
	report, err := d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Stray: 2, Foreign: 1}, report)
	require.Equal(t, append(d.needed(kept), foreign), d.names(t))
	again, err := d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Foreign: 1}, again)
}

// TestSweepCompletesDeletions deletes an item while the blob store fails.
func TestSweepCompletesDeletions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	store := d.blobs
	item := d.upload(t, "a.png", png("a"))
	d.blobs = failing{store}
	d.wire()
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, item.ID, false))
	_, err := d.sweep(t)
	require.ErrorIs(t, err, core.ErrUnavailable)
	d.blobs = store
	d.wire()
	require.Equal(t, d.needed(item), d.names(t))
	report, err := d.sweeper.Tidy(t.Context(), media.SweepAge)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Released: 4}, report, "of any age, because no item refers to it")
	require.Empty(t, d.names(t))
}

// failing is a blob store whose Delete fails.
type failing struct{ ports.BlobStore }

func (failing) Delete(context.Context, string) error {
	return &core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "failing"}
}

func TestSweepFreesADeletedProject(t *testing.T) {
	t.Parallel()
	d := setup(t)
	mine := d.project
	kept := d.upload(t, "a.png", png("a"))
	d.project = d.newProject(t, "33333333-5d0e-4c63-9f5d-2f6a1f0f7a11")
	d.upload(t, "a.png", png("a"))
	d.upload(t, "b.png", png("a"))
	d.upload(t, "c.txt", "c")
	require.NoError(t, d.stores.Projects.Delete(t.Context(), d.project.ID))
	report, err := d.sweeper.Sweep(t.Context(), media.SweepAge)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Released: 5}, report)
	d.project = mine
	require.Equal(t, d.needed(kept), d.names(t))
}

// TestSweepRunsInBatches removes more blobs than one batch.
func TestSweepRunsInBatches(t *testing.T) {
	t.Parallel()
	d := setup(t)
	other := d.newProject(t, "44444444-5d0e-4c63-9f5d-2f6a1f0f7a11")
	var released []string
	for n := range 510 {
		released = append(released, d.put(t, fmt.Sprintf("%s/released%d.png", d.project.UUID, n)))
		d.put(t, fmt.Sprintf("%s/stray%d.png", other.UUID, n))
	}
	require.NoError(t, d.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
		return errors.Join(s.Blobs.Hold(ctx, d.project.ID, released), s.Blobs.Release(ctx, d.project.ID, released))
	}))
	report, err := d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Released: 510, Stray: 510}, report)
	require.Empty(t, d.names(t))
}

// TestSweepSparesReusedBytes uploads the bytes of an unreferenced blob after the sweep has
// listed it.
func TestSweepSparesReusedBytes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	gone := d.upload(t, "a.png", png("a"))
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, gone.ID, false))
	for _, name := range d.needed(gone) {
		d.put(t, name)
	}
	var item core.MediaItem
	store := d.tx
	d.tx = txFunc(func(ctx context.Context, do func(context.Context, ports.Stores) error) error {
		if item.ID == 0 {
			item.ID = -1 // only once
			lib := *d
			lib.tx = store
			lib.wire()
			item = lib.upload(t, "b.png", png("a"))
		}
		return store.Do(ctx, core.SystemActor, do)
	})
	d.wire()
	report, err := d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{}, report)
	require.Equal(t, d.needed(item), d.names(t))
}
