package rest

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/approval"
)

// workflowStep is core.Step on the wire.
type workflowStep struct {
	StepOrder            int       `json:"stepOrder" doc:"The steps are taken in this order." example:"1"`
	RequiredRoleKind     core.Role `json:"requiredRoleKind" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act, in the entry's own Project, Department or Tenant." example:"admin"`
	RequiredCustomRoleID *int64    `json:"requiredCustomRoleId" doc:"Unless it is null, only the holders of this custom role may act, and no role kind admits anybody." example:"2"`
	StepLabel            *string   `json:"stepLabel" example:"Desk editor"`
	AllowRevision        bool      `json:"allowRevision" doc:"Whether the reviewer may send the content back for revision." example:"true"`
	AllowRejection       bool      `json:"allowRejection" doc:"Whether the reviewer may reject." example:"true"`
	Unreachable          bool      `json:"unreachable,omitempty" doc:"true: no user could approve the step right now. No active user has the role, or each user with it may not approve the request without self-approval. Of a department's workflow, roles in its single projects do not count. Left out: false, or the request is past the step."`
}

// workflow is core.Workflow on the wire.
type workflow struct {
	Scope             string         `json:"scope" enum:"department,project" example:"department"`
	DepartmentID      int64          `json:"departmentId,omitempty" doc:"Of the scope department." example:"1"`
	ProjectID         int64          `json:"projectId,omitempty" doc:"Of the scope project." example:"1"`
	Steps             []workflowStep `json:"steps" nullable:"false" doc:"In their order, at least one."`
	AllowSelfApproval bool           `json:"allowSelfApproval" doc:"false bars from approving the user who submitted, or made the token that submitted, and those who approved an earlier step." example:"true"`
	UpdatedAt         string         `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// stepInput is a step as it is set.
type stepInput struct {
	StepOrder            int     `json:"stepOrder" minimum:"1" doc:"Unique in the workflow." example:"1"`
	RequiredRoleKind     string  `json:"requiredRoleKind" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act, in the entry's own Project, Department or Tenant." example:"admin"`
	RequiredCustomRoleID *int64  `json:"requiredCustomRoleId,omitempty" nullable:"true" doc:"A custom role of the Department whose holders may act instead, and nobody else." example:"2"`
	StepLabel            *string `json:"stepLabel,omitempty" nullable:"true" maxLength:"200" example:"Desk editor"`
	AllowRevision        *bool   `json:"allowRevision,omitempty" doc:"Left out: true." example:"true"`
	AllowRejection       *bool   `json:"allowRejection,omitempty" doc:"Left out: true." example:"true"`
}

// workflowInput is a whole workflow as it is set.
type workflowInput struct {
	Steps             []stepInput `json:"steps" nullable:"false" minItems:"1" maxItems:"20" doc:"All steps: those that the workflow had are replaced."`
	AllowSelfApproval *bool       `json:"allowSelfApproval,omitempty" doc:"false bars from approving the user who submitted, or made the token that submitted, and those who approved an earlier step. A token that a command of the operator made bars no user. Left out: true." example:"true"`
}

// effectiveWorkflow is what governs a Project, and why.
type effectiveWorkflow struct {
	Workflow orNull[workflow] `json:"workflow" doc:"null: nothing does, content is published directly."`
	Source   string           `json:"source" enum:"project,department,none" example:"department"`
	Reason   string           `json:"reason" doc:"For people." example:"The project has no workflow of its own, so that of its department governs it."`
}

// actorRef is core.ActorRef on the wire.
type actorRef struct {
	Kind   string `json:"kind" enum:"user,token,system" example:"user"`
	ID     int64  `json:"id" doc:"0: the system." example:"6"`
	Name   string `json:"name" doc:"As it was then." example:"Emil Santos"`
	MadeBy int64  `json:"madeBy,omitempty" doc:"Of a token: the id of the user who made it; left out when a command of the operator did." example:"4"`
}

// approvalAction documents core.ApprovalAction as approval.View shows it.
type approvalAction struct {
	ID                 int64           `json:"id" example:"31"`
	Type               core.ActionType `json:"type" enum:"submit,approve,reject,request_revision,withdraw,publish_now,reschedule,publish" example:"submit"`
	StepOrder          *int            `json:"stepOrder" doc:"The step that was acted on; null: none." example:"1"`
	Actor              actorRef        `json:"actor"`
	Comment            *string         `json:"comment" example:"Please check the figures."`
	ContentHash        string          `json:"contentHash" doc:"Of the snapshot that the request is about." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	DraftHash          *string         `json:"draftHash" doc:"Of the entry's draft at that moment; null: the entry was gone." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ScheduledPublishAt string          `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"Of submit and reschedule: the time that was asked for, if any." example:"2026-03-03T06:00:00.000Z"`
	CreatedAt          string          `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Hash               string          `json:"hash" doc:"Hex SHA-256 of this line and, by its previousHash, of all before it; api/audit.md says how." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
}

// approvalRequest documents approval.View.
type approvalRequest struct {
	ID                 int64                `json:"id" example:"9"`
	ReleaseNumber      string               `json:"releaseNumber" doc:"CR-<year>-<sequence>, without gaps in a Tenant and year." example:"CR-2026-0001"`
	Status             core.RequestStatus   `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"pending"`
	EntryID            int64                `json:"entryId" example:"42"`
	CollectionID       int64                `json:"collectionId" example:"2"`
	ProjectID          int64                `json:"projectId" example:"1"`
	Locale             string               `json:"locale" example:"en"`
	CurrentStep        orNull[workflowStep] `json:"currentStep" doc:"What a pending request waits at; else null."`
	Steps              []workflowStep       `json:"steps" nullable:"false" doc:"As they were at submission."`
	ContentHash        string               `json:"contentHash" doc:"Hex SHA-256 of the canonical JSON (RFC 8785) of snapshot." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Snapshot           snapshot             `json:"snapshot" doc:"What was submitted, and what will be published; null in lists."`
	ContentChanged     bool                 `json:"contentChanged" doc:"Whether the draft is no longer what was submitted." example:"false"`
	ScheduledPublishAt *string              `json:"scheduledPublishAt" format:"date-time" doc:"When to publish; null: once approved." example:"2026-01-02T15:04:05.000Z"`
	SubmittedBy        actorRef             `json:"submittedBy"`
	SubmittedAt        string               `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	PublishedAt        *string              `json:"publishedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Actions            []approvalAction     `json:"actions" nullable:"false" doc:"The record, oldest first."`
	CanAct             bool                 `json:"canAct" doc:"Whether the caller may act on the current step." example:"true"`
}

// approvalAudit documents approval.Audit.
type approvalAudit struct {
	RequestID     int64           `json:"requestId" example:"9"`
	ReleaseNumber string          `json:"releaseNumber" example:"CR-2026-0001"`
	ContentHash   string          `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Valid         bool            `json:"valid" doc:"Whether there are no faults." example:"true"`
	SnapshotValid bool            `json:"snapshotValid" doc:"Whether the snapshot has the hash that was approved." example:"true"`
	Faults        []auditFault    `json:"faults" nullable:"false" doc:"Where record, request or snapshot are not what was recorded."`
	Terms         auditTerms      `json:"terms" doc:"What stays the same of the request; the first previousHash is the hash of this."`
	Actions       []auditedAction `json:"actions" nullable:"false" doc:"The record, oldest first."`
	ChainHash     string          `json:"chainHash" doc:"The hash of the last action, as the request keeps it." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	State         auditState      `json:"state" doc:"Where the request stands: what the last action left."`
}

// auditFault is one fault of a record.
type auditFault struct {
	Message  string `json:"message" example:"is not what the last action left"`
	Location string `json:"location" doc:"A place in this answer, or snapshot." example:"state.status"`
}

// auditTerms documents what is hashed of a request.
type auditTerms struct {
	Format            int            `json:"format" doc:"Of terms and actions." example:"1"`
	TenantID          int64          `json:"tenantId" example:"1"`
	ProjectID         int64          `json:"projectId" example:"1"`
	CollectionID      int64          `json:"collectionId" example:"2"`
	EntryID           int64          `json:"entryId" example:"42"`
	Locale            string         `json:"locale" example:"en"`
	RequestID         int64          `json:"requestId" example:"9"`
	ReleaseNumber     string         `json:"releaseNumber" example:"CR-2026-0001"`
	Steps             []workflowStep `json:"steps" nullable:"false"`
	AllowSelfApproval bool           `json:"allowSelfApproval" example:"true"`
	ContentHash       string         `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	SubmittedBy       actorRef       `json:"submittedBy"`
	SubmittedAt       string         `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// auditState documents core.Outcome.
type auditState struct {
	Status             core.RequestStatus `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"published"`
	StepIndex          int                `json:"stepIndex" doc:"From 0: the step of terms.steps that the request waits at, or waited at last." example:"2"`
	Approvers          []int64            `json:"approvers" nullable:"false" doc:"The ids of the users who approved a step, in order." example:"[4,5,3]"`
	ScheduledPublishAt string             `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"Left out: none." example:"2026-03-03T06:00:00.000Z"`
	PublishedAt        string             `json:"publishedAt,omitempty" format:"date-time" doc:"Left out: not published." example:"2026-03-02T11:45:00.000Z"`
	Version            int64              `json:"version" doc:"How often the request was changed." example:"4"`
}

// auditedAction is an action with its place in the chain.
type auditedAction struct {
	ID                 int64           `json:"id" example:"31"`
	Type               core.ActionType `json:"type" enum:"submit,approve,reject,request_revision,withdraw,publish_now,reschedule,publish" example:"submit"`
	StepOrder          *int            `json:"stepOrder" doc:"The step that was acted on; null: none." example:"1"`
	Actor              actorRef        `json:"actor"`
	Comment            *string         `json:"comment" example:"Please check the figures."`
	ContentHash        string          `json:"contentHash" doc:"Of the snapshot that the request is about." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	DraftHash          *string         `json:"draftHash" doc:"Of the entry's draft at that moment; null: the entry was gone." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ScheduledPublishAt string          `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"Of submit and reschedule: the time that was asked for, if any." example:"2026-03-03T06:00:00.000Z"`
	CreatedAt          string          `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Hash               string          `json:"hash" doc:"Hex SHA-256 of this line and, by its previousHash, of all before it; api/audit.md says how." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	PreviousHash       string          `json:"previousHash" doc:"The hash of the action before; of the first one, the hash of terms." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Outcome            auditState      `json:"outcome" doc:"Where the action left the request."`
}

// approvalDiff documents approval.Diff.
type approvalDiff struct {
	PublishedToSnapshot []patchStep `json:"publishedToSnapshot" nullable:"false" doc:"From what readers see to what was submitted."`
	SnapshotToDraft     []patchStep `json:"snapshotToDraft" nullable:"false" doc:"From what was submitted to what the draft has become."`
}

// patchStep is one operation of a JSON Patch.
type patchStep struct {
	_     struct{} `additionalProperties:"true"`
	Op    string   `json:"op" enum:"add,remove,replace,move,copy,test" example:"replace"`
	Path  string   `json:"path" doc:"A JSON Pointer into the fields." example:"/title"`
	Value any      `json:"value,omitempty" example:"\"Ceasefire holds\""`
}

// decisionInput is what a reviewer says.
type decisionInput struct {
	Comment     *string `json:"comment,omitempty" nullable:"true" maxLength:"4000" doc:"Feedback for the author; must be there to request a revision." example:"Please check the figures."`
	StepOrder   *int    `json:"stepOrder,omitempty" doc:"The step that is meant: when the request is at another by now, nothing is done." example:"1"`
	ContentHash *string `json:"contentHash,omitempty" doc:"The content that is meant: when it is another, nothing is done." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// scheduleInput is when to publish.
type scheduleInput struct {
	PublishAt optional[time.Time] `json:"publishAt" doc:"Past: at once, if approved. null, while pending: once approved." example:"2026-01-02T15:04:05.000Z"`
}

// snapshot is the canonical JSON of what was submitted, or null.
type snapshot []byte

// MarshalJSON writes it as it is kept.
func (s snapshot) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	return s, nil
}

// Schema documents it.
func (snapshot) Schema(r huma.Registry) *huma.Schema {
	text := func(example string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Examples: []any{example}}
	}
	return &huma.Schema{OneOf: []*huma.Schema{
		{
			Type: huma.TypeObject, Required: []string{"collection", "fields", "locale"},
			Properties: map[string]*huma.Schema{
				"collection": text("articles"), "fields": entryFields{}.Schema(r), "locale": text("en"),
			},
		},
		{Type: "null"},
	}}
}

// orNull is a T or null.
type orNull[T any] struct{ value *T }

// MarshalJSON writes the one or the other.
func (o orNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Schema documents it.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

func showWorkflow(w *approval.WorkflowView) workflow {
	showStep := func(s core.Step) workflowStep {
		return workflowStep{
			s.Order, s.RoleKind, idOrNull(s.CustomRoleID), textOrNull(s.Label), s.AllowRevision, s.AllowRejection, w.Unreachable[s.Order],
		}
	}
	scope := "project"
	if w.DepartmentID != 0 {
		scope = "department"
	}
	return workflow{scope, w.DepartmentID, w.ProjectID, each(w.Steps, showStep), w.AllowSelfApproval, core.FormatTime(w.UpdatedAt)}
}

// textOrNull returns text, or nil for none.
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
