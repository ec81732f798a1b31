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
	StepOrder            int       `json:"stepOrder" doc:"The position of the step." example:"1"`
	RequiredRoleKind     core.Role `json:"requiredRoleKind" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act, in the entry's own Project, Department or Tenant." example:"admin"`
	RequiredCustomRoleID *int64    `json:"requiredCustomRoleId" doc:"If set, only the holders of this custom role may act and requiredRoleKind has no effect." example:"2"`
	StepLabel            *string   `json:"stepLabel" example:"Desk editor"`
	AllowRevision        bool      `json:"allowRevision" doc:"Whether the reviewer may send the content back for revision." example:"true"`
	AllowRejection       bool      `json:"allowRejection" doc:"Whether the reviewer may reject." example:"true"`
	Unreachable          bool      `json:"unreachable,omitempty" doc:"Whether no user can approve the step at present: no active user has the role, or all of them are excluded by allowSelfApproval. In the workflow of a department, roles in single projects do not count. Omitted means false, or that the request has passed the step."`
}

// workflow is core.Workflow on the wire.
type workflow struct {
	Scope             string         `json:"scope" enum:"department,project" example:"department"`
	DepartmentID      int64          `json:"departmentId,omitempty" doc:"Only in the scope department." example:"1"`
	ProjectID         int64          `json:"projectId,omitempty" doc:"Only in the scope project." example:"1"`
	Steps             []workflowStep `json:"steps" nullable:"false" doc:"At least one step, in order."`
	AllowSelfApproval bool           `json:"allowSelfApproval" doc:"If false, the submitter, the creator of the submitting token, and the approvers of earlier steps may not approve." example:"true"`
	UpdatedAt         string         `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// stepInput is one step of a workflowInput.
type stepInput struct {
	StepOrder            int     `json:"stepOrder" minimum:"1" doc:"Unique in the workflow." example:"1"`
	RequiredRoleKind     string  `json:"requiredRoleKind" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act, in the entry's own Project, Department or Tenant." example:"admin"`
	RequiredCustomRoleID *int64  `json:"requiredCustomRoleId,omitempty" nullable:"true" doc:"A custom role of the department. If set, only its holders may act." example:"2"`
	StepLabel            *string `json:"stepLabel,omitempty" nullable:"true" maxLength:"200" example:"Desk editor"`
	AllowRevision        *bool   `json:"allowRevision,omitempty" doc:"Default: true." example:"true"`
	AllowRejection       *bool   `json:"allowRejection,omitempty" doc:"Default: true." example:"true"`
}

// workflowInput is a complete workflow.
type workflowInput struct {
	Steps             []stepInput `json:"steps" nullable:"false" minItems:"1" maxItems:"20" doc:"All steps. They replace the present steps."`
	AllowSelfApproval *bool       `json:"allowSelfApproval,omitempty" doc:"If false, the submitter, the creator of the submitting token, and the approvers of earlier steps may not approve. A token that an operator command created excludes no user. Default: true." example:"true"`
}

// effectiveWorkflow is the workflow that governs a Project, with its source.
type effectiveWorkflow struct {
	Workflow orNull[workflow] `json:"workflow" doc:"null means that content is published without approval."`
	Source   string           `json:"source" enum:"project,department,none" example:"department"`
	Reason   string           `json:"reason" doc:"A sentence for users." example:"The project has no workflow of its own, so that of its department governs it."`
}

// actorRef is core.ActorRef on the wire.
type actorRef struct {
	Kind   string `json:"kind" enum:"user,token,system" example:"user"`
	ID     int64  `json:"id" doc:"0 means the system." example:"6"`
	Name   string `json:"name" doc:"The name at that time." example:"Emil Santos"`
	MadeBy int64  `json:"madeBy,omitempty" doc:"For a token: the id of the user that created it; omitted if an operator command created it." example:"4"`
}

// approvalAction documents core.ApprovalAction as approval.View shows it.
type approvalAction struct {
	ID                 int64           `json:"id" example:"31"`
	Type               core.ActionType `json:"type" enum:"submit,approve,reject,request_revision,withdraw,publish_now,reschedule,publish" example:"submit"`
	StepOrder          *int            `json:"stepOrder" doc:"The step of the action; null means none." example:"1"`
	Actor              actorRef        `json:"actor"`
	Comment            *string         `json:"comment" example:"Please check the figures."`
	ContentHash        string          `json:"contentHash" doc:"The hash of the snapshot of the request." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	DraftHash          *string         `json:"draftHash" doc:"The hash of the draft at that time; null means that the entry no longer existed." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ScheduledPublishAt string          `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested time, if any." example:"2026-03-03T06:00:00.000Z"`
	CreatedAt          string          `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Hash               string          `json:"hash" doc:"Hex SHA-256 of this action and, through previousHash, of all earlier actions; see api/audit.md." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
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
	CurrentStep        orNull[workflowStep] `json:"currentStep" doc:"The current step of a pending request; otherwise null."`
	Steps              []workflowStep       `json:"steps" nullable:"false" doc:"The steps at the time of submission."`
	ContentHash        string               `json:"contentHash" doc:"Hex SHA-256 of the canonical JSON (RFC 8785) of snapshot." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Snapshot           snapshot             `json:"snapshot" doc:"The submitted content, which will be published; null in lists."`
	ContentChanged     bool                 `json:"contentChanged" doc:"Whether the draft differs from the snapshot." example:"false"`
	ScheduledPublishAt *string              `json:"scheduledPublishAt" format:"date-time" doc:"The time of publication; null means on approval." example:"2026-01-02T15:04:05.000Z"`
	SubmittedBy        actorRef             `json:"submittedBy"`
	SubmittedAt        string               `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	PublishedAt        *string              `json:"publishedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Actions            []approvalAction     `json:"actions" nullable:"false" doc:"The actions, oldest first."`
	CanAct             bool                 `json:"canAct" doc:"Whether the caller may act on the current step." example:"true"`
}

// approvalAudit documents approval.Audit.
type approvalAudit struct {
	RequestID     int64           `json:"requestId" example:"9"`
	ReleaseNumber string          `json:"releaseNumber" example:"CR-2026-0001"`
	ContentHash   string          `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Valid         bool            `json:"valid" doc:"Whether the record has no faults." example:"true"`
	SnapshotValid bool            `json:"snapshotValid" doc:"Whether the snapshot matches the approved hash." example:"true"`
	Faults        []auditFault    `json:"faults" nullable:"false" doc:"The inconsistencies of the record, the request and the snapshot."`
	Terms         auditTerms      `json:"terms" doc:"The immutable part of the request. The first previousHash is its hash."`
	Actions       []auditedAction `json:"actions" nullable:"false" doc:"The actions, oldest first."`
	ChainHash     string          `json:"chainHash" doc:"The hash of the last action, stored with the request." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	State         auditState      `json:"state" doc:"The state of the request after the last action."`
}

// auditFault is one fault of a record.
type auditFault struct {
	Message  string `json:"message" example:"is not what the last action left"`
	Location string `json:"location" doc:"A path in this response, or snapshot." example:"state.status"`
}

// auditTerms documents the hashed part of a request.
type auditTerms struct {
	Format            int            `json:"format" doc:"The format version of terms and actions." example:"1"`
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
	StepIndex          int                `json:"stepIndex" doc:"The index in terms.steps of the current or last step, starting at 0." example:"2"`
	Approvers          []int64            `json:"approvers" nullable:"false" doc:"The ids of the users that approved a step, in order." example:"[4,5,3]"`
	ScheduledPublishAt string             `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"Omitted means none." example:"2026-03-03T06:00:00.000Z"`
	PublishedAt        string             `json:"publishedAt,omitempty" format:"date-time" doc:"Omitted means not published." example:"2026-03-02T11:45:00.000Z"`
	Version            int64              `json:"version" doc:"The number of changes of the request." example:"4"`
}

// auditedAction is an action with its place in the chain.
type auditedAction struct {
	ID                 int64           `json:"id" example:"31"`
	Type               core.ActionType `json:"type" enum:"submit,approve,reject,request_revision,withdraw,publish_now,reschedule,publish" example:"submit"`
	StepOrder          *int            `json:"stepOrder" doc:"The step of the action; null means none." example:"1"`
	Actor              actorRef        `json:"actor"`
	Comment            *string         `json:"comment" example:"Please check the figures."`
	ContentHash        string          `json:"contentHash" doc:"The hash of the snapshot of the request." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	DraftHash          *string         `json:"draftHash" doc:"The hash of the draft at that time; null means that the entry no longer existed." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ScheduledPublishAt string          `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested time, if any." example:"2026-03-03T06:00:00.000Z"`
	CreatedAt          string          `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Hash               string          `json:"hash" doc:"Hex SHA-256 of this action and, through previousHash, of all earlier actions; see api/audit.md." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	PreviousHash       string          `json:"previousHash" doc:"The hash of the previous action; for the first action, the hash of terms." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Outcome            auditState      `json:"outcome" doc:"The state of the request after the action."`
}

// approvalDiff documents approval.Diff.
type approvalDiff struct {
	PublishedToSnapshot []patchStep `json:"publishedToSnapshot" nullable:"false" doc:"The changes from the published version to the snapshot."`
	SnapshotToDraft     []patchStep `json:"snapshotToDraft" nullable:"false" doc:"The changes from the snapshot to the draft."`
}

// patchStep is one operation of a JSON Patch.
type patchStep struct {
	_     struct{} `additionalProperties:"true"`
	Op    string   `json:"op" enum:"add,remove,replace,move,copy,test" example:"replace"`
	Path  string   `json:"path" doc:"A JSON Pointer into the fields." example:"/title"`
	Value any      `json:"value,omitempty" example:"\"Ceasefire holds\""`
}

// decisionInput is the decision of a reviewer.
type decisionInput struct {
	Comment     *string `json:"comment,omitempty" nullable:"true" maxLength:"4000" doc:"Feedback for the author. Required to request a revision." example:"Please check the figures."`
	StepOrder   *int    `json:"stepOrder,omitempty" doc:"The expected current step. If the request is at another step, the status is 409." example:"1"`
	ContentHash *string `json:"contentHash,omitempty" doc:"The expected hash of the content. If it differs, the status is 409." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// scheduleInput is the requested time of publication.
type scheduleInput struct {
	PublishAt optional[time.Time] `json:"publishAt" doc:"A past time means immediately, if approved. null is allowed while pending and means on approval." example:"2026-01-02T15:04:05.000Z"`
}

// snapshot is the canonical JSON of the submitted content, or null.
type snapshot []byte

// MarshalJSON implements json.Marshaler. It returns the stored bytes.
func (s snapshot) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	return s, nil
}

// Schema implements huma.SchemaProvider.
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

// MarshalJSON implements json.Marshaler.
func (o orNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Schema implements huma.SchemaProvider.
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

// textOrNull returns a pointer to text, or nil for "".
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
