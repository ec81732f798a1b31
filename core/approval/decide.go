package approval

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
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
	// IfMatch, when not nil, must be the request's Version; else core.ErrPrecondition is returned.
	IfMatch *int64
}

// Approve approves the current step. Approval of the last step publishes the request, or
// leaves it approved until its scheduled time.
func (rs *Reviews) Approve(ctx context.Context, actor core.Actor, ref core.EntryRef, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: core.ActionApprove, comment: in.Comment}, in)
}

// Reject ends the request. Its current step must allow rejection.
func (rs *Reviews) Reject(ctx context.Context, actor core.Actor, ref core.EntryRef, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: core.ActionReject, comment: in.Comment}, in)
}

// RequestRevision ends the request. Its current step must allow revision, and the comment,
// which says what to revise, must not be blank.
func (rs *Reviews) RequestRevision(ctx context.Context, actor core.Actor, ref core.EntryRef, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: core.ActionRequestRevision, comment: in.Comment}, in)
}

// PublishNow publishes an approved request before its scheduled time. Admins of the Project and
// reviewers of the last step may call it, unless allowSelfApproval bars them.
func (rs *Reviews) PublishNow(ctx context.Context, actor core.Actor, ref core.EntryRef, in Decision) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: core.ActionPublishNow, comment: in.Comment}, in)
}

// Reschedule changes when the request is published and unpublished. The submitter may until a step
// is approved, and reviewers of the last step whom allowSelfApproval does not bar. A past PublishAt
// publishes an approved request at once.
func (rs *Reviews) Reschedule(ctx context.Context, actor core.Actor, ref core.EntryRef, times core.Times) (*View, error) {
	return rs.decide(ctx, actor, ref, transition{what: core.ActionReschedule, times: times}, Decision{})
}

// mayAct reports whether actor may perform an action on r. ever is false when the actor lacks the
// permission in every state of r. now is the reason why the action is not allowed in the current
// state, or nil. Decisions are for the reviewers of the current step, PublishNow is for reviewers of
// the last step and admins of the Project.
func mayAct(actor core.Actor, p *core.Project, r *core.Request, what core.ActionType) (ever bool, now error) {
	why := barred(actor, r)
	switch {
	case what == core.ActionReschedule:
		return true, mayReschedule(actor, p, r)
	case what == core.ActionPublishNow:
		ever = r.ReviewedLastBy(actor, p) || actor.RoleInProject(p).Includes(core.RoleAdmin)
	case r.CurrentStep() == nil: // the transition refuses the decision
		return r.ReviewedBy(actor, p), nil
	default:
		ever, why = r.ReviewedBy(actor, p), denial(actor, p, r)
	}
	if why != "" {
		now = core.Forbidden("%s", why)
	}
	return ever, now
}

// mayReschedule returns core.KindForbidden unless the actor may change the times of r; see
// Reviews.Reschedule.
func mayReschedule(actor core.Actor, p *core.Project, r *core.Request) error {
	submitter := r.OpenedBy(actor)
	switch why := barred(actor, r); {
	case submitter && len(r.Approvers) == 0:
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

// decide applies one action after authorization and a staleness check. When another decision has
// changed the request since the caller read it, decide changes nothing and returns a StateError
// with the current request.
func (rs *Reviews) decide(
	ctx context.Context, actor core.Actor, ref core.EntryRef, t transition, seen Decision,
) (*View, error) {
	known, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	var v *View
	err = rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		v, err = rs.decideIn(ctx, stores, actor, known, t, seen)
		return err
	})
	if errors.Is(err, core.ErrConflict) {
		now, failed := rs.Current(ctx, actor, ref)
		if failed != nil {
			return nil, failed
		}
		return nil, &StateError{View: now, Err: err}
	}
	if err != nil {
		return nil, err
	}
	if v.Request.Status == core.RequestApproved && rs.wake != nil {
		rs.wake()
	}
	return v, nil
}

// decideIn is decide inside a transaction. It reads the actor, the Project and, after it has
// locked the entry, the request again.
func (rs *Reviews) decideIn(ctx context.Context, stores ports.Stores, actor core.Actor, known core.Request, t transition, seen Decision) (*View, error) {
	project, err := stores.Projects.Hold(ctx, known.ProjectID)
	if err != nil {
		return nil, err
	}
	if actor, err = present(ctx, stores.Grants, stores.Users, actor); err != nil {
		return nil, err
	}
	if _, err := stores.Entries.Lock(ctx, project.ID, known.EntryID); err != nil && !errors.Is(err, core.ErrNotFound) {
		return nil, err
	}
	r, err := find(ctx, stores.Requests, actor, core.EntryRef{Project: project, CollectionID: known.CollectionID, ID: known.EntryID})
	if err != nil {
		return nil, err
	}
	ever, refusal := mayAct(actor, project, &r, t.what)
	if !ever {
		return nil, core.Forbidden("only the reviewers that the request names may do this")
	}
	if err := seen.stale(&r, &known); err != nil { // first, so that a stale caller learns that its view is outdated
		return nil, err
	}
	if refusal != nil {
		return nil, refusal
	}
	if t.at, err = stores.Clock.Now(ctx); err != nil {
		return nil, err
	}
	if t.verified, err = verified(ctx, stores.Sessions, actor, &r, t); err != nil {
		return nil, err
	}
	t.by = actor.Ref()
	t.due, t.over = due(t.period(&r), t.at)
	after, err := applyTransition(ctx, stores, rs.publisher, project, r, t)
	if err != nil {
		return nil, err
	}
	return view(ctx, stores, actor, project, after)
}

// verified returns the way in which actor proved again who they are, if the transition is a decision at a
// step that asks for a proof, else "". It returns core.KindForbidden with code "verify_first" unless the
// actor's own session has a proof that counts at t.at. It reads the session, so that a proof counts
// immediately, and that of a session that has ended does not.
func verified(ctx context.Context, sessions ports.SessionStore, actor core.Actor, r *core.Request, t transition) (core.Way, error) {
	step := r.CurrentStep()
	if step == nil || !step.Reauthenticate || !t.what.Decision() {
		return "", nil
	}
	session, err := sessions.Session(ctx, actor.Session)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return "", err
	}
	if err != nil || session.UserID != actor.UserID() || !session.Proof.Decides(actor.User, t.at) {
		return "", core.VerifyFirst()
	}
	return session.Proof.Way, nil
}

// stale returns an error when r is not in the state that the caller saw, and nil otherwise.
func (in Decision) stale(r, known *core.Request) error {
	step := r.CurrentStep()
	switch {
	case in.IfMatch != nil && *in.IfMatch != r.Version:
		return core.Stale("request")
	case in.ContentHash != nil && *in.ContentHash != r.ContentHash:
		return core.Conflict("stale_content", "the content of the request does not have the given contentHash")
	case in.StepOrder != nil && step != nil && *in.StepOrder != step.Order:
		return core.Conflict("stale_step", "the request is at step %d, not at step %d", step.Order, *in.StepOrder)
	case r.ID != known.ID || r.Version != known.Version:
		return core.ErrChangedMeanwhile
	default:
		return nil
	}
}

// due reports whether the start and the end of the period are past. A missing start is past, a
// missing end is not.
func due(p core.Period, now time.Time) (started, over bool) { return !p.From.After(now), p.Over(now) }

// applyTransition applies t to r and stores all its effects: the published version, the record and
// the schedules. It publishes late, because the time of the publication should be close to the commit,
// and before the record, which contains that time.
func applyTransition(
	ctx context.Context, stores ports.Stores, publisher ports.Publisher, project *core.Project, r core.Request, t transition,
) (core.Request, error) {
	collection, err := collectionOf(ctx, stores.Collections, &r)
	if err != nil {
		return r, err
	}
	if t.draftHash, err = draftHash(ctx, stores.Entries, stores.Media, &r, collection); err != nil {
		return r, err
	}
	after, actions, err := t.apply(r)
	if err != nil || len(actions) == 0 {
		return r, err
	}
	if err := schedule(ctx, stores.Schedules, &after, t.by); err != nil {
		return r, err
	}
	if after.Status == core.RequestPublished {
		if err := scheduleEnd(ctx, stores.Schedules, core.Schedule{
			ProjectID: r.ProjectID, EntryID: r.EntryID, CollectionID: r.CollectionID, RequestID: r.ID, DueAt: after.UnpublishAt, ScheduledBy: t.by,
		}); err != nil {
			return r, err
		}
		if t.at, err = release(ctx, stores, publisher, core.Schema{Project: project, Collection: collection}, &r, t.by); err != nil {
			return r, err
		}
		if after, actions, err = t.apply(r); err != nil {
			return r, err
		}
	}
	if err := stores.Requests.Update(ctx, &after, actions); err != nil {
		return r, core.ChangedMeanwhile(err)
	}
	return after, nil
}

// release publishes r's snapshot, with by as the publisher, and returns the time of the publication.
// The version is sealed, whatever governs the Project by now. release returns core.KindConflict when
// the snapshot is damaged, the entry is deleted or in the trash, or the schema has no collection
// because it was deleted.
func release(
	ctx context.Context, stores ports.Stores, publisher ports.Publisher, schema core.Schema, r *core.Request, by core.ActorRef,
) (at time.Time, err error) {
	if !r.Intact() {
		return at, core.Conflict("snapshot_damaged", "the stored snapshot differs from what was submitted: withdraw the request and submit again")
	}
	gone := core.Conflict("entry_gone", "the entry is deleted or in the trash")
	if schema.Collection == nil {
		return at, gone
	}
	at, err = publisher.Release(ctx, stores, schema.Project, r.EntryID, r.Release(schema.Collection, by))
	if errors.Is(err, core.ErrNotFound) {
		return at, gone
	}
	return at, err
}

// schedule stores or cancels the scheduled publication of r, according to r's status.
func schedule(ctx context.Context, schedules ports.ScheduleStore, r *core.Request, by core.ActorRef) error {
	switch r.Status {
	case core.RequestPending:
		return nil
	case core.RequestApproved:
		return schedules.Schedule(ctx, core.Schedule{
			ProjectID: r.ProjectID, EntryID: r.EntryID, Action: core.SchedulePublish, CollectionID: r.CollectionID, RequestID: r.ID,
			DueAt: r.ScheduledAt, UnpublishAt: r.UnpublishAt, ScheduledBy: by,
		})
	default:
		return schedules.Cancel(ctx, r.ProjectID, r.EntryID, core.SchedulePublish)
	}
}
