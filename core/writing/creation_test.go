package writing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/test/contenttest"
)

// TestAdminsSetCreatedAt checks that admins of the Project set the time of creation of new and existing
// entries, and that it is no edit of the content.
func TestAdminsSetCreatedAt(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	role := func(role core.Role) core.Actor {
		return core.Actor{User: &core.User{ID: 7, Active: true}, Grants: []core.Grant{{UserID: 7, Role: role, TenantID: d.Project.TenantID, ProjectID: d.Project.ID}}}
	}
	created := func(at time.Time) func(*core.EntryWrite) { return func(w *core.EntryWrite) { w.CreatedAt = at } }
	moved := time.Date(2019, 5, 4, 9, 0, 0, 999, time.FixedZone("", 7200))
	want := time.Date(2019, 5, 4, 7, 0, 0, 0, time.UTC)

	d.Actor = role(core.RoleAdmin)
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true), created(moved))
	require.Equal(t, want, m.CreatedAt)
	require.Equal(t, contenttest.Day, m.UpdatedAt)
	require.Equal(t, contenttest.Day, *m.PublishedAt)

	d.Clock.Time = contenttest.Day.Add(time.Minute)
	before := d.Entry(t, m.ID)
	m = d.Update(t, m, `{}`, created(moved.AddDate(1, 0, 0)))
	require.Equal(t, want.AddDate(1, 0, 0), m.CreatedAt, "of an existing entry")
	after := d.Entry(t, m.ID)
	require.Equal(t, before.Version+1, after.Version)
	require.Equal(t, before.UpdatedAt, after.UpdatedAt)
	require.Equal(t, before.Revision, after.Revision)
	m = d.Update(t, m, `{}`, created(moved.AddDate(1, 0, 0)))
	require.Equal(t, after, d.Entry(t, m.ID), "the same again")
	m = d.Update(t, m, `{"title":"B"}`)
	require.Equal(t, want.AddDate(1, 0, 0), m.CreatedAt, "kept without the member")

	write := func(actor core.Actor, at time.Time) error {
		_, err := d.Writer.Update(t.Context(), actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":"half"}`, created(at)))
		return err
	}
	future := map[string]string{"createdAt": "must not be in the future, and not before the year 1"}
	require.Equal(t, future, contenttest.FaultsOf(t, write(d.Actor, d.Clock.Time.Add(time.Second))))
	require.Equal(t, future, contenttest.FaultsOf(t, write(d.Actor, time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))))
	token := core.Actor{Token: &core.Token{ID: 1, ProjectID: d.Project.ID, Abilities: []core.Ability{core.AbilityUpdate}}}
	for _, actor := range []core.Actor{role(core.RoleEditor), token} {
		require.Equal(t, core.KindForbidden, core.KindOf(write(actor, moved)))
	}

	d.Govern(t, true)
	require.Equal(t, map[string]string{"createdAt": "cannot be changed where a workflow governs the project and the entry is published"}, contenttest.FaultsOf(t, write(d.Actor, moved)))
	require.Equal(t, want.AddDate(1, 0, 0), d.Entry(t, m.ID).CreatedAt)
	draft := d.Create(t, c, `{"title":"C"}`, created(moved))
	require.Equal(t, want, draft.CreatedAt)
	require.Equal(t, want.AddDate(1, 0, 0), d.Update(t, draft, `{}`, created(moved.AddDate(1, 0, 0))).CreatedAt)
}
