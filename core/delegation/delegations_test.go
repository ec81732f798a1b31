package delegation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/delegation"
	"imprimatur/test/newsroom"
)

type stoppedClock struct{ now time.Time }

func (c *stoppedClock) Now() time.Time { return c.now }

func setup(t *testing.T) (*newsroom.Fixture, *stoppedClock) {
	t.Helper()
	clock := &stoppedClock{time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)}
	store := memory.NewAt(clock)
	return newsroom.New(t, store.Stores(), store, clock), clock
}

// outcome returns the code of an error, with the locations of its faults.
func outcome(err error) string {
	if err == nil {
		return ""
	}
	fault, ok := errors.AsType[*core.Error](err)
	if !ok {
		return err.Error()
	}
	text := fault.Code
	for _, f := range fault.Fields {
		text += " " + f.Location
	}
	return text
}

func TestGive(t *testing.T) {
	t.Parallel()
	w, clock := setup(t)
	day := 24 * time.Hour
	for name, row := range map[string]struct {
		by   string
		in   delegation.Input
		want string
	}{
		"a viewer":                 {"viewer", delegation.Input{To: w.IDs["editor"], Until: clock.now.Add(day)}, ""},
		"90 days":                  {"admin", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(90 * day)}, ""},
		"too long":                 {"admin", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(90*day + time.Millisecond)}, "invalid until"},
		"past":                     {"admin", delegation.Input{To: w.IDs["viewer"], Until: clock.now}, "invalid until"},
		"before it begins":         {"admin", delegation.Input{To: w.IDs["viewer"], From: clock.now.Add(2 * day), Until: clock.now.Add(day)}, "invalid until"},
		"to oneself":               {"admin", delegation.Input{To: w.IDs["admin"], Until: clock.now.Add(day)}, "invalid to"},
		"to nobody":                {"admin", delegation.Input{To: 999, Until: clock.now.Add(day)}, "invalid to"},
		"for a Project":            {"admin", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), ProjectIDs: []int64{w.Project.ID}}, ""},
		"for a Project unseen":     {"brand", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), ProjectIDs: []int64{w.Project.ID}}, "invalid projects[0]"},
		"for no Project":           {"admin", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), ProjectIDs: []int64{w.Project.ID, 999}}, "invalid projects[1]"},
		"for a Department":         {"legal", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), DepartmentIDs: []int64{w.Newsroom.ID}}, ""},
		"for another Department":   {"legal", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), DepartmentIDs: []int64{w.Marketing.ID}}, "invalid departments[0]"},
		"for both":                 {"tenant", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), ProjectIDs: []int64{w.Project.ID}, DepartmentIDs: []int64{w.Newsroom.ID}}, "invalid departments"},
		"a long note":              {"admin", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), Note: strings.Repeat("é", 501)}, "invalid note"},
		"a note that is no text":   {"admin", delegation.Input{To: w.IDs["viewer"], Until: clock.now.Add(day), Note: "\x00"}, "invalid note"},
		"several faults at a time": {"admin", delegation.Input{To: 999, Until: clock.now, Note: "\x00"}, "invalid until note to"},
	} {
		_, err := w.Delegations.Give(t.Context(), w.Actor(row.by), row.in)
		require.Equal(t, row.want, outcome(err), name)
	}
	w.SetActive("editor", false)
	_, err := w.Delegations.Give(t.Context(), w.Actor("viewer"), delegation.Input{To: w.IDs["editor"], Until: clock.now.Add(day)})
	require.Equal(t, "invalid to", outcome(err), "deactivated")
}

func TestListAndEnd(t *testing.T) {
	t.Parallel()
	w, clock := setup(t)
	d := w.Lend("admin", "viewer")
	later, err := w.Delegations.Give(t.Context(), w.Actor("viewer"), delegation.Input{To: w.IDs["admin"], From: clock.now.Add(time.Hour), Until: clock.now.Add(2 * time.Hour), Note: "Holiday"})
	require.NoError(t, err)
	require.Equal(t, []string{"viewer", "admin", "viewer", "Holiday"}, []string{later.From.Name, later.To.Name, later.SetBy.Name, later.Note})
	set, err := w.Delegations.SetFor(t.Context(), w.Actor("department"), w.Newsroom, delegation.Input{For: w.IDs["admin"], To: w.IDs["editor"], Until: clock.now.Add(time.Hour)})
	require.NoError(t, err)
	lists := func(person string) [3]int {
		found, err := w.Delegations.List(t.Context(), w.Actor(person))
		require.NoError(t, err)
		return [3]int{len(found.Given), len(found.Received), len(found.Set)}
	}
	require.Equal(t, [3]int{2, 1, 0}, lists("admin"))
	require.Equal(t, [3]int{1, 1, 0}, lists("viewer"))
	require.Equal(t, [3]int{0, 0, 1}, lists("department"))
	of, err := w.Delegations.OfDepartment(t.Context(), w.Newsroom)
	require.NoError(t, err)
	require.Equal(t, []core.Delegation{set}, of)
	for _, stranger := range []string{"super", "tenant", "editor", "department"} {
		require.Equal(t, "not_found", outcome(w.Delegations.End(t.Context(), w.Actor(stranger), d.ID)), stranger)
	}
	require.NoError(t, w.Delegations.End(t.Context(), w.Actor("viewer"), d.ID))
	require.Equal(t, "not_found", outcome(w.Delegations.End(t.Context(), w.Actor("viewer"), d.ID)))
	require.NoError(t, w.Delegations.End(t.Context(), w.Actor("department"), set.ID), "who set it")
	require.NoError(t, w.Delegations.End(t.Context(), w.Actor("viewer"), later.ID))
	require.Equal(t, [3]int{0, 0, 0}, lists("admin"))
	again := w.Lend("admin", "viewer")
	clock.now = clock.now.Add(24 * time.Hour)
	require.Equal(t, [3]int{0, 0, 0}, lists("admin"), "over")
	require.Equal(t, "not_found", outcome(w.Delegations.End(t.Context(), w.Actor("viewer"), again.ID)))
}

// An admin of a Department lends for others only what it may give, and never to itself.
func TestSetFor(t *testing.T) {
	t.Parallel()
	w, clock := setup(t)
	w.Grant("viewer", core.RoleAdmin)
	for name, row := range map[string]struct {
		by, from, to string
		projects     []int64
		want         string
	}{
		"an admin of the Project":      {"department", "admin", "editor", nil, ""},
		"in its Project":               {"department", "admin", "editor", []int64{w.Project.ID}, ""},
		"a holder":                     {"department", "legal", "viewer", nil, ""},
		"to itself":                    {"department", "admin", "department", nil, "forbidden"},
		"its own":                      {"department", "department", "admin", nil, "invalid for"},
		"of one to the same":           {"department", "admin", "admin", nil, "invalid to"},
		"a tenant admin":               {"department", "tenant", "admin", nil, "forbidden"},
		"a tenant admin, by another":   {"super", "tenant", "admin", nil, ""},
		"a super admin":                {"tenant", "super", "admin", nil, "forbidden"},
		"one without a role":           {"department", "editor", "admin", nil, "invalid for"},
		"a holder of another":          {"department", "brand", "admin", nil, "invalid for"},
		"no Project of the Department": {"department", "admin", "editor", []int64{999}, "invalid projects[0]"},
	} {
		_, err := w.Delegations.SetFor(t.Context(), w.Actor(row.by), w.Newsroom, delegation.Input{For: w.IDs[row.from], To: w.IDs[row.to], Until: clock.now.Add(time.Hour), ProjectIDs: row.projects})
		require.Equal(t, row.want, outcome(err), name)
	}
	w.SetActive("viewer", false)
	_, err := w.Delegations.SetFor(t.Context(), w.Actor("department"), w.Newsroom, delegation.Input{For: w.IDs["admin"], To: w.IDs["viewer"], Until: clock.now.Add(time.Hour)})
	require.Equal(t, "invalid to", outcome(err), "deactivated")
	_, err = w.Delegations.SetFor(t.Context(), w.Actor("department"), w.Newsroom, delegation.Input{For: 998, To: 999, Until: clock.now.Add(time.Hour)})
	require.Equal(t, "invalid for to", outcome(err))
}

// What an admin of a Department lends is what that admin has, also when the other user rises later.
func TestLaterRolesAreNotLent(t *testing.T) {
	t.Parallel()
	w, clock := setup(t)
	step := newsroom.DelegableStep(1, core.RoleTenantAdmin)
	w.SetWorkflow(step)
	_, err := w.Delegations.SetFor(t.Context(), w.Actor("department"), w.Newsroom, delegation.Input{For: w.IDs["admin"], To: w.IDs["viewer"], Until: clock.now.Add(time.Hour)})
	require.NoError(t, err)
	id := w.Create(newsroom.Article("A", newsroom.Published(true))).ID
	w.Grant("admin", core.RoleTenantAdmin)
	require.Equal(t, "forbidden", outcome(w.Approve("viewer", id)))
	w.Lend("admin", "viewer")
	require.NoError(t, w.Approve("viewer", id))
}
