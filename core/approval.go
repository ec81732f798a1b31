package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"imprimatur/core/canonical"
)

// Step is one review in a Workflow.
type Step struct {
	Order int `json:"stepOrder"` // unique in its workflow, from 1; the steps are taken in this order
	// RoleKind is the lowest role that may act, in the entry's own Project, Department
	// or Tenant: RoleAdmin, RoleDepartmentAdmin or RoleTenantAdmin.
	RoleKind Role `json:"requiredRoleKind"`
	// CustomRoleID, unless it is 0, admits the holders of that custom role instead, and
	// nobody else.
	CustomRoleID   int64  `json:"requiredCustomRoleId,omitempty"`
	Label          string `json:"stepLabel,omitempty"`
	AllowRevision  bool   `json:"allowRevision"`
	AllowRejection bool   `json:"allowRejection"`
}

// UsesRole reports whether one of the steps is for the custom role.
func UsesRole(steps []Step, customRoleID int64) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.CustomRoleID == customRoleID })
}

// MaxSteps is how many steps a workflow may have.
const MaxSteps = 20

// Workflow is what content of a Department or a Project goes through before it is
// public. Exactly one of DepartmentID and ProjectID is set.
type Workflow struct {
	DepartmentID      int64
	ProjectID         int64
	Steps             []Step // in order, at least one
	AllowSelfApproval bool   // see Request.Barred
	UpdatedAt         time.Time
}

// RequestStatus is where a Request stands.
type RequestStatus string

// The statuses. A request is open while it is pending or approved.
const (
	RequestPending   RequestStatus = "pending"            // at its current step
	RequestApproved  RequestStatus = "approved"           // by every step, to be published when its time comes
	RequestPublished RequestStatus = "published"          // its snapshot went public
	RequestRejected  RequestStatus = "rejected"           // ended by a reviewer
	RequestRevision  RequestStatus = "revision_requested" // sent back for revision
	RequestWithdrawn RequestStatus = "withdrawn"          // taken back: unchecked, unpublished or trashed
)

// Open reports whether the request may still publish something.
func (s RequestStatus) Open() bool { return s == RequestPending || s == RequestApproved }

// ActorRef names who did something, as it stays on record when the account, the
// token or the name is gone.
type ActorRef struct {
	Kind   string `json:"kind"` // "user", "token" or "system"
	ID     int64  `json:"id"`   // 0 for the system
	Name   string `json:"name"`
	MadeBy int64  `json:"madeBy,omitempty"` // of a token: the user who made it; 0: a command of the operator
}

// Person returns the id of the user who answers for what a does: the user itself, or
// the user who made the token. It is 0 for the system and for a token that a command of
// the operator made.
func (a ActorRef) Person() int64 {
	if a.Kind == "user" {
		return a.ID
	}
	return a.MadeBy
}

// Ref returns the actor as it goes on record.
func (a Actor) Ref() ActorRef {
	switch {
	case a.User != nil:
		return ActorRef{Kind: "user", ID: a.User.ID, Name: a.User.Name}
	case a.Token != nil:
		return ActorRef{Kind: "token", ID: a.Token.ID, Name: a.Token.Name, MadeBy: a.Token.CreatedBy}
	default:
		return ActorRef{Kind: "system", Name: "system"}
	}
}

// Request is one wish to publish an entry of a governed Project, with what is to be
// published and how far it has come. Steps, content and release number stay as they
// were at submission.
type Request struct {
	ID           int64
	TenantID     int64
	ProjectID    int64
	CollectionID int64
	EntryID      int64
	Locale       string
	ReleaseYear  int
	ReleaseCount int64 // from 1 in each Tenant and year, without gaps
	Status       RequestStatus
	// Version counts the changes: every change is guarded by the one it expects.
	Version int64

	Steps             []Step
	AllowSelfApproval bool
	Current           int // index of the step that a pending request waits at

	// Snapshot is the canonical JSON of {"collection", "fields", "locale"} as submitted,
	// without secret fields; ContentHash is its hex SHA-256.
	Snapshot    []byte
	ContentHash string
	// Withheld holds the values of secret fields, which nobody is shown.
	Withheld Document

	ScheduledAt time.Time // when to publish; zero: once approved
	SubmittedBy ActorRef
	SubmittedAt time.Time
	PublishedAt time.Time // zero: not
	// Approvers are the ids of the users who approved a step so far, in order.
	Approvers []int64
	// ChainHash is the Hash of the latest action.
	ChainHash string
}

// Barred returns the ids of the users who may not approve r: without AllowSelfApproval
// the user who submitted it or made the token that did, and those who approved a step.
// A token without a known maker bars no user.
func (r *Request) Barred() []int64 {
	if r.AllowSelfApproval {
		return nil
	}
	barred := slices.Clone(r.Approvers)
	if submitter := r.SubmittedBy.Person(); submitter != 0 {
		barred = append(barred, submitter)
	}
	return barred
}

// Outcome is what an action left of its request, as it goes on record: times as
// FormatTime writes them, "" for none.
type Outcome struct {
	Status             RequestStatus `json:"status"`
	StepIndex          int           `json:"stepIndex"` // Request.Current
	Approvers          []int64       `json:"approvers"` // not nil
	ScheduledPublishAt string        `json:"scheduledPublishAt,omitempty"`
	PublishedAt        string        `json:"publishedAt,omitempty"`
	Version            int64         `json:"version"`
}

// Outcome returns where r stands.
func (r *Request) Outcome() Outcome {
	o := Outcome{Status: r.Status, StepIndex: r.Current, Approvers: append([]int64{}, r.Approvers...), Version: r.Version}
	if !r.ScheduledAt.IsZero() {
		o.ScheduledPublishAt = FormatTime(r.ScheduledAt)
	}
	if !r.PublishedAt.IsZero() {
		o.PublishedAt = FormatTime(r.PublishedAt)
	}
	return o
}

// ReleaseNumber returns CR-<year>-<sequence>, the sequence with at least four digits.
func (r *Request) ReleaseNumber() string {
	return fmt.Sprintf("CR-%d-%04d", r.ReleaseYear, r.ReleaseCount)
}

// CurrentStep returns the step that the request waits at, or nil.
func (r *Request) CurrentStep() *Step {
	if r.Status != RequestPending || r.Current >= len(r.Steps) { // the latter: a damaged row
		return nil
	}
	return &r.Steps[r.Current]
}

// Summary is what the request's entry shows of it.
func (r *Request) Summary() ApprovalSummary {
	return ApprovalSummary{ID: r.ID, Status: string(r.Status), ReleaseNumber: r.ReleaseNumber()}
}

// Intact reports whether the snapshot still has the hash that was approved.
func (r *Request) Intact() bool { return hexSHA256(r.Snapshot) == r.ContentHash }

// Fields returns the snapshot's fields.
func (r *Request) Fields() Document {
	return Document(Document(r.Snapshot).Values()["fields"])
}

// ActionType is what was done to a Request.
type ActionType string

// The types of action.
const (
	ActionSubmit          ActionType = "submit"
	ActionApprove         ActionType = "approve"
	ActionReject          ActionType = "reject"
	ActionRequestRevision ActionType = "request_revision"
	ActionWithdraw        ActionType = "withdraw"
	ActionPublishNow      ActionType = "publish_now"
	ActionReschedule      ActionType = "reschedule"
	ActionPublish         ActionType = "publish"
)

// ApprovalAction is one line of a request's record. The lines of a request form a
// chain: each has a hash of its own members and of the hash before.
type ApprovalAction struct {
	ID          int64
	ProjectID   int64
	RequestID   int64
	Type        ActionType
	StepOrder   int // 0: not about a step
	Actor       ActorRef
	Comment     string
	ContentHash string    // of the snapshot that the request is about
	DraftHash   string    // of the entry's draft at that moment; empty: the entry was gone
	ScheduledAt time.Time // of submit and reschedule: the time asked for; zero: none
	CreatedAt   time.Time
	// Outcome is where the change that the action is part of left the request.
	Outcome Outcome
	// PreviousHash is the Hash of the line before, or for the first one the hash of the
	// request's terms.
	PreviousHash string
	Hash         string // hex SHA-256
}

// Snapshot returns the canonical JSON (RFC 8785) of {"collection", "fields",
// "locale"} for a version of an entry of c, its hex SHA-256, and the values of
// secret fields, which the snapshot leaves out. Equal content has equal hashes,
// whenever and by whomever it was written.
func (c *Collection) Snapshot(locale string, doc Document) (snapshot []byte, hash string, withheld Document) {
	shown, secret := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, value := range doc.Values() {
		if f := c.Field(name); f == nil || f.Secret() {
			secret[name] = value
		} else {
			shown[name] = value
		}
	}
	snapshot = NewDocument(map[string]json.RawMessage{
		"collection": canonical.Quote(c.Slug), "fields": json.RawMessage(NewDocument(shown)), "locale": canonical.Quote(locale),
	})
	return snapshot, hexSHA256(snapshot), NewDocument(secret)
}

// Release returns the document that publishing the request makes public in c as it
// is now: the snapshot's fields, and of what was withheld from review what is still
// secret.
func (r *Request) Release(c *Collection) Document {
	values := r.Fields().Values()
	for name, value := range r.Withheld.Values() {
		if f := c.Field(name); f == nil || f.Secret() {
			values[name] = value
		}
	}
	return NewDocument(values)
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Publication is a version of an entry that goes public when its time comes.
type Publication struct {
	ProjectID    int64
	EntryID      int64
	CollectionID int64
	RequestID    int64 // 0: of an entry that no workflow governed when it was scheduled
	DueAt        time.Time
	ScheduledBy  ActorRef
	Attempts     int    // failed ones so far
	LastFault    string // of the last attempt, for people; empty: none
	// RetryAt is when it is tried again; DueAt before the first attempt.
	RetryAt time.Time
}

// HistoryQuery asks for the requests of an entry of a collection, latest first.
type HistoryQuery struct {
	ProjectID    int64
	CollectionID int64
	EntryID      int64
	// CustomRoles, unless nil, leaves only requests with a step for one of them.
	CustomRoles []int64
	Offset      int64
	Limit       int64
}

// PublicationQuery asks for publications that are to come.
type PublicationQuery struct {
	ProjectIDs   []int64
	CollectionID int64 // 0: of every collection
	UserID       int64 // scheduled by that user; 0: by any caller
	Failed       bool  // only those that failed at least once
	Offset       int64
	Limit        int64
}

// InboxQuery asks for pending requests whose current step waits for someone.
type InboxQuery struct {
	Reach     Reach
	ProjectID int64 // 0: every Project
	Newest    bool  // newest first; else oldest first
	Offset    int64
	Limit     int64
}

// Reviewer is a user who may act on steps: by a role from RoleAdmin up, or by a custom
// role.
type Reviewer struct {
	UserID       int64
	Role         Role  // "" when CustomRoleID is set
	CustomRoleID int64 // 0 when Role is set
}

// MayActOn reports whether the step admits v.
func (v Reviewer) MayActOn(step Step) bool {
	if step.CustomRoleID != 0 {
		return v.CustomRoleID == step.CustomRoleID
	}
	return v.Role.Includes(step.RoleKind)
}

// Reach is what a person may decide: the current step of a request waits for them
// when its custom role is one of theirs and of the Project's Department or, without
// one, when their role in the Project includes its role kind; never where they are
// barred by a part they had in the request (Request.Barred).
type Reach struct {
	UserID      int64
	SuperAdmin  bool
	Grants      []Grant
	CustomRoles []int64
}

// InboxProject counts what waits in one Project.
type InboxProject struct {
	ProjectID int64
	Name      string
	Pending   int64
}

// InboxSummary are the counts of an inbox.
type InboxSummary struct {
	Pending           int64
	ByProject         []InboxProject // those with any, most first
	OldestSubmittedAt time.Time      // zero: nothing waits
	SubmittedByMe     int64          // open requests that the person submitted
	Scheduled         int64          // approved ones with a time, in the Projects of the reach
}

// SortSteps puts steps in their order.
func SortSteps(steps []Step) {
	slices.SortFunc(steps, func(a, b Step) int { return a.Order - b.Order })
}
