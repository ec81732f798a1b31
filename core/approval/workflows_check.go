package approval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// WorkflowInput describes a workflow: 1 to review.MaxSteps steps, in any order.
type WorkflowInput struct {
	Steps             []StepInput
	AllowSelfApproval *bool
	Exempt            []string // slugs of collections; nil: none
	Unpublishing      string   // free, admins or reviewed; empty: free
}

const free = "free" // of WorkflowInput.Unpublishing

// workflow returns of, the place of a workflow, with the steps and settings of in.
func (in WorkflowInput) workflow(of review.Workflow) review.Workflow {
	of.Steps, of.AllowSelfApproval, of.Exempt = in.steps(), orTrue(in.AllowSelfApproval), in.Exempt
	if of.Unpublishing = review.Unpublishing(in.Unpublishing); in.Unpublishing == free {
		of.Unpublishing = review.UnpublishFree
	}
	return of
}

// steps returns the steps in their order, those of the same order as in the input.
func (in WorkflowInput) steps() []review.Step {
	steps := make([]review.Step, len(in.Steps))
	for i := range in.Steps {
		steps[i] = in.Steps[i].step()
	}
	slices.SortStableFunc(steps, func(a, b review.Step) int { return cmp.Compare(a.Order, b.Order) })
	return steps
}

func orTrue(b *bool) bool { return b == nil || *b }

// check returns core.ErrInvalid with all faults of in as a workflow in the Department.
// departmentID is 0 for a Project without Department.
func (in WorkflowInput) check(ctx context.Context, customRoles ports.CustomRoleStore, departmentID int64) error {
	var found faults
	switch n := len(in.Steps); {
	case n == 0:
		found.Add("steps", nil, "must have at least one step")
	case n > review.MaxSteps:
		found.Addf("steps", n, "must have at most %d steps", review.MaxSteps)
	}
	if len(in.Steps) <= review.MaxSteps {
		for i, s := range in.Steps {
			if err := found.step(ctx, customRoles, fmt.Sprintf("steps[%d].", i), s, departmentID); err != nil {
				return err
			}
		}
	}
	found.unpublishing(in.Unpublishing)
	found.names("exempt.collections", in.Exempt, aSlug, validName)
	if n := len(in.Steps); n > 0 && !slices.ContainsFunc(in.Steps, func(s StepInput) bool { return s.When == nil }) {
		found.Add("steps", nil, "must have one without a condition: every change passes it")
	}
	return found.Err()
}

// faults collects the faults of a workflow.
type faults struct{ core.Faults }

func (f *faults) unpublishing(by string) {
	switch review.Unpublishing(by) {
	case review.UnpublishFree, review.UnpublishAdmins, review.UnpublishReviewed, free:
	default:
		f.Add("unpublishing", core.Clip(by), "must be free, admins or reviewed")
	}
}
