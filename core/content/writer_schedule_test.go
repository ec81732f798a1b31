package content_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
)

// TestWithdrawingIsNotValidated withdraws drafts that lack a field which became required,
// in every way.
func TestWithdrawingIsNotValidated(t *testing.T) {
	t.Parallel()
	for name, takeBack := range map[string]func(t *testing.T, d *writerFixture, m *content.Managed) *content.Managed{
		"unchecked": func(t *testing.T, d *writerFixture, m *content.Managed) *content.Managed {
			return d.update(t, m, `{}`, published(false))
		},
		"unpublished with an edit": func(t *testing.T, d *writerFixture, m *content.Managed) *content.Managed {
			return d.update(t, m, `{"code":"c"}`, published(false))
		},
		"unpublished": func(t *testing.T, d *writerFixture, m *content.Managed) *content.Managed {
			m, err := d.writer.Unpublish(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil)
			require.NoError(t, err)
			return m
		},
		"trashed": func(t *testing.T, d *writerFixture, m *content.Managed) *content.Managed {
			trash(t, d, m)
			m, err := d.writer.Restore(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil)
			require.NoError(t, err)
			return d.update(t, m, `{}`, published(false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setupWriter(t)
			c := d.collection(t, "pages",
				content.FieldInput{Name: "title", Type: core.TypeText}, content.FieldInput{Name: "code", Type: core.TypeText})
			m := d.create(t, c, `{"title":"A"}`, published(true))
			_, err := d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "summary", Type: core.TypeText, Required: true}, false)
			require.NoError(t, err)
			_, err = d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Min: new(9.0)}, false)
			require.NoError(t, err)
			_, err = d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"title":null}`))
			require.Contains(t, faultsOf(t, err), "fields.summary", "an edit is refused")

			m = takeBack(t, d, m)
			require.Equal(t, content.StateDraft, m.State)
		})
	}
}

func TestWithdrawingValidatesGivenFields(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`, published(true))
	_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"title":null,"views":"many"}`, published(false)))
	require.Equal(t, map[string]string{"fields.title": "is required", "fields.views": "must be a number"}, faultsOf(t, err))
}

// TestTimesAreComparedInMilliseconds sends times that are stored as the same time.
func TestTimesAreComparedInMilliseconds(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.create(t, d.articles(t), `{"title":"A"}`)
	start := day.Add(time.Hour)
	_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, m.CollectionID, m.ID, &start, core.Some(start.Add(999*time.Microsecond)), nil)
	require.Equal(t, map[string]string{"unpublishAt": "must be later than publishAt"}, faultsOf(t, err))
}

// TestSchedulingAPublishedDraftIsRefused checks that the time is not ignored.
func TestSchedulingAPublishedDraftIsRefused(t *testing.T) {
	t.Parallel()
	for name, gated := range map[string]bool{"governed": true, "ungoverned": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setupWriter(t)
			c := d.articles(t)
			m := d.create(t, c, `{"title":"A"}`, published(true))
			d.gate.gated = gated
			later, past := day.Add(time.Hour), day.Add(-time.Hour)
			publish := func(at *time.Time) error {
				_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, at, core.Optional[time.Time]{}, nil)
				return err
			}
			nothing := &core.Error{Kind: core.KindConflict, Code: "nothing_to_publish"}
			require.ErrorIs(t, publish(&later), nothing)
			_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"title":"A"}`, published(true), at(later)))
			require.ErrorIs(t, err, nothing)
			require.NoError(t, publish(&past))
			require.NoError(t, publish(nil))
			require.Equal(t, m.Version, d.entry(t, m.ID).Version)
			d.update(t, m, `{"title":"B"}`, published(true), at(later))
		})
	}
}

func TestTimesAreOfFourDigitYears(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`)
	west, east := time.FixedZone("", -5*3600), time.FixedZone("", 5*3600)
	for _, when := range []time.Time{time.Date(9999, 12, 31, 23, 0, 0, 0, west), time.Date(1, 1, 1, 0, 0, 0, 0, east)} {
		const want = "must be of the years 1 to 9999 in UTC"
		_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, &when, core.Optional[time.Time]{}, nil)
		require.Equal(t, map[string]string{"publishAt": want}, faultsOf(t, err))
		_, err = d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"B"}`, published(true), at(when)))
		require.Equal(t, map[string]string{"publishAt": want}, faultsOf(t, err))
	}
	last := time.Date(9999, 12, 31, 18, 59, 59, 0, west)
	_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, &last, core.Optional[time.Time]{}, nil)
	require.NoError(t, err)
}
