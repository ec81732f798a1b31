package review

import (
	"cmp"
	"fmt"
	"slices"

	"imprimatur/core"
)

// MayActOn reports whether the actor has the role of the step, in the present Department and Tenant
// of the Project. A custom role replaces the role kind: only its holders may act.
func MayActOn(a core.Actor, step *Step, p *core.Project) bool {
	if step.CustomRoleID == 0 {
		return a.RoleInProject(p).Includes(step.RoleKind)
	}
	return slices.ContainsFunc(a.CustomRoles, func(r core.CustomRole) bool {
		return r.ID == step.CustomRoleID && r.DepartmentID == p.DepartmentID
	})
}

// VisibleTo reports whether the actor may see r, a request of the Project: through any role in the
// Project, or through a custom role that one of the steps names.
func (r *Request) VisibleTo(actor core.Actor, p *core.Project) bool {
	return actor.RoleInProject(p) != "" || r.anyStep(func(step *Step) bool {
		return step.CustomRoleID != 0 && MayActOn(actor, step, p)
	})
}

// ReviewedBy reports whether the actor has the role of any step of r, or one that a step escalates to, or is lent the
// decision on one.
func (r *Request) ReviewedBy(actor core.Actor, p *core.Project) bool {
	return r.anyStep(func(step *Step) bool {
		return MayActOn(actor, step, p) || slices.ContainsFunc(actor.Lent, func(l core.Lender) bool { return Lends(&l, step, p) })
	})
}

// anyStep reports whether holds is true of a step of r, or of one as it is for those that it escalates to.
func (r *Request) anyStep(holds func(step *Step) bool) bool {
	return slices.ContainsFunc(r.Steps, func(step Step) bool {
		other := step.escalated()
		return holds(&step) || other != nil && holds(other)
	})
}

// ReviewedLastBy reports whether the actor is a user with the role of one of the last steps of r.
func (r *Request) ReviewedLastBy(actor core.Actor, p *core.Project) bool {
	return actor.User != nil && slices.ContainsFunc(r.LastSteps(), func(step Step) bool { return MayActOn(actor, &step, p) })
}

// OpenedBy reports whether the actor opened r, or the same person did by a token.
func (r *Request) OpenedBy(actor core.Actor) bool {
	by := actor.Ref()
	return !actor.System && (by.Same(r.SubmittedBy) || by.Person() != 0 && by.Person() == r.SubmittedBy.Person())
}

// Reviewer is a user that may act on steps, through a role from core.RoleAdmin up or through a
// custom role.
type Reviewer struct {
	UserID       int64
	Role         core.Role // "" when CustomRoleID is set
	CustomRoleID int64     // 0 when Role is set
}

// MayActOn reports whether v has the role of the step.
func (v Reviewer) MayActOn(step Step) bool {
	if step.CustomRoleID != 0 {
		return v.CustomRoleID == step.CustomRoleID
	}
	return v.Role.Includes(step.RoleKind)
}

// mayActOn reports whether v has the role of the step of r with the id, or one that the step is escalated to.
func (r *Request) mayActOn(v Reviewer, id int) bool {
	other := r.Escalated(id)
	return v.MayActOn(*r.step(id)) || other != nil && v.MayActOn(*other)
}

// Deciders are the users that could decide steps, by the id of the step.
type Deciders struct {
	// Users has the ids of the active users that have the role of the step and are not barred
	// (Request.Bars), ascending.
	Users map[int][]int64
	// Unreachable reports that the approvals of the step, and of those that are open with it, cannot all be given,
	// each by another user. Where a user may approve only one of the steps, that is also the case if the other steps
	// need all of its Users.
	Unreachable map[int]bool
	// Reasons says why an unreachable step cannot be approved, each as a sentence in lower case without a stop.
	Reasons map[int][]string
}

// StepWarning says why a step of a request cannot be approved at present.
type StepWarning struct {
	ID      int // of the step
	Step    Step
	Reasons []string
}

// Warnings returns a warning for each unreachable step of steps, in their order.
func (d Deciders) Warnings(steps []Step) []StepWarning {
	var found []StepWarning
	for i, step := range steps {
		if d.Unreachable[i+1] {
			found = append(found, StepWarning{i + 1, step, d.Reasons[i+1]})
		}
	}
	return found
}

// Deciders returns the Deciders of the steps of a pending request that lack approvals.
func (r *Request) Deciders(reviewers []Reviewer) Deciders {
	if r.CurrentStep() == nil {
		return Deciders{}
	}
	d := Deciders{Users: map[int][]int64{}, Unreachable: map[int]bool{}, Reasons: map[int][]string{}}
	for id := r.Current + 1; id <= len(r.Steps); id++ {
		if r.Lacks(id) == 0 {
			continue
		}
		ids := []int64{}
		for _, v := range reviewers {
			if r.mayActOn(v, id) && r.Bars(v.UserID, id) == MayDecide {
				ids = append(ids, v.UserID)
			}
		}
		slices.Sort(ids)
		d.Users[id] = slices.Compact(ids)
	}
	unfilled := r.unfilled(d.Users)
	for id := range d.Users {
		d.Unreachable[id] = false
		for other := range unfilled {
			if r.Steps[other-1].Order == r.Steps[id-1].Order {
				d.Unreachable[id], d.Reasons[id] = true, r.explain(id, reviewers, len(d.Users[id]), unfilled[id])
			}
		}
	}
	return d
}

// unfilled returns the steps with approvals that no user is left for. It assigns a different user to each approval
// as far as it can (augmenting paths in a bipartite graph): in all steps or, with AllowSelfApproval, in those that
// are open together.
func (r *Request) unfilled(users map[int][]int64) map[int]bool {
	found, assigned, order := map[int]bool{}, map[int64]int{}, 0
	var assign func(id int, tried map[int64]bool) bool
	assign = func(id int, tried map[int64]bool) bool {
		for _, user := range users[id] {
			if tried[user] {
				continue
			}
			tried[user] = true
			if other, taken := assigned[user]; !taken || other != id && assign(other, tried) {
				assigned[user] = id
				return true
			}
		}
		return false
	}
	for id := 1; id <= len(r.Steps); id++ {
		if _, ahead := users[id]; !ahead {
			continue
		}
		if step := r.Steps[id-1]; r.AllowSelfApproval && step.Order != order {
			clear(assigned)
			order = step.Order
		}
		for range r.Lacks(id) {
			if !assign(id, map[int64]bool{}) {
				found[id] = true
				break
			}
		}
	}
	return found
}

// explain returns the reasons why a step cannot be approved that left users may decide. unfilled reports that the
// step itself lacks a user, and not only one that is open with it.
func (r *Request) explain(id int, reviewers []Reviewer, left int, unfilled bool) (reasons []string) {
	if !unfilled {
		return []string{"a step that is open at the same time cannot be approved"}
	}
	held := false
	for _, v := range reviewers {
		if !r.mayActOn(v, id) {
			continue
		}
		held = true
		if why := r.Bars(v.UserID, id); why != MayDecide && !slices.Contains(reasons, r.told(v.UserID, why)) {
			reasons = append(reasons, r.told(v.UserID, why))
		}
	}
	switch lacking := r.Lacks(id); {
	case !held:
		return []string{"no active user has the role of the step"}
	case lacking > 1 && left < lacking:
		return append(reasons, fmt.Sprintf("the step needs the approvals of %d more users, and %d can give one", lacking, left))
	case left > 0 || len(reasons) == 0:
		return append(reasons, "a user may approve only one step, and the other steps need all users that are left")
	default:
		return reasons
	}
}

// BarredUser is a user that has the role of a step and may not decide it.
type BarredUser struct {
	UserID int64
	Reason string // a sentence in lower case without a stop
}

// BarredFrom returns those of reviewers that have the role of a step of r and are barred from it (Bars), by their id.
func (r *Request) BarredFrom(stepID int, reviewers []Reviewer) []BarredUser {
	var barred []BarredUser
	for _, v := range reviewers {
		if !r.mayActOn(v, stepID) {
			continue
		}
		if why := r.Bars(v.UserID, stepID); why != MayDecide {
			barred = append(barred, BarredUser{v.UserID, r.told(v.UserID, why)})
		}
	}
	slices.SortFunc(barred, func(a, b BarredUser) int { return cmp.Compare(a.UserID, b.UserID) })
	return slices.CompactFunc(barred, func(a, b BarredUser) bool { return a.UserID == b.UserID })
}

// told says why a user is barred.
func (r *Request) told(userID int64, why Refusal) string {
	named := func(by core.ActorRef, did string) string {
		if by.Kind == "user" {
			return by.Name + " " + did
		}
		if by.Kind == core.KindAssistant {
			return "the assistant " + by.Name + " " + did + ", which counts for its user"
		}
		return "the token " + by.Name + " " + did + ", which counts for the user that created it"
	}
	switch why {
	case RefusedSubmitter:
		return named(r.SubmittedBy, "submitted the request")
	case RefusedContributor:
		i := slices.IndexFunc(r.Contributors, func(by core.ActorRef) bool { return by.Person() == userID })
		return named(r.Contributors[i], "changed the entry since its last publication")
	case RefusedSeated:
		return "a user approved the step already, or one that is open at the same time"
	default:
		return "a user approved an earlier step"
	}
}

// Stuck reports whether a current or a later step of r, a pending request, cannot be approved.
func (r *Request) Stuck(reviewers []Reviewer) bool {
	return len(r.Deciders(reviewers).Warnings(r.Steps)) > 0
}
