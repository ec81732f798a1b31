package wire

import (
	"cmp"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/review"
)

const aboutSelfApproval = "If false, these may not act on a request: the submitter, every user with a revision of the entry since its last " +
	"publication, the creators of tokens among them, and the approvers of earlier steps."

const aboutReauthenticate = "Whether a decision needs a fresh proof of who the reviewer is: `POST /api/session/verify` in the same session, at most five minutes before. " +
	"Otherwise the decision answers 403 with `verify_first`."

// Workflow is the reviews that content of a Department or a Project passes.
type Workflow struct {
	Scope             string                  `json:"scope" enum:"department,project" example:"department"`
	DepartmentID      int64                   `json:"departmentId,omitempty" doc:"Only in the scope department." example:"1"`
	ProjectID         int64                   `json:"projectId,omitempty" doc:"Only in the scope project." example:"1"`
	Steps             []approval.WorkflowStep `json:"steps" nullable:"false" doc:"At least one step, in order."`
	AllowSelfApproval bool                    `json:"allowSelfApproval" example:"true"`
	Exempt            *Exempt                 `json:"exempt,omitempty" doc:"What needs no review. Omitted means nothing."`
	Unpublishing      string                  `json:"unpublishing" enum:"free,admins,reviewed" example:"free"`
	UpdatedAt         string                  `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// Exempt is what a workflow does not govern.
type Exempt struct {
	Collections []string `json:"collections" nullable:"false" minItems:"1" maxItems:"100" example:"[\"tags\"]"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Exempt) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"collections": "The slugs of collections whose entries are published directly. They need not exist. A release is reviewed unless all its members are exempt.",
	})
}

// exemptOf returns the slugs of collections for a response; nil for none.
func exemptOf(collections []string) *Exempt {
	if len(collections) == 0 {
		return nil
	}
	return &Exempt{collections}
}

// TransformSchema implements huma.SchemaTransformer.
func (Workflow) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"allowSelfApproval": aboutSelfApproval, "unpublishing": aboutUnpublishing})
}

const aboutUnpublishing = "Who takes published entries offline at once: free: who may write them; admins: admins of the Project, and no tokens; reviewed: the review of a " +
	"release with the member action unpublish, and admins of the Project in an emergency. Ends that were approved with a publication go out as approved."

// WorkflowOf returns w for a response.
func WorkflowOf(w *approval.WorkflowView) Workflow {
	scope := "project"
	if w.DepartmentID != 0 {
		scope = "department"
	}
	return Workflow{
		scope, w.DepartmentID, w.ProjectID, approval.StepsOf(w.Steps, w.Deciders), w.AllowSelfApproval, exemptOf(w.Exempt), cmp.Or(string(w.Unpublishing), "free"), core.FormatTime(w.UpdatedAt),
	}
}

// WorkflowStep describes approval.WorkflowStep.
type WorkflowStep struct {
	StepOrder            int                   `json:"stepOrder" doc:"The position of the step. Steps with the same one are open together; one user approves one of them." example:"1"`
	RequiredRoleKind     core.Role             `json:"requiredRoleKind" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act, in the entry's own Project, Department or Tenant." example:"admin"`
	RequiredCustomRoleID *int64                `json:"requiredCustomRoleId" doc:"If set, only the holders of this custom role may act and requiredRoleKind has no effect." example:"2"`
	StepLabel            *string               `json:"stepLabel" example:"Desk editor"`
	AllowRevision        bool                  `json:"allowRevision" doc:"Whether the reviewer may send the content back for revision." example:"true"`
	AllowRejection       bool                  `json:"allowRejection" doc:"Whether the reviewer may reject." example:"true"`
	Reauthenticate       bool                  `json:"reauthenticate,omitempty"`
	Unreachable          bool                  `json:"unreachable,omitempty"`
	Reasons              []string              `json:"reasons,omitempty" nullable:"false" doc:"Why the step is unreachable, each as a sentence. Omitted means that it is not." example:"[\"Paul Lindqvist submitted the request\"]"`
	RemindAfter          int                   `json:"remindAfter,omitempty"`
	StepID               int                   `json:"stepId,omitempty" doc:"The place of the step, from 1. Records before format 3 omit it." example:"1"`
	Approvals            int                   `json:"approvals,omitempty" doc:"How many different users must approve. Records before format 3 omit it." example:"1"`
	Delegable            *bool                 `json:"delegable,omitempty" doc:"Whether a user may decide on behalf of another. Omitted means false; records of format 3 have it." example:"true"`
	DueIn                int                   `json:"dueIn,omitempty" doc:"After how many hours the open step is overdue. Omitted means never; records omit it." example:"48"`
	DueAt                string                `json:"dueAt,omitempty" format:"date-time" doc:"Of an open step with dueIn: when it is overdue." example:"2026-01-04T15:04:05.000Z"`
	Overdue              bool                  `json:"overdue,omitempty" doc:"Whether dueAt is past. Omitted means false." example:"true"`
	Escalate             *review.Escalation    `json:"escalate,omitempty" doc:"Who may decide the step as well when it has been open for a time. Omitted means no others."`
	Signature            *review.SignatureRule `json:"signature,omitempty" doc:"The signature that decisions need. Omitted means none."`
	EscalatesAt          string                `json:"escalatesAt,omitempty" format:"date-time" doc:"Of an open step with escalate: when they may." example:"2026-01-05T15:04:05.000Z"`
	When                 *review.Condition     `json:"when,omitempty" doc:"The changes that the step applies to. Omitted means all."`
	Applies              *bool                 `json:"applies,omitempty" example:"true"`
	Because              string                `json:"because,omitempty" doc:"A sentence that says why the request skips the step. Records omit it." example:"The submitted change does not meet the condition of the step."`
}

// TransformSchema implements huma.SchemaTransformer.
func (WorkflowStep) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"reauthenticate": aboutReauthenticate + " Omitted means false.",
		"applies":        "Whether the request passes the step. In records of format 3; elsewhere false for a step that the request skips, and otherwise omitted.",
		"unreachable": "Whether the approvals of the step, and of those that are open with it, cannot all be given at present, each by another user: too few " +
			"active users have the role and are not excluded by allowSelfApproval. In the workflow of a department, roles in single projects do not count. " +
			"Omitted means false, or that the request has passed the step.",
		"remindAfter": "After how many hours at the step its reviewers are reminded, once. Omitted means never; records omit it.",
	})
}

// Escalation describes review.Escalation.
type Escalation struct {
	After                int       `json:"after" doc:"Hours from the moment that the step opens." example:"72"`
	RequiredRoleKind     core.Role `json:"requiredRoleKind,omitempty" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act. Omitted with requiredCustomRoleId." example:"tenant_admin"`
	RequiredCustomRoleID int64     `json:"requiredCustomRoleId,omitempty" doc:"A custom role of the department, whose holders may act." example:"2"`
}

// EscalationInput is a review.Escalation of a request body.
type EscalationInput struct {
	After                int    `json:"after" minimum:"1" maximum:"2160" doc:"Hours from the moment that the step opens." example:"72"`
	RequiredRoleKind     string `json:"requiredRoleKind,omitempty" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act. Left out with requiredCustomRoleId." example:"tenant_admin"`
	RequiredCustomRoleID *int64 `json:"requiredCustomRoleId,omitempty" doc:"A custom role of the department, whose holders may act." example:"2"`
}

// SignatureRule is the signature that decisions at a step need.
type SignatureRule struct {
	Meanings []string `json:"meanings" nullable:"false" minItems:"1" maxItems:"10" doc:"What a signature can mean. Whoever signs chooses one." example:"[\"I reviewed this for accuracy\"]"`
}

// StepWarning says why a step of a request cannot be approved at present.
type StepWarning struct {
	Code      string   `json:"code" enum:"unreachable" example:"unreachable"`
	StepID    int      `json:"stepId" example:"1"`
	StepOrder int      `json:"stepOrder" example:"1"`
	StepLabel *string  `json:"stepLabel" example:"Desk editor"`
	Message   string   `json:"message" doc:"A sentence for users." example:"no user can approve step 1 at present"`
	Reasons   []string `json:"reasons" nullable:"false" example:"[\"Paul Lindqvist submitted the request\"]"`
}

// StepWarningOf returns w for a response.
func StepWarningOf(w review.StepWarning) StepWarning {
	return StepWarning{
		"unreachable", w.ID, w.Step.Order, core.NullIfZero(w.Step.Label), fmt.Sprintf("no user can approve step %d at present", w.Step.Order), w.Reasons,
	}
}

// EffectiveWorkflow is the workflow that governs a Project, with its source.
type EffectiveWorkflow struct {
	Workflow OrNull[Workflow] `json:"workflow" doc:"null means that content is published without approval."`
	Source   string           `json:"source" enum:"project,department,none" example:"department"`
	Reason   string           `json:"reason" doc:"A sentence for users." example:"The project has no workflow of its own, so that of its department governs it."`
	Exempt   bool             `json:"exempt,omitempty" doc:"With entryId: whether the workflow exempts its collection, so that it is published directly. Omitted means false." example:"true"`
}

// EffectiveWorkflowOf returns e for a response.
func EffectiveWorkflowOf(e approval.Effective) EffectiveWorkflow {
	shown := EffectiveWorkflow{Source: e.Source, Reason: e.Reason, Exempt: e.Exempt}
	if e.Workflow != nil {
		shown.Workflow.Value = new(WorkflowOf(e.Workflow))
	}
	return shown
}

// WorkflowInput describes a workflow.
type WorkflowInput struct {
	Steps             []StepInput `json:"steps" nullable:"false" minItems:"1" maxItems:"20" doc:"All steps. They replace the present steps."`
	AllowSelfApproval *bool       `json:"allowSelfApproval,omitempty" example:"true"`
	Exempt            *Exempt     `json:"exempt,omitempty" doc:"What needs no review. Omitted means nothing."`
	Unpublishing      string      `json:"unpublishing,omitempty" enum:"free,admins,reviewed" example:"reviewed"`
}

// TransformSchema implements huma.SchemaTransformer.
func (WorkflowInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"allowSelfApproval": aboutSelfApproval + " A token that an operator command created excludes no user. Default: true.",
		"unpublishing":      aboutUnpublishing + " Default: free.",
	})
}

// Input returns in for the use case.
func (in WorkflowInput) Input() approval.WorkflowInput {
	input := approval.WorkflowInput{
		Steps:             Each(in.Steps, StepInput.input),
		AllowSelfApproval: in.AllowSelfApproval,
		Unpublishing:      in.Unpublishing,
	}
	if in.Exempt != nil {
		input.Exempt = in.Exempt.Collections
	}
	return input
}

// StepInput describes a step.
type StepInput struct {
	StepOrder            int              `json:"stepOrder" minimum:"1" doc:"The position. Steps with the same one are open together; one user approves one of them." example:"1"`
	RequiredRoleKind     string           `json:"requiredRoleKind" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act, in the entry's own Project, Department or Tenant." example:"admin"`
	RequiredCustomRoleID *int64           `json:"requiredCustomRoleId,omitempty" nullable:"true" doc:"A custom role of the department. If set, only its holders may act." example:"2"`
	StepLabel            *string          `json:"stepLabel,omitempty" nullable:"true" maxLength:"200" example:"Desk editor"`
	AllowRevision        *bool            `json:"allowRevision,omitempty" doc:"Default: true." example:"true"`
	AllowRejection       *bool            `json:"allowRejection,omitempty" doc:"Default: true." example:"true"`
	RemindAfter          *int             `json:"remindAfter,omitempty" nullable:"true" minimum:"1" maximum:"720" doc:"After how many hours at the step its reviewers are reminded, once; null: never. It applies to later submissions." example:"24"`
	Reauthenticate       bool             `json:"reauthenticate,omitempty" example:"true"`
	Approvals            *int             `json:"approvals,omitempty" minimum:"1" maximum:"20" doc:"How many different users must approve. Default: 1." example:"2"`
	Delegable            bool             `json:"delegable,omitempty" doc:"Whether a user may decide on behalf of another, by a delegation. Default: false." example:"true"`
	StepID               *int             `json:"stepId,omitempty" doc:"Ignored: the server gives each step its place, from 1." example:"1"`
	DueIn                *int             `json:"dueIn,omitempty" nullable:"true" minimum:"1" maximum:"2160" doc:"After how many hours the open step is overdue; null: never. It applies to later submissions." example:"48"`
	Signature            *SignatureRule   `json:"signature,omitempty" doc:"The signature that decisions need. Omitted means none. With one, reauthenticate has no effect."`
	Escalate             *EscalationInput `json:"escalate,omitempty" doc:"Who may decide the step as well when it has been open for a time. It applies to later submissions."`
	When                 *ConditionInput  `json:"when,omitempty" doc:"The changes that the step applies to. Omitted means all. At least one step has none. It is judged once, at submission."`
}

// TransformSchema implements huma.SchemaTransformer.
func (StepInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"reauthenticate": aboutReauthenticate + " Default: false."})
}

// input returns s for the use case.
func (s StepInput) input() approval.StepInput {
	in := approval.StepInput{
		StepOrder: s.StepOrder, RequiredRoleKind: s.RequiredRoleKind, RequiredCustomRoleID: s.RequiredCustomRoleID, StepLabel: s.StepLabel,
		AllowRevision: s.AllowRevision, AllowRejection: s.AllowRejection, RemindAfter: s.RemindAfter, Reauthenticate: s.Reauthenticate,
		Approvals: s.Approvals, Delegable: s.Delegable, StepID: s.StepID,
	}
	in.DueIn = s.DueIn
	if s.Signature != nil {
		in.Meanings = append([]string{}, s.Signature.Meanings...)
	}
	if to := s.Escalate; to != nil {
		in.Escalate = &approval.EscalationInput{After: to.After, RequiredRoleKind: to.RequiredRoleKind, RequiredCustomRoleID: to.RequiredCustomRoleID}
	}
	if w := s.When; w != nil {
		in.When = &review.Condition{Collections: w.Collections, Locales: w.Locales, Fields: w.Fields}
		if w.Actions != nil {
			in.When.Actions = Each(w.Actions, func(a string) review.ChangeAction { return review.ChangeAction(a) })
		}
	}
	return in
}
