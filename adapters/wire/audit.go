package wire

import (
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// ApprovalAudit is the verified record of a request.
type ApprovalAudit struct {
	RequestID     int64  `json:"requestId" example:"9"`
	ReleaseNumber string `json:"releaseNumber" example:"CR-2026-0001"`
	ContentHash   string `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	AuditRecord
}

// AuditRecord is the record of a request with its faults.
type AuditRecord struct {
	Valid         bool                     `json:"valid" doc:"Whether the record has no faults." example:"true"`
	SnapshotValid bool                     `json:"snapshotValid" doc:"Whether the snapshot matches the approved hash." example:"true"`
	Faults        []AuditFault             `json:"faults" nullable:"false" doc:"The inconsistencies of the record, the request and the snapshot."`
	Terms         approval.AuditTerms      `json:"terms" doc:"The immutable part of the request. The first previousHash is its hash."`
	Actions       []approval.AuditedAction `json:"actions" nullable:"false" doc:"The actions, oldest first."`
	ChainHash     string                   `json:"chainHash" doc:"The hash of the last action, stored with the request." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	State         review.Outcome           `json:"state" doc:"The state of the request after the last action."`
}

// AuditFault is one fault of a record.
type AuditFault struct {
	Message  string `json:"message" example:"is not what the last action left"`
	Location string `json:"location" doc:"A path in this response, or snapshot." example:"state.status"`
}

// ApprovalAuditOf returns a for a response.
func ApprovalAuditOf(a *approval.Audit) ApprovalAudit {
	return ApprovalAudit{a.Request.ID, a.Request.ReleaseNumber(), a.Request.ContentHash(), auditRecordOf(a)}
}

func auditRecordOf(a *approval.Audit) AuditRecord {
	record := a.Record()
	return AuditRecord{
		a.Valid(), a.SnapshotValid, Each(a.Faults, func(f core.FieldError) AuditFault { return AuditFault{f.Message, f.Location} }),
		record.Terms, record.Actions, record.ChainHash, record.State,
	}
}

// Record describes approval.Record.
type Record struct {
	Terms     approval.AuditTerms      `json:"terms"`
	Actions   []approval.AuditedAction `json:"actions" nullable:"false"`
	ChainHash string                   `json:"chainHash" example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	State     review.Outcome           `json:"state"`
}

// AuditTerms describes approval.AuditTerms.
type AuditTerms struct {
	Format            int                     `json:"format" doc:"The format version of terms and actions: 3 for a release, 2 for an entry, 1 for old records." example:"2"`
	Kind              approval.Kind           `json:"kind,omitempty" enum:"entry,release" doc:"Only in format 3." example:"release"`
	TenantID          int64                   `json:"tenantId" example:"1"`
	ProjectID         int64                   `json:"projectId" example:"1"`
	CollectionID      *int64                  `json:"collectionId" doc:"null for a release." example:"2"`
	EntryID           *int64                  `json:"entryId" doc:"null for a release." example:"42"`
	Locale            *string                 `json:"locale" doc:"null for a release." example:"en"`
	RequestID         int64                   `json:"requestId" example:"9"`
	ReleaseNumber     string                  `json:"releaseNumber" example:"CR-2026-0001"`
	Steps             []approval.WorkflowStep `json:"steps" nullable:"false"`
	AllowSelfApproval bool                    `json:"allowSelfApproval" example:"true"`
	ContentHash       string                  `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	SubmittedBy       core.ActorRef           `json:"submittedBy"`
	SubmittedAt       string                  `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Contributors      []core.ActorRef         `json:"contributors,omitzero" nullable:"false" doc:"The contributors of the request; omitted in format 1."`
	Release           *approval.AuditRelease  `json:"release,omitempty" doc:"The release that the request publishes; omitted for an entry."`
}

// AuditRelease describes approval.AuditRelease.
type AuditRelease struct {
	ID      int64                   `json:"id" example:"3"`
	Name    string                  `json:"name" doc:"The name at submission." example:"Spring launch"`
	Members []review.RecordedMember `json:"members" nullable:"false" doc:"What happens to each entry, by ascending entry."`
}

// RecordedMember describes review.RecordedMember.
type RecordedMember struct {
	Entry      int64              `json:"entry" example:"42"`
	Collection string             `json:"collection" doc:"The slug of the collection at submission." example:"articles"`
	Locale     string             `json:"locale" example:"en"`
	Action     schedule.Action    `json:"action" enum:"publish,unpublish" example:"publish"`
	Hash       string             `json:"hash,omitempty" doc:"The hash of the content that becomes public; omitted for unpublish." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Base       *review.MemberBase `json:"base,omitempty" doc:"The publication that readers saw at submission; omitted without one."`
}

// MemberBase describes review.MemberBase.
type MemberBase struct {
	Number int64  `json:"number" example:"1"`
	Hash   string `json:"hash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// ApprovalAction describes approval.Action.
type ApprovalAction struct {
	ID                   int64             `json:"id,omitempty" required:"true" example:"31"`
	Type                 review.ActionType `json:"type" enum:"submit,approve,reject,request_revision,withdraw,publish_now,reschedule,publish" example:"submit"`
	StepID               int               `json:"stepId,omitempty" doc:"The place of the step, from 1; only of approve in a request of format 3." example:"1"`
	StepOrder            *int              `json:"stepOrder" doc:"The step of the action; null means none." example:"1"`
	Actor                core.ActorRef     `json:"actor"`
	OnBehalfOf           *core.ActorRef    `json:"onBehalfOf,omitempty" doc:"The user on whose behalf the actor decided; omitted means none. Only in a request of format 3."`
	By                   string            `json:"by,omitempty" enum:"escalation" doc:"escalation: the step was escalated to the actor, or to the user of onBehalfOf; otherwise omitted." example:"escalation"`
	Comment              *string           `json:"comment" example:"Please check the figures."`
	ContentHash          string            `json:"contentHash" doc:"The contentHash of the request." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	DraftHash            *string           `json:"draftHash" doc:"The hash of the draft at that time; null means that the entry no longer existed, or a release." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ScheduledPublishAt   string            `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested time, if any." example:"2026-03-03T06:00:00.000Z"`
	ScheduledUnpublishAt string            `json:"scheduledUnpublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested end, if any." example:"2026-04-03T06:00:00.000Z"`
	Verified             core.Way          `json:"verified,omitempty" enum:"password,totp,passkey,provider" doc:"How the reviewer proved again who they are; omitted unless the step has reauthenticate." example:"totp"`
	Signature            *review.Signature `json:"signature,omitempty" doc:"The signature of a decision at a step with signature; otherwise omitted. See api/audit.md."`
	CommentsHash         string            `json:"commentsHash,omitempty" doc:"Of a decision: the hash of the comments on the request at that time; omitted if it had none. See api/audit.md." example:"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"`
	RoleLost             bool              `json:"roleLost,omitempty" doc:"In an open request: whether the user who approved no longer has the role of the step. Omitted means false." example:"true"`
	CreatedAt            string            `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Hash                 string            `json:"hash,omitempty" required:"true" doc:"Hex SHA-256 of this action and, through previousHash, of all earlier actions; see api/audit.md." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
}

// AuditedAction describes approval.AuditedAction.
type AuditedAction struct {
	ApprovalAction
	ActionLink
}

// ActionLink is the place of an action in the chain.
type ActionLink struct {
	PreviousHash string         `json:"previousHash" doc:"The hash of the previous action; for the first action, the hash of terms." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Outcome      review.Outcome `json:"outcome" doc:"The state of the request after the action."`
}

// AuditState describes review.Outcome.
type AuditState struct {
	Status               review.RequestStatus `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"published"`
	StepIndex            *int                 `json:"stepIndex,omitempty" doc:"The index in terms.steps of the current or last step, starting at 0; omitted in format 3." example:"2"`
	Approvers            []int64              `json:"approvers,omitzero" nullable:"false" doc:"The ids of the users that approved a step, in order; omitted in format 3." example:"[4,5,3]"`
	Approvals            []review.Approval    `json:"approvals,omitzero" nullable:"false" doc:"The approvals, in order; only in format 3."`
	ScheduledPublishAt   string               `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"Omitted means none." example:"2026-03-03T06:00:00.000Z"`
	ScheduledUnpublishAt string               `json:"scheduledUnpublishAt,omitempty" format:"date-time" doc:"Omitted means none." example:"2026-04-03T06:00:00.000Z"`
	PublishedAt          string               `json:"publishedAt,omitempty" format:"date-time" doc:"Omitted means not published." example:"2026-03-02T11:45:00.000Z"`
	Version              int64                `json:"version" doc:"The number of changes of the request." example:"4"`
}

// Approval describes review.Approval.
type Approval struct {
	StepID int   `json:"stepId" doc:"The place of the step, from 1." example:"1"`
	Person int64 `json:"person" doc:"The user that approved." example:"4"`
	For    int64 `json:"for,omitempty" doc:"The user on whose behalf; omitted: none." example:"5"`
}
