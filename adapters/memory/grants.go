package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/review"
	"imprimatur/ports"
)

type grants struct{ conn }

// scope is the scope of a grant: exactly one id is set.
type scope struct{ tenantID, departmentID, projectID int64 }

// membership is a user in a scope, with at most one role.
type membership struct {
	scope

	userID int64
}

func (s grants) UserGrants(ctx context.Context, userID int64) (granted []core.Grant, roles []core.CustomRole, err error) {
	_, err = view(ctx, s.conn, func(st *state) (none struct{}, err error) {
		granted = st.grantsOf(func(s membership) bool { return s.userID == userID })
		roles = st.customRoles.where(func(role core.CustomRole) bool { return st.holdings.has(holding{role.ID, userID}) })
		return none, nil
	})
	return granted, roles, err
}

func (s grants) Roles(ctx context.Context, userIDs []int64) ([]account.HeldRole, error) {
	return view(ctx, s.conn, func(st *state) ([]account.HeldRole, error) {
		var held []account.HeldRole
		for _, g := range st.grantsOf(func(at membership) bool { return slices.Contains(userIDs, at.userID) }) {
			held = append(held, account.HeldRole{Grant: g, Place: st.placeName(g)})
		}
		for at := range st.holdings.each {
			role, _ := st.customRoles.get(at.roleID)
			if slices.Contains(userIDs, at.userID) {
				g := core.Grant{UserID: at.userID, TenantID: role.TenantID, DepartmentID: role.DepartmentID}
				held = append(held, account.HeldRole{Grant: g, CustomRole: core.CustomRole{ID: role.ID, Name: role.Name}, Place: st.placeName(g)})
			}
		}
		sort(held, func(a, b account.HeldRole) int {
			return cmp.Or(cmp.Compare(a.UserID, b.UserID), slices.Compare(heldAt(a), heldAt(b)))
		})
		return held, nil
	})
}

// heldAt returns the position of a role among those of its user: whether it is a custom role, in a
// Project, or in a Department, and its id there.
func heldAt(r account.HeldRole) []int64 {
	switch {
	case r.CustomRole.ID != 0:
		return []int64{3, r.CustomRole.ID}
	case r.ProjectID != 0:
		return []int64{2, r.ProjectID}
	case r.DepartmentID != 0:
		return []int64{1, r.DepartmentID}
	default:
		return []int64{0, r.TenantID}
	}
}

// placeName returns the name of the Project of g, else of its Department, else of its Tenant.
func (st *state) placeName(g core.Grant) string {
	if p, ok := st.projects.get(g.ProjectID); ok {
		return p.Name
	}
	if d, ok := st.departments.get(g.DepartmentID); ok {
		return d.Name
	}
	tenant, _ := st.tenants.get(g.TenantID)
	return tenant.Name
}

func (s grants) TenantMembers(ctx context.Context, tenantID int64) ([]core.Grant, error) {
	return s.membersOf(ctx, scope{tenantID: tenantID})
}

func (s grants) DepartmentMembers(ctx context.Context, departmentID int64) ([]core.Grant, error) {
	return s.membersOf(ctx, scope{departmentID: departmentID})
}

func (s grants) ProjectMembers(ctx context.Context, projectID int64) ([]core.Grant, error) {
	return s.membersOf(ctx, scope{projectID: projectID})
}

func (s grants) membersOf(ctx context.Context, place scope) ([]core.Grant, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Grant, error) {
		return st.grantsOf(func(s membership) bool { return s.scope == place }), nil
	})
}

func (s grants) Set(ctx context.Context, g core.Grant) error {
	return s.apply(ctx, func(st *state) {
		at := membership{scope{projectID: g.ProjectID}, g.UserID}
		switch g.Role {
		case core.RoleTenantAdmin:
			at.scope = scope{tenantID: g.TenantID}
		case core.RoleDepartmentAdmin:
			at.scope = scope{departmentID: g.DepartmentID}
		}
		if role, granted := st.grants.get(at); !granted || role != g.Role {
			st.grants.put(at, g.Role)
			st.recordMember(event.MemberUpdated, at, g.Role)
		}
	})
}

func (s grants) Remove(ctx context.Context, g core.Grant) error {
	return s.change(ctx, func(st *state) error {
		at := membership{scope{tenantID: g.TenantID}, g.UserID}
		switch {
		case g.ProjectID != 0:
			at.scope = scope{projectID: g.ProjectID}
		case g.DepartmentID != 0:
			at.scope = scope{departmentID: g.DepartmentID}
		}
		role, err := st.grants.one(at)
		if err == nil {
			st.grants.remove(at)
			st.recordMember(event.MemberRemoved, at, role)
		}
		return err
	})
}

// grantsOf returns the matching grants with the ids of the enclosing scopes, ordered by user
// and then by scope, the widest first.
func (st *state) grantsOf(match func(membership) bool) (list []core.Grant) {
	for at, role := range st.grants.each {
		if match(at) {
			list = append(list, st.grant(at, role))
		}
	}
	sort(list, func(a, b core.Grant) int {
		return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.ProjectID, b.ProjectID),
			cmp.Compare(a.DepartmentID, b.DepartmentID), cmp.Compare(a.TenantID, b.TenantID))
	})
	return list
}

func (st *state) grant(at membership, role core.Role) core.Grant {
	g := core.Grant{UserID: at.userID, Role: role, TenantID: at.tenantID, DepartmentID: at.departmentID, ProjectID: at.projectID}
	if p, ok := st.projects.get(g.ProjectID); ok {
		g.DepartmentID, g.TenantID = p.DepartmentID, p.TenantID
	} else if d, ok := st.departments.get(g.DepartmentID); ok {
		g.TenantID = d.TenantID
	}
	return g
}

func (st *state) recordMember(kind event.Type, at membership, role core.Role) {
	g := st.grant(at, role)
	st.record(event.Event{Type: kind, TenantID: g.TenantID, ProjectID: at.projectID, SubjectID: at.userID, Role: string(role), Place: st.placeName(g)})
}

func (s grants) Reviewers(ctx context.Context, tenantID, departmentID, projectID int64) ([]review.Reviewer, error) {
	return view(ctx, s.conn, func(st *state) (found []review.Reviewer, _ error) {
		for _, u := range st.users.where(func(u core.User) bool { return u.Active }) {
			if u.SuperAdmin {
				found = append(found, review.Reviewer{UserID: u.ID, Role: core.RoleSuperAdmin})
			}
			for _, place := range []scope{{tenantID: tenantID}, {departmentID: departmentID}, {projectID: projectID}} {
				if role, granted := st.grants.get(membership{place, u.ID}); granted && role.Includes(core.RoleAdmin) {
					found = append(found, review.Reviewer{UserID: u.ID, Role: role})
				}
			}
			for _, r := range st.customRoles.of(departmentID) {
				if st.holdings.has(holding{r.ID, u.ID}) {
					found = append(found, review.Reviewer{UserID: u.ID, CustomRoleID: r.ID})
				}
			}
		}
		return found, nil
	})
}

type delegations struct{ numbered }

func (s delegations) Delegations(ctx context.Context, q review.DelegationQuery) ([]core.Delegation, error) {
	is := func(wanted, id int64) bool { return wanted == 0 || wanted == id }
	return view(ctx, s.conn, func(st *state) ([]core.Delegation, error) {
		rows := st.delegations.where(func(d core.Delegation) bool {
			return d.EndedAt.IsZero() && d.Until.After(q.After) && is(q.To, d.To.ID) && is(q.Within, d.Within) &&
				(q.From == nil || slices.Contains(q.From, d.From.ID)) && (q.SetBy == 0 || q.SetBy == d.SetBy.ID && d.SetBy.ID != d.From.ID) &&
				(q.Involved == 0 || slices.Contains([]int64{d.From.ID, d.To.ID, d.SetBy.ID}, q.Involved))
		})
		for i, d := range rows {
			rows[i] = st.named(d)
		}
		return rows, nil
	})
}

func (s delegations) Delegation(ctx context.Context, id int64) (core.Delegation, error) {
	return view(ctx, s.conn, func(st *state) (core.Delegation, error) {
		d, err := st.delegations.one(id)
		return st.named(d), err
	})
}

func (s delegations) Hold(ctx context.Context, id int64) (core.Delegation, error) {
	if err := s.Lock(ctx, id); err != nil {
		return core.Delegation{}, err
	}
	return s.Delegation(ctx, id)
}

func (s delegations) Insert(ctx context.Context, d *core.Delegation) error { return s.insert(ctx, d) }

func (s delegations) End(ctx context.Context, d *core.Delegation) error {
	return edit(ctx, s.store, d.ID, func(st *state, stored *core.Delegation) error {
		if !stored.EndedAt.IsZero() {
			return core.NotFound(s.thing)
		}
		stored.EndedAt = d.EndedAt
		st.record(review.DelegationEvent(event.DelegationEnded, stored))
		return nil
	})
}

// named returns d with the present names of its users.
func (st *state) named(d core.Delegation) core.Delegation {
	for _, ref := range []*core.ActorRef{&d.From, &d.To, &d.SetBy} {
		ref.Kind, ref.Name = "user", st.account(ref.ID).Name
	}
	return d
}

type invitations struct{ numbered }

func (s invitations) Invitations(ctx context.Context, q ports.InvitationQuery) ([]account.Invitation, error) {
	rows, err := where(ctx, s.store, func(i account.Invitation) bool {
		return (q.BeforeID == 0 || i.ID < q.BeforeID) && (q.All || i.InvitedBy == q.InvitedBy || slices.Contains(q.TenantIDs, i.TenantID))
	})
	return first(latest(rows), q.Limit), err
}

func (s invitations) Invitation(ctx context.Context, id int64) (account.Invitation, error) {
	return get[account.Invitation](ctx, s.store, id)
}

func (s invitations) InvitationByHash(ctx context.Context, hash [32]byte) (account.Invitation, error) {
	return find(ctx, s.store, func(i account.Invitation) bool { return i.Hash == hash })
}

func (s invitations) Open(ctx context.Context, invitedBy int64, now time.Time) (int64, error) {
	return count(ctx, s.store, func(i account.Invitation) bool {
		return i.InvitedBy == invitedBy && i.State(now) == account.InvitationOpen
	})
}

func (s invitations) OpenTo(ctx context.Context, email string, now time.Time) ([]account.Invitation, error) {
	return where(ctx, s.store, func(i account.Invitation) bool { return i.Email == email && i.State(now) == account.InvitationOpen })
}

func (s invitations) Insert(ctx context.Context, i *account.Invitation) error {
	return s.insert(ctx, i)
}

func (s invitations) Update(ctx context.Context, i account.Invitation) error {
	return edit(ctx, s.store, i.ID, func(st *state, stored *account.Invitation) error {
		stored.InvitedBy = i.InvitedBy
		stored.Hash, stored.ExpiresAt, stored.AcceptedAt, stored.AcceptedBy, stored.RevokedAt = i.Hash, i.ExpiresAt, i.AcceptedAt, i.AcceptedBy, i.RevokedAt
		s.tell(st, stored.Change(), *stored)
		return nil
	})
}

type links struct{ store }

func (s links) Link(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	return get[account.MailLink](ctx, s.store, hash)
}

func (s links) Take(ctx context.Context, hash [32]byte) (taken account.MailLink, err error) {
	err = s.change(ctx, func(st *state) (err error) {
		taken, err = st.links.one(hash)
		st.links.remove(hash)
		return err
	})
	return taken, err
}

func (s links) Insert(ctx context.Context, l account.MailLink) error {
	return s.apply(ctx, func(st *state) { st.links.add(l.Hash, l) })
}

func (s links) Forget(ctx context.Context, kind account.MailLinkKind, email string, userID int64) error {
	return s.apply(ctx, func(st *state) {
		removeIf(&st.links, func(_ [32]byte, l account.MailLink) bool {
			return l.Kind == kind && (l.Email == email || userID != 0 && l.UserID == userID)
		})
	})
}
