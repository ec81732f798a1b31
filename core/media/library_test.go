package media_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/library"
	"imprimatur/core/media"
	"imprimatur/core/query"
	"imprimatur/core/review"
)

func TestList(t *testing.T) {
	t.Parallel()
	d := setup(t)
	var items []core.MediaItem
	for n := range 30 {
		items = append(items, d.upload(t, fmt.Sprintf("note %d.txt", n), fmt.Sprintf("note %d", n)))
	}
	picture := d.upload(t, "Größe.png", png("a"))
	for name, test := range map[string]struct {
		q              media.Query
		first, length  int
		page, perPage  int64
		total          int64
		hasMore, found bool
	}{
		"the first page":     {q: media.Query{}, first: -1, length: 24, page: 1, perPage: 24, total: 31, hasMore: true},
		"the last page":      {q: media.Query{Window: query.Window{Page: 2}}, first: 6, length: 7, page: 2, perPage: 24, total: 31},
		"a full page":        {q: media.Query{Window: query.Window{Page: 31, PerPage: 1}}, first: 0, length: 1, page: 31, perPage: 1, total: 31},
		"beyond the end":     {q: media.Query{Window: query.Window{Page: 9}}, length: 0, page: 9, perPage: 24, total: 31},
		"far beyond the end": {q: media.Query{Window: query.Window{Page: math.MaxInt64 / 100, PerPage: 100}}, length: 0, page: math.MaxInt64 / 100, perPage: 100, total: 31},
		"of a kind":          {q: media.Query{Kind: core.MediaImage}, first: -1, length: 1, page: 1, perPage: 24, total: 1},
		"a search":           {q: media.Query{Search: "NOTE 2", Window: query.Window{PerPage: 5}}, first: 29, length: 5, page: 1, perPage: 5, total: 11, hasMore: true},
		"a folded search":    {q: media.Query{Search: "GRÖSSE"}, first: -1, length: 1, page: 1, perPage: 24, total: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := d.List(t.Context(), d.project, test.q)
			require.NoError(t, err)
			require.Len(t, page.Items, test.length)
			require.Equal(t, []any{test.page, test.perPage, test.total, test.hasMore}, []any{page.Page, page.PerPage, page.Total, page.HasMore})
			if test.length > 0 {
				want := picture
				if test.first >= 0 {
					want = items[test.first]
				}
				require.Equal(t, want.ID, page.Items[0].ID)
			}
		})
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for parameter, queries := range map[string][]media.Query{
		"page":    {{Window: query.Window{Page: -1}}, {Window: query.Window{Page: math.MaxInt64}}},
		"perPage": {{Window: query.Window{PerPage: -1}}, {Window: query.Window{PerPage: 101}}},
		"search":  {{Search: strings.Repeat("a", 5000)}, {Search: "a\x00"}, {Search: "\xff"}, {Search: "\x1f"}},
		"type":    {{Kind: "picture"}, {Kind: "IMAGE"}},
	} {
		for _, q := range queries {
			_, err := d.List(t.Context(), d.project, q)
			require.Contains(t, faults(t, err, core.KindBadRequest), parameter)
		}
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.txt", "a")
	d.events.drain()
	d.clock.pass(5)
	caption, tags := "Ein Bild\nmit zwei Zeilen", []string{" alpha ", "beta", "alpha"}
	changed, err := d.Change(t.Context(), core.Actor{System: true}, d.project, item.ID, media.Change{Caption: &caption, Tags: &tags})
	require.NoError(t, err)
	require.Equal(t, caption, changed.Caption)
	require.Equal(t, []string{"alpha", "beta"}, changed.Tags)
	require.Equal(t, d.clock.Now(), changed.UpdatedAt)
	require.Equal(t, item.CreatedAt, changed.CreatedAt)
	require.Equal(t, []event.Type{event.MediaUpdated}, d.events.drain())

	empty := ""
	changed, err = d.Change(t.Context(), core.Actor{System: true}, d.project, item.ID, media.Change{
		Caption: &empty, Alt: new("Cafe\u0301"), FocalPoint: core.Some(media.Point{X: new(math.Copysign(0, -1)), Y: new(1.0)}),
	})
	require.NoError(t, err)
	require.Empty(t, changed.Caption)
	require.Equal(t, "Café", changed.Alt)
	require.JSONEq(t, `{"x":0,"y":1}`, string(changed.FocalPoint.JSON()))
	d.events.drain()
	again, err := d.Change(t.Context(), core.SystemActor, d.project, item.ID, media.Change{Alt: new("Café"), FocalPoint: core.Some(media.Point{X: new(0.0), Y: new(1.0)})})
	require.NoError(t, err)
	require.Equal(t, changed, again)
	require.Empty(t, d.events.drain())
	require.Equal(t, []string{"alpha", "beta"}, changed.Tags)
	read, err := d.Item(t.Context(), d.project, item.ID)
	require.NoError(t, err)
	require.Equal(t, changed, read)
	cleared, err := d.Change(t.Context(), core.SystemActor, d.project, item.ID, media.Change{Alt: &empty, FocalPoint: core.Null[media.Point]()})
	require.NoError(t, err)
	require.Empty(t, cleared.Alt)
	require.Nil(t, cleared.FocalPoint)
	require.Equal(t, []event.Type{event.MediaUpdated}, d.events.drain())
	_, err = d.Change(t.Context(), core.SystemActor, d.project, item.ID, media.Change{Alt: new(strings.Repeat("ä", 500))})
	require.NoError(t, err)
	require.Len(t, d.events.drain(), 1)
}

func TestChangeRefuses(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.txt", "a")
	d.events.drain()
	caption, tags := strings.Repeat("ä", 2001), append(make([]string, 51), "x\x07", strings.Repeat("y", 101), "fine")
	_, err := d.Change(t.Context(), core.Actor{System: true}, d.project, item.ID, media.Change{Caption: &caption, Tags: &tags})
	found := faults(t, err, core.KindInvalid)
	require.Len(t, found, 1+1+51+2)
	require.Equal(t, "must have at most 2000 characters", found["caption"])
	require.Equal(t, "must have at most 50 elements", found["tags"])
	require.Equal(t, "must not be empty", found["tags[0]"])
	require.Equal(t, "must be text without control characters", found["tags[51]"])
	require.Equal(t, "must have at most 100 characters", found["tags[52]"])
	for want, change := range map[string]media.Change{
		"alt must have at most 500 characters":        {Alt: new(strings.Repeat("ä", 501))},
		"alt must be text without control characters": {Alt: new("a\x00b")},
		"focalPoint.x must be a number from 0 to 1":   {FocalPoint: core.Some(media.Point{X: new(1.1), Y: new(1.0)})},
		"focalPoint.y must be a number from 0 to 1":   {FocalPoint: core.Some(media.Point{X: new(0.0), Y: new(math.NaN())})},
		"focalPoint.y is required":                    {FocalPoint: core.Some(media.Point{X: new(0.0)})},
	} {
		change.Caption = new("half")
		_, err := d.Change(t.Context(), core.SystemActor, d.project, item.ID, change)
		for location, message := range faults(t, err, core.KindInvalid) {
			require.Equal(t, want, location+" "+message)
		}
	}
	tags = make([]string, 5_000)
	_, err = d.Change(t.Context(), core.Actor{System: true}, d.project, item.ID, media.Change{Tags: &tags})
	require.Len(t, faults(t, err, core.KindInvalid), core.MaxFaults)
	read, err := d.Item(t.Context(), d.project, item.ID)
	require.NoError(t, err)
	require.Equal(t, item, read)

	foreign := d.newProject(t, "11111111-5d0e-4c63-9f5d-2f6a1f0f7a11")
	d.events.drain()
	_, err = d.Change(t.Context(), core.Actor{System: true}, foreign, item.ID, media.Change{})
	require.ErrorIs(t, err, core.ErrNotFound)
	require.ErrorIs(t, d.Delete(t.Context(), core.Actor{System: true}, foreign, item.ID, false), core.ErrNotFound)
	_, err = d.Item(t.Context(), foreign, item.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
	_, err = d.Uses(t.Context(), foreign, item.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
	require.Empty(t, d.events.drain())
}

func TestDelete(t *testing.T) {
	t.Parallel()
	d := setup(t)
	first, second, other := d.upload(t, "a.png", png("a")), d.upload(t, "b.png", png("a")), d.upload(t, "c.txt", "c")
	d.events.drain()
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, first.ID, false))
	require.Equal(t, []event.Type{event.MediaDeleted}, d.events.drain())
	require.Equal(t, d.needed(second, other), d.names(t), "bytes of another item stay")
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, second.ID, true))
	require.Equal(t, d.needed(other), d.names(t), "unreferenced bytes are deleted at once")
	require.ErrorIs(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, second.ID, false), core.ErrNotFound)
	require.ErrorIs(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, second.ID, true), core.ErrNotFound)
}

func TestDeleteIfUnused(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	c := &core.Collection{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, Slug: "articles", Version: 1, Fields: []*core.Field{
		{ID: 1, Name: "cover", Type: core.TypeMedia}, {ID: 2, Name: "title", Type: core.TypeText},
	}}
	require.NoError(t, d.stores.Collections.Insert(t.Context(), c))
	show := func(draft, published string) core.Entry {
		e := core.Entry{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, CollectionID: c.ID, Locale: "en", Version: 1, Draft: core.Document(draft)}
		if published != "" {
			e.Published = core.Document(published)
		}
		require.NoError(t, d.stores.Entries.Insert(t.Context(), core.Schema{Project: d.project, Collection: c}, &e))
		return e
	}
	cover, err := json.Marshal(map[string]int64{"cover": item.ID})
	require.NoError(t, err)
	draft, both, published := show(string(cover), ""), show(string(cover), string(cover)), show(`{"title":"Harbour"}`, string(cover))

	err = d.Delete(t.Context(), core.Actor{System: true}, d.project, item.ID, true)
	require.Equal(t, map[string]string{
		"entries[0]": "its draft shows it", "entries[1]": "its draft and its published version show it", "entries[2]": "its published version shows it",
	}, faults(t, err, core.KindConflict))
	uses, err := d.Uses(t.Context(), d.project, item.ID)
	require.NoError(t, err)
	require.Equal(t, []library.Use{
		{EntryID: draft.ID, CollectionID: c.ID, Locale: "en", Draft: true},
		{EntryID: both.ID, CollectionID: c.ID, Locale: "en", Draft: true, Published: true},
		{EntryID: published.ID, CollectionID: c.ID, Locale: "en", Published: true, Title: "Harbour"},
	}, uses)
	require.Equal(t, d.needed(item), d.names(t))
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, item.ID, false))
	require.Empty(t, d.names(t))
}

// TestDeleteItemOfARequest checks that an item stays if only an open request or the trash
// refers to it.
func TestDeleteItemOfARequest(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	c := &core.Collection{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, Slug: "articles",
		Version: 1, Fields: []*core.Field{{ID: 1, Name: "cover", Type: core.TypeMedia}}}
	require.NoError(t, d.stores.Collections.Insert(t.Context(), c))
	cover, err := json.Marshal(map[string]int64{"cover": item.ID})
	require.NoError(t, err)
	schema := core.Schema{Project: d.project, Collection: c}
	edited := core.Entry{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, CollectionID: c.ID, Locale: "en", Version: 1, Draft: core.Document("{}")}
	require.NoError(t, d.stores.Entries.Insert(t.Context(), schema, &edited))
	trashed := core.Entry{CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(), ProjectID: d.project.ID, CollectionID: c.ID,
		Locale: "en", Version: 1, Draft: cover, TrashedAt: time.Unix(1, 0)}
	require.NoError(t, d.stores.Entries.Insert(t.Context(), schema, &trashed))
	request := review.Request{
		SubmittedAt: d.clock.Now(), TenantID: d.project.TenantID, ProjectID: d.project.ID, Status: review.RequestApproved,
		Version: 1, ReleaseYear: 2026, Steps: []review.Step{{Order: 1}},
		Items: []review.RequestItem{{
			CollectionID: c.ID, EntryID: edited.ID, Locale: "en", Snapshot: []byte(`{"collection":"articles","fields":` + string(cover) + `,"locale":"en"}`),
		}},
	}
	require.NoError(t, d.stores.Requests.Insert(t.Context(), &request))
	require.NoError(t, d.stores.Requests.Seal(t.Context(), &request, &review.Action{CreatedAt: d.clock.Now(), Type: review.ActionSubmit}))

	err = d.Delete(t.Context(), core.Actor{System: true}, d.project, item.ID, true)
	require.Equal(t, map[string]string{"collections/articles/entries/1": "its open approval request shows it"}, faults(t, err, core.KindConflict))
	uses, err := d.Uses(t.Context(), d.project, item.ID)
	require.NoError(t, err)
	require.Equal(t, []bool{true, false}, []bool{uses[0].Sealed, uses[1].Sealed})
	request.Status, request.Version = review.RequestWithdrawn, 2
	require.NoError(t, d.stores.Requests.Update(t.Context(), &request, nil))
	err = d.Delete(t.Context(), core.Actor{System: true}, d.project, item.ID, true)
	require.Equal(t, map[string]string{"entries[0]": "in the trash, its draft shows it"}, faults(t, err, core.KindConflict))
	require.Equal(t, d.needed(item), d.names(t))
}

// TestSearchNormalizesUnicode checks that words are found in composed and decomposed form.
func TestSearchNormalizesUnicode(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item := d.upload(t, "a.png", png("a"))
	const composed, decomposed = "Caf\u00e9", "Cafe\u0301"
	for _, written := range []string{composed, decomposed} {
		caption, tags := written, []string{written + " tag"}
		changed, err := d.Change(t.Context(), core.Actor{System: true}, d.project, item.ID, media.Change{Caption: &caption, Tags: &tags})
		require.NoError(t, err)
		require.Equal(t, composed, changed.Caption)
		require.Equal(t, []string{composed + " tag"}, changed.Tags)
		for _, searched := range []string{composed, decomposed, decomposed + " t"} {
			page, err := d.List(t.Context(), d.project, media.Query{Search: searched})
			require.NoError(t, err)
			require.Len(t, page.Items, 1, "%q in %q", searched, written)
		}
	}
}
