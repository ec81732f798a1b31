package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// TestSealedFormOfBefore checks that media without an alt text and a focal point are sealed as they
// were before media had them: kept versions and their hashes stay valid.
func TestSealedFormOfBefore(t *testing.T) {
	t.Parallel()
	c := &core.Collection{Slug: "articles", Fields: []*core.Field{{Name: "cover", Type: core.TypeMedia}}}
	item := core.MediaItem{ID: 7, Hash: "ab", FileName: "a.jpg", Caption: "Dawn", Tags: []string{"x"}}
	sealed := c.Seal(core.Document(`{"cover":7}`), []core.MediaItem{item})
	const before = `{"7":{"caption":"Dawn","fileName":"a.jpg","hash":"ab","tags":["x"]}}`
	require.Equal(t, before, string(sealed))
	_, hash, _ := c.Snapshot("en", core.Document(`{"cover":7}`), sealed)
	require.Equal(t, "d844a0c49f0402d4c4e589bc629d60af53dba269702765828c3f85bcccde5712", hash)
	kept := core.Unseal(core.Document(before))[7]
	require.True(t, kept.SameWords(&item))

	item.Alt, item.FocalPoint = "A pier", &core.FocalPoint{X: 0.25, Y: 1}
	sealed = core.Seal([]core.MediaItem{item})
	require.Equal(t, `{"7":{"alt":"A pier","caption":"Dawn","fileName":"a.jpg","focalPoint":{"x":0.25,"y":1},"hash":"ab","tags":["x"]}}`, string(sealed))
	whole := core.Unseal(sealed)[7]
	require.True(t, whole.SameWords(&item))
	require.False(t, kept.SameWords(&item))
	require.Equal(t, item, whole.WithWords(core.MediaItem{ID: 7, Hash: "ab"}))
	for _, change := range []func(m *core.MediaItem){
		func(m *core.MediaItem) { m.Alt = "" }, func(m *core.MediaItem) { m.FocalPoint = nil },
		func(m *core.MediaItem) { m.FocalPoint = &core.FocalPoint{X: 0.25, Y: 0.5} },
	} {
		other := item
		change(&other)
		require.False(t, whole.SameWords(&other))
	}
}
