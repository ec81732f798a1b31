package approval

import (
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

// This file has what a step is besides a review.Step: the body that describes it, its checks, and its JSON in responses
// and records.

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

// WorkflowStep is the JSON of a review.Step.
type WorkflowStep struct {
	StepOrder            int                   `json:"stepOrder"`
	RequiredRoleKind     core.Role             `json:"requiredRoleKind"`
	RequiredCustomRoleID *int64                `json:"requiredCustomRoleId"`
	StepLabel            *string               `json:"stepLabel"`
	AllowRevision        bool                  `json:"allowRevision"`
	AllowRejection       bool                  `json:"allowRejection"`
	Reauthenticate       bool                  `json:"reauthenticate,omitempty"`
	Unreachable          bool                  `json:"unreachable,omitempty"` // false in records
	Reasons              []string              `json:"reasons,omitempty"`     // nil in records
	RemindAfter          int                   `json:"remindAfter,omitempty"` // 0 in records
	StepID               int                   `json:"stepId,omitempty"`      // its place among the steps, from 1; records before format 3: 0
	Approvals            int                   `json:"approvals,omitempty"`   // how many different users must approve; records before format 3: 0
	Delegable            *bool                 `json:"delegable,omitempty"`   // whether a user may approve on behalf of another; nil before format 3
	DueIn                int                   `json:"dueIn,omitempty"`       // 0 in records
	DueAt                string                `json:"dueAt,omitempty"`       // of an open step; empty in records
	Overdue              bool                  `json:"overdue,omitempty"`     // false in records
	Escalate             *review.Escalation    `json:"escalate,omitempty"`    // who may decide as well after a time; nil: no others
	Signature            *review.SignatureRule `json:"signature,omitempty"`   // nil: decisions are not signed
	EscalatesAt          string                `json:"escalatesAt,omitempty"` // of an open step; empty in records
	When                 *review.Condition     `json:"when,omitempty"`        // the changes that the step applies to; nil: all
	Applies              *bool                 `json:"applies,omitempty"`     // whether the request passes the step; nil before format 3
	Because              string                `json:"because,omitempty"`     // why it does not apply; empty in records
}

const (
	maxLabel = 200 // characters
	maxOrder = 1 << 30
)

// step returns s, which was checked.
func (s *StepInput) step() review.Step {
	step := review.Step{
		Order: s.StepOrder, RoleKind: core.Role(s.RequiredRoleKind),
		AllowRevision: orTrue(s.AllowRevision), AllowRejection: orTrue(s.AllowRejection), Reauthenticate: s.Reauthenticate, Delegable: s.Delegable, When: s.When,
	}
	core.Assign(&step.CustomRoleID, s.RequiredCustomRoleID)
	core.Assign(&step.Label, s.StepLabel)
	core.Assign(&step.RemindAfter, s.RemindAfter)
	core.Assign(&step.DueIn, s.DueIn)
	if s.Meanings != nil {
		step.Signature = &review.SignatureRule{Meanings: s.Meanings}
	}
	if to := s.Escalate; to != nil {
		step.Escalate = &review.Escalation{After: to.After, RoleKind: core.Role(to.RequiredRoleKind)}
		if to.RequiredCustomRoleID != nil {
			step.Escalate.RoleKind, step.Escalate.CustomRoleID = "", *to.RequiredCustomRoleID
		}
	}
	if s.Approvals != nil && *s.Approvals > 1 {
		step.Approvals = *s.Approvals
	}
	return step
}

// step checks the step at location.
func (f *faults) step(ctx context.Context, customRoles ports.CustomRoleStore, location string, s StepInput, departmentID int64) error {
	f.order(location, s.StepOrder)
	f.approvals(location, s.Approvals)
	f.role(location, s.RequiredRoleKind, departmentID)
	f.label(location, s.StepLabel)
	f.remindAfter(location, s.RemindAfter)
	f.when(location+"when", s.When)
	f.hours(location+"dueIn", s.DueIn)
	f.meanings(location+"signature.meanings", s.Meanings)
	if err := f.customRole(ctx, customRoles, location, s.RequiredCustomRoleID, departmentID); err != nil {
		return err
	}
	return f.escalate(ctx, customRoles, location+"escalate", s.Escalate, departmentID)
}

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
		f.Addf(location, nil, "must have from 1 to %d elements", review.MaxMeanings)
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

// StepsOf returns the JSON of steps with the members that records do not have.
func StepsOf(steps []review.Step, deciders review.Deciders) []WorkflowStep {
	shown := make([]WorkflowStep, len(steps))
	for i := range steps {
		s := &steps[i]
		shown[i] = stepOf(s)
		shown[i].StepID, shown[i].Approvals, shown[i].RemindAfter = i+1, s.Seats(), s.RemindAfter
		shown[i].DueIn = s.DueIn
		if s.Delegable {
			shown[i].Delegable = new(true)
		}
		if s.Skipped {
			shown[i].Applies, shown[i].Because = new(false), skippedBecause
		}
		shown[i].Unreachable, shown[i].Reasons = deciders.Unreachable[i+1], deciders.Reasons[i+1]
	}
	return shown
}

const skippedBecause = "The submitted change does not meet the condition of the step."

// recordedSteps returns the JSON of the steps of r in its record.
func recordedSteps(r *review.Request) []WorkflowStep {
	recorded := make([]WorkflowStep, len(r.Steps))
	for i := range r.Steps {
		recorded[i] = stepOf(&r.Steps[i])
		if r.RecordFormat > 2 {
			step := &recorded[i]
			step.StepID, step.Approvals, step.Delegable, step.Applies = i+1, r.Steps[i].Seats(), new(r.Steps[i].Delegable), new(!r.Steps[i].Skipped)
		}
	}
	return recorded
}

func stepOf(s *review.Step) WorkflowStep {
	return WorkflowStep{
		StepOrder: s.Order, RequiredRoleKind: s.RoleKind, RequiredCustomRoleID: core.NullIfZero(s.CustomRoleID), StepLabel: core.NullIfZero(s.Label),
		AllowRevision: s.AllowRevision, AllowRejection: s.AllowRejection, Reauthenticate: s.Reauthenticate, When: s.When, Escalate: s.Escalate, Signature: s.Signature,
	}
}

// StepsIn returns the JSON of the steps of r, with the times of those that are open.
func StepsIn(r *review.Request, deciders review.Deciders) []WorkflowStep {
	steps := StepsOf(r.Steps, deciders)
	for _, id := range r.OpenSteps() {
		due, escalates := r.DueAt(id), r.EscalatesAt(id)
		steps[id-1].DueAt, steps[id-1].EscalatesAt = core.TimeText(due), core.TimeText(escalates)
		steps[id-1].Overdue = !due.IsZero() && !r.ReadAt.Before(due)
	}
	return steps
}
