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
	}{newWireRequest(&v.Request, v.Shown), v.ContentChanged, newWireActions(v.Actions), v.CanAct})
}

// MarshalJSON implements json.Marshaler.
func (a Audit) MarshalJSON() ([]byte, error) {
	return encode(struct {
		RequestID     int64             `json:"requestId"`
		ReleaseNumber string            `json:"releaseNumber"`
		ContentHash   string            `json:"contentHash"`
		Valid         bool              `json:"valid"`
		SnapshotValid bool              `json:"snapshotValid"`
		Actions       []wireAuditAction `json:"actions"`
	}{a.Request.ID, a.Request.ReleaseNumber(), a.Request.ContentHash, a.Valid, a.SnapshotValid, newWireAuditActions(a.Actions)})
}

// wireRequest is what a request shows to everybody who sees it.
type wireRequest struct {
	ID                 int64              `json:"id"`
	ReleaseNumber      string             `json:"releaseNumber"`
	Status             core.RequestStatus `json:"status"`
	EntryID            int64              `json:"entryId"`
	CollectionID       int64              `json:"collectionId"`
	ProjectID          int64              `json:"projectId"`
	Locale             string             `json:"locale"`
	CurrentStep        *wireStep          `json:"currentStep"`
	Steps              []wireStep         `json:"steps"`
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

type wireAction struct {
	ID                 int64           `json:"id"`
	Type               core.ActionType `json:"type"`
	StepOrder          *int            `json:"stepOrder"`
	Actor              core.ActorRef   `json:"actor"`
	Comment            *string         `json:"comment"`
	ContentHash        string          `json:"contentHash"`
	ScheduledPublishAt *string         `json:"scheduledPublishAt,omitempty"`
	CreatedAt          *string         `json:"createdAt"`
	Hash               string          `json:"hash"`
}

type wireAuditAction struct {
	wireAction

	PreviousHash *string `json:"previousHash"`
}

func newWireRequest(r *core.Request, shown json.RawMessage) wireRequest {
	w := wireRequest{
		ID: r.ID, ReleaseNumber: r.ReleaseNumber(), Status: r.Status, EntryID: r.EntryID, CollectionID: r.CollectionID,
		ProjectID: r.ProjectID, Locale: r.Locale, Steps: make([]wireStep, len(r.Steps)), ContentHash: r.ContentHash, Snapshot: shown,
		ScheduledPublishAt: optionalTime(r.ScheduledAt), SubmittedBy: r.SubmittedBy,
		SubmittedAt: optionalTime(r.SubmittedAt), PublishedAt: optionalTime(r.PublishedAt),
	}
	for i, step := range r.Steps {
		w.Steps[i] = newWireStep(step)
	}
	if r.CurrentStep() != nil {
		w.CurrentStep = &w.Steps[r.Current]
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
	for i, a := range actions {
		w[i] = wireAction{
			ID: a.ID, Type: a.Type, StepOrder: optional(a.StepOrder), Actor: a.Actor, Comment: optional(a.Comment),
			ContentHash: a.ContentHash, ScheduledPublishAt: optionalTime(a.ScheduledAt), CreatedAt: optionalTime(a.CreatedAt), Hash: a.Hash,
		}
	}
	return w
}

func newWireAuditActions(actions []AuditedAction) []wireAuditAction {
	w := make([]wireAuditAction, len(actions))
	for i, a := range actions {
		w[i] = wireAuditAction{newWireActions([]core.ApprovalAction{a.ApprovalAction})[0], optional(a.PreviousHash)}
	}
	return w
}

// optional returns nil for the zero value, which the wire shows as null.
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
