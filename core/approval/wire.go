package approval

import (
	"encoding/json"

	"imprimatur/core"
)

// The types of this file are the JSON of requests and audits, in the API, in the export and
// under the hashes of the record. The tags doc, example, enum, format, nullable and required
// describe the members in the OpenAPI document. Descriptions that are too long for a tag
// are in package rest.

// ShownRequest is the JSON of a View.
type ShownRequest struct {
	ID                   int64              `json:"id" example:"9"`
	ReleaseNumber        string             `json:"releaseNumber" doc:"CR-<year>-<sequence>, without gaps in a Tenant and year." example:"CR-2026-0001"`
	Status               core.RequestStatus `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"pending"`
	Title                *string            `json:"title" maxLength:"200" example:"Ceasefire holds"`
	EntryID              int64              `json:"entryId" example:"42"`
	CollectionID         int64              `json:"collectionId" example:"2"`
	ProjectID            int64              `json:"projectId" example:"1"`
	Locale               string             `json:"locale" example:"en"`
	CurrentStep          CurrentStep        `json:"currentStep" doc:"The current step of a pending request; otherwise null."`
	Steps                []WorkflowStep     `json:"steps" nullable:"false" doc:"The steps at the time of submission."`
	AllowSelfApproval    bool               `json:"allowSelfApproval" doc:"That of the workflow at the time of submission." example:"false"`
	ContentHash          string             `json:"contentHash" doc:"Hex SHA-256 of the canonical JSON (RFC 8785) of snapshot." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Snapshot             Snapshot           `json:"snapshot" doc:"The submitted content, which will be published; null in lists."`
	ContentChanged       *bool              `json:"contentChanged,omitempty" required:"true" doc:"Whether the draft, or the words of its media, differ from the snapshot." example:"false"` // nil in exports
	ScheduledPublishAt   *string            `json:"scheduledPublishAt" format:"date-time" doc:"The time of publication; null means on approval." example:"2026-01-02T15:04:05.000Z"`
	ScheduledUnpublishAt *string            `json:"scheduledUnpublishAt" format:"date-time" doc:"When the entry is unpublished after this publication; null means never." example:"2026-04-03T06:00:00.000Z"`
	SubmittedBy          core.ActorRef      `json:"submittedBy"`
	Contributors         []core.ActorRef    `json:"contributors" nullable:"false"`
	SubmittedAt          string             `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	PublishedAt          *string            `json:"publishedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Actions              []ShownAction      `json:"actions,omitzero" required:"true" nullable:"false" doc:"The actions, oldest first."`                                                                        // nil in exports
	CanAct               *bool              `json:"canAct,omitempty" required:"true" doc:"Whether the caller may act on the current step." example:"true"`                                                     // nil in exports
	CanReschedule        *bool              `json:"canReschedule,omitempty" required:"true" doc:"Whether the caller may change the times of the request now." example:"false"`                                 // nil in exports
	CanPublishNow        *bool              `json:"canPublishNow,omitempty" required:"true" doc:"Whether the caller may publish the request now, before its time." example:"false"`                            // nil in exports
	Deciders             []StepDeciders     `json:"deciders,omitzero" required:"true" nullable:"false" doc:"The users that can decide the current and the later steps of a pending request; otherwise empty."` // nil in exports
	Reason               string             `json:"reason,omitempty" doc:"If canAct is false: a sentence that says why." example:"You submitted this request, and the workflow does not allow self-approval."`
}

// WorkflowStep is the JSON of a core.Step.
type WorkflowStep struct {
	StepOrder            int       `json:"stepOrder" doc:"The position of the step." example:"1"`
	RequiredRoleKind     core.Role `json:"requiredRoleKind" enum:"admin,department_admin,tenant_admin" doc:"The lowest role that may act, in the entry's own Project, Department or Tenant." example:"admin"`
	RequiredCustomRoleID *int64    `json:"requiredCustomRoleId" doc:"If set, only the holders of this custom role may act and requiredRoleKind has no effect." example:"2"`
	StepLabel            *string   `json:"stepLabel" example:"Desk editor"`
	AllowRevision        bool      `json:"allowRevision" doc:"Whether the reviewer may send the content back for revision." example:"true"`
	AllowRejection       bool      `json:"allowRejection" doc:"Whether the reviewer may reject." example:"true"`
	Unreachable          bool      `json:"unreachable,omitempty"`
}

// StepDeciders is the JSON of Deciders.Users of one step.
type StepDeciders struct {
	StepOrder int     `json:"stepOrder" example:"1"`
	UserIDs   []int64 `json:"userIds" nullable:"false" example:"[4,5]"`
}

// CurrentStep is a WorkflowStep or, when nil, null.
type CurrentStep struct{ *WorkflowStep }

// MarshalJSON implements json.Marshaler.
func (c CurrentStep) MarshalJSON() ([]byte, error) { return core.EncodeJSON(c.WorkflowStep) }

// Snapshot is canonical JSON (RFC 8785) or, when nil, null.
type Snapshot []byte

// MarshalJSON implements json.Marshaler. It returns the stored bytes.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	return s, nil
}

// ShownAction is the JSON of a core.ApprovalAction. A zero id and an empty hash are omitted:
// an action does not have them when it is hashed.
type ShownAction struct {
	ID                   int64           `json:"id,omitempty" required:"true" example:"31"`
	Type                 core.ActionType `json:"type" enum:"submit,approve,reject,request_revision,withdraw,publish_now,reschedule,publish" example:"submit"`
	StepOrder            *int            `json:"stepOrder" doc:"The step of the action; null means none." example:"1"`
	Actor                core.ActorRef   `json:"actor"`
	Comment              *string         `json:"comment" example:"Please check the figures."`
	ContentHash          string          `json:"contentHash" doc:"The hash of the snapshot of the request." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	DraftHash            *string         `json:"draftHash" doc:"The hash of the draft at that time; null means that the entry no longer existed." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ScheduledPublishAt   string          `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested time, if any." example:"2026-03-03T06:00:00.000Z"`
	ScheduledUnpublishAt string          `json:"scheduledUnpublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested end, if any." example:"2026-04-03T06:00:00.000Z"`
	CreatedAt            string          `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Hash                 string          `json:"hash,omitempty" required:"true" doc:"Hex SHA-256 of this action and, through previousHash, of all earlier actions; see api/audit.md." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
}

// ShownAudit is the JSON of an Audit.
type ShownAudit struct {
	RequestID     int64  `json:"requestId" example:"9"`
	ReleaseNumber string `json:"releaseNumber" example:"CR-2026-0001"`
	ContentHash   string `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	AuditRecord
}

// AuditRecord is the JSON of the record and of its faults.
type AuditRecord struct {
	Valid         bool            `json:"valid" doc:"Whether the record has no faults." example:"true"`
	SnapshotValid bool            `json:"snapshotValid" doc:"Whether the snapshot matches the approved hash." example:"true"`
	Faults        []AuditFault    `json:"faults" nullable:"false" doc:"The inconsistencies of the record, the request and the snapshot."`
	Terms         AuditTerms      `json:"terms" doc:"The immutable part of the request. The first previousHash is its hash."`
	Actions       []AuditedAction `json:"actions" nullable:"false" doc:"The actions, oldest first."`
	ChainHash     string          `json:"chainHash" doc:"The hash of the last action, stored with the request." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	State         AuditState      `json:"state" doc:"The state of the request after the last action."`
}

// AuditFault is one fault of a record.
type AuditFault struct {
	Message  string `json:"message" example:"is not what the last action left"`
	Location string `json:"location" doc:"A path in this response, or snapshot." example:"state.status"`
}

// AuditTerms has the members of a request that never change after its submission.
type AuditTerms struct {
	Format            int            `json:"format" doc:"The format version of terms and actions." example:"2"`
	TenantID          int64          `json:"tenantId" example:"1"`
	ProjectID         int64          `json:"projectId" example:"1"`
	CollectionID      int64          `json:"collectionId" example:"2"`
	EntryID           int64          `json:"entryId" example:"42"`
	Locale            string         `json:"locale" example:"en"`
	RequestID         int64          `json:"requestId" example:"9"`
	ReleaseNumber     string         `json:"releaseNumber" example:"CR-2026-0001"`
	Steps             []WorkflowStep `json:"steps" nullable:"false"`
	AllowSelfApproval bool           `json:"allowSelfApproval" example:"true"`
	ContentHash       string         `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	SubmittedBy       core.ActorRef  `json:"submittedBy"`
	SubmittedAt       string         `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	// Contributors is nil, and omitted, in format 1.
	Contributors []core.ActorRef `json:"contributors,omitzero" nullable:"false" doc:"The contributors of the request; omitted in format 1."`
}

// AuditState is the JSON of a core.Outcome.
type AuditState core.Outcome

// AuditedAction is an action with its place in the chain.
type AuditedAction struct {
	ShownAction
	ActionLink
}

// ActionLink is the place of an action in the chain.
type ActionLink struct {
	PreviousHash string     `json:"previousHash" doc:"The hash of the previous action; for the first action, the hash of terms." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Outcome      AuditState `json:"outcome" doc:"The state of the request after the action."`
}

// Show returns the JSON of v.
func (v *View) Show() ShownRequest {
	shown := showRequest(&v.Request, v.Title, v.Shown, v.Unreachable)
	shown.ContentChanged, shown.CanAct, shown.Reason = &v.ContentChanged, &v.CanAct, v.Reason
	shown.CanReschedule, shown.CanPublishNow = &v.CanReschedule, &v.CanPublishNow
	shown.Deciders = []StepDeciders{}
	for _, step := range v.Request.Steps {
		if users, ahead := v.Users[step.Order]; ahead {
			shown.Deciders = append(shown.Deciders, StepDeciders{step.Order, users})
		}
	}
	shown.Actions = make([]ShownAction, len(v.Actions))
	for i := range v.Actions {
		shown.Actions[i] = showAction(&v.Actions[i])
	}
	return shown
}

// Show returns the JSON of a.
func (a *Audit) Show() ShownAudit {
	return ShownAudit{a.Request.ID, a.Request.ReleaseNumber(), a.Request.ContentHash, showRecord(a)}
}

func showRecord(a *Audit) AuditRecord {
	shown := AuditRecord{
		Valid: a.Valid(), SnapshotValid: a.SnapshotValid, Faults: make([]AuditFault, len(a.Faults)), Terms: showTerms(&a.Request),
		Actions: make([]AuditedAction, len(a.Actions)), ChainHash: a.Request.ChainHash, State: AuditState(a.Request.Outcome()),
	}
	for i, f := range a.Faults {
		shown.Faults[i] = AuditFault{f.Message, f.Location}
	}
	for i := range a.Actions {
		shown.Actions[i] = showAudited(&a.Actions[i])
	}
	return shown
}

// showRequest returns the JSON of r without the members that depend on the user.
func showRequest(r *core.Request, title string, snapshot json.RawMessage, unreachable map[int]bool) ShownRequest {
	shown := ShownRequest{
		ID: r.ID, ReleaseNumber: r.ReleaseNumber(), Status: r.Status, Title: core.NullIfZero(title), EntryID: r.EntryID, CollectionID: r.CollectionID,
		ProjectID: r.ProjectID, Locale: r.Locale, Steps: ShowSteps(r.Steps, unreachable), AllowSelfApproval: r.AllowSelfApproval, ContentHash: r.ContentHash, Snapshot: Snapshot(snapshot),
		ScheduledPublishAt: core.NullIfZero(core.TimeText(r.ScheduledAt)), ScheduledUnpublishAt: core.NullIfZero(core.TimeText(r.UnpublishAt)), SubmittedBy: r.SubmittedBy,
		Contributors: append([]core.ActorRef{}, r.Contributors...), SubmittedAt: core.FormatTime(r.SubmittedAt), PublishedAt: core.NullIfZero(core.TimeText(r.PublishedAt)),
	}
	if r.CurrentStep() != nil {
		shown.CurrentStep.WorkflowStep = &shown.Steps[r.Current]
	}
	return shown
}

// ShowSteps returns the JSON of steps. unreachable reports, by the order of a step, whether
// no user can approve it.
func ShowSteps(steps []core.Step, unreachable map[int]bool) []WorkflowStep {
	shown := make([]WorkflowStep, len(steps))
	for i, s := range steps {
		shown[i] = WorkflowStep{
			s.Order, s.RoleKind, core.NullIfZero(s.CustomRoleID), core.NullIfZero(s.Label), s.AllowRevision, s.AllowRejection, unreachable[s.Order],
		}
	}
	return shown
}

func showTerms(r *core.Request) AuditTerms {
	terms := AuditTerms{
		Format: r.RecordFormat, TenantID: r.TenantID, ProjectID: r.ProjectID, CollectionID: r.CollectionID, EntryID: r.EntryID,
		Locale: r.Locale, RequestID: r.ID, ReleaseNumber: r.ReleaseNumber(), Steps: ShowSteps(r.Steps, nil),
		AllowSelfApproval: r.AllowSelfApproval, ContentHash: r.ContentHash,
		SubmittedBy: r.SubmittedBy, SubmittedAt: core.FormatTime(r.SubmittedAt),
	}
	if r.RecordFormat > 1 {
		terms.Contributors = append([]core.ActorRef{}, r.Contributors...)
	}
	return terms
}

func showAction(a *core.ApprovalAction) ShownAction {
	return ShownAction{
		a.ID, a.Type, core.NullIfZero(a.StepOrder), a.Actor, core.NullIfZero(a.Comment), a.ContentHash, core.NullIfZero(a.DraftHash),
		core.TimeText(a.ScheduledAt), core.TimeText(a.UnpublishAt), core.FormatTime(a.CreatedAt), a.Hash,
	}
}

func showAudited(a *core.ApprovalAction) AuditedAction {
	return AuditedAction{showAction(a), ActionLink{a.PreviousHash, AuditState(a.Outcome)}}
}
