package access

import (
	"context"
	"errors"
	"fmt"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// maxUses is the maximum number of open requests in an error with the code in_use.
const maxUses = 20

// uses collects the workflows and open requests that prevent a removal or a move.
type uses []core.FieldError

// workflow adds a step of w.
func (u *uses) workflow(w review.Workflow, step review.Step, why string) {
	location := fmt.Sprintf("departments/%d/approval-workflow", w.DepartmentID)
	if w.ProjectID != 0 {
		location = fmt.Sprintf("projects/%d/approval-workflow", w.ProjectID)
	}
	*u = append(*u, core.FieldError{Location: location, Message: fmt.Sprintf("step %d %s", step.Order, why)})
}

// request adds a step of the open request r.
func (u *uses) request(r review.Request, step review.Step, why string) {
	location := fmt.Sprintf("projects/%d/collections/%d/content/%d/approval", r.ProjectID, r.Item().CollectionID, r.Item().EntryID)
	if r.Release != nil {
		location = fmt.Sprintf("projects/%d/releases/%d/approval", r.ProjectID, r.Release.ID)
	}
	*u = append(*u, core.FieldError{
		Location: location,
		Message:  fmt.Sprintf("step %d of the open request %s %s", step.Order, r.ReleaseNumber(), why),
	})
}

// err returns the uses as a conflict with the code in_use, or nil when u is empty.
func (u uses) err(message string) error {
	if len(u) == 0 {
		return nil
	}
	err := core.Conflict("in_use", "%s", message)
	err.Fields = u
	return err
}

// roleUnused returns a conflict if a workflow or an open request names the custom role. The caller
// has locked the role, so that no workflow can start to name it. Workflows are read before
// requests: a request copies the role from a workflow, and if the workflow no longer names the
// role, all such requests were committed before that change.
func roleUnused(ctx context.Context, requests ports.RequestReader, workflows ports.WorkflowStore, roleID int64) error {
	const why = "requires the custom role"
	var found uses
	using, err := workflows.UsingRole(ctx, roleID)
	if err != nil {
		return err
	}
	for _, w := range using {
		found.workflow(w, stepFor(w.Steps, roleID), why)
	}
	open, err := requests.OpenUsingRole(ctx, roleID, maxUses)
	if err != nil {
		return err
	}
	for _, r := range open {
		found.request(r, stepFor(r.Steps, roleID), why)
	}
	return found.err("approval workflows or open requests name the custom role")
}

// stepFor returns the first step for the custom role.
func stepFor(steps []review.Step, roleID int64) review.Step {
	for _, s := range steps {
		if s.CustomRoleID == roleID {
			return s
		}
	}
	return review.Step{}
}

// moveAllowed returns a conflict if a step of the Project's own workflow, or of one of its open
// requests, is not valid in the Department of p. The caller has already updated the Project, so
// that no other transaction can submit a request under the old Department.
func moveAllowed(ctx context.Context, customRoles ports.CustomRoleStore, requests ports.RequestReader, workflows ports.WorkflowStore, p *core.Project) error {
	var found uses
	workflow, err := workflows.ProjectWorkflow(ctx, p.ID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	step, why, err := misplaced(ctx, customRoles, workflow.Steps, p.DepartmentID)
	if err != nil {
		return err
	}
	if why != "" {
		found.workflow(workflow, step, why)
	}
	for last := int64(0); len(found) < maxUses; {
		open, err := requests.Open(ctx, p.ID, 0, last, maxUses)
		if err != nil {
			return err
		}
		if len(open) == 0 {
			break
		}
		for _, r := range open {
			step, why, err := misplaced(ctx, customRoles, r.Steps, p.DepartmentID)
			if err != nil {
				return err
			}
			if why != "" {
				found.request(r, step, why)
			}
			last = r.ID
		}
	}
	return found.err("the project's own workflow or its open requests have steps that the department cannot have")
}

// misplaced returns the first of the steps that is not valid for a Project of the Department,
// and the reason. The reason is empty when all steps are valid. departmentID is 0 for a
// Project without Department.
func misplaced(ctx context.Context, customRoles ports.CustomRoleStore, steps []review.Step, departmentID int64) (step review.Step, why string, err error) {
	for _, s := range steps {
		if s.CustomRoleID != 0 {
			role, err := customRoles.CustomRole(ctx, s.CustomRoleID)
			gone := errors.Is(err, core.ErrNotFound)
			if err != nil && !gone {
				return review.Step{}, "", err
			}
			if gone || role.DepartmentID != departmentID {
				return s, "requires a custom role of another department", nil
			}
		}
		if s.RoleKind == core.RoleDepartmentAdmin && departmentID == 0 {
			return s, "is for department admins", nil
		}
	}
	return review.Step{}, "", nil
}
