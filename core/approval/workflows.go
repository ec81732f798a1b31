package approval

import (
	"context"

	"imprimatur/core"
)

// Workflows keeps the workflows of Departments and Projects. The caller has
// authorized what is asked.
type Workflows struct{ Deps }

// NewWorkflows returns Workflows over these parts.
func NewWorkflows(deps Deps) *Workflows { return &Workflows{deps} }

// StepInput describes a step; AllowRevision and AllowRejection default to true.
type StepInput struct {
	StepOrder            int
	RequiredRoleKind     string
	RequiredCustomRoleID *int64
	StepLabel            *string
	AllowRevision        *bool
	AllowRejection       *bool
}

// WorkflowInput describes a workflow; AllowSelfApproval defaults to true.
type WorkflowInput struct {
	Steps             []StepInput
	AllowSelfApproval *bool
}

// Effective says what governs a Project.
type Effective struct {
	Workflow *core.Workflow // nil: nothing does
	Source   string         // "project", "department" or "none"
	Reason   string         // a sentence for people
}

// Department returns the Department's workflow, or core.ErrNotFound.
func (w *Workflows) Department(ctx context.Context, department core.Department) (core.Workflow, error) {
	panic("")
}

// Project returns the Project's own workflow, or core.ErrNotFound.
func (w *Workflows) Project(ctx context.Context, project *core.Project) (core.Workflow, error) {
	panic("")
}

// SetDepartment replaces the Department's workflow.
func (w *Workflows) SetDepartment(ctx context.Context, department core.Department, in WorkflowInput) (core.Workflow, error) {
	panic("")
}

// SetProject replaces the Project's own workflow.
func (w *Workflows) SetProject(ctx context.Context, project *core.Project, in WorkflowInput) (core.Workflow, error) {
	panic("")
}

// RemoveDepartment takes the Department's workflow away, or answers core.ErrNotFound.
func (w *Workflows) RemoveDepartment(ctx context.Context, department core.Department) error {
	panic("")
}

// RemoveProject takes the Project's own workflow away, or answers core.ErrNotFound.
func (w *Workflows) RemoveProject(ctx context.Context, project *core.Project) error {
	panic("")
}

// Effective returns what governs the Project, and why.
func (w *Workflows) Effective(ctx context.Context, project *core.Project) (Effective, error) {
	panic("")
}
