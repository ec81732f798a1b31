package identity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/identity"
)

// TestAdminsUnlink lets those who manage an account unlink it.
func TestAdminsUnlink(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{CreateUsers: new(true)})
	n.says("x", "new@example.org")
	arrived := must(n.signOn(t))(t)
	user := arrived.Actor.UserID()
	links := must(n.UserLinks(t.Context(), n.actor(t, "tenant"), user))(t)
	require.Len(t, links, 1)
	require.Equal(t, []any{n.provider.ID, true}, []any{links[0].Provider.ID, links[0].LinkedAt.Equal(n.clock.now)})
	_, err := n.UserLinks(t.Context(), n.actor(t, "editor"), user)
	wantKind(t, err, core.KindNotFound)
	require.Empty(t, must(n.UserLinks(t.Context(), n.actor(t, "super"), n.people["editor"]))(t))

	unlink := func(name string, userID int64) error {
		return n.UnlinkUser(t.Context(), n.actor(t, name), userID, n.provider.ID)
	}
	wantKind(t, unlink("editor", user), core.KindNotFound)
	wantKind(t, unlink("tenant", n.people["tenant"]), core.KindForbidden) // the own one
	wantKind(t, unlink("super", n.people["viewer"]), core.KindNotFound)   // is not linked
	require.Equal(t, "new@example.org", n.linked(t, "x"))
	require.True(t, n.fixture.open(t.Context(), arrived.Session))
	ok(t, unlink("tenant", user)) // though the account has no other way in
	require.Empty(t, n.linked(t, "x"))
	require.False(t, n.fixture.open(t.Context(), arrived.Session))
	require.Contains(t, n.told(t), event.UserUnlinked)
	wantKind(t, unlink("tenant", user), core.KindNotFound)
	_, err = n.signOn(t)
	wantErrorCode(t, err, "not_linked")
}
