package contract

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// Invitations checks a ports.InvitationStore.
func Invitations(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of an invitation": func(t *testing.T, w *fixture) {
			i := w.newInvitation(t, w.newUser(t).ID)
			assertEqual(t, result(w.Invitations.Invitation(t.Context(), i.ID))(t), i)
			assertEqual(t, result(w.Invitations.InvitationByHash(t.Context(), i.Hash))(t), i)
			bare := account.Invitation{
				Hash: newHash(), Email: "b@example.org", TenantID: w.tenant.ID, Grants: []core.Grant{}, CustomRoles: []int64{},
				InvitedBy: i.InvitedBy, CreatedAt: at(1), ExpiresAt: at(2),
			}
			requireNoError(t, w.Invitations.Insert(t.Context(), &bare))
			assertEqual(t, result(w.Invitations.Invitation(t.Context(), bare.ID))(t), bare)
		},
		"updates only the inviter, the link and the state": func(t *testing.T, w *fixture) {
			i := w.newInvitation(t, w.newUser(t).ID)
			changed := i
			changed.Hash, changed.ExpiresAt, changed.AcceptedAt, changed.AcceptedBy, changed.RevokedAt = newHash(), at(50), at(7), i.InvitedBy, at(8)
			changed.InvitedBy = w.newUser(t).ID
			want := changed
			changed.Email, changed.Name, changed.Language, changed.Grants, changed.CustomRoles = "other@example.org", "other", "en", nil, nil
			requireNoError(t, w.Invitations.Update(t.Context(), changed))
			assertEqual(t, result(w.Invitations.Invitation(t.Context(), i.ID))(t), want)
			_, err := w.Invitations.InvitationByHash(t.Context(), i.Hash)
			requireError(t, err, core.ErrNotFound)
		},
		"selects by inviter and tenant, the newest first": func(t *testing.T, w *fixture) {
			ada, bea := w.newUser(t).ID, w.newUser(t).ID
			a, b, c := w.newInvitation(t, ada), w.newInvitation(t, bea), w.newInvitation(t, ada)
			list := func(q ports.InvitationQuery) []int64 {
				return ids(result(w.Invitations.Invitations(t.Context(), q))(t), func(i account.Invitation) int64 { return i.ID })
			}
			assertEqual(t, list(ports.InvitationQuery{InvitedBy: ada, Limit: 9}), []int64{c.ID, a.ID})
			assertEqual(t, list(ports.InvitationQuery{InvitedBy: ada, TenantIDs: []int64{w.tenant.ID, unknown}, Limit: 9}), []int64{c.ID, b.ID, a.ID})
			assertEqual(t, list(ports.InvitationQuery{TenantIDs: []int64{w.tenant.ID}, BeforeID: c.ID, Limit: 1}), []int64{b.ID})
			assertEqual(t, list(ports.InvitationQuery{TenantIDs: []int64{unknown}, Limit: 9}), []int64{})
			assertEqual(t, len(list(ports.InvitationQuery{All: true, Limit: 1000})) >= 3, true)
		},
		"counts open invitations": func(t *testing.T, w *fixture) {
			ada := w.newUser(t).ID
			w.newInvitation(t, ada)
			accepted, revoked := w.newInvitation(t, ada), w.newInvitation(t, ada)
			accepted.AcceptedAt, accepted.AcceptedBy, revoked.RevokedAt = at(3), ada, at(3)
			assertEqual(t, result(w.Invitations.Open(t.Context(), ada, at(9)))(t), int64(3))
			requireNoError(t, w.Invitations.Update(t.Context(), accepted))
			requireNoError(t, w.Invitations.Update(t.Context(), revoked))
			assertEqual(t, result(w.Invitations.Open(t.Context(), ada, at(9)))(t), int64(1))
			assertEqual(t, result(w.Invitations.Open(t.Context(), ada, at(10)))(t), int64(0))
		},
		"selects the open ones to an address": func(t *testing.T, w *fixture) {
			ada := w.newUser(t).ID
			first := w.newInvitation(t, ada)
			other := func() account.Invitation {
				i := first
				i.ID, i.Hash = 0, sha256.Sum256([]byte(uuid.NewString()))
				requireNoError(t, w.Invitations.Insert(t.Context(), &i))
				return i
			}
			second, accepted, revoked := other(), other(), other()
			w.newInvitation(t, ada) // to another address
			accepted.AcceptedAt, accepted.AcceptedBy, revoked.RevokedAt = at(3), ada, at(3)
			requireNoError(t, w.Invitations.Update(t.Context(), accepted))
			requireNoError(t, w.Invitations.Update(t.Context(), revoked))
			assertEqual(t, result(w.Invitations.OpenTo(t.Context(), first.Email, at(9)))(t), []account.Invitation{first, second})
			assertEqual(t, len(result(w.Invitations.OpenTo(t.Context(), first.Email, at(10)))(t)), 0)
		},
		"lets one of several accept": func(t *testing.T, w *fixture) {
			i := w.newInvitation(t, w.newUser(t).ID)
			taken := core.Conflict("taken", "taken")
			won := race(4, func(int) error {
				return w.do(t, func(ctx context.Context, s ports.Stores) error {
					if err := s.Invitations.Lock(ctx, i.ID); err != nil {
						return err
					}
					found, err := s.Invitations.Invitation(ctx, i.ID)
					if err != nil {
						return err
					}
					if !found.AcceptedAt.IsZero() {
						return taken
					}
					found.AcceptedAt, found.AcceptedBy = at(3), i.InvitedBy
					return s.Invitations.Update(ctx, found)
				})
			})
			assertEqual(t, len(won.failures), 3)
		},
		"goes with its tenant": func(t *testing.T, w *fixture) {
			gone := w.newTenant(t)
			i := account.Invitation{Hash: newHash(), Email: "a@example.org", TenantID: gone.ID, InvitedBy: w.newUser(t).ID, CreatedAt: at(1), ExpiresAt: at(10)}
			requireNoError(t, w.Invitations.Insert(t.Context(), &i))
			requireNoError(t, w.Tenants.Delete(t.Context(), gone.ID))
			_, err := w.Invitations.Invitation(t.Context(), i.ID)
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.Invitations.Insert(t.Context(), &i), core.ErrNotFound)
		},
		"removes old ones": func(t *testing.T, w *fixture) {
			i := w.newInvitation(t, w.newUser(t).ID)
			i.ExpiresAt = at(-1000)
			requireNoError(t, w.Invitations.Update(t.Context(), i))
			result(w.Aging.Delete(t.Context(), ports.AgedInvitations, at(-1000), 1000))(t)
			assertEqual(t, result(w.Invitations.Invitation(t.Context(), i.ID))(t), i)
			result(w.Aging.Delete(t.Context(), ports.AgedInvitations, at(-999), 1000))(t)
			_, err := w.Invitations.Invitation(t.Context(), i.ID)
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.Invitations.Update(t.Context(), i), core.ErrNotFound)
		},
	})
}

// newInvitation adds an invitation by a user that expires at at(10).
func (w *fixture) newInvitation(t reporter, by int64) account.Invitation {
	t.Helper()
	i := account.Invitation{
		Hash: newHash(), Email: uuid.NewString() + "@example.org", Name: "Ada Łovelace", Language: "de", TenantID: w.tenant.ID,
		Grants: []core.Grant{
			{Role: core.RoleTenantAdmin, TenantID: w.tenant.ID}, {Role: core.RoleDepartmentAdmin, DepartmentID: w.department.ID},
			{Role: core.RoleEditor, ProjectID: w.project.ID},
		},
		CustomRoles: []int64{3, 7}, InvitedBy: by, CreatedAt: at(1), ExpiresAt: at(10),
	}
	requireNoError(t, w.Invitations.Insert(t.Context(), &i))
	return i
}

func newHash() [32]byte { return sha256.Sum256([]byte(uuid.NewString())) }

// MailLinks checks a ports.LinkStore.
func MailLinks(t *testing.T, open Factory) {
	runSequentially(t, open, cases{ // a case removes the expired links of others
		"takes a link once": func(t *testing.T, w *fixture) {
			reset := account.MailLink{Hash: newHash(), Kind: account.LinkReset, Email: "a@example.org", CreatedAt: at(1), ExpiresAt: at(10)}
			address := account.MailLink{Hash: newHash(), Kind: account.LinkAddress, Email: "b@example.org", UserID: w.newUser(t).ID, CreatedAt: at(1), ExpiresAt: at(10)}
			for _, l := range []account.MailLink{reset, address} {
				requireNoError(t, w.Links.Insert(t.Context(), l))
				assertEqual(t, result(w.Links.Link(t.Context(), l.Hash))(t), l)
			}
			won := race(4, func(int) error {
				taken, err := w.Links.Take(t.Context(), address.Hash)
				if err == nil {
					assertEqual(t, taken, address)
				}
				return err
			})
			assertEqual(t, len(won.failures), 3)
			_, err := w.Links.Link(t.Context(), address.Hash)
			requireError(t, err, core.ErrNotFound)
			assertEqual(t, result(w.Links.Take(t.Context(), reset.Hash))(t), reset)
			_, err = w.Links.Take(t.Context(), reset.Hash)
			requireError(t, err, core.ErrNotFound)
		},
		"forgets the links of an address and of a user": func(t *testing.T, w *fixture) {
			ada, bea := w.newUser(t).ID, w.newUser(t).ID
			mail := uuid.NewString() + "@example.org"
			add := func(kind account.MailLinkKind, email string, user int64) [32]byte {
				l := account.MailLink{Hash: newHash(), Kind: kind, Email: email, UserID: user, CreatedAt: at(1), ExpiresAt: at(10)}
				requireNoError(t, w.Links.Insert(t.Context(), l))
				return l.Hash
			}
			reset, other := add(account.LinkReset, mail, 0), add(account.LinkReset, "other"+mail, 0)
			first, second, beas := add(account.LinkAddress, mail, ada), add(account.LinkAddress, "x"+mail, ada), add(account.LinkAddress, "y"+mail, bea)
			requireNoError(t, w.Links.Forget(t.Context(), account.LinkReset, mail, 0))
			requireNoError(t, w.Links.Forget(t.Context(), account.LinkAddress, mail, ada))
			for hash, left := range map[[32]byte]bool{reset: false, other: true, first: false, second: false, beas: true} {
				_, err := w.Links.Link(t.Context(), hash)
				assertEqual(t, err == nil, left)
			}
		},
		"removes expired links": func(t *testing.T, w *fixture) {
			l := account.MailLink{Hash: newHash(), Kind: account.LinkReset, Email: "a@example.org", CreatedAt: at(-100), ExpiresAt: at(-99)}
			requireNoError(t, w.Links.Insert(t.Context(), l))
			result(w.Aging.Delete(t.Context(), ports.AgedLinks, at(-99), 1000))(t)
			assertEqual(t, result(w.Links.Link(t.Context(), l.Hash))(t), l)
			result(w.Aging.Delete(t.Context(), ports.AgedLinks, at(-99).Add(time.Second), 1000))(t)
			_, err := w.Links.Link(t.Context(), l.Hash)
			requireError(t, err, core.ErrNotFound)
		},
	})
}
