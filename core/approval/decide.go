package approval

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Decision is what a reviewer says, and what they take the request to be.
type Decision struct {
	Comment string // at most 4,000 characters
	// StepOrder and ContentHash, when not nil, must be those of the request as it is:
	// a double click does not pass two steps, and nobody approves what they did not see.
	StepOrder   *int
	ContentHash *string
	// IfMatch, when not nil, must be the request's Version: else core.ErrPrecondition.
	IfMatch *int64
}

// Approve approves the current step. At the last one the request is published, or
// waits for its time.
func (rs *Reviews) Approve(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	return rs.decide(ctx, actor, project, collectionID, entryID, in.asks(core.ActionApprove), reviewer)
}

// Reject ends the request where its current step allows that.
func (rs *Reviews) Reject(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	return rs.decide(ctx, actor, project, collectionID, entryID, in.asks(core.ActionReject), reviewer)
}

// RequestRevision ends the request where its current step allows that; the comment,
// which must not be blank, says what is to be revised.
func (rs *Reviews) RequestRevision(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	return rs.decide(ctx, actor, project, collectionID, entryID, in.asks(core.ActionRequestRevision), reviewer)
}

// PublishNow publishes an approved request before its time. It is for admins of the
// Project and for whom the last step asks.
func (rs *Reviews) PublishNow(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in Decision) (*View, error) {
	return rs.decide(ctx, actor, project, collectionID, entryID, in.asks(core.ActionPublishNow), publisher)
}

// Reschedule changes when the request is published: who may publish it now may, and
// while it is pending its submitter as well. nil, while it is pending, is once
// approved; a time that is past publishes an approved request at once.
func (rs *Reviews) Reschedule(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, at *time.Time) (*View, error) {
	asked := ask{turn: turn{what: core.ActionReschedule}}
	if at != nil {
		asked.schedule = at.UTC()
	}
	return rs.decide(ctx, actor, project, collectionID, entryID, asked, scheduler)
}

// ask is a turn that somebody wants, and what they take the request to be.
type ask struct {
	turn

	stepOrder   *int
	contentHash *string
	ifMatch     *int64
}

func (in Decision) asks(what core.ActionType) ask {
	return ask{turn: turn{what: what, comment: in.Comment}, stepOrder: in.StepOrder, contentHash: in.ContentHash, ifMatch: in.IfMatch}
}

// A right reports whether somebody may ask for something of a request: ever, and now.
type right func(actor core.Actor, p *core.Project, r *core.Request, what core.ActionType) (ever bool, now error)

// reviewer is whom the current step asks for.
func reviewer(actor core.Actor, p *core.Project, r *core.Request, what core.ActionType) (bool, error) {
	if !reviews(actor, p, r) {
		return false, nil
	}
	switch step := r.CurrentStep(); {
	case step == nil:
		return true, nil // the request is over, which take says
	case !entitled(actor, p, step):
		return true, core.Forbidden("step %d is for: %s", step.Order, who(step))
	case what == core.ActionApprove && barred(actor, r):
		return true, core.Forbidden("the submitter, who is also the maker of the token that submitted, and those who approved an earlier step may not approve")
	default:
		return true, nil
	}
}

// publisher is who says when an approved request is published.
func publisher(actor core.Actor, p *core.Project, r *core.Request, _ core.ActionType) (bool, error) {
	return releases(actor, p, r), nil
}

// scheduler is a publisher and, as long as the request is pending, who submitted it.
func scheduler(actor core.Actor, p *core.Project, r *core.Request, what core.ActionType) (bool, error) {
	if r.Status == core.RequestPending && submittedBy(actor, r) {
		return true, nil
	}
	return publisher(actor, p, r, what)
}

// decide has one turn taken: by somebody who may, of the request as it was when they
// asked. Who was faster has changed it, and then nothing happens.
func (rs *Reviews) decide(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, asked ask, may right,
) (*View, error) {
	known, err := find(ctx, rs.Stores, actor, project, collectionID, entryID)
	if err != nil {
		return nil, err
	}
	var v *View
	err = rs.Tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) error {
		v, err = rs.take(ctx, stores, actor, known, asked, may)
		return err
	})
	if errors.Is(err, core.ErrConflict) {
		now, failed := rs.Current(ctx, actor, project, collectionID, entryID)
		if failed != nil {
			return nil, failed
		}
		return nil, &StateError{View: now, Err: err}
	}
	if err != nil {
		return nil, err
	}
	if v.Request.Status == core.RequestApproved {
		rs.wake()
	}
	return v, nil
}

// take takes the turn inside a transaction. It reads anew all that decides: who asks,
// where the Project stands, the entry and, once nobody else can touch it, the request.
func (rs *Reviews) take(ctx context.Context, stores ports.Stores, actor core.Actor, known core.Request, asked ask, may right) (*View, error) {
	project, err := stores.Projects.Hold(ctx, known.ProjectID)
	if err != nil {
		return nil, err
	}
	if actor, err = present(ctx, stores, actor); err != nil {
		return nil, err
	}
	if _, err := stores.Entries.Lock(ctx, project.ID, known.EntryID); err != nil && !errors.Is(err, core.ErrNotFound) {
		return nil, err
	}
	r, err := find(ctx, stores, actor, project, known.CollectionID, known.EntryID)
	if err != nil {
		return nil, err
	}
	if err := asked.permitted(actor, project, &r, &known, may); err != nil {
		return nil, err
	}
	asked.by, asked.at = actor.Ref(), rs.Clock.Now()
	if asked.come, err = come(ctx, stores, asked.turn, &r); err != nil {
		return nil, err
	}
	after, err := move(ctx, stores, rs.Publisher, project, r, asked.turn)
	if err != nil {
		return nil, err
	}
	return view(ctx, stores, actor, project, after)
}

// permitted says why the actor may not have the turn: it is not for them at all, the
// request is not what they take it to be, or it is not their step.
func (a ask) permitted(actor core.Actor, p *core.Project, r, known *core.Request, may right) error {
	ever, now := may(actor, p, r, a.what)
	if !ever {
		return core.Forbidden("this is for others: the request names who decides its steps")
	}
	if err := a.stale(r, known); err != nil {
		return err
	}
	return now
}

// stale says why r is not what the caller takes it to be.
func (a ask) stale(r, known *core.Request) error {
	step := r.CurrentStep()
	switch {
	case a.ifMatch != nil && *a.ifMatch != r.Version:
		return core.Stale("request")
	case a.contentHash != nil && *a.contentHash != r.ContentHash:
		return core.Conflict("stale_content", "the request is about other content than the given contentHash")
	case a.stepOrder != nil && step != nil && *a.stepOrder != step.Order:
		return core.Conflict("stale_step", "the request is at step %d, not at step %d", step.Order, *a.stepOrder)
	case r.ID != known.ID || r.Version != known.Version:
		return core.ErrChangedMeanwhile
	default:
		return nil
	}
}

// come reports whether the time that the turn goes by has come, by the database's
// clock. Having none counts as come.
func come(ctx context.Context, stores ports.Stores, t turn, r *core.Request) (bool, error) {
	at := r.ScheduledAt
	if t.what == core.ActionReschedule {
		at = t.schedule
	}
	if at.IsZero() {
		return true, nil
	}
	now, err := stores.Publications.Now(ctx)
	return err == nil && !at.After(now), err
}

// move has r take the turn, and everything that goes with it: what is published, the
// record, and what is to be published later.
func move(ctx context.Context, stores ports.Stores, publisher ports.Publisher, project *core.Project, r core.Request, t turn) (core.Request, error) {
	collection, err := collectionOf(ctx, stores, &r)
	if err != nil {
		return r, err
	}
	if t.draftHash, err = draftHash(ctx, stores, &r, collection); err != nil {
		return r, err
	}
	after, actions, err := t.take(r)
	if err != nil {
		return r, err
	}
	if after.Status == core.RequestPublished {
		if err := release(ctx, stores, publisher, project, collection, &after); err != nil {
			return r, err
		}
	}
	if err := stores.Requests.Update(ctx, &after, actions); err != nil {
		return r, core.ChangedMeanwhile(err)
	}
	return after, schedule(ctx, stores, &after, t.by)
}

// release makes r's snapshot public in the collection, nil when that is gone, if it is
// what was approved.
func release(
	ctx context.Context, stores ports.Stores, publisher ports.Publisher, project *core.Project, collection *core.Collection, r *core.Request,
) error {
	if !r.Intact() {
		return core.Conflict("snapshot_damaged", "the stored snapshot is not what was submitted: withdraw the request and submit again")
	}
	gone := core.Conflict("entry_gone", "the entry is in the trash or gone")
	if collection == nil {
		return gone
	}
	err := publisher.Release(ctx, stores, project, r.EntryID, r.Release(collection), r.PublishedAt)
	if errors.Is(err, core.ErrNotFound) {
		return gone
	}
	return err
}

// schedule keeps what is to be published in step with r.
func schedule(ctx context.Context, stores ports.Stores, r *core.Request, by core.ActorRef) error {
	switch r.Status {
	case core.RequestPending:
		return nil
	case core.RequestApproved:
		return stores.Publications.Schedule(ctx, core.Publication{
			ProjectID: r.ProjectID, EntryID: r.EntryID, CollectionID: r.CollectionID, RequestID: r.ID,
			DueAt: r.ScheduledAt, RetryAt: r.ScheduledAt, ScheduledBy: by,
		})
	default:
		return stores.Publications.Cancel(ctx, r.ProjectID, r.EntryID)
	}
}
