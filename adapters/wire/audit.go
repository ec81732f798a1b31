package wire

import (
	"imprimatur/core"
	"imprimatur/core/approval"
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
	State         core.Outcome             `json:"state" doc:"The state of the request after the last action."`
}

// AuditFault is one fault of a record.
type AuditFault struct {
	Message  string `json:"message" example:"is not what the last action left"`
	Location string `json:"location" doc:"A path in this response, or snapshot." example:"state.status"`
}

// ApprovalAuditOf returns a for a response.
func ApprovalAuditOf(a *approval.Audit) ApprovalAudit {
	return ApprovalAudit{a.Request.ID, a.Request.ReleaseNumber(), a.Request.ContentHash, auditRecordOf(a)}
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
	State     core.Outcome             `json:"state"`
}

// AuditTerms describes approval.AuditTerms.
type AuditTerms struct {
	Format            int                     `json:"format" doc:"The format version of terms and actions." example:"2"`
	TenantID          int64                   `json:"tenantId" example:"1"`
	ProjectID         int64                   `json:"projectId" example:"1"`
	CollectionID      int64                   `json:"collectionId" example:"2"`
	EntryID           int64                   `json:"entryId" example:"42"`
	Locale            string                  `json:"locale" example:"en"`
	RequestID         int64                   `json:"requestId" example:"9"`
	ReleaseNumber     string                  `json:"releaseNumber" example:"CR-2026-0001"`
	Steps             []approval.WorkflowStep `json:"steps" nullable:"false"`
	AllowSelfApproval bool                    `json:"allowSelfApproval" example:"true"`
	ContentHash       string                  `json:"contentHash" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	SubmittedBy       core.ActorRef           `json:"submittedBy"`
	SubmittedAt       string                  `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Contributors      []core.ActorRef         `json:"contributors,omitzero" nullable:"false" doc:"The contributors of the request; omitted in format 1."`
}

// ApprovalAction describes approval.Action.
type ApprovalAction struct {
	ID                   int64           `json:"id,omitempty" required:"true" example:"31"`
	Type                 core.ActionType `json:"type" enum:"submit,approve,reject,request_revision,withdraw,publish_now,reschedule,publish" example:"submit"`
	StepOrder            *int            `json:"stepOrder" doc:"The step of the action; null means none." example:"1"`
	Actor                core.ActorRef   `json:"actor"`
	Comment              *string         `json:"comment" example:"Please check the figures."`
	ContentHash          string          `json:"contentHash" doc:"The hash of the snapshot of the request." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	DraftHash            *string         `json:"draftHash" doc:"The hash of the draft at that time; null means that the entry no longer existed." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ScheduledPublishAt   string          `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested time, if any." example:"2026-03-03T06:00:00.000Z"`
	ScheduledUnpublishAt string          `json:"scheduledUnpublishAt,omitempty" format:"date-time" doc:"For submit and reschedule: the requested end, if any." example:"2026-04-03T06:00:00.000Z"`
	Verified             core.Way        `json:"verified,omitempty" enum:"password,totp,passkey" doc:"How the reviewer proved again who they are; omitted unless the step has reauthenticate." example:"totp"`
	CreatedAt            string          `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Hash                 string          `json:"hash,omitempty" required:"true" doc:"Hex SHA-256 of this action and, through previousHash, of all earlier actions; see api/audit.md." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
}

// AuditedAction describes approval.AuditedAction.
type AuditedAction struct {
	ApprovalAction
	ActionLink
}

// ActionLink is the place of an action in the chain.
type ActionLink struct {
	PreviousHash string       `json:"previousHash" doc:"The hash of the previous action; for the first action, the hash of terms." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Outcome      core.Outcome `json:"outcome" doc:"The state of the request after the action."`
}

// AuditState describes core.Outcome.
type AuditState struct {
	Status               core.RequestStatus `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"published"`
	StepIndex            int                `json:"stepIndex" doc:"The index in terms.steps of the current or last step, starting at 0." example:"2"`
	Approvers            []int64            `json:"approvers" nullable:"false" doc:"The ids of the users that approved a step, in order." example:"[4,5,3]"`
	ScheduledPublishAt   string             `json:"scheduledPublishAt,omitempty" format:"date-time" doc:"Omitted means none." example:"2026-03-03T06:00:00.000Z"`
	ScheduledUnpublishAt string             `json:"scheduledUnpublishAt,omitempty" format:"date-time" doc:"Omitted means none." example:"2026-04-03T06:00:00.000Z"`
	PublishedAt          string             `json:"publishedAt,omitempty" format:"date-time" doc:"Omitted means not published." example:"2026-03-02T11:45:00.000Z"`
	Version              int64              `json:"version" doc:"The number of changes of the request." example:"4"`
}
