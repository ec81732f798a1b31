package review_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/review"
)

func TestSnapshot(t *testing.T) {
	t.Parallel()
	articles := func(slug string) *core.Collection {
		return &core.Collection{Slug: slug, Fields: []*core.Field{
			{ID: 1, Name: "title", Type: core.TypeText}, {ID: 2, Name: "note", Type: core.TypeText, Hidden: true},
		}}
	}
	snapshot, hash, withheld := articles("articles").Snapshot("en", core.Document(`{"note":"psst","title":"A"}`), nil)
	require.Equal(t, `{"collection":"articles","fields":{"title":"A"},"locale":"en"}`, string(snapshot))
	require.Equal(t, "a64bbffb94d140f8a3b7dd0602106830ecaeb4befd79e726361bc49e811cc9df", hash) // its SHA-256
	require.Equal(t, `{"note":"psst"}`, string(withheld))

	hashOf := func(slug, locale, doc string) string {
		_, hash, _ := articles(slug).Snapshot(locale, core.Document(doc), nil)
		return hash
	}
	require.Equal(t, hash, hashOf("articles", "en", `{"note":"other","title":"A"}`))
	require.NotEqual(t, hash, hashOf("articles", "de", `{"title":"A"}`))
	require.NotEqual(t, hash, hashOf("posts", "en", `{"title":"A"}`))
	require.NotEqual(t, hash, hashOf("articles", "en", `{"title":"B"}`))

	item := review.RequestItem{Snapshot: snapshot, Withheld: withheld}
	require.Equal(t, `{"note":"psst","title":"A"}`, string(item.Release(1, articles("articles"), core.ActorRef{}).Document))
	// A value excluded from review stays private after its field became visible.
	shown := articles("articles")
	shown.Fields[1].Hidden = false
	require.Equal(t, `{"title":"A"}`, string(item.Release(1, shown, core.ActorRef{}).Document))
}

// The values of a removed field are neither reviewed nor published.
func TestSnapshotOfRemovedFields(t *testing.T) {
	t.Parallel()
	note := &core.Field{ID: 2, Name: "note", Type: core.TypeText, Hidden: true}
	with := &core.Collection{Slug: "articles", Fields: []*core.Field{{ID: 1, Name: "title", Type: core.TypeText}, note}}
	without := &core.Collection{Slug: "articles", Fields: with.Fields[:1], Removed: []*core.Field{note}}
	doc := core.Document(`{"note":"psst","title":"A"}`)

	snapshot, _, withheld := without.Snapshot("en", doc, nil)
	require.Equal(t, `{"collection":"articles","fields":{"title":"A"},"locale":"en"}`, string(snapshot))
	require.Equal(t, `{}`, string(withheld))
	_, _, withheld = with.Snapshot("en", doc, nil)
	item := review.RequestItem{Snapshot: snapshot, Withheld: withheld}
	require.Equal(t, `{"title":"A"}`, string(item.Release(1, without, core.ActorRef{}).Document), "removed before the release")

	e := core.Entry{Draft: doc, Published: core.Document(`{"title":"A"}`)}
	require.True(t, e.Shows(without, e.Draft, nil))
	require.False(t, e.Shows(with, e.Draft, nil))
	require.True(t, e.HasTwoDocuments())
}
