package review

import (
	"fmt"
	"slices"
	"time"

	"imprimatur/core"
)

// Step is one review in a Workflow.
type Step struct {
	Order int `json:"stepOrder"` // position in the workflow, at least 1; steps of the same Order are open together
	// RoleKind is the lowest role that may act, in the entry's own Project, Department
	// or Tenant: core.RoleAdmin, core.RoleDepartmentAdmin or core.RoleTenantAdmin.
	RoleKind core.Role `json:"requiredRoleKind"`
	// CustomRoleID, unless it is 0, replaces RoleKind: only the holders of that custom role
	// may act.
	CustomRoleID   int64  `json:"requiredCustomRoleId,omitempty"`
	Label          string `json:"stepLabel,omitempty"`
	AllowRevision  bool   `json:"allowRevision"`
	AllowRejection bool   `json:"allowRejection"`
	// RemindAfter is how many hours a request waits at the step before its reviewers are reminded, once;
	// 0: never. It is no part of the record of a request.
	RemindAfter int `json:"remindAfter,omitempty"`
	// Reauthenticate reports that a decision needs a fresh Proof.
	Reauthenticate bool `json:"reauthenticate,omitempty"`
	// Approvals is how many different users must approve, from 2 to MaxApprovals; 0: one.
	Approvals int `json:"approvals,omitempty"`
	// When selects the changes that the step applies to; nil: all.
	When *Condition `json:"when,omitempty"`
	// Skipped reports, in a request, that the step does not apply: the submitted change did not meet When.
	Skipped bool `json:"skipped,omitempty"`
	// Delegable reports that a user may decide the step on behalf of another one; see Delegation.
	Delegable bool `json:"delegable,omitempty"`
	// DueIn is how many hours after it opens the step is overdue, if it still lacks an approval; 0: never.
	DueIn int `json:"dueIn,omitempty"`
	// Escalate says who may decide the step as well when it has been open for a time; nil: no others.
	Escalate *Escalation `json:"escalate,omitempty"`
	// Signature is the signature that decisions need; nil: none. With one, Reauthenticate has no effect.
	Signature *SignatureRule `json:"signature,omitempty"`
}

// Escalation says who may decide a step that has been open for some hours, beside those who may from the start. Nothing
// else happens at that time, except for a notice.
type Escalation struct {
	After        int       `json:"after"` // hours, from 1 to MaxDueIn
	RoleKind     core.Role `json:"requiredRoleKind,omitempty"`
	CustomRoleID int64     `json:"requiredCustomRoleId,omitempty"` // replaces RoleKind, unless it is 0
}

// MaxDueIn is the largest Step.DueIn and Escalation.After: 90 days.
const MaxDueIn = 90 * 24

// escalated returns the step as it is for those that Escalate names, or nil.
func (s *Step) escalated() *Step {
	if s.Escalate == nil {
		return nil
	}
	other := *s
	other.RoleKind, other.CustomRoleID = s.Escalate.RoleKind, s.Escalate.CustomRoleID
	return &other
}

// Escalated returns the step with the id as it is for those who may decide it because it has been open too long, at
// r.ReadAt; nil: nobody.
func (r *Request) Escalated(id int) *Step {
	if step := r.step(id); step.Escalate != nil && !r.ReadAt.Before(r.EscalatesAt(id)) && slices.Contains(r.OpenSteps(), id) {
		return step.escalated()
	}
	return nil
}

// EscalatesAt returns when others may decide the open step with the id as well; zero: never.
func (r *Request) EscalatesAt(id int) time.Time {
	if step := r.step(id); step.Escalate != nil {
		return r.OpenSince.Add(time.Duration(step.Escalate.After) * time.Hour)
	}
	return time.Time{}
}

// DueAt returns when the open step with the id is overdue; zero: never.
func (r *Request) DueAt(id int) time.Time {
	if step := r.step(id); step.DueIn > 0 {
		return r.OpenSince.Add(time.Duration(step.DueIn) * time.Hour)
	}
	return time.Time{}
}

// ReadOn sets ReadAt, for reads. It stays zero while no time of r has come, so that equal requests are equal.
func (r *Request) ReadOn(now time.Time) {
	for _, at := range []time.Time{r.Deadline(), r.Escalation(), r.ScheduledAt} {
		if r.Status == RequestPending && !at.IsZero() && !now.Before(at) {
			r.ReadAt = now
		}
	}
}

// Deadline returns the earliest DueAt of the open steps; zero: none.
func (r *Request) Deadline() time.Time { return r.earliest(r.DueAt) }

// Escalation returns the earliest EscalatesAt of the open steps; zero: none.
func (r *Request) Escalation() time.Time { return r.earliest(r.EscalatesAt) }

func (r *Request) earliest(of func(id int) time.Time) (first time.Time) {
	for _, id := range r.OpenSteps() {
		if at := of(id); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// Overdue reports whether a time of a pending request is past at r.ReadAt: its Deadline, or that of its publication.
func (r *Request) Overdue() bool {
	past := func(at time.Time) bool { return !at.IsZero() && !r.ReadAt.Before(at) }
	return r.Status == RequestPending && (past(r.Deadline()) || past(r.ScheduledAt))
}

// Seats returns how many different users must approve the step.
func (s *Step) Seats() int { return max(1, s.Approvals) }

// MaxApprovals is the largest number of approvals that a step can ask for.
const MaxApprovals = 20

// RemindAt returns when a request that arrives at the step at since is due for its reminder; zero: never.
func (s *Step) RemindAt(since time.Time) time.Time {
	if s.RemindAfter == 0 {
		return time.Time{}
	}
	return since.Add(time.Duration(s.RemindAfter) * time.Hour)
}

// MaxRemindAfter is the largest Step.RemindAfter: 30 days.
const MaxRemindAfter = 30 * 24

// Reminder is due when users are to be told of a request that waits.
type Reminder struct {
	Kind      ReminderKind
	ProjectID int64
	RequestID int64
	StepID    int // the place of the step, from 1; 0: of RemindOverdue
}

// ReminderKind is what a Reminder is about.
type ReminderKind uint8

// The kinds of reminders.
const (
	RemindTurn      ReminderKind = iota // the request has waited at a step for its RemindAfter
	RemindEscalated                     // others may decide the step now
	RemindOverdue                       // the time of the publication has come, and the request is not approved
)

// UsesRole reports whether one of the steps names the custom role.
func UsesRole(steps []Step, customRoleID int64) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		return s.CustomRoleID == customRoleID || s.Escalate != nil && s.Escalate.CustomRoleID == customRoleID
	})
}

// MaxSteps is the largest number of steps of a workflow.
const MaxSteps = 20

// Workflow lists the reviews that content of a Department or a Project passes before it
// becomes public. Exactly one of DepartmentID and ProjectID is set.
type Workflow struct {
	DepartmentID      int64
	ProjectID         int64
	Steps             []Step // in order, at least one
	AllowSelfApproval bool   // see Request.Bars
	// Exempt are the slugs of collections whose entries need no review: they are published directly.
	Exempt       []string
	Unpublishing Unpublishing
	UpdatedAt    time.Time
}

// RequestStatus is the status of a Request.
type RequestStatus string

// The statuses. A request is open while it is pending or approved.
const (
	RequestPending   RequestStatus = "pending"            // waits at its current step
	RequestApproved  RequestStatus = "approved"           // approved at every step; waits for its publication time
	RequestPublished RequestStatus = "published"          // its snapshot became public
	RequestRejected  RequestStatus = "rejected"           // rejected by a reviewer
	RequestRevision  RequestStatus = "revision_requested" // sent back for revision
	RequestWithdrawn RequestStatus = "withdrawn"          // the author withdrew it, or the entry was unpublished or trashed
)

// Open reports whether the request can still lead to a publication.
func (s RequestStatus) Open() bool { return s == RequestPending || s == RequestApproved }

// Request is an approval request: the request to publish its items, entries of a governed Project,
// with its present status. Steps, items and release number never change after the submission.
type Request struct {
	ID           int64
	TenantID     int64
	ProjectID    int64
	ReleaseYear  int
	ReleaseCount int64 // from 1 in each Tenant and year, without gaps
	Status       RequestStatus
	// Version counts the changes of the request. A change states the version that it replaces.
	Version int64

	Steps             []Step
	AllowSelfApproval bool
	Current           int // index of the first step that lacks an approval or, if none does, of the last that applies

	// Items has one item for each entry, by ascending entry id: at least one, and one if the request
	// is to publish one entry. Reads of a request of a release leave them out; see ports.RequestItems.
	Items []RequestItem
	// Release is what the items are members of; nil: the request publishes one entry.
	Release *RequestRelease

	ScheduledAt time.Time // when to publish; zero: on approval
	UnpublishAt time.Time // when to unpublish what was published; zero: never
	SubmittedBy core.ActorRef
	SubmittedAt time.Time
	PublishedAt time.Time // zero: not published
	// Contributors are the core.RevisionRecord.Contributors of the entry at submission.
	Contributors []core.ActorRef
	// RecordFormat is the version of the format of the record; see package approval. It never
	// changes. Requests of format 1 have no Contributors.
	RecordFormat int
	Approvals    []Approval // in order
	// ChainHash is the Hash of the latest action.
	ChainHash string
	// OpenSince is when the steps where a pending request waits opened, or where it waited last.
	OpenSince time.Time
	// OpenComments is the number of open comments of the round, without replies. Only reads set it.
	OpenComments int
	// ReadAt is the time by the clock of the database; zero: no time of the request has come. Only reads set it. Who may
	// decide and what is overdue is as of then.
	ReadAt time.Time
}

// Outcome is the state of a request after an action, as the action records it in the format of the
// record. Times are in the format of core.FormatTime, "" for none.
type Outcome struct {
	Status             RequestStatus `json:"status"`
	StepIndex          *int          `json:"stepIndex,omitempty"` // of the current or last step, from 0; nil in format 3
	Approvers          []int64       `json:"approvers,omitzero"`  // in order; nil in format 3
	Approvals          []Approval    `json:"approvals,omitzero"`  // in order; nil before format 3
	ScheduledPublishAt string        `json:"scheduledPublishAt,omitempty"`
	// ScheduledUnpublishAt is omitted when it is empty, so that records without it keep their hashes.
	ScheduledUnpublishAt string `json:"scheduledUnpublishAt,omitempty"`
	PublishedAt          string `json:"publishedAt,omitempty"`
	Version              int64  `json:"version"` // the number of changes of the request
}

// Approval is one approval of a step.
type Approval struct {
	StepID int   `json:"stepId"`        // the place of the step, from 1
	Person int64 `json:"person"`        // the user that approved
	For    int64 `json:"for,omitempty"` // the user on whose behalf; 0: none
}

// Approved returns the number of approvals.
func (o *Outcome) Approved() int { return len(o.Approvers) + len(o.Approvals) }

// Outcome returns the present state of r.
func (r *Request) Outcome() Outcome {
	o := Outcome{
		Status: r.Status, Version: r.Version,
		ScheduledPublishAt: core.TimeText(r.ScheduledAt), ScheduledUnpublishAt: core.TimeText(r.UnpublishAt), PublishedAt: core.TimeText(r.PublishedAt),
	}
	if r.RecordFormat > 2 {
		o.Approvals = append([]Approval{}, r.Approvals...)
		return o
	}
	o.StepIndex, o.Approvers = new(r.Current), make([]int64, len(r.Approvals))
	for i, approval := range r.Approvals {
		o.Approvers[i] = approval.Person
	}
	return o
}

// ReleaseNumber returns CR-<year>-<sequence>, the sequence with at least four digits.
func (r *Request) ReleaseNumber() string {
	return fmt.Sprintf("CR-%d-%04d", r.ReleaseYear, r.ReleaseCount)
}

// CurrentStep returns the first step of a pending request that waits for a decision, or nil.
func (r *Request) CurrentStep() *Step {
	if r.Status != RequestPending || r.Current < 0 || r.Current >= len(r.Steps) { // Current is out of range only in a damaged row
		return nil
	}
	return &r.Steps[r.Current]
}

// OpenSteps returns the ids of the steps that a pending request waits at, ascending: those of the order of the
// current one that lack an approval.
func (r *Request) OpenSteps() (ids []int) {
	current := r.CurrentStep()
	if current == nil {
		return nil
	}
	for i := r.Current; i < len(r.Steps) && r.Steps[i].Order == current.Order; i++ {
		if r.Lacks(i+1) > 0 {
			ids = append(ids, i+1)
		}
	}
	return ids
}

// step returns the step of r with an id, or a zero one, which only a damaged row asks for.
func (r *Request) step(id int) *Step {
	if id < 1 || id > len(r.Steps) {
		return &Step{}
	}
	return &r.Steps[id-1]
}

// Lacks returns how many approvals the step with an id lacks: none if it does not apply.
func (r *Request) Lacks(stepID int) int {
	step := r.step(stepID)
	if step.Skipped {
		return 0
	}
	lacking := step.Seats()
	for _, given := range r.Approvals {
		if given.StepID == stepID {
			lacking--
		}
	}
	return max(0, lacking)
}

// Approve adds an approval of an open step. It returns whether every step has its approvals now. Otherwise r waits
// at the first step that lacks one.
func (r *Request) Approve(given Approval) (complete bool) {
	r.Approvals = append(slices.Clone(r.Approvals), given)
	for at := r.Current; at < len(r.Steps); at++ {
		if r.Lacks(at+1) > 0 {
			r.Current = at
			return false
		}
	}
	r.Current = r.last()
	return true
}

// last returns the index of the last step that applies; -1 only in a damaged row.
func (r *Request) last() int {
	last := len(r.Steps) - 1
	for last >= 0 && r.Steps[last].Skipped {
		last--
	}
	return last
}

// Start lets a new request wait at its first step that applies.
func (r *Request) Start() {
	r.Current = slices.IndexFunc(r.Steps, func(s Step) bool { return !s.Skipped })
}

// Arrived reports whether r waits at steps none of which has an approval yet.
func (r *Request) Arrived() bool {
	current := r.CurrentStep()
	return current != nil && !slices.ContainsFunc(r.Approvals, func(given Approval) bool { return r.step(given.StepID).Order == current.Order })
}

// LastSteps returns the steps of the last order that apply: those that are open together at the end.
func (r *Request) LastSteps() (steps []Step) {
	last := r.last()
	for i := 0; i <= last; i++ {
		if s := r.Steps[i]; s.Order == r.Steps[last].Order && !s.Skipped {
			steps = append(steps, s)
		}
	}
	return steps
}

// OpenRequest is the open request that an entry is an item of.
type OpenRequest struct {
	ApprovalSummary

	Release *RequestRelease // nil: the entry's own request
}

// Summary returns the members that the entries of the items show.
func (r *Request) Summary() ApprovalSummary {
	return ApprovalSummary{ID: r.ID, Status: r.Status, ReleaseNumber: r.ReleaseNumber()}
}

// ActionType is the kind of an action on a Request.
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

// Decision reports whether the action is the decision of a reviewer on a step.
func (t ActionType) Decision() bool {
	return t == ActionApprove || t == ActionReject || t == ActionRequestRevision
}

// Action is one action in the record of a request. The actions of a request form a
// hash chain: the hash of each covers its members and the hash of the action before.
type Action struct {
	ID          int64
	ProjectID   int64
	RequestID   int64
	Type        ActionType
	StepOrder   int // 0: the action has no step
	Actor       core.ActorRef
	Comment     string
	ContentHash string    // of the request
	DraftHash   string    // of the draft of the item's entry at that time; empty: the entry was deleted
	ScheduledAt time.Time // of submit and reschedule: when to publish; zero: none
	UnpublishAt time.Time // of submit and reschedule: when to unpublish; zero: none
	// OnBehalfOf is the user on whose behalf Actor decided; the zero core.ActorRef: none.
	OnBehalfOf core.ActorRef
	// Escalated reports that the actor, or the user of OnBehalfOf, decided by the Escalation of the step.
	Escalated bool
	// Signature is that of a decision at a step with one; else nil.
	Signature *Signature
	// Verified is the way of the Proof that a decision at a step with Reauthenticate needed; else empty.
	Verified core.Way
	// discussion.CommentsHash is the discussion.CommentsHash of the comments on the request when it was decided; empty: no decision, or none.
	CommentsHash string
	CreatedAt    time.Time
	// Outcome is the state of the request after the transition that the action belongs to.
	Outcome Outcome
	// PreviousHash is the Hash of the action before. For the first action it is the hash of
	// the request's terms.
	PreviousHash string
	Hash         string // hex SHA-256
}

// StepID returns the id of the step that a approved, or 0 if it is no approval, or belongs to a request of a format
// before 3.
func (a *Action) StepID() int {
	given := a.Outcome.Approvals
	if a.Type != ActionApprove || len(given) == 0 {
		return 0
	}
	return given[len(given)-1].StepID
}

// Role returns the id of the user whose role the decision needed: the one on whose behalf it is, or its actor.
func (a *Action) Role() int64 {
	if a.OnBehalfOf.ID != 0 {
		return a.OnBehalfOf.ID
	}
	return a.Actor.ID
}

// ApprovedBy returns the step of r that a approved, as it is for its actor if it was escalated to the actor, or nil if a
// is no approval.
func (r *Request) ApprovedBy(a *Action) *Step {
	id := a.StepID()
	if a.Type == ActionApprove && id == 0 {
		id = 1 + slices.IndexFunc(r.Steps, func(s Step) bool { return s.Order == a.StepOrder })
	}
	if id < 1 || id > len(r.Steps) {
		return nil
	}
	if step := &r.Steps[id-1]; !a.Escalated {
		return step
	}
	return r.Steps[id-1].escalated()
}

// NextVersion is a version of an entry that becomes public.
type NextVersion struct {
	Document core.Document
	// Always begins a new publication also if readers see the version already.
	Always bool
	Media  core.Document // sealed media of Document; nil: none, or readers see the library
	By     core.ActorRef // the publisher
	// Since is what readers see as publishedAt; zero: the time since which the entry has been
	// published.
	Since time.Time
	// RequestID is the approval request whose item this is; 0: no workflow governed the entry.
	RequestID int64
	// Snapshot and ContentHash are copied from the item, because the current definition of the
	// collection may give different ones. Empty: the version has no item.
	Snapshot    []byte
	ContentHash string
}
