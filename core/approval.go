package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"imprimatur/core/canonical"
)

// Step is one review in a Workflow.
type Step struct {
	Order int `json:"stepOrder"` // position in the workflow, at least 1; steps of the same Order are open together
	// RoleKind is the lowest role that may act, in the entry's own Project, Department
	// or Tenant: RoleAdmin, RoleDepartmentAdmin or RoleTenantAdmin.
	RoleKind Role `json:"requiredRoleKind"`
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
	After        int   `json:"after"` // hours, from 1 to MaxDueIn
	RoleKind     Role  `json:"requiredRoleKind,omitempty"`
	CustomRoleID int64 `json:"requiredCustomRoleId,omitempty"` // replaces RoleKind, unless it is 0
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

// ActorRef identifies an actor in records. It stays valid after the account or the token was
// deleted or renamed.
type ActorRef struct {
	Kind   string `json:"kind"`             // user, token, assistant or system
	ID     int64  `json:"id"`               // 0: the system
	Name   string `json:"name"`             // at that time
	MadeBy int64  `json:"madeBy,omitempty"` // of a token: the user that created it; 0: an operator command. Of an assistant: its user
}

// Person returns the id of the user responsible for the actions of a: the user itself, the user of the assistant, or
// the user that created the token. It is 0 for the system and for a token created by a
// command.
func (a ActorRef) Person() int64 {
	if a.Kind == "user" {
		return a.ID
	}
	return a.MadeBy
}

// Same reports whether a and other are the same user, token or system, whatever their names.
func (a ActorRef) Same(other ActorRef) bool { return a.Kind == other.Kind && a.ID == other.ID }

// KindAssistant is ActorRef.Kind of assistants. Their Name has that of the assistant and, in brackets, that of its user.
const KindAssistant = "assistant"

// Ref returns the reference to the actor for records.
func (a Actor) Ref() ActorRef {
	switch {
	case a.Assistant != nil:
		return ActorRef{Kind: KindAssistant, ID: a.Assistant.ID, Name: a.Assistant.Name + " (" + a.User.Name + ")", MadeBy: a.User.ID}
	case a.User != nil:
		return ActorRef{Kind: "user", ID: a.User.ID, Name: a.User.Name}
	case a.Token != nil && a.Maker != nil:
		return ActorRef{Kind: "token", ID: a.Token.ID, Name: a.Token.Name + " (" + a.Maker.Name + ")", MadeBy: a.Token.CreatedBy}
	case a.Token != nil:
		return ActorRef{Kind: "token", ID: a.Token.ID, Name: a.Token.Name, MadeBy: a.Token.CreatedBy}
	default:
		return ActorRef{Kind: "system", Name: "system"}
	}
}

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
	SubmittedBy ActorRef
	SubmittedAt time.Time
	PublishedAt time.Time // zero: not published
	// Contributors are the RevisionRecord.Contributors of the entry at submission.
	Contributors []ActorRef
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
// record. Times are in the format of FormatTime, "" for none.
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
		ScheduledPublishAt: TimeText(r.ScheduledAt), ScheduledUnpublishAt: TimeText(r.UnpublishAt), PublishedAt: TimeText(r.PublishedAt),
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

// ReleaseNumber is a release number in parts. Each Tenant counts from 1 in each year.
type ReleaseNumber struct {
	Year  int
	Count int64
}

var releaseNumber = regexp.MustCompile(`^(?i:CR[- ]?)?([0-9]{4})-([0-9]{1,9})$`)

// ParseReleaseNumber returns the number that text is: "CR-2026-0042", in any case, also without CR and
// without leading zeros.
func ParseReleaseNumber(text string) (n ReleaseNumber, ok bool) {
	parts := releaseNumber.FindStringSubmatch(text)
	if parts == nil {
		return n, false
	}
	n.Year, _ = strconv.Atoi(parts[1])
	n.Count, _ = strconv.ParseInt(parts[2], 10, 64)
	return n, true
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

// ApprovalAction is one action in the record of a request. The actions of a request form a
// hash chain: the hash of each covers its members and the hash of the action before.
type ApprovalAction struct {
	ID          int64
	ProjectID   int64
	RequestID   int64
	Type        ActionType
	StepOrder   int // 0: the action has no step
	Actor       ActorRef
	Comment     string
	ContentHash string    // of the request
	DraftHash   string    // of the draft of the item's entry at that time; empty: the entry was deleted
	ScheduledAt time.Time // of submit and reschedule: when to publish; zero: none
	UnpublishAt time.Time // of submit and reschedule: when to unpublish; zero: none
	// OnBehalfOf is the user on whose behalf Actor decided; the zero ActorRef: none.
	OnBehalfOf ActorRef
	// Escalated reports that the actor, or the user of OnBehalfOf, decided by the Escalation of the step.
	Escalated bool
	// Signature is that of a decision at a step with one; else nil.
	Signature *Signature
	// Verified is the way of the Proof that a decision at a step with Reauthenticate needed; else empty.
	Verified Way
	// CommentsHash is the CommentsHash of the comments on the request when it was decided; empty: no decision, or none.
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
func (a *ApprovalAction) StepID() int {
	given := a.Outcome.Approvals
	if a.Type != ActionApprove || len(given) == 0 {
		return 0
	}
	return given[len(given)-1].StepID
}

// Role returns the id of the user whose role the decision needed: the one on whose behalf it is, or its actor.
func (a *ApprovalAction) Role() int64 {
	if a.OnBehalfOf.ID != 0 {
		return a.OnBehalfOf.ID
	}
	return a.Actor.ID
}

// ApprovedBy returns the step of r that a approved, as it is for its actor if it was escalated to the actor, or nil if a
// is no approval.
func (r *Request) ApprovedBy(a *ApprovalAction) *Step {
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

// Snapshot returns the canonical JSON (RFC 8785) of {"collection", "fields", "locale", "media"}
// for a version of an entry of c, its hex SHA-256, and the values of secret fields, which the
// snapshot leaves out. media is the result of Seal for the items of c.MediaIDs(doc); with nil the
// snapshot has no member "media". The collection is its key, so that another slug seals nothing else. Neither the snapshot nor withheld contains values of removed
// fields. Equal content has equal hashes; the time of the write and its author do not matter.
func (c *Collection) Snapshot(locale string, doc, media Document) (snapshot []byte, hash string, withheld Document) {
	shown, withheld := c.Shown(doc)
	members := map[string]json.RawMessage{
		"collection": canonical.Quote(c.Key()), "fields": json.RawMessage(shown), "locale": canonical.Quote(locale),
	}
	if media != nil {
		members["media"] = json.RawMessage(media)
	}
	snapshot = NewDocument(members)
	return snapshot, canonical.Hash(snapshot), withheld
}

// Shown splits doc into the values that a snapshot contains and the values of secret fields.
// Neither part contains values of removed fields, nor items that their fields do not admit.
func (c *Collection) Shown(doc Document) (shown, secret Document) {
	if c.Structured() {
		doc = c.Present(doc)
	}
	whole := len(doc) > 0
	doc.Each(func(name, _ []byte) {
		f := c.Field(string(name))
		whole = whole && f != nil && !f.Secret()
	})
	if whole {
		return doc, NewDocument(nil)
	}
	shownValues, secretValues := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, value := range doc.Values() {
		switch f := c.Field(name); {
		case f == nil:
		case f.Secret():
			secretValues[name] = value
		default:
			shownValues[name] = value
		}
	}
	return NewDocument(shownValues), NewDocument(secretValues)
}

// NextVersion is a version of an entry that becomes public.
type NextVersion struct {
	Document Document
	// Always begins a new publication also if readers see the version already.
	Always bool
	Media  Document // sealed media of Document; nil: none, or readers see the library
	By     ActorRef // the publisher
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

// Schedule is the scheduled publication of an entry, or the scheduled end of one.
type Schedule struct {
	ProjectID    int64
	EntryID      int64
	Action       ScheduleAction
	CollectionID int64
	ReleaseID    int64 // the release that is published; its EntryID and CollectionID are 0. 0: the schedule of an entry
	RequestID    int64 // the request with the item to publish, or that was published; 0: no workflow governed the entry when it was scheduled
	DueAt        time.Time
	// UnpublishAt is the end of a publication, which is scheduled when the entry is published;
	// zero: none.
	UnpublishAt time.Time
	ScheduledBy ActorRef
	Attempts    int    // number of failed attempts
	LastFault   string // error text of the last attempt, for users; empty: none
	// RetryAt is the time of the next attempt; DueAt before the first one.
	RetryAt time.Time
}

// Within reports whether p.DueAt or p.UnpublishAt is in the interval [from, to). A zero from or to
// is no bound.
func (p Schedule) Within(from, to time.Time) bool {
	return slices.ContainsFunc([]time.Time{p.DueAt, p.UnpublishAt}, func(at time.Time) bool {
		return !at.IsZero() && !at.Before(from) && (to.IsZero() || at.Before(to))
	})
}

// Done is a publication of an entry or of a release, or an end, that took place at DueAt. It needs no schedule before:
// what was published at once is one as well.
type Done struct {
	// Schedule has neither UnpublishAt nor attempts. ScheduledBy is the publisher of an entry or the creator of a
	// release; zero: an end, whose actor publications do not keep.
	Schedule

	ReleaseName string // empty: an entry
}

// Compare orders what took place as ports.ScheduleLister lists it.
func (d Done) Compare(other Done) int {
	return cmp.Or(other.DueAt.Compare(d.DueAt), cmp.Compare(d.ProjectID, other.ProjectID), cmp.Compare(d.EntryID, other.EntryID),
		cmp.Compare(d.ReleaseID, other.ReleaseID), cmp.Compare(d.Action, other.Action))
}

// HistoryQuery selects the requests with an item for an entry of a collection, latest first.
type HistoryQuery struct {
	ProjectID    int64
	CollectionID int64
	EntryID      int64
	// CustomRoles, unless nil, selects only requests with a step for one of these roles.
	CustomRoles []int64
	Offset      int64
	Limit       int64
}

// MaxDone is the longest time whose Done one call returns.
const MaxDone = 62 * 24 * time.Hour

// ScheduleQuery selects schedules.
type ScheduleQuery struct {
	ProjectIDs   []int64
	CollectionID int64 // 0: every collection
	UserID       int64 // only those that this user scheduled; 0: all
	Failed       bool  // only those with a failed attempt
	// From and To select schedules with a DueAt or an UnpublishAt in [From, To). Zero: no bound.
	From, To time.Time
	Offset   int64
	Limit    int64
}

// InboxList is a list of an inbox.
type InboxList uint8

// The lists of an inbox. All lists except InboxPending contain only requests that the user may see
// now: the user has a role in their Project, or holds a custom role of its Department that one of
// their steps names.
const (
	InboxPending   InboxList = iota // pending requests with an open step that waits for the user, by SubmittedAt
	InboxSubmitted                  // requests that the user submitted, by SubmittedAt
	InboxScheduled                  // approved requests with a time of publication, by ScheduledAt
	// InboxReturned has requests that the user submitted and that a reviewer rejected or sent back, if
	// they are the latest of the entry of one of their items, and it is not in the trash, by SubmittedAt.
	InboxReturned
	InboxDecided  // requests that the user approved, rejected or sent back, by the user's latest such action
	InboxNumbered // requests with the release number of the query, by SubmittedAt
)

// InboxQuery selects requests of a list for the user of Reach.
type InboxQuery struct {
	List      InboxList
	Reach     Reach
	ProjectID int64 // 0: every Project
	Number    ReleaseNumber
	// Delegated limits InboxPending to the requests that the user may decide only on behalf of others (true), or in
	// its own name (false); nil: both.
	Delegated  *bool
	Commented  bool // only requests with OpenComments
	Overdue    bool // only requests that are overdue (Request.Overdue)
	ByDeadline bool // by Request.Deadline instead of the time of the list; those without one last
	Descending bool // latest time first; otherwise earliest first
	Offset     int64
	Limit      int64
}

// Reach describes the approval requests that a user may decide. An open step of a request
// waits for the user in two cases: the step has a custom role of the Project's Department and
// the user holds it, or the step has no custom role and the user's role in the Project
// includes its RoleKind. A step never waits for a barred user (Request.Bars).
type Reach struct {
	UserID      int64
	SuperAdmin  bool
	Grants      []Grant
	CustomRoles []int64
	Lent        []Lender // the users on whose behalf the user may decide steps with Delegable
}

// InboxProject is the number of waiting requests in one Project.
type InboxProject struct {
	ProjectID int64
	Name      string
	Pending   int64
}

// InboxSummary has the counts of a user's inbox.
type InboxSummary struct {
	Pending           int64
	ByProject         []InboxProject // Projects with waiting requests, most requests first
	OldestSubmittedAt time.Time      // zero: no request waits
	SubmittedByMe     int64          // open requests that the user submitted
	Returned          int64          // requests of InboxReturned
	Scheduled         int64          // approved requests with a publication time, in the Projects of the user
}
