package approval

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/words"
)

// transition is one action on a request. Its method apply is the state machine: a pure
// function that returns the changed request. record returns the actions to record.
//
//	from                       action            condition                         to
//	pending at open steps      approve           approvals are lacking still       pending, perhaps at later steps
//	pending at open steps      approve           the last; no time, or it is past  published
//	pending at open steps      approve           the last; time in the future      approved
//	pending at open steps      approve           the last; its end is past         refused
//	pending at open steps      reject            the step allows rejection         rejected
//	pending at open steps      request_revision  the step allows it; comment       revision_requested
//	approved                   publish_now       its end is not past               published
//	approved                   publish           its time is past                  published
//	approved                   reschedule        the new time is past              published
//	approved                   reschedule        the new time is in the future     approved
//	approved                   reschedule        no new time, only a new end       approved
//	pending                    reschedule                                          pending
//	pending, approved          withdraw                                            withdrawn
//
// Everything else is refused. A request that has ended never changes again.
type transition struct {
	what    review.ActionType
	by      core.ActorRef
	comment string
	// step is the id of the open step that is decided, of a decision.
	step int
	// behalf is the user on whose behalf by decides; the zero value: none.
	behalf core.ActorRef
	// late reports that by, or the user of behalf, decides only because the step is escalated.
	late bool
	// signature is that of a decision at a step that asks for one; else nil.
	signature *review.Signature
	// verified is the way of the proof that the decision needed; empty: it needed none.
	verified core.Way
	// commentsHash is the hash of the comments on the request, of a decision; empty: it has none.
	commentsHash string
	at           time.Time // now, for the record; the time of the publication, if the transition publishes
	// draftHash is the current hash of the entry's draft, for the record.
	draftHash string
	// times are the new times of a reschedule.
	times schedule.Times
	// due reports that the publication time, or the new time of a reschedule, is past by the
	// database's clock. A missing time counts as due.
	due bool
	// over reports that the end, or the new end of a reschedule, is past by the same clock. A
	// missing end is never past.
	over bool
	// skips is set for the system's reschedule of an approved request, which clears the times.
	skips bool
}

// period returns the period of r after the transition.
func (t transition) period(r *review.Request) schedule.Period {
	p := schedule.Period{From: r.ScheduledAt, Until: r.UnpublishAt}
	t.times.PublishAt.AssignTo(&p.From)
	t.times.UnpublishAt.AssignTo(&p.Until)
	return schedule.Period{From: p.From.UTC(), Until: p.Until.UTC()}
}

// changesTimes reports whether the transition changes the period of r, as it is stored.
func (t transition) changesTimes(r *review.Request) bool {
	p := t.period(r)
	return core.TimeText(p.From) != core.TimeText(r.ScheduledAt) || core.TimeText(p.Until) != core.TimeText(r.UnpublishAt)
}

// submitted returns a new request to publish e's draft with its sealed media for a period, and the
// action that opens it. Without a start, the request is published on approval. The contributors are
// those of e.Revision. changes judge the conditions of the steps; nil if none has one.
func submitted(
	w review.Workflow, schema core.Schema, e *core.Entry, media core.Document, by core.ActorRef, now time.Time, period schedule.Period, changes []review.SubmittedChange,
) (*review.Request, *review.Action, error) {
	contributors, err := core.ContributorsOf(e.Revision)
	if err != nil {
		return nil, nil, err
	}
	item := review.RequestItem{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Action: schedule.Publish}
	if item.Title = schema.Collection.Title(e.Draft); item.Title != "" {
		item.TitleFieldID = schema.Collection.TitleField().ID
	}
	item.Snapshot, item.ContentHash, item.Withheld = schema.Collection.Snapshot(e.Locale, e.Draft, media)
	r := opened(w, schema.Project, by, now, period, changes)
	r.Items, r.Contributors, r.RecordFormat = []review.RequestItem{item}, contributors, formatOf(w)
	opening := openingOf(r)
	opening.DraftHash = item.ContentHash
	return r, opening, nil
}

// submittedRelease is submitted for the items of a release, whose bases are not known yet.
func submittedRelease(
	w review.Workflow, project *core.Project, release *release.Release, items []review.RequestItem, by core.ActorRef, period schedule.Period, now time.Time,
	changes []review.SubmittedChange,
) (*review.Request, *review.Action) {
	r := opened(w, project, by, now, period, changes)
	r.Release, r.RecordFormat = &review.RequestRelease{ID: release.ID, Name: release.Name}, latestFormat
	r.Items = slices.SortedFunc(slices.Values(items), func(a, b review.RequestItem) int { return cmp.Compare(a.EntryID, b.EntryID) })
	return r, openingOf(r)
}

// opened returns a new request without what it publishes, at its first step that applies to changes.
func opened(w review.Workflow, project *core.Project, by core.ActorRef, now time.Time, period schedule.Period, changes []review.SubmittedChange) *review.Request {
	r := &review.Request{
		TenantID: project.TenantID, ProjectID: project.ID, ReleaseYear: now.UTC().Year(), Status: review.RequestPending, Version: 1,
		Steps: review.Judge(w.Steps, changes), AllowSelfApproval: w.AllowSelfApproval,
		ScheduledAt: period.From, UnpublishAt: period.Until, SubmittedBy: by, SubmittedAt: now, OpenSince: now,
	}
	r.Start()
	return r
}

// openingOf returns the action that opens r.
func openingOf(r *review.Request) *review.Action {
	return &review.Action{
		ProjectID: r.ProjectID, Type: review.ActionSubmit, Actor: r.SubmittedBy, ContentHash: r.ContentHash(),
		ScheduledAt: r.ScheduledAt, UnpublishAt: r.UnpublishAt, CreatedAt: r.SubmittedAt, Outcome: r.Outcome(),
	}
}

// seal links the opening action to the terms of r. Both must have their ids.
func seal(r *review.Request, opening *review.Action) {
	opening.RequestID = r.ID
	r.ChainHash = termsHash(r)
	link(r, opening)
}

// apply returns r after the transition, with the same Version if it changes nothing. It
// returns an error of core.KindConflict when the status of r does not allow the transition, and of
// core.KindInvalid when the step or the input does not allow it.
func (t transition) apply(r review.Request) (review.Request, error) {
	if err := t.allowed(&r); err != nil || t.keepsTimes(&r) {
		return r, err
	}
	r.Version++
	t.change(&r)
	return r, nil
}

// record returns the actions of the transition from before to after, and links them to the chain of after,
// which was published at t.at if its status says so.
func (t transition) record(before, after *review.Request) []*review.Action {
	step := 0
	if t.what.Decision() {
		step = before.Steps[t.step-1].Order
	}
	published := after.Status == review.RequestPublished
	if published {
		after.PublishedAt = t.at
	}
	actions := []*review.Action{t.action(after, t.what, step)}
	if published && t.what != review.ActionPublish {
		actions = append(actions, t.action(after, review.ActionPublish, 0))
	}
	return actions
}

// keepsTimes reports whether t is a reschedule that changes nothing.
func (t transition) keepsTimes(r *review.Request) bool {
	return t.what == review.ActionReschedule && (r.Status == review.RequestPending || !t.due) && !t.changesTimes(r)
}

// allowed returns an error when the state of r does not allow the transition, or nil.
func (t transition) allowed(r *review.Request) error {
	switch t.what {
	case review.ActionApprove, review.ActionReject, review.ActionRequestRevision:
		if r.Status != review.RequestPending {
			return core.Conflict("not_pending", "the request is not pending but %s", statusText(r.Status))
		}
	case review.ActionPublishNow, review.ActionPublish:
		if r.Status != review.RequestApproved {
			return core.Conflict("not_approved", "the request is not waiting for its publication time but %s", statusText(r.Status))
		}
	default:
		if !r.Status.Open() {
			return core.Conflict("not_open", "the request has ended: it is %s", statusText(r.Status))
		}
	}
	return t.faults(r)
}

// faults checks the transition against the current step, and its input.
func (t transition) faults(r *review.Request) error {
	var found core.Faults
	var step review.Step
	if t.what.Decision() {
		step = r.Steps[t.step-1]
	}
	switch {
	case t.what == review.ActionReject && !step.AllowRejection:
		found.Add("stepOrder", step.Order, "the step does not allow rejection")
	case t.what == review.ActionRequestRevision && !step.AllowRevision:
		found.Add("stepOrder", step.Order, "the step does not allow requests for revision")
	case t.what == review.ActionReschedule:
		found.List = t.timeFaults(r)
	case t.over && (t.what == review.ActionApprove && t.completes(r) || t.what == review.ActionPublishNow):
		found.Add("unpublishAt", nil, "is past: change the schedule of the request, or withdraw it")
	}
	if t.what == review.ActionRequestRevision && words.Blank(t.comment) {
		found.Add("comment", nil, "is required: say what is to be revised")
	}
	checkComment(t.comment, &found)
	return found.Err()
}

// checkComment adds the faults of a comment to found.
func checkComment(comment string, found *core.Faults) {
	switch {
	case utf8.RuneCountInString(comment) > maxComment:
		found.Add("comment", nil, "must have at most 4,000 characters")
	case !core.ValidText(comment):
		found.Add("comment", nil, "must be text without the character U+0000")
	}
}

// timeFaults checks the period of r after a reschedule.
func (t transition) timeFaults(r *review.Request) []core.FieldError {
	p := t.period(r)
	found := p.Faults()
	if r.Release != nil && !p.Until.IsZero() {
		found = append(found, core.FieldError{Location: "unpublishAt", Message: "must be left out: a release has no end"})
	}
	if r.Status == review.RequestApproved && p.From.IsZero() && !t.skips {
		found = append(found, core.FieldError{Location: "publishAt", Message: "is required, because the request is approved"})
	}
	if len(found) == 0 && t.over {
		found = append(found, core.FieldError{Location: "unpublishAt", Message: "must be later than now"})
	}
	return found
}

// maxComment is the maximum length of a comment in code points.
const maxComment = 4000

// change changes the state of r.
func (t transition) change(r *review.Request) {
	switch t.what {
	case review.ActionApprove:
		if r.Approve(t.approval()) {
			r.Status = t.approvedStatus()
		} else if r.Arrived() {
			r.OpenSince = t.at
		}
	case review.ActionReject:
		r.Status = review.RequestRejected
	case review.ActionRequestRevision:
		r.Status = review.RequestRevision
	case review.ActionWithdraw:
		r.Status = review.RequestWithdrawn
	case review.ActionPublishNow, review.ActionPublish:
		r.Status = review.RequestPublished
	case review.ActionReschedule:
		p := t.period(r)
		r.ScheduledAt, r.UnpublishAt = p.From, p.Until
		if r.Status == review.RequestApproved && t.times.PublishAt.Given {
			r.Status = t.approvedStatus()
		}
	}
}

// approval returns the approval that t gives.
func (t transition) approval() review.Approval {
	return review.Approval{StepID: t.step, Person: t.by.ID, For: t.behalf.ID}
}

// completes reports whether t, an approval, is the last one that r lacks.
func (t transition) completes(r *review.Request) bool {
	after := *r
	return after.Approve(t.approval())
}

// approvedStatus returns the status of a request that every step approved.
func (t transition) approvedStatus() review.RequestStatus {
	if t.due {
		return review.RequestPublished
	}
	return review.RequestApproved
}

// action links the next action to the chain of r and returns it. r is the request after the
// transition.
func (t transition) action(r *review.Request, what review.ActionType, step int) *review.Action {
	a := &review.Action{
		ProjectID: r.ProjectID, RequestID: r.ID, Type: what, StepOrder: step,
		Actor: t.by, ContentHash: r.ContentHash(), DraftHash: t.draftHash, CreatedAt: t.at, Outcome: r.Outcome(),
	}
	if what == t.what {
		a.Comment, a.Verified, a.CommentsHash, a.OnBehalfOf, a.Escalated, a.Signature = t.comment, t.verified, t.commentsHash, t.behalf, t.late, t.signature
	}
	if what == review.ActionReschedule {
		a.ScheduledAt, a.UnpublishAt = r.ScheduledAt, r.UnpublishAt
	}
	link(r, a)
	return a
}

func statusText(s review.RequestStatus) string { return strings.ReplaceAll(string(s), "_", " ") }
