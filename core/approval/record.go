package approval

import (
	"imprimatur/core"
	"imprimatur/core/review"
)

// The types of this file are the JSON of the record of a request, exactly as it is hashed, signed and
// exported. api/audit.md documents every byte.

// Record is the record of a request: its terms, its actions, and the state that they led to.
type Record struct {
	Terms     AuditTerms      `json:"terms"`
	Actions   []AuditedAction `json:"actions"`
	ChainHash string          `json:"chainHash"` // the hash of the last action
	State     review.Outcome  `json:"state"`
}

// AuditTerms has the members of a request that never change after its submission. The entry, its
// collection and locale are null for a release.
type AuditTerms struct {
	Format            int             `json:"format"`
	Kind              Kind            `json:"kind,omitempty"` // empty before format 3
	TenantID          int64           `json:"tenantId"`
	ProjectID         int64           `json:"projectId"`
	CollectionID      *int64          `json:"collectionId"`
	EntryID           *int64          `json:"entryId"`
	Locale            *string         `json:"locale"`
	RequestID         int64           `json:"requestId"`
	ReleaseNumber     string          `json:"releaseNumber"`
	Steps             []WorkflowStep  `json:"steps"`
	AllowSelfApproval bool            `json:"allowSelfApproval"`
	ContentHash       string          `json:"contentHash"`
	SubmittedBy       core.ActorRef   `json:"submittedBy"`
	SubmittedAt       string          `json:"submittedAt"`
	Contributors      []core.ActorRef `json:"contributors,omitzero"` // nil in format 1
	Release           *AuditRelease   `json:"release,omitempty"`     // nil unless Kind is KindRelease
}

// Kind is what a request publishes.
type Kind string

// The kinds of requests.
const (
	KindEntry   Kind = "entry"
	KindRelease Kind = "release"
)

// AuditRelease is the release of a request with all its members. Its hash is the contentHash of the
// terms.
type AuditRelease struct {
	ID      int64                   `json:"id"`
	Name    string                  `json:"name"`
	Members []review.RecordedMember `json:"members"`
}

// ByEscalation is Action.By of a decision by a user that the step was escalated to.
const ByEscalation = "escalation"

// Action is the JSON of a review.Action. A zero id and an empty hash are omitted: an action
// does not have them when it is hashed.
type Action struct {
	ID                   int64             `json:"id,omitempty"`
	Type                 review.ActionType `json:"type"`
	StepID               int               `json:"stepId,omitempty"` // of an approval; records before format 3: 0
	StepOrder            *int              `json:"stepOrder"`
	Actor                core.ActorRef     `json:"actor"`
	OnBehalfOf           *core.ActorRef    `json:"onBehalfOf,omitempty"` // nil unless a user decided on behalf of another
	By                   string            `json:"by,omitempty"`         // ByEscalation, or empty
	Comment              *string           `json:"comment"`
	ContentHash          string            `json:"contentHash"`
	DraftHash            *string           `json:"draftHash"`
	ScheduledPublishAt   string            `json:"scheduledPublishAt,omitempty"`
	ScheduledUnpublishAt string            `json:"scheduledUnpublishAt,omitempty"`
	Verified             core.Way          `json:"verified,omitempty"`
	Signature            *review.Signature `json:"signature,omitempty"`    // of a decision at a step with one
	CommentsHash         string            `json:"commentsHash,omitempty"` // of a decision about a request with comments
	RoleLost             bool              `json:"roleLost,omitempty"`     // false in records
	CreatedAt            string            `json:"createdAt"`
	Hash                 string            `json:"hash,omitempty"`
}

// AuditedAction is an action with its place in the chain.
type AuditedAction struct {
	Action

	PreviousHash string         `json:"previousHash"`
	Outcome      review.Outcome `json:"outcome"`
}

// Record returns the record that a verified.
func (a *Audit) Record() *Record {
	record := &Record{Terms: termsOf(&a.Request), Actions: make([]AuditedAction, len(a.Actions)), ChainHash: a.Request.ChainHash, State: a.Request.Outcome()}
	for i := range a.Actions {
		record.Actions[i] = auditedOf(&a.Request, &a.Actions[i])
	}
	return record
}

// termsOf returns the terms of r in its format.
func termsOf(r *review.Request) AuditTerms {
	terms := AuditTerms{
		Format: r.RecordFormat, TenantID: r.TenantID, ProjectID: r.ProjectID, RequestID: r.ID, ReleaseNumber: r.ReleaseNumber(),
		Steps: recordedSteps(r), AllowSelfApproval: r.AllowSelfApproval, ContentHash: r.ContentHash(),
		SubmittedBy: r.SubmittedBy, SubmittedAt: core.FormatTime(r.SubmittedAt),
	}
	if r.Release == nil {
		item := r.Item()
		terms.CollectionID, terms.EntryID, terms.Locale = &item.CollectionID, &item.EntryID, &item.Locale
	} else {
		terms.Release = &AuditRelease{r.Release.ID, r.Release.Name, review.MembersOf(r.Items)}
	}
	if r.RecordFormat > 1 {
		terms.Contributors = append([]core.ActorRef{}, r.Contributors...)
	}
	if r.RecordFormat > 2 {
		terms.Kind = KindOf(r)
	}
	return terms
}

// KindOf returns what r publishes.
func KindOf(r *review.Request) Kind {
	if r.Release != nil {
		return KindRelease
	}
	return KindEntry
}

// ActionOf returns the JSON of a, without the members that only records have.
func ActionOf(a *review.Action) Action {
	var behalf *core.ActorRef
	if a.OnBehalfOf.ID != 0 {
		behalf = &a.OnBehalfOf
	}
	by := ""
	if a.Escalated {
		by = ByEscalation
	}
	return Action{
		ID: a.ID, By: by, Type: a.Type, StepID: a.StepID(), StepOrder: core.NullIfZero(a.StepOrder), Actor: a.Actor, OnBehalfOf: behalf, Comment: core.NullIfZero(a.Comment),
		ContentHash: a.ContentHash, DraftHash: core.NullIfZero(a.DraftHash),
		ScheduledPublishAt: core.TimeText(a.ScheduledAt), ScheduledUnpublishAt: core.TimeText(a.UnpublishAt),
		Verified: a.Verified, Signature: a.Signature, CommentsHash: a.CommentsHash, CreatedAt: core.FormatTime(a.CreatedAt), Hash: a.Hash,
	}
}

// auditedOf returns the JSON of an action of r in its record.
func auditedOf(r *review.Request, a *review.Action) AuditedAction {
	shown := ActionOf(a)
	if r.RecordFormat < 3 {
		shown.StepID = 0
	}
	return AuditedAction{shown, a.PreviousHash, a.Outcome}
}
