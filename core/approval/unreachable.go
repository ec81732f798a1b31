package approval

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/review"
)

// maxExamined is the number of pending requests, the oldest first, whose deciders one call computes.
const maxExamined = 500

// UnreachableCount is a number of pending requests with a current or later step that no user can approve.
type UnreachableCount struct {
	Count    int64
	Complete bool // false: more requests are pending than were examined
}

// UnreachableFilter selects a page of the requests with a step that no user can approve. The zero
// value is the first page of all Projects.
type UnreachableFilter struct {
	query.Window

	ProjectID int64 // 0: every Project
}

// Unreachable returns the pending requests with a current or later step that no user can approve, in
// the Projects that the actor has a role in, oldest first. It examines the 500 oldest pending requests.
// An invalid filter is core.KindBadRequest and names the parameter.
func (i *Inbox) Unreachable(ctx context.Context, actor core.Actor, f UnreachableFilter) (page query.Page[View], err error) {
	if err := f.Check(DefaultPerPage); err != nil {
		return page, err
	}
	projects, err := i.projects(ctx, actor, core.RoleViewer)
	if err != nil {
		return page, err
	}
	if f.ProjectID != 0 {
		projects = slices.DeleteFunc(projects, func(p *core.Project) bool { return p.ID != f.ProjectID })
	}
	stuck, _, err := i.examine(ctx, projects, (*review.Request).Stuck)
	if err != nil {
		return page, err
	}
	total := int64(len(stuck))
	from := min(f.Offset(), total)
	to := min(from+f.PerPage, total)
	views, err := i.views(ctx, actor, stuck[from:to])
	return query.Page[View]{Items: views, Window: f.Window, Total: total, HasMore: to < total}, err
}

// CountUnreachable counts the requests of the Project that Unreachable lists.
func (i *Inbox) CountUnreachable(ctx context.Context, project *core.Project) (UnreachableCount, error) {
	return i.count(ctx, []*core.Project{project}, (*review.Request).Stuck)
}

// CountAfterRemoval counts the pending requests that become unreachable when g is removed: the other
// roles of the user stay. It examines the 500 oldest pending requests of the scope of g.
func (i *Inbox) CountAfterRemoval(ctx context.Context, g core.Grant) (UnreachableCount, error) {
	projects, err := i.stores.Projects.Projects(ctx, g.TenantID)
	if err != nil {
		return UnreachableCount{}, err
	}
	projects = slices.DeleteFunc(projects, func(p *core.Project) bool {
		return g.DepartmentID != 0 && p.DepartmentID != g.DepartmentID || g.ProjectID != 0 && p.ID != g.ProjectID
	})
	return i.count(ctx, projects, stuckWithout(func(v review.Reviewer) bool { return v.UserID == g.UserID && v.Role == g.Role }))
}

// CountAfterUnassignment counts the pending requests that become unreachable when a user no longer holds a
// custom role of the Department. It examines the 500 oldest pending requests of the Department.
func (i *Inbox) CountAfterUnassignment(ctx context.Context, d core.Department, customRoleID, userID int64) (UnreachableCount, error) {
	projects, err := i.stores.Projects.Projects(ctx, d.TenantID)
	if err != nil {
		return UnreachableCount{}, err
	}
	projects = slices.DeleteFunc(projects, func(p *core.Project) bool { return p.DepartmentID != d.ID })
	return i.count(ctx, projects, stuckWithout(func(v review.Reviewer) bool { return v.UserID == userID && v.CustomRoleID == customRoleID }))
}

// CountAfterDeactivation counts the pending requests that become unreachable when the account is
// deactivated. It examines the 500 oldest pending requests of the Tenants that the user has a role in. The
// actor learns of its own account, and of Tenants that it is an admin of.
func (i *Inbox) CountAfterDeactivation(ctx context.Context, actor core.Actor, user core.User) (UnreachableCount, error) {
	grants, roles, err := i.stores.Grants.UserGrants(ctx, user.ID)
	if err != nil {
		return UnreachableCount{}, err
	}
	tenants, err := i.tenants(ctx, core.Actor{User: &user, Grants: grants, CustomRoles: roles})
	if err != nil {
		return UnreachableCount{}, err
	}
	var projects []*core.Project
	for _, tenant := range tenants {
		if actor.UserID() != user.ID && !actor.RoleIn(tenant, 0, 0).Includes(core.RoleTenantAdmin) {
			continue
		}
		some, err := i.stores.Projects.Projects(ctx, tenant)
		if err != nil {
			return UnreachableCount{}, err
		}
		projects = append(projects, some...)
	}
	return i.count(ctx, projects, stuckWithout(func(v review.Reviewer) bool { return v.UserID == user.ID }))
}

// stuckWithout returns a function that reports whether a request becomes stuck without the reviewers
// that leave.
func stuckWithout(leaves func(review.Reviewer) bool) func(*review.Request, []review.Reviewer) bool {
	return func(r *review.Request, reviewers []review.Reviewer) bool {
		left := slices.DeleteFunc(slices.Clone(reviewers), leaves)
		return len(left) < len(reviewers) && !r.Stuck(reviewers) && r.Stuck(left)
	}
}

func (i *Inbox) count(ctx context.Context, projects []*core.Project, match func(*review.Request, []review.Reviewer) bool) (UnreachableCount, error) {
	found, complete, err := i.examine(ctx, projects, match)
	return UnreachableCount{Count: int64(len(found)), Complete: complete}, err
}

// examine returns the matching requests among the oldest pending requests of the Projects, and whether
// these are all that are pending. match gets a request and the reviewers of its Project.
func (i *Inbox) examine(ctx context.Context, projects []*core.Project, match func(*review.Request, []review.Reviewer) bool) (found []review.Request, complete bool, err error) {
	byID := make(map[int64]*core.Project, len(projects))
	ids := make([]int64, len(projects))
	for n, p := range projects {
		byID[p.ID], ids[n] = p, p.ID
	}
	pending, err := i.stores.Requests.Pending(ctx, ids, maxExamined+1)
	if err != nil {
		return nil, false, err
	}
	reviewers := map[int64][]review.Reviewer{}
	for _, r := range pending[:min(len(pending), maxExamined)] {
		if _, read := reviewers[r.ProjectID]; !read {
			p := byID[r.ProjectID]
			if reviewers[p.ID], err = i.stores.Grants.Reviewers(ctx, p.TenantID, p.DepartmentID, p.ID); err != nil {
				return nil, false, err
			}
		}
		if match(&r, reviewers[r.ProjectID]) {
			found = append(found, r)
		}
	}
	return found, len(pending) <= maxExamined, nil
}
