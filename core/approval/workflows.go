package approval

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// Workflows keeps the workflows of Departments and Projects. Whoever calls it has been
// authorized. A workflow governs what is submitted from now on: open requests keep the
// steps that they were submitted with.
type Workflows struct{ Deps }

// NewWorkflows returns Workflows over these parts.
func NewWorkflows(deps Deps) *Workflows { return &Workflows{deps} }

// WorkflowView is a workflow, and which of its steps no user could approve right now.
type WorkflowView struct {
	core.Workflow

	// Unreachable are steps by their order. Of a Department's workflow, roles in single
	// Projects are left out of account: only those of the Department and above count.
	Unreachable map[int]bool
}

// Effective says what governs a Project.
type Effective struct {
	Workflow *WorkflowView // nil: nothing does
	Source   string        // SourceProject, SourceDepartment or SourceNone
	Reason   string        // a sentence for people
}

// The sources of what governs a Project.
const (
	SourceProject    = "project"
	SourceDepartment = "department"
	SourceNone       = "none"
)

// Department returns the Department's workflow, or core.ErrNotFound.
func (w *Workflows) Department(ctx context.Context, department core.Department) (*WorkflowView, error) {
	found, err := w.Stores.Workflows.DepartmentWorkflow(ctx, department.ID)
	if err != nil {
		return nil, err
	}
	return w.ofDepartment(ctx, department, found)
}

// Project returns the Project's own workflow, or core.ErrNotFound.
func (w *Workflows) Project(ctx context.Context, project *core.Project) (*WorkflowView, error) {
	found, err := w.Stores.Workflows.ProjectWorkflow(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	return w.ofProject(ctx, project, found)
}

func (w *Workflows) ofDepartment(ctx context.Context, d core.Department, workflow core.Workflow) (*WorkflowView, error) {
	reviewers, err := w.Stores.Grants.Reviewers(ctx, d.TenantID, d.ID, 0)
	return &WorkflowView{workflow, unreachable(workflow.Steps, reviewers, nil)}, err
}

func (w *Workflows) ofProject(ctx context.Context, p *core.Project, workflow core.Workflow) (*WorkflowView, error) {
	reviewers, err := reviewersIn(ctx, w.Stores, p)
	return &WorkflowView{workflow, unreachable(workflow.Steps, reviewers, nil)}, err
}

// SetDepartment replaces the Department's workflow. core.ErrInvalid names every fault at
// once, by location: "steps", "steps[0].stepOrder".
func (w *Workflows) SetDepartment(ctx context.Context, actor core.Actor, department core.Department, in WorkflowInput) (*WorkflowView, error) {
	set, err := w.set(ctx, actor, in, core.Workflow{DepartmentID: department.ID}, func(context.Context, ports.Stores) (int64, error) {
		return department.ID, nil
	})
	if err != nil {
		return nil, err
	}
	return w.ofDepartment(ctx, department, set)
}

// SetProject replaces the Project's own workflow; otherwise as SetDepartment. A Project
// without Department takes no step for department admins or a custom role.
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

// set stores in as the workflow of the scope that workflow names, in a Department.
func (w *Workflows) set(
	ctx context.Context, actor core.Actor, in WorkflowInput, workflow core.Workflow, department func(context.Context, ports.Stores) (int64, error),
) (core.Workflow, error) {
	err := w.Tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) error {
		departmentID, err := department(ctx, stores)
		if err != nil {
			return err
		}
		if err := in.check(ctx, stores, departmentID); err != nil {
			return err
		}
		workflow.Steps, workflow.AllowSelfApproval = in.steps(), orTrue(in.AllowSelfApproval)
		workflow.UpdatedAt = w.Clock.Now()
		return stores.Workflows.Put(ctx, workflow)
	})
	return workflow, err
}

// RemoveDepartment takes the Department's workflow away; core.ErrNotFound.
func (w *Workflows) RemoveDepartment(ctx context.Context, actor core.Actor, department core.Department) error {
	return w.remove(ctx, actor, core.Workflow{DepartmentID: department.ID})
}

// RemoveProject takes the Project's own workflow away, so that it falls back to its
// Department's; core.ErrNotFound.
func (w *Workflows) RemoveProject(ctx context.Context, actor core.Actor, project *core.Project) error {
	return w.remove(ctx, actor, core.Workflow{ProjectID: project.ID})
}

func (w *Workflows) remove(ctx context.Context, actor core.Actor, workflow core.Workflow) error {
	return w.Tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) error { return stores.Workflows.Remove(ctx, workflow) })
}

// Effective returns what governs the Project, and why.
func (w *Workflows) Effective(ctx context.Context, project *core.Project) (Effective, error) {
	workflow, err := w.Stores.Workflows.Governing(ctx, project.ID)
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
