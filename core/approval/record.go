package approval

import "imprimatur/core"

// The types of this file are the JSON of the record of a request, exactly as it is hashed, signed and
// exported. api/audit.md documents every byte.

// Record is the record of a request: its terms, its actions, and the state that they led to.
type Record struct {
	Terms     AuditTerms      `json:"terms"`
	Actions   []AuditedAction `json:"actions"`
	ChainHash string          `json:"chainHash"` // the hash of the last action
	State     core.Outcome    `json:"state"`
}

// AuditTerms has the members of a request that never change after its submission.
type AuditTerms struct {
	Format            int             `json:"format"`
	TenantID          int64           `json:"tenantId"`
	ProjectID         int64           `json:"projectId"`
	CollectionID      int64           `json:"collectionId"`
	EntryID           int64           `json:"entryId"`
	Locale            string          `json:"locale"`
	RequestID         int64           `json:"requestId"`
	ReleaseNumber     string          `json:"releaseNumber"`
	Steps             []WorkflowStep  `json:"steps"`
	AllowSelfApproval bool            `json:"allowSelfApproval"`
	ContentHash       string          `json:"contentHash"`
	SubmittedBy       core.ActorRef   `json:"submittedBy"`
	SubmittedAt       string          `json:"submittedAt"`
	Contributors      []core.ActorRef `json:"contributors,omitzero"` // nil in format 1
}

// WorkflowStep is the JSON of a core.Step.
type WorkflowStep struct {
	StepOrder            int       `json:"stepOrder"`
	RequiredRoleKind     core.Role `json:"requiredRoleKind"`
	RequiredCustomRoleID *int64    `json:"requiredCustomRoleId"`
	StepLabel            *string   `json:"stepLabel"`
	AllowRevision        bool      `json:"allowRevision"`
	AllowRejection       bool      `json:"allowRejection"`
	Reauthenticate       bool      `json:"reauthenticate,omitempty"`
	Unreachable          bool      `json:"unreachable,omitempty"` // false in records
	RemindAfter          int       `json:"remindAfter,omitempty"` // 0 in records
}

// Action is the JSON of a core.ApprovalAction. A zero id and an empty hash are omitted: an action
// does not have them when it is hashed.
type Action struct {
	ID                   int64           `json:"id,omitempty"`
	Type                 core.ActionType `json:"type"`
	StepOrder            *int            `json:"stepOrder"`
	Actor                core.ActorRef   `json:"actor"`
	Comment              *string         `json:"comment"`
	ContentHash          string          `json:"contentHash"`
	DraftHash            *string         `json:"draftHash"`
	ScheduledPublishAt   string          `json:"scheduledPublishAt,omitempty"`
	ScheduledUnpublishAt string          `json:"scheduledUnpublishAt,omitempty"`
	Verified             core.Way        `json:"verified,omitempty"`
	CreatedAt            string          `json:"createdAt"`
	Hash                 string          `json:"hash,omitempty"`
}

// AuditedAction is an action with its place in the chain.
type AuditedAction struct {
	Action

	PreviousHash string       `json:"previousHash"`
	Outcome      core.Outcome `json:"outcome"`
}

// Record returns the record that a verified.
func (a *Audit) Record() *Record {
	record := &Record{Terms: termsOf(&a.Request), Actions: make([]AuditedAction, len(a.Actions)), ChainHash: a.Request.ChainHash, State: a.Request.Outcome()}
	for i := range a.Actions {
		record.Actions[i] = auditedOf(&a.Actions[i])
	}
	return record
}

func termsOf(r *core.Request) AuditTerms {
	terms := AuditTerms{
		Format: r.RecordFormat, TenantID: r.TenantID, ProjectID: r.ProjectID, CollectionID: r.CollectionID, EntryID: r.EntryID,
		Locale: r.Locale, RequestID: r.ID, ReleaseNumber: r.ReleaseNumber(), Steps: recordedSteps(r.Steps),
		AllowSelfApproval: r.AllowSelfApproval, ContentHash: r.ContentHash,
		SubmittedBy: r.SubmittedBy, SubmittedAt: core.FormatTime(r.SubmittedAt),
	}
	if r.RecordFormat > 1 {
		terms.Contributors = append([]core.ActorRef{}, r.Contributors...)
	}
	return terms
}

// StepsOf returns the JSON of steps with the members that records do not have. unreachable reports, by
// the order of a step, whether no user can approve it.
func StepsOf(steps []core.Step, unreachable map[int]bool) []WorkflowStep {
	shown := recordedSteps(steps)
	for i, s := range steps {
		shown[i].Unreachable, shown[i].RemindAfter = unreachable[s.Order], s.RemindAfter
	}
	return shown
}

// recordedSteps returns the JSON of steps in records.
func recordedSteps(steps []core.Step) []WorkflowStep {
	recorded := make([]WorkflowStep, len(steps))
	for i, s := range steps {
		recorded[i] = WorkflowStep{
			StepOrder: s.Order, RequiredRoleKind: s.RoleKind, RequiredCustomRoleID: core.NullIfZero(s.CustomRoleID), StepLabel: core.NullIfZero(s.Label),
			AllowRevision: s.AllowRevision, AllowRejection: s.AllowRejection,
			Reauthenticate: s.Reauthenticate,
		}
	}
	return recorded
}

// ActionOf returns the JSON of a.
func ActionOf(a *core.ApprovalAction) Action {
	return Action{
		a.ID, a.Type, core.NullIfZero(a.StepOrder), a.Actor, core.NullIfZero(a.Comment), a.ContentHash, core.NullIfZero(a.DraftHash),
		core.TimeText(a.ScheduledAt), core.TimeText(a.UnpublishAt), a.Verified, core.FormatTime(a.CreatedAt), a.Hash,
	}
}

func auditedOf(a *core.ApprovalAction) AuditedAction {
	return AuditedAction{ActionOf(a), a.PreviousHash, a.Outcome}
}
