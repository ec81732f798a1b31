package media_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/library"
	"imprimatur/core/media"
)

func TestFolders(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.txt", "a")
	d.events.drain()
	for folder, want := range map[string]string{
		"Press": "Press", "Press/2026": "Press/2026", "a/b/c/d/e": "a/b/c/d/e", "Cafe\u0301": "Café", "...": "...", "a b/c\\d": "a b/c\\d",
		strings.Repeat("ä", 60): strings.Repeat("ä", 60), "": "",
	} {
		changed, err := d.Change(t.Context(), core.SystemActor, d.project, item.ID, media.Change{Folder: &folder})
		require.NoError(t, err, folder)
		require.Equal(t, want, changed.Folder)
		page, err := d.List(t.Context(), d.project, media.Query{Folder: &folder})
		require.NoError(t, err)
		require.Len(t, page.Items, 1, folder)
	}
	d.events.drain()
	for folder, want := range map[string]string{
		"/Press": "single slashes", "Press/": "single slashes", "a//b": "single slashes", "/": "single slashes", " Press": "a space", "Press /x": "a space", "Press/\u00a0": "a space",
		".": `"."`, "a/../b": `".."`, "a/b/c/d/e/f": "at most 5 names", strings.Repeat("ä", 61): "at most 60 characters",
		"a\x00b": "control characters", "a\nb": "control characters", "a\u202eb": "control characters", "a\u2028b": "control characters", "a\xffb": "control characters",
	} {
		_, err := d.Change(t.Context(), core.SystemActor, d.project, item.ID, media.Change{Folder: &folder, Caption: new("half")})
		require.Contains(t, faults(t, err, core.KindInvalid)["folder"], want, folder)
		_, err = d.List(t.Context(), d.project, media.Query{Folder: &folder})
		require.Contains(t, faults(t, err, core.KindBadRequest)["folder"], want, folder)
		_, err = d.Move(t.Context(), core.SystemActor, d.project, []int64{item.ID}, folder)
		require.Contains(t, faults(t, err, core.KindInvalid)["folder"], want, folder)
	}
	require.Empty(t, d.events.drain())
}

func TestMove(t *testing.T) {
	t.Parallel()
	d := setup(t)
	a, b := d.upload(t, "a.txt", "a"), d.upload(t, "b.txt", "b")
	d.events.drain()
	move := func(folder string, ids ...int64) int {
		t.Helper()
		moved, err := d.Move(t.Context(), core.SystemActor, d.project, ids, folder)
		require.NoError(t, err)
		return moved
	}
	require.Equal(t, 2, move("Press", b.ID, a.ID, b.ID))
	require.Equal(t, []event.Type{event.MediaUpdated, event.MediaUpdated}, d.events.drain())
	require.Zero(t, move("Press", a.ID))
	require.Empty(t, d.events.drain())

	_, err := d.Move(t.Context(), core.SystemActor, d.project, []int64{a.ID, 999, b.ID}, "Other")
	require.Equal(t, map[string]string{"ids[1]": "no such media item"}, faults(t, err, core.KindInvalid))
	for _, ids := range [][]int64{nil, make([]int64, 1001)} {
		_, err := d.Move(t.Context(), core.SystemActor, d.project, ids, "Other")
		require.Contains(t, faults(t, err, core.KindInvalid), "ids")
	}
	require.Empty(t, d.events.drain())
	folders, err := d.Folders(t.Context(), d.project)
	require.NoError(t, err)
	require.Equal(t, []library.Folder{{Path: "Press", Items: 2}}, folders)
	require.Equal(t, 1, move("", a.ID))
}
