package memory

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/ports"
)

type invitations struct{ conn }

func copyInvitation(i account.Invitation) account.Invitation {
	i.Grants, i.CustomRoles = slices.Clone(i.Grants), slices.Clone(i.CustomRoles)
	return i
}

func (s invitations) Invitations(ctx context.Context, q ports.InvitationQuery) ([]account.Invitation, error) {
	return view(ctx, s.conn, func(st *state) ([]account.Invitation, error) {
		rows := byID(&st.invitations, func(i account.Invitation) bool {
			return (q.BeforeID == 0 || i.ID < q.BeforeID) && (q.All || i.InvitedBy == q.InvitedBy || slices.Contains(q.TenantIDs, i.TenantID))
		}, copyInvitation)
		slices.Reverse(rows)
		return rows[:min(int64(len(rows)), q.Limit)], nil
	})
}

func (s invitations) Invitation(ctx context.Context, id int64) (account.Invitation, error) {
	return view(ctx, s.conn, func(st *state) (account.Invitation, error) {
		i, ok := st.invitations.get(id)
		return found(copyInvitation(i), ok, "invitation")
	})
}

func (s invitations) InvitationByHash(ctx context.Context, hash [32]byte) (account.Invitation, error) {
	return view(ctx, s.conn, func(st *state) (account.Invitation, error) {
		i, ok := st.invitations.find(func(i account.Invitation) bool { return i.Hash == hash })
		return found(copyInvitation(i), ok, "invitation")
	})
}

// Lock does nothing: transactions run one after another.
func (s invitations) Lock(context.Context, int64) error { return nil }

func (s invitations) Open(ctx context.Context, invitedBy int64, now time.Time) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) {
		return int64(len(st.invitations.all(func(i account.Invitation) bool {
			return i.InvitedBy == invitedBy && i.State(now) == account.InvitationOpen
		}))), nil
	})
}

func (s invitations) OpenTo(ctx context.Context, email string, now time.Time) ([]account.Invitation, error) {
	return view(ctx, s.conn, func(st *state) ([]account.Invitation, error) {
		return byID(&st.invitations, func(i account.Invitation) bool { return i.Email == email && i.State(now) == account.InvitationOpen }, copyInvitation), nil
	})
}

func (s invitations) Insert(ctx context.Context, i *account.Invitation) error {
	return s.change(ctx, func(st *state) error {
		if !st.tenants.has(i.TenantID) || !st.users.has(i.InvitedBy) {
			return core.NotFound("invitation")
		}
		i.ID = st.invitations.next()
		st.invitations.put(i.ID, copyInvitation(*i))
		st.record(event.Event{Type: event.InvitationCreated, TenantID: i.TenantID, SubjectID: i.ID})
		return nil
	})
}

func (s invitations) Update(ctx context.Context, i account.Invitation) error {
	return s.change(ctx, func(st *state) error {
		stored, ok := st.invitations.get(i.ID)
		if !ok {
			return core.NotFound("invitation")
		}
		stored.InvitedBy = i.InvitedBy
		stored.Hash, stored.ExpiresAt, stored.AcceptedAt, stored.AcceptedBy, stored.RevokedAt = i.Hash, i.ExpiresAt, i.AcceptedAt, i.AcceptedBy, i.RevokedAt
		st.invitations.put(i.ID, stored)
		st.record(event.Event{Type: stored.Change(), TenantID: stored.TenantID, SubjectID: i.ID})
		return nil
	})
}

type links struct{ conn }

func (s links) Link(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	return view(ctx, s.conn, func(st *state) (account.MailLink, error) {
		l, ok := st.links.get(hash)
		return found(l, ok, "link")
	})
}

func (s links) Take(ctx context.Context, hash [32]byte) (taken account.MailLink, err error) {
	err = s.change(ctx, func(st *state) error {
		l, ok := st.links.get(hash)
		if !ok {
			return core.NotFound("link")
		}
		st.links.remove(hash)
		taken = l
		return nil
	})
	return taken, err
}

func (s links) Insert(ctx context.Context, l account.MailLink) error {
	return s.apply(ctx, func(st *state) { st.links.put(l.Hash, l) })
}

func (s links) Forget(ctx context.Context, kind account.MailLinkKind, email string, userID int64) error {
	return s.apply(ctx, func(st *state) {
		st.links.removeIf(func(_ [32]byte, l account.MailLink) bool {
			return l.Kind == kind && (l.Email == email || userID != 0 && l.UserID == userID)
		})
	})
}
