package writing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/writing"
	"imprimatur/test/contenttest"
)

// TestWithdrawingIsNotValidated withdraws drafts that lack a field which became required,
// in every way.
func TestWithdrawingIsNotValidated(t *testing.T) {
	t.Parallel()
	for name, takeBack := range map[string]func(t *testing.T, d *contenttest.Fixture, m *reading.Managed) *reading.Managed{
		"unchecked": func(t *testing.T, d *contenttest.Fixture, m *reading.Managed) *reading.Managed {
			return d.Update(t, m, `{}`, contenttest.Published(false))
		},
		"unpublished with an edit": func(t *testing.T, d *contenttest.Fixture, m *reading.Managed) *reading.Managed {
			return d.Update(t, m, `{"code":"c"}`, contenttest.Published(false))
		},
		"unpublished": func(t *testing.T, d *contenttest.Fixture, m *reading.Managed) *reading.Managed {
			w, err := d.Writer.Unpublish(t.Context(), d.Actor, d.Ref(m), nil, "")
			require.NoError(t, err)
			return d.Show(t, w)
		},
		"trashed": func(t *testing.T, d *contenttest.Fixture, m *reading.Managed) *reading.Managed {
			trash(t, d, m)
			return d.Update(t, d.Restore(t, m), `{}`, contenttest.Published(false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := contenttest.New(t)
			c := d.Collection(t, "pages",
				definition.FieldInput{Name: "title", Type: core.TypeText}, definition.FieldInput{Name: "code", Type: core.TypeText})
			m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
			_, err := d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "summary", Type: core.TypeText, Required: true})
			require.NoError(t, err)
			_, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Min: new(9.0)})
			require.NoError(t, err)
			_, err = d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":null}`))
			require.Contains(t, contenttest.FaultsOf(t, err), "fields.summary", "an edit is refused")

			m = takeBack(t, d, m)
			require.Equal(t, reading.StateDraft, m.State)
		})
	}
}

func TestWithdrawingValidatesGivenFields(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":null,"views":"many"}`, contenttest.Published(false)))
	require.Equal(t, map[string]string{"fields.title": "is required", "fields.views": "must be a number"}, contenttest.FaultsOf(t, err))
}

// TestTimesAreComparedInMilliseconds sends times that are stored as the same time.
func TestTimesAreComparedInMilliseconds(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, d.Articles(t), `{"title":"A"}`)
	start := contenttest.Day.Add(time.Hour)
	_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{At: &start, Until: core.Some(start.Add(999 * time.Microsecond))}, nil)
	require.Equal(t, map[string]string{"unpublishAt": "must be later than publishAt"}, contenttest.FaultsOf(t, err))
}

// TestSchedulingAPublishedDraftIsRefused checks that the time is not ignored.
func TestSchedulingAPublishedDraftIsRefused(t *testing.T) {
	t.Parallel()
	for name, gated := range map[string]bool{"governed": true, "ungoverned": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := contenttest.New(t)
			c := d.Articles(t)
			m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
			d.Govern(t, gated)
			later, past := contenttest.Day.Add(time.Hour), contenttest.Day.Add(-time.Hour)
			publish := func(at *time.Time) error {
				_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{At: at}, nil)
				return err
			}
			nothing := &core.Error{Kind: core.KindConflict, Code: "nothing_to_publish"}
			require.ErrorIs(t, publish(&later), nothing)
			_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":"A"}`, contenttest.Published(true), contenttest.At(later)))
			require.ErrorIs(t, err, nothing)
			require.NoError(t, publish(&past))
			require.NoError(t, publish(nil))
			require.Equal(t, m.Version, d.Entry(t, m.ID).Version)
			d.Update(t, m, `{"title":"B"}`, contenttest.Published(true), contenttest.At(later))
		})
	}
}

func TestTimesAreOfFourDigitYears(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`)
	west, east := time.FixedZone("", -5*3600), time.FixedZone("", 5*3600)
	for _, when := range []time.Time{time.Date(9999, 12, 31, 23, 0, 0, 0, west), time.Date(1, 1, 1, 0, 0, 0, 0, east)} {
		const want = "must be of the years 1 to 9999 in UTC"
		_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{At: &when}, nil)
		require.Equal(t, map[string]string{"publishAt": want}, contenttest.FaultsOf(t, err))
		_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"B"}`, contenttest.Published(true), contenttest.At(when)))
		require.Equal(t, map[string]string{"publishAt": want}, contenttest.FaultsOf(t, err))
	}
	last := time.Date(9999, 12, 31, 18, 59, 59, 0, west)
	_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{At: &last}, nil)
	require.NoError(t, err)
}
