package core

import (
	"slices"
	"time"
)

// Delegation lets a user decide steps with review.Step.Delegable on behalf of another user, for a time. It lends no other
// permission, and cannot be lent again.
type Delegation struct {
	ID int64
	// From lends its decisions to To. SetBy is From, or an admin of Within. The names are the present ones.
	From, To, SetBy ActorRef
	Since, Until    time.Time // Until is excluded
	// ProjectIDs or DepartmentIDs limit the delegation to requests of these Projects, or of the Projects of these
	// Departments. Both are empty for a delegation that holds everywhere.
	ProjectIDs, DepartmentIDs []int64
	// Within is the Department whose admin set the delegation, which holds only there; 0: From set it.
	Within int64
	// Ceiling is the role of that admin in the Department. Higher roles of From are not lent. Empty: all are.
	Ceiling   Role
	TenantID  int64 // of Within, or that manages the account of From; 0: none
	Note      string
	CreatedAt time.Time
	EndedAt   time.Time // zero: no user ended it
}

// Holds reports whether d is in force at a time.
func (d *Delegation) Holds(at time.Time) bool {
	return d.EndedAt.IsZero() && !at.Before(d.Since) && at.Before(d.Until)
}

// Covers reports whether d lends decisions in a Project.
func (d *Delegation) Covers(p *Project) bool {
	switch {
	case d.Within != 0 && d.Within != p.DepartmentID:
		return false
	case len(d.ProjectIDs) > 0:
		return slices.Contains(d.ProjectIDs, p.ID)
	case len(d.DepartmentIDs) > 0:
		return p.DepartmentID != 0 && slices.Contains(d.DepartmentIDs, p.DepartmentID)
	default:
		return true
	}
}

// Lender is a user on whose behalf another user may decide, with the roles that are lent.
type Lender struct {
	Delegation

	SuperAdmin  bool
	Grants      []Grant
	CustomRoles []CustomRole
}

// Lends reports whether d lends decisions that take the role.
func (d *Delegation) Lends(role Role) bool { return d.Ceiling == "" || d.Ceiling.Includes(role) }

// Actor returns l as an actor, for the check of its roles.
func (l *Lender) Actor() Actor {
	return Actor{User: &User{ID: l.From.ID, Name: l.From.Name, SuperAdmin: l.SuperAdmin}, Grants: l.Grants, CustomRoles: l.CustomRoles}
}

// LentAt returns those of all whose delegations are in force at a time.
func LentAt(all []Lender, at time.Time) (lent []Lender) {
	for i := range all {
		if all[i].Holds(at) {
			lent = append(lent, all[i])
		}
	}
	return lent
}
