package delegation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Policy decides what callers may do with the roles of others. Implementation: access.Standing.
type Policy interface {
	// MayGive returns an error unless the actor may give each of the roles. Each grant has the id of its place only.
	MayGive(ctx context.Context, stores ports.Stores, actor core.Actor, grants []core.Grant, customRoles []int64) ([]account.HeldRole, error)
	// Grantee returns a user to which the actor may give a role in the Tenant; any other is core.KindNotFound.
	Grantee(ctx context.Context, stores ports.Stores, actor core.Actor, tenantID, userID int64) (core.User, error)
}

// Delegations sets, lists and ends delegations. It is safe for concurrent use.
type Delegations struct {
	stores ports.Stores
	tx     ports.Tx
	clock  ports.Clock
	policy Policy
}

// New returns Delegations.
func New(stores ports.Stores, tx ports.Tx, clock ports.Clock, policy Policy) *Delegations {
	return &Delegations{stores: stores, tx: tx, clock: clock, policy: policy}
}

// Input describes a delegation.
type Input struct {
	For           int64     // who lends; ignored by Give
	To            int64     // who may decide
	From          time.Time // zero or past: from now on
	Until         time.Time
	ProjectIDs    []int64
	DepartmentIDs []int64 // Give only
	Note          string
}

// Lists are the delegations of a user that hold now or later, by id.
type Lists struct {
	Given    []core.Delegation
	Received []core.Delegation
	Set      []core.Delegation // by the user, for others
}

// List returns the delegations of the actor.
func (ds *Delegations) List(ctx context.Context, actor core.Actor) (Lists, error) {
	all, err := ds.stores.Delegations.Delegations(ctx, review.DelegationQuery{Involved: actor.UserID(), After: ds.clock.Now()})
	lists := Lists{Given: []core.Delegation{}, Received: []core.Delegation{}, Set: []core.Delegation{}}
	for _, d := range all {
		switch actor.UserID() {
		case d.From.ID:
			lists.Given = append(lists.Given, d)
		case d.To.ID:
			lists.Received = append(lists.Received, d)
		default:
			lists.Set = append(lists.Set, d)
		}
	}
	return lists, err
}

// OfDepartment returns the delegations that admins of the Department set, by id.
func (ds *Delegations) OfDepartment(ctx context.Context, department core.Department) ([]core.Delegation, error) {
	return ds.stores.Delegations.Delegations(ctx, review.DelegationQuery{Within: department.ID, After: ds.clock.Now()})
}

// Give lends the decisions of the actor. The receiver must be an active user with a role in a Tenant that the actor
// has one in. Faults are core.ErrInvalid; with too many delegations it returns core.KindConflict.
func (ds *Delegations) Give(ctx context.Context, actor core.Actor, in Input) (core.Delegation, error) {
	return ds.insert(ctx, actor, in, func(ctx context.Context, stores ports.Stores, d *core.Delegation, found *core.Faults) error {
		d.From, d.TenantID = core.ActorRef{Kind: "user", ID: actor.UserID()}, actor.User.TenantID
		if err := ds.receiver(ctx, stores, actor, d.To.ID, found); err != nil {
			return err
		}
		if err := ds.projects(ctx, stores, in.ProjectIDs, func(p *core.Project) bool { return reaches(actor, p) }, found); err != nil {
			return err
		}
		return ds.departments(ctx, stores, actor, in.DepartmentIDs, found)
	})
}

// SetFor lends the decisions of another user, in the Department that the actor is an admin of. It is
// core.KindForbidden unless the actor may give each role that is lent to the receiver, who is another user.
func (ds *Delegations) SetFor(ctx context.Context, actor core.Actor, department core.Department, in Input) (core.Delegation, error) {
	in.DepartmentIDs = nil
	return ds.insert(ctx, actor, in, func(ctx context.Context, stores ports.Stores, d *core.Delegation, found *core.Faults) error {
		d.From = core.ActorRef{Kind: "user", ID: in.For}
		d.Within, d.TenantID = department.ID, department.TenantID
		d.Ceiling = actor.RoleIn(department.TenantID, department.ID, 0)
		switch actor.UserID() {
		case d.To.ID:
			return core.Forbidden("you may not lend the decisions of others to yourself")
		case d.From.ID:
			found.Add("for", d.From.ID, "must be another user: /api/me/delegations lends your own decisions")
		}
		for _, named := range []struct {
			location string
			id       int64
		}{{"for", d.From.ID}, {"to", d.To.ID}} {
			user, err := ds.policy.Grantee(ctx, stores, actor, department.TenantID, named.id)
			if err != nil && !errors.Is(err, core.ErrNotFound) {
				return err
			}
			if err != nil || !user.Active {
				found.Add(named.location, named.id, "must be an active user of the tenant")
			}
		}
		within := func(p *core.Project) bool { return p.DepartmentID == department.ID }
		if err := ds.projects(ctx, stores, in.ProjectIDs, within, found); err != nil || found.Err() != nil {
			return err
		}
		return ds.lendable(ctx, stores, actor, department, d, found)
	})
}

// insert checks what all delegations have in common, and stores the delegation that complete has completed. It locks
// both users, so that none of them exceeds review.MaxDelegations.
func (ds *Delegations) insert(
	ctx context.Context, actor core.Actor, in Input, complete func(context.Context, ports.Stores, *core.Delegation, *core.Faults) error,
) (made core.Delegation, err error) {
	err = ds.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		now, err := stores.Clock.Now(ctx)
		if err != nil {
			return err
		}
		d := core.Delegation{
			To: core.ActorRef{Kind: "user", ID: in.To}, SetBy: actor.Ref(), Since: in.From.UTC().Truncate(time.Millisecond), Until: in.Until.UTC().Truncate(time.Millisecond),
			ProjectIDs: core.Distinct(slices.Clone(in.ProjectIDs)), DepartmentIDs: core.Distinct(slices.Clone(in.DepartmentIDs)), Note: in.Note, CreatedAt: now,
		}
		if d.Since.Before(now) {
			d.Since = now
		}
		var found core.Faults
		check(&d, now, &found)
		if err := complete(ctx, stores, &d, &found); err != nil {
			return err
		}
		if d.From.ID == d.To.ID {
			found.Add("to", d.To.ID, "must be another user than the one who lends")
		}
		if err := found.Err(); err != nil {
			return err
		}
		if err := ds.room(ctx, stores, &d, now); err != nil {
			return err
		}
		if err := stores.Delegations.Insert(ctx, &d); err != nil {
			return err
		}
		made, err = stores.Delegations.Delegation(ctx, d.ID)
		return err
	})
	return made, err
}

// check finds faults of the members of d that depend on nothing else.
func check(d *core.Delegation, now time.Time, found *core.Faults) {
	switch {
	case !d.Until.After(d.Since):
		found.Add("until", nil, "must be later than now and than from")
	case d.Until.After(now.AddDate(0, 0, review.MaxDelegationDays)):
		found.Addf("until", nil, "must be at most %d days ahead", review.MaxDelegationDays)
	}
	if len(d.ProjectIDs) > 0 && len(d.DepartmentIDs) > 0 {
		found.Add("departments", nil, "must be left out with projects")
	}
	if len(d.ProjectIDs) > review.MaxDelegatedPlaces || len(d.DepartmentIDs) > review.MaxDelegatedPlaces {
		found.Addf("projects", nil, "and departments must have at most %d members", review.MaxDelegatedPlaces)
	}
	switch {
	case utf8.RuneCountInString(d.Note) > review.MaxDelegationNote:
		found.Addf("note", nil, "must have at most %d characters", review.MaxDelegationNote)
	case !core.ValidText(d.Note):
		found.Add("note", nil, "must be text without the character U+0000")
	}
}

// receiver finds a fault unless the user is active and has a role in a Tenant that the actor has one in. A super admin
// may name every user.
func (ds *Delegations) receiver(ctx context.Context, stores ports.Stores, actor core.Actor, userID int64, found *core.Faults) error {
	user, err := stores.Users.User(ctx, userID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	known := err == nil && user.Active
	if known && !actor.User.SuperAdmin {
		grants, roles, err := stores.Grants.UserGrants(ctx, userID)
		if err != nil {
			return err
		}
		theirs := tenants(&user, grants, roles)
		known = slices.ContainsFunc(tenants(actor.User, actor.Grants, actor.CustomRoles), func(id int64) bool { return slices.Contains(theirs, id) })
	}
	if !known {
		found.Add("to", userID, "must be an active user with a role in your tenant")
	}
	return nil
}

// tenants returns the Tenants in which a user has a role, or which manage the account.
func tenants(user *core.User, grants []core.Grant, roles []core.CustomRole) (ids []int64) {
	if user.TenantID != 0 {
		ids = append(ids, user.TenantID)
	}
	for _, g := range grants {
		ids = append(ids, g.TenantID)
	}
	for _, r := range roles {
		ids = append(ids, r.TenantID)
	}
	return ids
}

// reaches reports whether the actor has a role in the Project, or a custom role of its Department.
func reaches(actor core.Actor, p *core.Project) bool {
	return actor.RoleInProject(p) != "" || p.DepartmentID != 0 && slices.ContainsFunc(actor.CustomRoles, func(r core.CustomRole) bool { return r.DepartmentID == p.DepartmentID })
}

// projects finds a fault for each Project that does not exist or is not allowed.
func (ds *Delegations) projects(ctx context.Context, stores ports.Stores, ids []int64, allowed func(*core.Project) bool, found *core.Faults) error {
	if len(ids) == 0 || len(ids) > review.MaxDelegatedPlaces {
		return nil
	}
	projects, err := stores.Projects.ProjectsByIDs(ctx, ids)
	for i, id := range ids {
		if !slices.ContainsFunc(projects, func(p *core.Project) bool { return p.ID == id && allowed(p) }) {
			found.Add(fmt.Sprintf("projects[%d]", i), id, "is no project in which the decisions can be lent")
		}
	}
	return err
}

// departments finds a fault for each Department that the actor has no role in.
func (ds *Delegations) departments(ctx context.Context, stores ports.Stores, actor core.Actor, ids []int64, found *core.Faults) error {
	if len(ids) > review.MaxDelegatedPlaces {
		return nil
	}
	for i, id := range ids {
		department, err := stores.Departments.Department(ctx, id)
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		known := err == nil && (actor.RoleIn(department.TenantID, id, 0) != "" ||
			slices.ContainsFunc(actor.Grants, func(g core.Grant) bool { return g.DepartmentID == id }) ||
			slices.ContainsFunc(actor.CustomRoles, func(r core.CustomRole) bool { return r.DepartmentID == id }))
		if !known {
			found.Add(fmt.Sprintf("departments[%d]", i), id, "is no department in which you have a role")
		}
	}
	return nil
}

// lendable returns core.KindForbidden unless the actor may give each role of d.From that decides steps in the
// Department, and finds a fault if there is none.
func (ds *Delegations) lendable(ctx context.Context, stores ports.Stores, actor core.Actor, department core.Department, d *core.Delegation, found *core.Faults) error {
	lender, err := stores.Users.User(ctx, d.From.ID)
	if err != nil {
		return err
	}
	held, customRoles, err := stores.Grants.UserGrants(ctx, lender.ID)
	if err != nil {
		return err
	}
	var grants []core.Grant
	for _, g := range held {
		switch {
		case g.Role == core.RoleTenantAdmin && g.TenantID == department.TenantID:
			grants = append(grants, core.Grant{Role: g.Role, TenantID: g.TenantID})
		case g.Role == core.RoleDepartmentAdmin && g.DepartmentID == department.ID:
			grants = append(grants, core.Grant{Role: g.Role, DepartmentID: g.DepartmentID})
		case g.Role == core.RoleAdmin && g.DepartmentID == department.ID && (len(d.ProjectIDs) == 0 || slices.Contains(d.ProjectIDs, g.ProjectID)):
			grants = append(grants, core.Grant{Role: g.Role, ProjectID: g.ProjectID})
		}
	}
	var roles []int64
	for _, r := range customRoles {
		if r.DepartmentID == department.ID {
			roles = append(roles, r.ID)
		}
	}
	if len(grants)+len(roles) == 0 && !lender.SuperAdmin {
		found.Add("for", lender.ID, "must have a role that decides steps of the department")
		return nil
	}
	if lender.SuperAdmin && !actor.User.SuperAdmin {
		return errNotGivable
	}
	_, err = ds.policy.MayGive(ctx, stores, actor, grants, roles)
	if kind := core.KindOf(err); kind == core.KindForbidden || kind == core.KindNotFound || kind == core.KindInvalid {
		return errNotGivable
	}
	return err
}

var errNotGivable = core.Forbidden("you may lend only what you may give: every role and custom role of the user in the department")

// room locks both users of d and returns core.KindConflict if one of them has review.MaxDelegations.
func (ds *Delegations) room(ctx context.Context, stores ports.Stores, d *core.Delegation, now time.Time) error {
	for _, id := range []int64{min(d.From.ID, d.To.ID), max(d.From.ID, d.To.ID)} {
		if err := stores.Users.Lock(ctx, id); err != nil {
			return err
		}
	}
	given, err := stores.Delegations.Delegations(ctx, review.DelegationQuery{From: []int64{d.From.ID}, After: now})
	if err != nil {
		return err
	}
	received, err := stores.Delegations.Delegations(ctx, review.DelegationQuery{To: d.To.ID, After: now})
	switch {
	case err != nil:
		return err
	case len(given) >= review.MaxDelegations:
		return core.Conflict("too_many_delegations", "a user lends to at most %d users at a time", review.MaxDelegations)
	case len(received) >= review.MaxDelegations:
		return core.Conflict("too_many_delegations", "a user decides for at most %d users at a time", review.MaxDelegations)
	default:
		return nil
	}
}

// End ends a delegation. Both of its users may, and who set it; for others, and when it has ended, it is
// core.KindNotFound.
func (ds *Delegations) End(ctx context.Context, actor core.Actor, id int64) error {
	return ds.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		d, err := stores.Delegations.Hold(ctx, id)
		if err != nil {
			return err
		}
		if d.EndedAt, err = stores.Clock.Now(ctx); err != nil {
			return err
		}
		if involved := slices.Contains([]int64{d.From.ID, d.To.ID, d.SetBy.ID}, actor.UserID()); !involved || !d.Until.After(d.EndedAt) {
			return core.NotFound("delegation")
		}
		return stores.Delegations.End(ctx, &d)
	})
}
