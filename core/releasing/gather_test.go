package releasing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/release"
	"imprimatur/core/releasing"
)

// Entries are gathered in releases of one name, which have room for 1,000 each.
func TestGather(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []int64
	for range 1003 {
		ids = append(ids, w.Create(t, w.articles, `{"title":"A"}`).ID)
	}
	gather := func(ids ...int64) release.Release {
		r, err := w.releases.Gather(t.Context(), w.editor, w.Project, "Fill", ids)
		require.NoError(t, err)
		return r
	}
	other := w.release(t, "Another")
	first := gather(ids[0], ids[1])
	require.Equal(t, "Fill", first.Name)
	require.Equal(t, first.ID, gather(ids[1], ids[0]).ID)
	require.Equal(t, first.ID, gather(ids[2:500]...).ID)
	second := gather(ids[500:1000]...)
	require.Equal(t, first.ID, second.ID)
	require.NotEqual(t, first.ID, gather(ids[999:]...).ID)
	counts := map[int64]int{}
	page, err := w.releases.List(t.Context(), w.editor, w.Project, releasing.Filter{})
	require.NoError(t, err)
	for _, r := range page.Items {
		counts[r.ID] = r.Counts.Members
	}
	require.Equal(t, map[int64]int{other.ID: 0, first.ID: 1000, first.ID + 1: 3}, counts)
}
