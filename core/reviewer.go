package core

import "slices"

// MayActOn reports whether the actor has the role of the step, in the present Department and Tenant
// of the Project. A custom role replaces the role kind: only its holders may act.
func (a Actor) MayActOn(step *Step, p *Project) bool {
	if step.CustomRoleID == 0 {
		return a.RoleInProject(p).Includes(step.RoleKind)
	}
	return slices.ContainsFunc(a.CustomRoles, func(r CustomRole) bool {
		return r.ID == step.CustomRoleID && r.DepartmentID == p.DepartmentID
	})
}

// VisibleTo reports whether the actor may see r, a request of the Project: through any role in the
// Project, or through a custom role that one of the steps names.
func (r *Request) VisibleTo(actor Actor, p *Project) bool {
	return actor.RoleInProject(p) != "" || slices.ContainsFunc(r.Steps, func(step Step) bool {
		return step.CustomRoleID != 0 && actor.MayActOn(&step, p)
	})
}

// ReviewedBy reports whether the actor has the role of any step of r.
func (r *Request) ReviewedBy(actor Actor, p *Project) bool {
	return slices.ContainsFunc(r.Steps, func(step Step) bool { return actor.MayActOn(&step, p) })
}

// ReviewedLastBy reports whether the actor is a user with the role of the last step of r.
func (r *Request) ReviewedLastBy(actor Actor, p *Project) bool {
	last := len(r.Steps) - 1 // negative only in a damaged row
	return actor.User != nil && last >= 0 && actor.MayActOn(&r.Steps[last], p)
}

// OpenedBy reports whether the actor opened r, or the same person did by a token.
func (r *Request) OpenedBy(actor Actor) bool {
	by := actor.Ref()
	return !actor.System && (by.Same(r.SubmittedBy) || by.Person() != 0 && by.Person() == r.SubmittedBy.Person())
}

// Reviewer is a user that may act on steps, through a role from RoleAdmin up or through a
// custom role.
type Reviewer struct {
	UserID       int64
	Role         Role  // "" when CustomRoleID is set
	CustomRoleID int64 // 0 when Role is set
}

// MayActOn reports whether v has the role of the step.
func (v Reviewer) MayActOn(step Step) bool {
	if step.CustomRoleID != 0 {
		return v.CustomRoleID == step.CustomRoleID
	}
	return v.Role.Includes(step.RoleKind)
}

// Deciders are the users that could decide steps, by the order of the step.
type Deciders struct {
	// Users has the ids of the active users that have the role of the step and are not barred
	// (Request.Barred), ascending.
	Users map[int][]int64
	// Unreachable reports that no user is left to approve the step. Where a user may approve only
	// one of the steps, that is also the case if the other steps need all of its Users.
	Unreachable map[int]bool
	// Reasons says why an unreachable step cannot be approved, each as a sentence in lower case without a stop.
	Reasons map[int][]string
}

// StepWarning says why no user can approve a step of a request at present.
type StepWarning struct {
	Step    Step
	Reasons []string
}

// Warnings returns a warning for each unreachable step of steps, in their order.
func (d Deciders) Warnings(steps []Step) []StepWarning {
	var found []StepWarning
	for _, step := range steps {
		if d.Unreachable[step.Order] {
			found = append(found, StepWarning{step, d.Reasons[step.Order]})
		}
	}
	return found
}

// explain sets d.Reasons. why returns why a user is barred, or "".
func (d *Deciders) explain(steps []Step, reviewers []Reviewer, why func(userID int64) string) {
	d.Reasons = map[int][]string{}
	for _, step := range steps {
		if !d.Unreachable[step.Order] {
			continue
		}
		var reasons []string
		held := false
		for _, v := range reviewers {
			if !v.MayActOn(step) {
				continue
			}
			held = true
			if reason := why(v.UserID); reason != "" && !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
		switch {
		case !held:
			reasons = []string{"no active user has the role of the step"}
		case len(d.Users[step.Order]) > 0 || len(reasons) == 0:
			reasons = append(reasons, "a user may approve only one step, and the other steps need all users that are left")
		}
		d.Reasons[step.Order] = reasons
	}
}

// DecidersOf returns the Deciders of steps. If once is true, a user may approve only one of them.
func DecidersOf(steps []Step, reviewers []Reviewer, barred []int64, once bool) Deciders {
	users := map[int][]int64{}
	for _, step := range steps {
		ids := []int64{}
		for _, v := range reviewers {
			if v.MayActOn(step) && !slices.Contains(barred, v.UserID) {
				ids = append(ids, v.UserID)
			}
		}
		slices.Sort(ids)
		users[step.Order] = slices.Compact(ids)
	}
	d := Deciders{Users: users, Unreachable: unreachable(steps, users, once)}
	d.explain(steps, reviewers, func(int64) string { return "" })
	return d
}

// unreachable returns Deciders.Unreachable. If once is true, it assigns a different user to each
// step as far as it can (augmenting paths in a bipartite graph).
func unreachable(steps []Step, users map[int][]int64, once bool) map[int]bool {
	assigned := map[int64]int{} // the order of a step, by user
	var assign func(step int, tried map[int64]bool) bool
	assign = func(step int, tried map[int64]bool) bool {
		for _, user := range users[step] {
			if tried[user] {
				continue
			}
			tried[user] = true
			if other, taken := assigned[user]; !taken || !once || assign(other, tried) {
				assigned[user] = step
				return true
			}
		}
		return false
	}
	orders := map[int]bool{}
	for _, step := range steps {
		orders[step.Order] = !assign(step.Order, map[int64]bool{})
	}
	return orders
}

// Deciders returns the Deciders of the current and the later steps of a pending request.
func (r *Request) Deciders(reviewers []Reviewer) Deciders {
	if r.CurrentStep() == nil {
		return Deciders{}
	}
	d := DecidersOf(r.Steps[r.Current:], reviewers, r.Barred(), !r.AllowSelfApproval)
	d.explain(r.Steps[r.Current:], reviewers, r.whyBarred)
	return d
}

// Stuck reports whether no user can approve the current or a later step of r, a pending request.
func (r *Request) Stuck(reviewers []Reviewer) bool {
	return len(r.Deciders(reviewers).Warnings(r.Steps)) > 0
}

// whyBarred says why allowSelfApproval keeps a user from acting on r, or returns "".
func (r *Request) whyBarred(userID int64) string {
	if !slices.Contains(r.Barred(), userID) {
		return ""
	}
	named := func(by ActorRef, did string) string {
		if by.Kind == "user" {
			return by.Name + " " + did
		}
		return "the token " + by.Name + " " + did + ", which counts for the user that created it"
	}
	if r.SubmittedBy.Person() == userID {
		return named(r.SubmittedBy, "submitted the request")
	}
	for _, by := range r.Contributors {
		if by.Person() == userID {
			return named(by, "changed the entry since its last publication")
		}
	}
	return "a user approved an earlier step"
}
