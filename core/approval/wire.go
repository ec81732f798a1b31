package approval

import (
	"bytes"
	"encoding/json"
	"time"

	"imprimatur/core"
)

// MarshalJSON implements json.Marshaler.
func (v View) MarshalJSON() ([]byte, error) {
	return encode(struct {
		wireRequest

		ContentChanged bool         `json:"contentChanged"`
		Actions        []wireAction `json:"actions"`
		CanAct         bool         `json:"canAct"`
	}{newWireRequest(&v.Request, v.Shown, v.Unreachable), v.ContentChanged, newWireActions(v.Actions), v.CanAct})
}

// MarshalJSON implements json.Marshaler.
func (a *Audit) MarshalJSON() ([]byte, error) {
	return encode(struct {
		RequestID     int64  `json:"requestId"`
		ReleaseNumber string `json:"releaseNumber"`
		ContentHash   string `json:"contentHash"`
		wireRecord
	}{a.Request.ID, a.Request.ReleaseNumber(), a.Request.ContentHash, newWireRecord(a)})
}

// wireRecord is the record in the JSON of an audit and of an export.
type wireRecord struct {
	Valid         bool              `json:"valid"`
	SnapshotValid bool              `json:"snapshotValid"`
	Faults        []wireFault       `json:"faults"`
	Terms         wireTerms         `json:"terms"`
	Actions       []wireAuditAction `json:"actions"`
	ChainHash     string            `json:"chainHash"`
	State         core.Outcome      `json:"state"`
}

type wireFault struct {
	Message  string `json:"message"`
	Location string `json:"location"`
}

func newWireRecord(a *Audit) wireRecord {
	w := wireRecord{
		Valid: a.Valid(), SnapshotValid: a.SnapshotValid, Faults: make([]wireFault, len(a.Faults)), Terms: newWireTerms(&a.Request),
		Actions: make([]wireAuditAction, len(a.Actions)), ChainHash: a.Request.ChainHash, State: a.Request.Outcome(),
	}
	for i, f := range a.Faults {
		w.Faults[i] = wireFault{f.Message, f.Location}
	}
	for i := range a.Actions {
		w.Actions[i] = wireAuditAction{a.Actions[i].ID, newWireLine(&a.Actions[i]), a.Actions[i].Hash}
	}
	return w
}

// wireRequest is a request in JSON, without the members that depend on the user.
type wireRequest struct {
	ID                 int64              `json:"id"`
	ReleaseNumber      string             `json:"releaseNumber"`
	Status             core.RequestStatus `json:"status"`
	EntryID            int64              `json:"entryId"`
	CollectionID       int64              `json:"collectionId"`
	ProjectID          int64              `json:"projectId"`
	Locale             string             `json:"locale"`
	CurrentStep        *wireShownStep     `json:"currentStep"`
	Steps              []wireShownStep    `json:"steps"`
	ContentHash        string             `json:"contentHash"`
	Snapshot           json.RawMessage    `json:"snapshot"`
	ScheduledPublishAt *string            `json:"scheduledPublishAt"`
	SubmittedBy        core.ActorRef      `json:"submittedBy"`
	SubmittedAt        *string            `json:"submittedAt"`
	PublishedAt        *string            `json:"publishedAt"`
}

type wireStep struct {
	StepOrder            int       `json:"stepOrder"`
	RequiredRoleKind     core.Role `json:"requiredRoleKind"`
	RequiredCustomRoleID *int64    `json:"requiredCustomRoleId"`
	StepLabel            *string   `json:"stepLabel"`
	AllowRevision        bool      `json:"allowRevision"`
	AllowRejection       bool      `json:"allowRejection"`
}

// wireShownStep is a step with its present reachability.
type wireShownStep struct {
	wireStep

	Unreachable bool `json:"unreachable,omitempty"`
}

// wireAction is an action with its id and its hash.
type wireAction struct {
	ID int64 `json:"id"`
	wireDone

	Hash string `json:"hash"`
}

// wireDone is an action without id and hashes of the chain.
type wireDone struct {
	Type               core.ActionType `json:"type"`
	StepOrder          *int            `json:"stepOrder"`
	Actor              core.ActorRef   `json:"actor"`
	Comment            *string         `json:"comment"`
	ContentHash        string          `json:"contentHash"`
	DraftHash          *string         `json:"draftHash"`
	ScheduledPublishAt *string         `json:"scheduledPublishAt,omitempty"`
	CreatedAt          string          `json:"createdAt"`
}

// wireAuditAction is an action with its place in the chain.
type wireAuditAction struct {
	ID int64 `json:"id"`
	wireLine

	Hash string `json:"hash"`
}

func newWireRequest(r *core.Request, shown json.RawMessage, unreachable map[int]bool) wireRequest {
	w := wireRequest{
		ID: r.ID, ReleaseNumber: r.ReleaseNumber(), Status: r.Status, EntryID: r.EntryID, CollectionID: r.CollectionID,
		ProjectID: r.ProjectID, Locale: r.Locale, Steps: make([]wireShownStep, len(r.Steps)), ContentHash: r.ContentHash, Snapshot: shown,
		ScheduledPublishAt: optionalTime(r.ScheduledAt), SubmittedBy: r.SubmittedBy,
		SubmittedAt: optionalTime(r.SubmittedAt), PublishedAt: optionalTime(r.PublishedAt),
	}
	for i, step := range newWireSteps(r.Steps) {
		w.Steps[i] = wireShownStep{step, unreachable[step.StepOrder]}
	}
	if r.CurrentStep() != nil {
		w.CurrentStep = &w.Steps[r.Current]
	}
	return w
}

func newWireSteps(steps []core.Step) []wireStep {
	w := make([]wireStep, len(steps))
	for i, step := range steps {
		w[i] = newWireStep(step)
	}
	return w
}

func newWireStep(s core.Step) wireStep {
	return wireStep{
		StepOrder: s.Order, RequiredRoleKind: s.RoleKind, RequiredCustomRoleID: optional(s.CustomRoleID),
		StepLabel: optional(s.Label), AllowRevision: s.AllowRevision, AllowRejection: s.AllowRejection,
	}
}

func newWireActions(actions []core.ApprovalAction) []wireAction {
	w := make([]wireAction, len(actions))
	for i := range actions {
		w[i] = wireAction{actions[i].ID, newWireDone(&actions[i]), actions[i].Hash}
	}
	return w
}

func newWireDone(a *core.ApprovalAction) wireDone {
	return wireDone{
		Type: a.Type, StepOrder: optional(a.StepOrder), Actor: a.Actor, Comment: optional(a.Comment),
		ContentHash: a.ContentHash, DraftHash: optional(a.DraftHash),
		ScheduledPublishAt: optionalTime(a.ScheduledAt), CreatedAt: core.FormatTime(a.CreatedAt),
	}
}

// optional returns nil, which is null in JSON, for the zero value.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func optionalTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := core.FormatTime(t)
	return &text
}

// encode is json.Marshal that leaves <, > and & as they are, so that a snapshot keeps
// the bytes that were hashed.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
