package approval

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// unreachable returns, by their order, the steps that no reviewer could approve right
// now: no active user has the role, or each who has it is barred.
func unreachable(steps []core.Step, reviewers []core.Reviewer, barred []int64) map[int]bool {
	orders := map[int]bool{}
	for _, step := range steps {
		orders[step.Order] = !slices.ContainsFunc(reviewers, func(v core.Reviewer) bool {
			return v.MayActOn(step) && !slices.Contains(barred, v.UserID)
		})
	}
	return orders
}

// unreachableOf returns those of the steps that a pending r waits at or has still to
// come to.
func unreachableOf(r *core.Request, reviewers []core.Reviewer) map[int]bool {
	if r.CurrentStep() == nil {
		return nil
	}
	return unreachable(r.Steps[r.Current:], reviewers, r.Barred())
}

// reviewersIn returns who may act on steps in the Project.
func reviewersIn(ctx context.Context, stores ports.Stores, p *core.Project) ([]core.Reviewer, error) {
	return stores.Grants.Reviewers(ctx, p.TenantID, p.DepartmentID, p.ID)
}
