package approval

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/comments"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Decision is the input of a decision: a comment, and the state of the request that the reviewer
// saw.
type Decision struct {
	Comment string // at most 4,000 characters
	// StepOrder and ContentHash, when not nil, must be the current ones of the request. A double
	// click then cannot approve two steps, and a reviewer cannot approve unseen content.
	StepOrder   *int
	ContentHash *string
	// StepID is the open step to decide; nil: the only one that the reviewer may decide.
	StepID *int
	// For, when not nil, is the user on whose behalf the decision is. Otherwise it is in the name of the reviewer, or, if
	// the reviewer may decide on behalf of others only, on behalf of the one whose delegation is the oldest.
	For *int64
	// IfMatch, when not nil, must be the request's Version; else core.ErrPrecondition is returned.
	IfMatch *int64
	// Signature is that of a decision at a step that asks for one; else nil.
	Signature *ports.Signed
	// Comments are stored with the decision, or not at all: at most comments.MaxAtOnce.
	Comments []comments.Input
}

// Approve approves an open step. The last approval publishes the request, or leaves it approved until its
// scheduled time.
func (rs *Reviews) Approve(ctx context.Context, actor core.Actor, ref review.Subject, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: review.ActionApprove, comment: in.Comment}, in)
}

// Reject ends the request. The step must allow rejection.
func (rs *Reviews) Reject(ctx context.Context, actor core.Actor, ref review.Subject, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: review.ActionReject, comment: in.Comment}, in)
}

// RequestRevision ends the request. The step must allow revision, and the comment,
// which says what to revise, must not be blank.
func (rs *Reviews) RequestRevision(ctx context.Context, actor core.Actor, ref review.Subject, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: review.ActionRequestRevision, comment: in.Comment}, in)
}

// PublishNow publishes an approved request before its scheduled time. Admins of the Project and
// reviewers of the last step may call it, unless allowSelfApproval bars them.
func (rs *Reviews) PublishNow(ctx context.Context, actor core.Actor, ref review.Subject, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: review.ActionPublishNow, comment: in.Comment}, in)
}

// Reschedule changes when the request is published and unpublished. The submitter may until a step
// is approved, and reviewers of the last step whom allowSelfApproval does not bar. A past PublishAt
// publishes an approved request at once.
func (rs *Reviews) Reschedule(ctx context.Context, actor core.Actor, ref review.Subject, times schedule.Times) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: review.ActionReschedule, times: times}, Decision{})
}

// Withdraw ends the open request of a release. The caller has checked that the actor may; it is a user with the role of
// an editor.
func (rs *Reviews) Withdraw(ctx context.Context, actor core.Actor, ref review.ReleaseRef, comment string) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: review.ActionWithdraw, comment: comment}, Decision{})
}

// mayAct reports whether actor may perform an action on r. ever is false when the actor lacks the
// permission in every state of r. now is the reason why the action is not allowed in the current
// state, or nil. Decisions are for the reviewers of the open steps (review.Request.StandingOf), PublishNow is for
// reviewers of the last steps and admins of the Project.
func mayAct(actor core.Actor, p *core.Project, r *review.Request, what review.ActionType) (ever bool, now error) {
	switch {
	case what == review.ActionReschedule:
		return true, mayReschedule(actor, p, r)
	case what == review.ActionWithdraw:
		return actor.RoleInProject(p).Includes(core.RoleEditor), nil
	case what == review.ActionPublishNow:
		if why := barredLast(actor, r); why != "" {
			now = core.Forbidden("%s", why)
		}
		return r.ReviewedLastBy(actor, p) || actor.RoleInProject(p).Includes(core.RoleAdmin), now
	case r.CurrentStep() == nil: // the transition refuses the decision
		return r.ReviewedBy(actor, p), nil
	case what != review.ActionApprove && len(r.EndableBy(actor, p).Steps) > 0:
		return true, nil
	default:
		return r.ReviewedBy(actor, p), refused(r, actor, r.StandingOf(actor, p))
	}
}

// Permits returns an error of core.KindForbidden unless the actor has the role for an action on the subject's
// request and, if now is set, may perform it in its present state, or core.ErrNotFound. It reads the roles of the
// actor as they were at the start of the request; the action checks them again.
func (rs *Reviews) Permits(ctx context.Context, actor core.Actor, ref review.Subject, what review.ActionType, now bool) error {
	r, err := findToDecide(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return err
	}
	ever, refusal := mayAct(actor, ref.In(), &r, what)
	switch {
	case !ever:
		return errNotReviewer
	case now && errors.Is(refusal, core.Forbidden("")):
		return refusal
	default:
		return nil
	}
}

var errNotReviewer = core.Forbidden("only the reviewers that the request names may do this")

// mayReschedule returns core.KindForbidden unless the actor may change the times of r; see
// Reviews.Reschedule.
func mayReschedule(actor core.Actor, p *core.Project, r *review.Request) error {
	submitter := r.OpenedBy(actor)
	switch why := barredLast(actor, r); {
	case submitter && len(r.Approvals) == 0:
		return nil
	case !r.ReviewedLastBy(actor, p) && submitter:
		return core.Forbidden("a step is approved: only reviewers of the last step may change the times, and not the submitter")
	case !r.ReviewedLastBy(actor, p):
		return core.Forbidden("only the submitter, until a step is approved, and reviewers of the last step may change the times")
	case why != "":
		return core.Forbidden("%s", why)
	default:
		return nil
	}
}

// decide applies one action after authorization and a staleness check. When another decision than an approval of the same
// steps has changed the request since decide read it, decide changes nothing and returns a StateError with the current
// request.
func (rs *Reviews) decide(
	ctx context.Context, actor core.Actor, ref review.Subject, t transition, seen Decision,
) (*View, error) {
	var v *View
	r, err := findToDecide(ctx, rs.stores.Requests, actor, ref)
	for tries, again := 0, err == nil; again && tries < maxTries; tries++ {
		still := true
		err = rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) (err error) {
			now := r
			if tries > 0 { // in the transaction, which sees also what other readers do not see yet
				if now, err = findToDecide(ctx, stores.Requests, actor, ref); err != nil {
					return err
				}
				if still = onlyApproved(&r, &now); !still {
					return core.ErrChangedMeanwhile
				}
			}
			v, err = rs.decideIn(ctx, stores, actor, now, t, seen)
			return err
		})
		again = still && errors.Is(err, core.ErrChangedMeanwhile) && t.what.Decision() && seen.IfMatch == nil
	}
	if errors.Is(err, core.ErrConflict) && r.ID != 0 {
		now, failed := rs.Current(ctx, actor, ref)
		if failed != nil {
			return nil, failed
		}
		// First stale, so that a stale caller learns that its view is outdated.
		known := &r
		if onlyApproved(&r, &now.Request) {
			known = &now.Request
		}
		if err = cmp.Or(seen.stale(&now.Request, known), err); errors.Is(err, core.ErrConflict) {
			return nil, &StateError{View: now, Err: err}
		}
	}
	if err != nil {
		return nil, err
	}
	if v.Request.Status == review.RequestApproved {
		rs.publisher.Wake()
	}
	return v, nil
}

// maxTries bounds how often a decision is tried again because approvals of others came first: a step has 20 at most.
const maxTries = 32

// onlyApproved reports whether r has become now by approvals alone, or not changed, and waits at steps of the same order
// still. A decision about r is then one about now.
func onlyApproved(r, now *review.Request) bool {
	before, after := r.CurrentStep(), now.CurrentStep()
	return before != nil && after != nil && now.ID == r.ID && after.Order == before.Order &&
		now.Version-r.Version == int64(len(now.Approvals)-len(r.Approvals))
}

// decideIn is decide inside a transaction. It reads the actor and the Project again. r needs no second look:
// the store refuses a transition of a request that has changed since.
func (rs *Reviews) decideIn(
	ctx context.Context, stores ports.Stores, actor core.Actor, r review.Request, t transition, seen Decision,
) (*View, error) {
	project, err := stores.Projects.Hold(ctx, r.ProjectID)
	if err != nil {
		return nil, err
	}
	if actor, err = present(ctx, stores.Grants, stores.Users, actor); err != nil {
		return nil, err
	}
	if !r.VisibleTo(actor, project) {
		return nil, errNoRequest
	}
	if err := lend(ctx, stores, &actor, &r); err != nil {
		return nil, err
	}
	set, err := rs.publisher.Lock(ctx, stores, project, r.EntryIDs()...)
	if err != nil {
		return nil, err
	}
	as, err := t.decider(actor, project, &r, seen)
	if err != nil {
		return nil, err
	}
	if t.what.Decision() { // before the clock is read, so that no later comment is older than the decision
		if err := stores.Comments.Hold(ctx, r.ProjectID, r.ID); err != nil {
			return nil, err
		}
	}
	if t.at, t.behalf, err = behalfOf(ctx, stores, as); err != nil {
		return nil, err
	}
	if t.late && t.at.Before(r.EscalatesAt(t.step)) { // the clock was set back
		return nil, core.Forbidden("the step is not escalated yet")
	}
	if t.verified, err = verified(ctx, stores.Sessions, actor, &r, t); err != nil {
		return nil, err
	}
	t.by = actor.Ref()
	if t.signature, err = t.signs(ctx, stores, &r, seen.Signature); err != nil {
		return nil, err
	}
	if t.due, t.over, err = dueNow(ctx, stores.Installation, t.period(&r), t.at); err != nil {
		return nil, err
	}
	if err := bring(ctx, stores, actor, project, &r, t.at, seen.Comments); err != nil {
		return nil, err
	}
	if t.commentsHash, err = discussed(ctx, stores.Comments, &r, t); err != nil {
		return nil, err
	}
	after, err := transit(ctx, stores, set, r, t)
	if err != nil {
		return nil, err
	}
	return view(ctx, stores, actor, project, after, set.Entry(r.Item().EntryID))
}

// decider sets the step that actor decides, and whether it is escalated, and returns on whose behalf; nil: in its own
// name. Without the permission it returns an error.
func (t *transition) decider(actor core.Actor, project *core.Project, r *review.Request, seen Decision) (*review.Behalf, error) {
	ever, refusal := mayAct(actor, project, r, t.what)
	if !ever {
		return nil, errNotReviewer
	}
	if err := seen.stale(r, r); err != nil { // first, so that a stale caller learns that its view is outdated
		return nil, err
	}
	var standing review.Standing
	switch {
	case seen.For != nil && t.what.Decision():
		standing = r.StandingFor(actor, project, *seen.For)
		refusal = refusedFor(r, actor, standing)
	case t.what == review.ActionApprove:
		standing = r.StandingOf(actor, project)
	default:
		standing = r.EndableBy(actor, project)
	}
	var err error
	if t.step, err = seen.choose(r, standing.Steps, t.what, refusal); err != nil {
		return nil, err
	}
	as := standing.As(t.step)
	t.late = standing.Escalated(t.step, as)
	return as, nil
}

// verified returns the way in which actor proved again who they are, if the transition is a decision at a
// step that asks for a proof, else "". It returns core.KindForbidden with code "verify_first" unless the
// actor's own session has a proof that counts at t.at. It reads the session, so that a proof counts
// immediately, and that of a session that has ended does not.
func verified(ctx context.Context, sessions ports.SessionStore, actor core.Actor, r *review.Request, t transition) (core.Way, error) {
	if t.step == 0 || !r.Steps[t.step-1].Reauthenticate || r.Steps[t.step-1].Signature != nil {
		return "", nil
	}
	session, err := sessions.Session(ctx, actor.Session)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return "", err
	}
	if err != nil || session.UserID != actor.UserID() || !session.Proof.Decides(actor.User, t.at) {
		return "", core.VerifyFirst()
	}
	if session.Proof.Way == core.WayProviderFactor { // records do not tell the two apart
		return core.WayProvider, nil
	}
	return session.Proof.Way, nil
}

// stale returns an error when r is not in the state that the caller saw, and nil otherwise.
func (in Decision) stale(r, known *review.Request) error {
	step := r.CurrentStep()
	switch {
	case in.IfMatch != nil && *in.IfMatch != r.Version:
		return core.Stale("request")
	case in.ContentHash != nil && *in.ContentHash != r.ContentHash():
		return core.Conflict("stale_content", "the content of the request does not have the given contentHash")
	case in.StepOrder != nil && step != nil && *in.StepOrder != step.Order:
		return core.Conflict("stale_step", "the request is at step %d, not at step %d", step.Order, *in.StepOrder)
	case r.ID != known.ID || r.Version != known.Version:
		return core.ErrChangedMeanwhile
	default:
		return nil
	}
}

// choose returns the id of the step that the decision is for, one of those that the actor may decide. It is 0 for
// what is no decision, and without an open step. refusal is the reason why the actor may not act, or nil.
func (in Decision) choose(r *review.Request, may []int, what review.ActionType, refusal error) (stepID int, err error) {
	open := r.OpenSteps()
	switch {
	case errors.Is(refusal, core.ErrConflict):
		return 0, refusal
	case len(open) > 0 && in.StepID != nil && !slices.Contains(open, *in.StepID):
		return 0, core.Conflict("stale_step", "the request does not wait at the step with the stepId %d", *in.StepID)
	case refusal != nil || !what.Decision() || len(open) == 0:
		return 0, refusal
	case in.StepID == nil && len(may) > 1:
		return 0, core.Invalid(core.FieldError{Location: "stepId", Message: "is required: you may decide several steps that are open at the same time"})
	case in.StepID == nil:
		return may[0], nil
	case !slices.Contains(may, *in.StepID):
		step := &r.Steps[*in.StepID-1]
		return 0, core.Forbidden("step %d is for: %s", step.Order, reviewersOf(step))
	default:
		return *in.StepID, nil
	}
}

// due reports whether the start and the end of the period are past. A missing start is past, a
// missing end is not.
func due(p schedule.Period, now time.Time) (started, over bool) {
	return !p.From.After(now), p.Over(now)
}

// dueNow is due, except that no time is past for an installation that is paused.
func dueNow(ctx context.Context, installation ports.InstallationReader, p schedule.Period, now time.Time) (started, over bool, err error) {
	if started, over = due(p, now); !started || p.From.IsZero() {
		return started, over, nil
	}
	state, err := installation.Installation(ctx)
	return !state.Paused(), over, err
}

// transit applies t to r, whose entries are those of set, and stores all its effects: the published versions,
// the schedules, the record, and the state of a release. The entries of a release are locked only when they are
// published. It publishes late, because the time of the publication should be close to the commit, and before the
// record, which contains that time. It returns core.ErrChangedMeanwhile when another transaction has changed r.
func transit(ctx context.Context, stores ports.Stores, set *publishing.Set, r review.Request, t transition) (after review.Request, err error) {
	if r.Release == nil {
		if _, t.draftHash, err = draftOf(ctx, stores, &r, set.Entry(r.Item().EntryID)); err != nil {
			return r, err
		}
	}
	if after, err = t.apply(r); err != nil || after.Version == r.Version {
		return r, err
	}
	published, err := set.Follow(ctx, &after, t.by)
	if err != nil {
		return r, err
	}
	if !published.IsZero() {
		t.at = published
	}
	actions := t.record(&r, &after)
	if err := stores.Requests.Update(ctx, &after, actions); err != nil || r.Release == nil {
		return after, core.ChangedMeanwhile(err)
	}
	return after, t.follow(ctx, stores.Releases, &after)
}
