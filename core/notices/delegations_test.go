package notices_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/delegation"
	"imprimatur/core/notices"
	"imprimatur/test/newsroom"
)

// Both users of a delegation are told, but for the one who set or ended it.
func TestDelegationsAreToldToBoth(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d := w.Lend("admin", "viewer")
	require.Equal(t, []string{"delegation: viewer"}, w.told())
	page, err := w.notices.List(t.Context(), w.Actor("viewer"), notices.Filter{})
	require.NoError(t, err)
	n := page.Items[0]
	require.Equal(t, []string{"delegation.created", "admin", "viewer", "admin", "/dashboard/account"}, []string{string(n.Event), n.Title, n.Place, n.Actor.Name, n.Link()})
	require.NoError(t, w.Delegations.End(t.Context(), w.Actor("viewer"), d.ID))
	require.Equal(t, []string{"delegation: admin"}, w.told())
	_, err = w.Delegations.SetFor(t.Context(), w.Actor("department"), w.Newsroom, delegation.Input{For: w.IDs["admin"], To: w.IDs["viewer"], Until: w.Clock.Now().Add(time.Hour)})
	require.NoError(t, err)
	require.Equal(t, []string{"delegation: admin viewer"}, w.told())
}

// Notices of a delegator's turn go to both, as far as the delegate may decide.
func TestDelegatesAreToldOfTheTurn(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.DelegableStep(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin))
	w.Lend("admin", "viewer")
	w.Lend("admin", "editor")     // who submits
	w.Lend("admin", "outsider")   // who may not read
	w.Lend("department", "legal") // whose turn it is not, and whose step is not delegable
	w.told()
	id := w.submit("A")
	require.Equal(t, []string{"your_turn: admin viewer"}, w.told())
	require.NoError(t, w.Approve("viewer", id))
	require.Equal(t, []string{"approved: editor", "your_turn: department"}, w.told())
}
