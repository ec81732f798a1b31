package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// WorkflowInput describes a workflow: 1 to review.MaxSteps steps, in any order.
type WorkflowInput struct {
	Steps             []StepInput
	AllowSelfApproval *bool
	Exempt            []string // slugs of collections; nil: none
	Unpublishing      string   // free, admins or reviewed; empty: free
}

// StepInput describes a step.
type StepInput struct {
	StepOrder            int
	RequiredRoleKind     string
	RequiredCustomRoleID *int64
	StepLabel            *string
	AllowRevision        *bool
	AllowRejection       *bool
	RemindAfter          *int // hours; nil: never
	Reauthenticate       bool
	Approvals            *int // how many different users must approve; nil: one
	Delegable            bool // whether a user may decide on behalf of another
	StepID               *int // without effect: the server gives it
	When                 *review.Condition
	DueIn                *int // hours; nil: never
	Escalate             *EscalationInput
	Meanings             []string // of the signature that decisions need; nil: none
}

// EscalationInput describes a review.Escalation.
type EscalationInput struct {
	After                int // hours
	RequiredRoleKind     string
	RequiredCustomRoleID *int64
}

const (
	maxLabel = 200 // characters
	maxOrder = 1 << 30

	free = "free" // of WorkflowInput.Unpublishing
)

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
	for i, s := range in.Steps {
		steps[i] = review.Step{
			Order: s.StepOrder, RoleKind: core.Role(s.RequiredRoleKind),
			AllowRevision: orTrue(s.AllowRevision), AllowRejection: orTrue(s.AllowRejection), Reauthenticate: s.Reauthenticate, Delegable: s.Delegable, When: s.When,
		}
		core.Assign(&steps[i].CustomRoleID, s.RequiredCustomRoleID)
		core.Assign(&steps[i].Label, s.StepLabel)
		core.Assign(&steps[i].RemindAfter, s.RemindAfter)
		core.Assign(&steps[i].DueIn, s.DueIn)
		if s.Meanings != nil {
			steps[i].Signature = &review.SignatureRule{Meanings: s.Meanings}
		}
		if to := s.Escalate; to != nil {
			steps[i].Escalate = &review.Escalation{After: to.After, RoleKind: core.Role(to.RequiredRoleKind)}
			if to.RequiredCustomRoleID != nil {
				steps[i].Escalate.RoleKind, steps[i].Escalate.CustomRoleID = "", *to.RequiredCustomRoleID
			}
		}
		if s.Approvals != nil && *s.Approvals > 1 {
			steps[i].Approvals = *s.Approvals
		}
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
			location := fmt.Sprintf("steps[%d].", i)
			found.order(location, s.StepOrder)
			found.approvals(location, s.Approvals)
			found.role(location, s.RequiredRoleKind, departmentID)
			found.label(location, s.StepLabel)
			found.remindAfter(location, s.RemindAfter)
			found.when(location+"when", s.When)
			found.hours(location+"dueIn", s.DueIn)
			found.meanings(location+"signature.meanings", s.Meanings)
			if err := found.customRole(ctx, customRoles, location, s.RequiredCustomRoleID, departmentID); err != nil {
				return err
			}
			if err := found.escalate(ctx, customRoles, location+"escalate", s.Escalate, departmentID); err != nil {
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

func (f *faults) order(location string, order int) {
	if order < 1 || order > maxOrder {
		f.Add(location+"stepOrder", order, "must be a whole number from 1")
	}
}

func (f *faults) approvals(location string, approvals *int) {
	if approvals != nil && (*approvals < 1 || *approvals > review.MaxApprovals) {
		f.Addf(location+"approvals", *approvals, "must be a whole number from 1 to %d", review.MaxApprovals)
	}
}

// meanings checks what the signatures of a step can mean.
func (f *faults) meanings(location string, meanings []string) {
	switch {
	case meanings == nil:
		return
	case len(meanings) == 0 || len(meanings) > review.MaxMeanings:
		f.Addf(location, len(meanings), "must have from 1 to %d elements", review.MaxMeanings)
		return
	}
	for i, meaning := range meanings {
		at := fmt.Sprintf("%s[%d]", location, i)
		switch {
		case words.Blank(meaning) || utf8.RuneCountInString(meaning) > review.MaxMeaning:
			f.Addf(at, nil, "must have from 1 to %d characters", review.MaxMeaning)
		case !utf8.ValidString(meaning) || strings.ContainsFunc(meaning, words.Control):
			f.Add(at, nil, "must be text without control characters")
		case slices.Contains(meanings[:i], meaning):
			f.Add(at, core.Clip(meaning), "is named twice")
		}
	}
}

// hours checks a time from the opening of a step.
func (f *faults) hours(location string, hours *int) {
	if hours != nil && (*hours < 1 || *hours > review.MaxDueIn) {
		f.Addf(location, *hours, "must be a whole number of hours from 1 to %d", review.MaxDueIn)
	}
}

// escalate checks an escalation, which names either a role or a custom role.
func (f *faults) escalate(ctx context.Context, customRoles ports.CustomRoleStore, location string, to *EscalationInput, departmentID int64) error {
	switch {
	case to == nil:
		return nil
	case (to.RequiredRoleKind == "") == (to.RequiredCustomRoleID == nil):
		f.Add(location, nil, "must have either requiredRoleKind or requiredCustomRoleId")
	case to.RequiredRoleKind != "":
		f.role(location+".", to.RequiredRoleKind, departmentID)
	}
	f.hours(location+".after", &to.After)
	return f.customRole(ctx, customRoles, location+".", to.RequiredCustomRoleID, departmentID)
}

func (f *faults) role(location, kind string, departmentID int64) {
	switch role := core.Role(kind); {
	case role != core.RoleAdmin && role != core.RoleDepartmentAdmin && role != core.RoleTenantAdmin:
		f.Add(location+"requiredRoleKind", core.Clip(kind), "must be admin, department_admin or tenant_admin")
	case role == core.RoleDepartmentAdmin && departmentID == 0:
		f.Add(location+"requiredRoleKind", kind, "is for projects in a department")
	}
}

func (f *faults) label(location string, label *string) {
	switch {
	case label == nil:
	case utf8.RuneCountInString(*label) > maxLabel:
		f.Addf(location+"stepLabel", nil, "must have at most %d characters", maxLabel)
	case !utf8.ValidString(*label) || strings.ContainsFunc(*label, words.Control):
		f.Add(location+"stepLabel", nil, "must be text without control characters")
	}
}

func (f *faults) unpublishing(by string) {
	switch review.Unpublishing(by) {
	case review.UnpublishFree, review.UnpublishAdmins, review.UnpublishReviewed, free:
	default:
		f.Add("unpublishing", core.Clip(by), "must be free, admins or reviewed")
	}
}

func (f *faults) remindAfter(location string, hours *int) {
	if hours != nil && (*hours < 1 || *hours > review.MaxRemindAfter) {
		f.Addf(location+"remindAfter", *hours, "must be a whole number from 1 to %d", review.MaxRemindAfter)
	}
}

// customRole reports the same fault for a role of another Department and for an unknown id, so
// that the response does not reveal roles of other Departments.
func (f *faults) customRole(ctx context.Context, customRoles ports.CustomRoleStore, location string, id *int64, departmentID int64) error {
	if id == nil {
		return nil
	}
	role, err := customRoles.CustomRole(ctx, *id)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	if err != nil || departmentID == 0 || role.DepartmentID != departmentID {
		f.Add(location+"requiredCustomRoleId", *id, "must be a custom role of the project's department")
	}
	return nil
}
