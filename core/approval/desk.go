package approval

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"imprimatur/core"
)

// Desk is where requests are looked at and decided.
type Desk struct{ Deps }

// NewDesk returns a Desk over these parts.
func NewDesk(deps Deps) *Desk { return &Desk{deps} }

// Decision is what a reviewer says.
type Decision struct {
	Comment string
	// StepOrder and ContentHash, when not nil, must be those of the request as it is.
	StepOrder   *int
	ContentHash *string
}

// View is a request as one person sees it. It marshals as the wire shows a request,
// with times as core.FormatTime writes them.
type View struct {
	Request core.Request
	Actions []core.ApprovalAction
	// ContentChanged says that the draft is no longer what was submitted.
	ContentChanged bool
	// CanAct says that the current step waits for the person.
	CanAct bool
	// Shown is the snapshot without the fields that are secret by now; nil in lists.
	Shown json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (v View) MarshalJSON() ([]byte, error) { panic("") }

// StateError refuses what the request is not in a state for. It unwraps to an error
// of core.KindConflict, and shows the request as it is now.
type StateError struct {
	View *View
	Err  *core.Error
}

func (e *StateError) Error() string { return e.Err.Error() }

// Unwrap returns the conflict.
func (e *StateError) Unwrap() error { return e.Err }

// AuditedAction is an action with its place in the chain.
type AuditedAction struct {
	core.ApprovalAction

	PreviousHash string // of the action before; empty for the first
}

// Audit is the record of one request, verified. It marshals as the wire shows it.
type Audit struct {
	Request core.Request
	// Valid says that every action has the hash that its content and the action before
	// it come to, and that the last is the one that the request names.
	Valid bool
	// SnapshotValid says that the snapshot has the hash that was approved.
	SnapshotValid bool
	Actions       []AuditedAction
}

// MarshalJSON implements json.Marshaler.
func (a Audit) MarshalJSON() ([]byte, error) { panic("") }

// Diff says how versions of an entry differ: JSON Patches (RFC 6902) over the
// objects of their fields, secret ones left out.
type Diff struct {
	PublishedToSnapshot json.RawMessage `json:"publishedToSnapshot"`
	SnapshotToDraft     json.RawMessage `json:"snapshotToDraft"`
}

// Current returns the entry's open request, or else its latest; core.ErrNotFound.
func (d *Desk) Current(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) (*View, error) {
	panic("")
}

// Approve approves the current step.
func (d *Desk) Approve(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	panic("")
}

// Reject ends the request.
func (d *Desk) Reject(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	panic("")
}

// RequestRevision ends the request and says in the comment what is to be revised.
func (d *Desk) RequestRevision(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	panic("")
}

// PublishNow publishes an approved request before its time.
func (d *Desk) PublishNow(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	panic("")
}

// Reschedule changes when the request is to be published; nil is once approved.
func (d *Desk) Reschedule(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, at *time.Time) (*View, error) {
	panic("")
}

// History returns all the entry's requests, latest first.
func (d *Desk) History(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) ([]View, error) {
	panic("")
}

// Audit returns the verified record of the entry's open or latest request.
func (d *Desk) Audit(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) (*Audit, error) {
	panic("")
}

// Diff compares the snapshot of the entry's open or latest request with what is
// published and with the draft.
func (d *Desk) Diff(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) (*Diff, error) {
	panic("")
}

// Export writes the Project's requests with their records as JSON Lines.
func (d *Desk) Export(ctx context.Context, project *core.Project, w io.Writer, progress func(requests int64)) error {
	panic("")
}
