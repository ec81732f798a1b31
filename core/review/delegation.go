package review

import (
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// Limits of delegations.
const (
	MaxDelegations     = 20 // that a user gives, and that a user receives, at a time
	MaxDelegationDays  = 90 // from now to the end
	MaxDelegationNote  = 500
	MaxDelegatedPlaces = 100
)

// DelegationQuery selects delegations that are not ended and whose Until is after After. The other members select
// those of a user or a Department; 0: any.
type DelegationQuery struct {
	After    time.Time
	To       int64
	From     []int64 // nil: any
	SetBy    int64   // set by this user for another one
	Within   int64
	Involved int64 // From, To or SetBy
}

// LenderOf returns the lender of d: a user with its present roles, without those above the Ceiling.
func LenderOf(d core.Delegation, user *core.User, held []account.HeldRole) core.Lender {
	l := core.Lender{Delegation: d, SuperAdmin: user.SuperAdmin && d.Lends(core.RoleSuperAdmin)}
	for _, h := range held {
		switch {
		case h.UserID != user.ID:
		case h.CustomRole.ID != 0:
			role := h.CustomRole
			role.TenantID, role.DepartmentID = h.TenantID, h.DepartmentID
			l.CustomRoles = append(l.CustomRoles, role)
		case d.Lends(h.Role):
			l.Grants = append(l.Grants, h.Grant)
		}
	}
	return l
}

// Lends reports whether l lends its decision on the step, in the present Department and Tenant of the Project.
func Lends(l *core.Lender, step *Step, p *core.Project) bool {
	return step.Delegable && l.Covers(p) && MayActOn(l.Actor(), step, p)
}

// Behalf says that a user may decide a step on behalf of another one.
type Behalf struct {
	StepID       int
	Person       core.ActorRef
	DelegationID int64
	Late         bool // only because the step is escalated
}

// DelegationEvent returns an event about d.
func DelegationEvent(t event.Type, d *core.Delegation) event.Event {
	return event.Event{Type: t, TenantID: d.TenantID, SubjectID: d.ID}
}
