package writing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/test/contenttest"
)

func TestPublishedDecidesWithoutAWorkflow(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)

	m := d.Create(t, c, `{"title":"A","views":1}`, contenttest.Published(true), contenttest.At(contenttest.Day.Add(-time.Hour)))
	require.Equal(t, reading.StatePublished, m.State)
	require.Equal(t, contenttest.Day, *m.PublishedAt)

	d.Clock.Time = contenttest.Day.Add(time.Hour)
	m = d.Update(t, m, `{"views":2}`)
	require.False(t, m.HasUnpublishedChanges, "the named fields of a published entry are public immediately")
	e := d.Entry(t, m.ID)
	require.Equal(t, `2`, contenttest.Values(t, e.Published, "views")["views"])
	require.Equal(t, contenttest.Day, e.PublishedAt, "publishedAt stays while the entry is published")
	require.Equal(t, d.Clock.Time, e.ReleasedAt)

	m = d.Update(t, m, `{"views":3}`, contenttest.Published(false))
	require.Equal(t, reading.StateDraft, m.State)
	require.Nil(t, m.PublishedAt)
	require.Equal(t, `3`, contenttest.Values(t, []byte(d.Draft(t, m.ID)), "views")["views"])

	m = d.Update(t, m, `{"views":4}`)
	require.Equal(t, reading.StateDraft, m.State, "without published a draft stays a draft")

	for hours := range 2 {
		later := d.Clock.Time.Add(time.Duration(1+hours) * time.Hour)
		m = d.Update(t, m, `{}`, contenttest.Published(true), contenttest.At(later))
		require.Equal(t, reading.StateDraft, m.State, "not before it is due")
		require.Equal(t, later, d.Scheduled(t)[m.ID])
	}

	d.Clock.Time = d.Clock.Time.Add(time.Minute)
	published, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
	require.NoError(t, err)
	require.False(t, published.Submitted)
	m = d.Show(t, published)
	require.Equal(t, reading.StatePublished, m.State)
	require.Equal(t, d.Clock.Time, *m.PublishedAt)
	require.Empty(t, d.Scheduled(t), "it replaces the scheduled publication")

	unpublished, err := d.Writer.Unpublish(t.Context(), d.Actor, d.Ref(m), nil, "")
	require.NoError(t, err)
	m = d.Show(t, unpublished)
	require.Equal(t, reading.StateDraft, m.State)
	require.Empty(t, d.Submitted(t))
}

// TestNothingIsPublishedPastTheGate uses every way to publish.
func TestNothingIsPublishedPastTheGate(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	public := d.Create(t, c, `{"title":"Public"}`, contenttest.Published(true))
	trashed := trash(t, d, d.Create(t, c, `{"title":"Trashed"}`, contenttest.Published(true)))
	d.Govern(t, true)

	created := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
	require.Equal(t, reading.StateDraft, created.State)
	require.Contains(t, d.Submitted(t), created.ID, "a request is open")

	translation := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true), contenttest.In("de"), contenttest.Of(public.ID))
	require.Equal(t, reading.StateDraft, translation.State)

	later := contenttest.Day.Add(time.Hour)
	scheduled := d.Create(t, c, `{"title":"B"}`, contenttest.Published(true), contenttest.At(later))
	require.Equal(t, reading.StateDraft, scheduled.State)
	require.Equal(t, later, d.Submitted(t)[scheduled.ID])

	edited := d.Update(t, public, `{"title":"Edited"}`)
	require.Equal(t, reading.StatePublished, edited.State)
	require.True(t, edited.HasUnpublishedChanges)
	require.NotContains(t, d.Submitted(t), edited.ID, "without published no request is opened")

	edited = d.Update(t, edited, `{"views":5}`, contenttest.Published(true))
	require.True(t, edited.HasUnpublishedChanges)
	require.Equal(t, `"Public"`, contenttest.Values(t, d.Entry(t, edited.ID).Published, "title")["title"])

	draft := d.Create(t, c, `{"title":"C"}`)
	submitted, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(draft), writing.Publication{}, nil)
	require.NoError(t, err)
	require.True(t, submitted.Submitted)
	draft = d.Show(t, submitted)
	require.Equal(t, reading.StateDraft, draft.State)

	restored, err := d.Writer.Restore(t.Context(), d.Actor, review.EntryRef{Project: d.Project, CollectionID: c.ID, ID: trashed.ID}, nil)
	require.NoError(t, err)
	require.Equal(t, reading.StateDraft, d.Show(t, restored).State)
	require.Nil(t, d.Entry(t, restored.ID).Published)

	require.Len(t, d.Submitted(t), 5)
	entries, err := d.Stores.Entries.Walk(t.Context(), d.Project.ID, c.ID, 0, 100)
	require.NoError(t, err)
	for _, e := range entries {
		require.True(t, e.Published == nil || e.ID == public.ID, "entry %d", e.ID)
	}
}

func TestUnpublishingWithdrawsPendingFirst(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
	d.Govern(t, true)
	d.Update(t, m, `{"title":"B"}`, contenttest.Published(true))
	require.Contains(t, d.Submitted(t), m.ID)

	m = d.Update(t, m, `{}`, contenttest.Published(false))
	require.Empty(t, d.Submitted(t))
	require.Equal(t, reading.StatePublished, m.State, "the published version stays")

	m = d.Update(t, m, `{}`, contenttest.Published(false))
	require.Equal(t, reading.StateDraft, m.State)

	m = d.Update(t, m, `{}`, contenttest.Published(true))
	unpublished, err := d.Writer.Unpublish(t.Context(), d.Actor, d.Ref(m), nil, "")
	require.NoError(t, err)
	m = d.Show(t, unpublished)
	require.Equal(t, review.RequestWithdrawn, m.Approval.Status)

	d.Update(t, m, `{}`, contenttest.Published(true))
	trash(t, d, m)
	require.Empty(t, d.Submitted(t))
}

func TestNothingToPublishOpensNoRequest(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, d.Articles(t), `{"title":"A"}`, contenttest.Published(true))
	d.Govern(t, true)
	published, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
	require.NoError(t, err)
	require.False(t, published.Submitted)
	require.Empty(t, d.Submitted(t))
}

func TestPublishValidatesAgainstCurrentFields(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`)
	_, err := d.UpdateField(t, c.ID, "code", definition.FieldInput{Required: true, Unique: true})
	require.NoError(t, err)
	_, err = d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
	require.Equal(t, map[string]string{"fields.code": "is required"}, contenttest.FaultsOf(t, err))
}
