package memory

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

type workflows struct{ conn }

func (s workflows) DepartmentWorkflow(ctx context.Context, departmentID int64) (review.Workflow, error) {
	return s.workflow(ctx, scope{departmentID: departmentID})
}

func (s workflows) ProjectWorkflow(ctx context.Context, projectID int64) (review.Workflow, error) {
	return s.workflow(ctx, scope{projectID: projectID})
}

func (s workflows) workflow(ctx context.Context, at scope) (review.Workflow, error) {
	return view(ctx, s.conn, func(st *state) (review.Workflow, error) {
		w, ok := st.workflows.get(at)
		return found(copyWorkflow(w), ok, "workflow")
	})
}

func (s workflows) Governing(ctx context.Context, projectID int64) (review.Workflow, error) {
	return view(ctx, s.conn, func(st *state) (review.Workflow, error) {
		w, ok := st.workflows.get(scope{projectID: projectID})
		if p, exists := st.projects.get(projectID); !ok && exists && p.DepartmentID != 0 {
			w, ok = st.workflows.get(scope{departmentID: p.DepartmentID})
		}
		return found(copyWorkflow(w), ok, "workflow")
	})
}

func (s workflows) UsingRole(ctx context.Context, customRoleID int64) ([]review.Workflow, error) {
	return view(ctx, s.conn, func(st *state) ([]review.Workflow, error) {
		return st.workflows.sorted(
			func(w review.Workflow) bool { return review.UsesRole(w.Steps, customRoleID) },
			func(a, b review.Workflow) int {
				return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.DepartmentID, b.DepartmentID))
			}, copyWorkflow), nil
	})
}

func (s workflows) Put(ctx context.Context, w review.Workflow) error {
	return s.change(ctx, func(st *state) error {
		at := scopeOf(w)
		if err := st.scopeExists(at); err != nil {
			return err
		}
		st.workflows.put(at, copyWorkflow(w))
		st.recordWorkflow(at)
		return nil
	})
}

func (s workflows) Remove(ctx context.Context, w review.Workflow) error {
	return s.change(ctx, func(st *state) error {
		at := scopeOf(w)
		if !st.workflows.has(at) {
			return core.NotFound("workflow")
		}
		st.workflows.remove(at)
		st.recordWorkflow(at)
		return nil
	})
}

func (st *state) recordWorkflow(at scope) {
	department, _ := st.departments.get(at.departmentID)
	st.record(event.Event{
		Type: event.WorkflowUpdated, TenantID: department.TenantID, ProjectID: at.projectID, SubjectID: department.ID,
	})
}

// scopeOf returns the scope that w governs.
func scopeOf(w review.Workflow) scope {
	return scope{departmentID: w.DepartmentID, projectID: w.ProjectID}
}

func copyWorkflow(w review.Workflow) review.Workflow {
	w.Steps, w.Exempt = slices.Clone(w.Steps), slices.Clone(w.Exempt)
	return w
}
