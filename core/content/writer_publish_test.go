package content_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
)

func TestPublishedDecidesWithoutAWorkflow(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)

	m := d.create(t, c, `{"title":"A","views":1}`, published(true), at(day.Add(-time.Hour)))
	require.Equal(t, content.StatePublished, m.State)
	require.Equal(t, day, *m.PublishedAt)

	d.clock.now = day.Add(time.Hour)
	m = d.update(t, m, `{"views":2}`)
	require.False(t, m.HasUnpublishedChanges, "the named fields of a published entry are public immediately")
	e := d.entry(t, m.ID)
	require.Equal(t, `2`, shown(t, e.Published, "views")["views"])
	require.Equal(t, day, e.PublishedAt, "publishedAt stays while the entry is published")
	require.Equal(t, d.clock.now, e.ReleasedAt)

	m = d.update(t, m, `{"views":3}`, published(false))
	require.Equal(t, content.StateDraft, m.State)
	require.Nil(t, m.PublishedAt)
	require.Equal(t, `3`, shown(t, []byte(d.draft(t, m.ID)), "views")["views"])
	require.Equal(t, []int64{m.ID}, d.gate.withdrawn)

	m = d.update(t, m, `{"views":4}`)
	require.Equal(t, content.StateDraft, m.State, "without published a draft stays a draft")

	for hours := range 2 {
		later := d.clock.now.Add(time.Duration(1+hours) * time.Hour)
		m = d.update(t, m, `{}`, published(true), at(later))
		require.Equal(t, content.StateDraft, m.State, "not before it is due")
		require.Equal(t, later, d.gate.scheduled[m.ID])
	}

	d.clock.now = d.clock.now.Add(time.Minute)
	m, pending, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, nil, core.Optional[time.Time]{}, nil)
	require.NoError(t, err)
	require.False(t, pending)
	require.Equal(t, content.StatePublished, m.State)
	require.Equal(t, d.clock.now, *m.PublishedAt)

	m, err = d.writer.Unpublish(t.Context(), d.actor, d.project, c.ID, m.ID, nil)
	require.NoError(t, err)
	require.Equal(t, content.StateDraft, m.State)
	require.Empty(t, d.gate.submitted)
}

// TestNothingIsPublishedPastTheGate uses every way to publish.
func TestNothingIsPublishedPastTheGate(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	public := d.create(t, c, `{"title":"Public"}`, published(true))
	trashed := trash(t, d, d.create(t, c, `{"title":"Trashed"}`, published(true)))
	d.gate.gated = true
	d.gate.withdrawn = nil

	created := d.create(t, c, `{"title":"A"}`, published(true))
	require.Equal(t, content.StateDraft, created.State)
	require.NotNil(t, created.Approval, "a request is open")

	translation := d.create(t, c, `{"title":"A"}`, published(true), in("de"), of(public.ID))
	require.Equal(t, content.StateDraft, translation.State)

	later := day.Add(time.Hour)
	scheduled := d.create(t, c, `{"title":"B"}`, published(true), at(later))
	require.Equal(t, content.StateDraft, scheduled.State)
	require.Equal(t, later, d.gate.submitted[scheduled.ID])

	edited := d.update(t, public, `{"title":"Edited"}`)
	require.Equal(t, content.StatePublished, edited.State)
	require.True(t, edited.HasUnpublishedChanges)
	require.Nil(t, edited.Approval, "without published no request is opened")

	edited = d.update(t, edited, `{"views":5}`, published(true))
	require.True(t, edited.HasUnpublishedChanges)
	require.Equal(t, `"Public"`, shown(t, d.entry(t, edited.ID).Published, "title")["title"])

	draft := d.create(t, c, `{"title":"C"}`)
	draft, pending, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, draft.ID, nil, core.Optional[time.Time]{}, nil)
	require.NoError(t, err)
	require.True(t, pending)
	require.Equal(t, content.StateDraft, draft.State)

	restored, err := d.writer.Restore(t.Context(), d.actor, d.project, c.ID, trashed.ID, nil)
	require.NoError(t, err)
	require.Equal(t, content.StateDraft, restored.State)
	require.Nil(t, d.entry(t, restored.ID).Published)

	require.Len(t, d.gate.submitted, 5)
	entries, err := d.stores.Entries.Walk(t.Context(), d.project.ID, c.ID, 0, 100)
	require.NoError(t, err)
	for _, e := range entries {
		require.True(t, e.Published == nil || e.ID == public.ID, "entry %d", e.ID)
	}
	require.Empty(t, d.gate.withdrawn)
}

func TestUnpublishingWithdrawsPendingFirst(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`, published(true))
	d.gate.gated = true
	d.update(t, m, `{"title":"B"}`, published(true))
	require.Contains(t, d.gate.submitted, m.ID)

	m = d.update(t, m, `{}`, published(false))
	require.Empty(t, d.gate.submitted)
	require.Equal(t, content.StatePublished, m.State, "the published version stays")

	m = d.update(t, m, `{}`, published(false))
	require.Equal(t, content.StateDraft, m.State)

	m = d.update(t, m, `{}`, published(true))
	m, err := d.writer.Unpublish(t.Context(), d.actor, d.project, c.ID, m.ID, nil)
	require.NoError(t, err)
	require.Nil(t, m.Approval)

	d.update(t, m, `{}`, published(true))
	trash(t, d, m)
	require.Empty(t, d.gate.submitted)
}

func TestNothingToPublishOpensNoRequest(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.create(t, d.articles(t), `{"title":"A"}`, published(true))
	d.gate.gated = true
	_, pending, err := d.writer.Publish(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil, core.Optional[time.Time]{}, nil)
	require.NoError(t, err)
	require.False(t, pending)
	require.Empty(t, d.gate.submitted)
}

func TestPublishValidatesAgainstCurrentFields(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`)
	_, err := d.updateField(t, c.ID, "code", content.FieldInput{Required: true, Unique: true})
	require.NoError(t, err)
	_, _, err = d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, nil, core.Optional[time.Time]{}, nil)
	require.Equal(t, map[string]string{"fields.code": "is required"}, faultsOf(t, err))
}
