package approval

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// Workflows stores the workflows of Departments and Projects. The caller has authorized the
// actor. A change applies to later submissions; open requests keep their steps.
type Workflows struct {
	workflows ports.WorkflowStore
	grants    ports.GrantStore
	tx        ports.Tx
	clock     ports.Clock
}

// NewWorkflows returns Workflows.
func NewWorkflows(stores ports.Stores, tx ports.Tx, clock ports.Clock) *Workflows {
	return &Workflows{workflows: stores.Workflows, grants: stores.Grants, tx: tx, clock: clock}
}

// WorkflowView is a workflow with the present reachability of its steps.
type WorkflowView struct {
	core.Workflow

	// Unreachable reports for each step, by its order, that no user could approve it now. For
	// a Department's workflow only roles in the Department and above count, not those in
	// single Projects.
	Unreachable map[int]bool
}

// Effective is the workflow that governs a Project, and why.
type Effective struct {
	Workflow *WorkflowView // nil: none
	Source   string        // SourceProject, SourceDepartment or SourceNone
	Reason   string        // a sentence for people
}

// The values of Effective.Source.
const (
	SourceProject    = "project"
	SourceDepartment = "department"
	SourceNone       = "none"
)

// Department returns the Department's workflow, or core.ErrNotFound.
func (w *Workflows) Department(ctx context.Context, department core.Department) (*WorkflowView, error) {
	found, err := w.workflows.DepartmentWorkflow(ctx, department.ID)
	if err != nil {
		return nil, err
	}
	return w.ofDepartment(ctx, department, found)
}

// Project returns the Project's own workflow, or core.ErrNotFound.
func (w *Workflows) Project(ctx context.Context, project *core.Project) (*WorkflowView, error) {
	found, err := w.workflows.ProjectWorkflow(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	return w.ofProject(ctx, project, found)
}

func (w *Workflows) ofDepartment(ctx context.Context, d core.Department, workflow core.Workflow) (*WorkflowView, error) {
	reviewers, err := w.grants.Reviewers(ctx, d.TenantID, d.ID, 0)
	return &WorkflowView{workflow, unreachable(workflow.Steps, reviewers, nil)}, err
}

func (w *Workflows) ofProject(ctx context.Context, p *core.Project, workflow core.Workflow) (*WorkflowView, error) {
	reviewers, err := reviewersIn(ctx, w.grants, p)
	return &WorkflowView{workflow, unreachable(workflow.Steps, reviewers, nil)}, err
}

// SetDepartment replaces the Department's workflow. core.ErrInvalid names all faults by
// location: "steps", "steps[0].stepOrder".
func (w *Workflows) SetDepartment(ctx context.Context, actor core.Actor, department core.Department, in WorkflowInput) (*WorkflowView, error) {
	set, err := w.set(ctx, actor, in, core.Workflow{DepartmentID: department.ID}, func(context.Context, ports.Stores) (int64, error) {
		return department.ID, nil
	})
	if err != nil {
		return nil, err
	}
	return w.ofDepartment(ctx, department, set)
}

// SetProject replaces the Project's own workflow, as SetDepartment does. The workflow of a
// Project without Department cannot have steps for department admins or custom roles.
func (w *Workflows) SetProject(ctx context.Context, actor core.Actor, project *core.Project, in WorkflowInput) (*WorkflowView, error) {
	set, err := w.set(ctx, actor, in, core.Workflow{ProjectID: project.ID}, func(ctx context.Context, stores ports.Stores) (int64, error) {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return 0, err
		}
		present, err := stores.Projects.Project(ctx, project.ID)
		if err != nil {
			return 0, err
		}
		project = present
		return present.DepartmentID, nil
	})
	if err != nil {
		return nil, err
	}
	return w.ofProject(ctx, project, set)
}

// set stores in as the workflow of the scope that workflow names. department returns the id
// of the Department whose custom roles the steps may name.
func (w *Workflows) set(
	ctx context.Context, actor core.Actor, in WorkflowInput, workflow core.Workflow, department func(context.Context, ports.Stores) (int64, error),
) (core.Workflow, error) {
	err := w.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		departmentID, err := department(ctx, stores)
		if err != nil {
			return err
		}
		if err := in.check(ctx, stores.CustomRoles, departmentID); err != nil {
			return err
		}
		workflow.Steps, workflow.AllowSelfApproval = in.steps(), orTrue(in.AllowSelfApproval)
		workflow.UpdatedAt = w.clock.Now()
		return stores.Workflows.Put(ctx, workflow)
	})
	return workflow, err
}

// RemoveDepartment removes the Department's workflow; core.ErrNotFound when it has none.
func (w *Workflows) RemoveDepartment(ctx context.Context, actor core.Actor, department core.Department) error {
	return w.remove(ctx, actor, core.Workflow{DepartmentID: department.ID})
}

// RemoveProject removes the Project's own workflow, so that the Department's governs it;
// core.ErrNotFound when it has none.
func (w *Workflows) RemoveProject(ctx context.Context, actor core.Actor, project *core.Project) error {
	return w.remove(ctx, actor, core.Workflow{ProjectID: project.ID})
}

func (w *Workflows) remove(ctx context.Context, actor core.Actor, workflow core.Workflow) error {
	return w.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Workflows.Remove(ctx, workflow) })
}

// Effective returns the workflow that governs the Project, and why.
func (w *Workflows) Effective(ctx context.Context, project *core.Project) (Effective, error) {
	workflow, err := w.workflows.Governing(ctx, project.ID)
	switch {
	case errors.Is(err, core.ErrNotFound):
		return Effective{Source: SourceNone, Reason: ungoverned(project)}, nil
	case err != nil:
		return Effective{}, err
	}
	shown, err := w.ofProject(ctx, project, workflow)
	if workflow.ProjectID != 0 {
		return Effective{shown, SourceProject, "The project has a workflow of its own, which replaces its department's."}, err
	}
	return Effective{shown, SourceDepartment, "The project has no workflow of its own, so its department's governs it."}, err
}

func ungoverned(project *core.Project) string {
	if project.DepartmentID == 0 {
		return "The project has no workflow and no department: content is published directly."
	}
	return "Neither the project nor its department has a workflow: content is published directly."
}
