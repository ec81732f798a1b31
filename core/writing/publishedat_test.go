package writing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/test/contenttest"
)

// TestAdminsSetPublishedAt checks that admins of the Project set what readers see as publishedAt, with
// the write that publishes and later, and that publications keep their own times.
func TestAdminsSetPublishedAt(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	role := func(role core.Role) core.Actor {
		return core.Actor{User: &core.User{ID: 7, Active: true}, Grants: []core.Grant{{UserID: 7, Role: role, TenantID: d.Project.TenantID, ProjectID: d.Project.ID}}}
	}
	on := func(at time.Time) func(*core.EntryWrite) { return func(w *core.EntryWrite) { w.PublishedAt = at } }
	moved := time.Date(2019, 5, 4, 9, 0, 0, 0, time.UTC)

	d.Actor = role(core.RoleAdmin)
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true), on(moved))
	require.Equal(t, moved, *m.PublishedAt)
	require.Equal(t, contenttest.Day, d.Entry(t, m.ID).ReleasedAt, "the time of the publication")

	d.Clock.Time = contenttest.Day.Add(time.Minute)
	m = d.Update(t, m, `{}`, on(moved.AddDate(1, 0, 0)))
	require.Equal(t, moved.AddDate(1, 0, 0), *m.PublishedAt, "of an entry that is published already")
	version := m.Version
	m = d.Update(t, m, `{}`, on(moved.AddDate(1, 0, 0)))
	require.Equal(t, version, m.Version, "the same again")

	draft := d.Create(t, c, `{"title":"B"}`)
	for name, change := range map[string][]func(*core.EntryWrite){
		`goes with "published": true`:                          {on(moved)},
		"must not be in the future, and not before the year 1": {on(d.Clock.Time.Add(time.Hour)), contenttest.Published(true)},
		`excludes "publishAt"`:                                 {on(moved), contenttest.Published(true), contenttest.At(d.Clock.Time.Add(time.Hour))},
	} {
		_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(draft), nil, contenttest.WriteOf(t, `{}`, change...))
		require.Equal(t, map[string]string{"publishedAt": name}, contenttest.FaultsOf(t, err))
	}
	token := core.Actor{Token: &core.Token{ID: 1, ProjectID: d.Project.ID, Abilities: []core.Ability{core.AbilityUpdate}}}
	for _, actor := range []core.Actor{role(core.RoleEditor), token} {
		_, err := d.Writer.Update(t.Context(), actor, d.Ref(m), nil, contenttest.WriteOf(t, `{}`, on(moved)))
		require.Equal(t, core.KindForbidden, core.KindOf(err))
	}
	d.Govern(t, true)
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{}`, on(moved), contenttest.Published(true)))
	require.Equal(t, map[string]string{"publishedAt": "cannot be set where a workflow governs the project"}, contenttest.FaultsOf(t, err))
}
