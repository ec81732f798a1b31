package approval

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// unreachable reports for each step, by its order, whether no reviewer could approve it now:
// no active user has the role, or all users with the role are barred.
func unreachable(steps []core.Step, reviewers []core.Reviewer, barred []int64) map[int]bool {
	orders := map[int]bool{}
	for _, step := range steps {
		orders[step.Order] = !slices.ContainsFunc(reviewers, func(v core.Reviewer) bool {
			return v.MayActOn(step) && !slices.Contains(barred, v.UserID)
		})
	}
	return orders
}

// unreachableOf is unreachable for the current and the later steps of a pending request.
func unreachableOf(r *core.Request, reviewers []core.Reviewer) map[int]bool {
	if r.CurrentStep() == nil {
		return nil
	}
	return unreachable(r.Steps[r.Current:], reviewers, r.Barred())
}

// reviewersIn returns the users that may act on steps in the Project, one element per role.
func reviewersIn(ctx context.Context, grants ports.GrantStore, p *core.Project) ([]core.Reviewer, error) {
	return grants.Reviewers(ctx, p.TenantID, p.DepartmentID, p.ID)
}
