package approval

import (
	"context"
	"errors"
	"fmt"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Requests implements ports.Approval.
type Requests struct {
	publisher *publishing.Publisher
}

// NewRequests returns Requests.
func NewRequests(publisher *publishing.Publisher) *Requests { return &Requests{publisher} }

// Submit implements ports.Approval.
func (q *Requests) Submit(ctx context.Context, stores ports.Stores, actor core.Actor, schema core.Schema, e *core.Entry, period schedule.Period, comment string) error {
	set, err := q.publisher.Lock(ctx, stores, schema.Project, e.ID)
	if err != nil {
		return err
	}
	if now := set.Entry(e.ID); now == nil || now.Version != e.Version { // the snapshot is the current draft
		return core.ErrChangedMeanwhile
	}
	return submit(ctx, stores, actor.Ref(), schema, e, period, comment)
}

// submit opens a request for e, an entry of a Set, unless one is open.
func submit(ctx context.Context, stores ports.Stores, by core.ActorRef, schema core.Schema, e *core.Entry, period schedule.Period, comment string) error {
	latest, err := latest(ctx, stores.Requests, e.ProjectID, e.ID)
	if err == nil && latest.Status.Open() {
		return nil
	}
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	workflow, err := stores.Workflows.Governing(ctx, e.ProjectID)
	if errors.Is(err, core.ErrNotFound) || err == nil && !workflow.Governs(schema.Collection.Slug) {
		return core.ErrChangedMeanwhile // an open request governed the entry, and has ended since
	}
	if err != nil {
		return err
	}
	media, err := ports.Seal(ctx, stores.Media, e.ProjectID, schema.Collection, e.Draft)
	if err != nil {
		return err
	}
	at, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	var changes []review.SubmittedChange
	if review.Conditional(workflow.Steps) {
		change, err := changeOf(ctx, stores.Media, schema.Collection, e, media)
		if err != nil {
			return err
		}
		changes = append(changes, change)
	}
	r, opening, err := submitted(workflow, schema, e, media, by, at, period, changes)
	if err != nil {
		return err
	}
	var found core.Faults
	checkComment(comment, &found)
	if err := found.Err(); err != nil {
		return err
	}
	opening.Comment = comment
	if err := stores.Requests.Insert(ctx, r); err != nil {
		return core.ChangedMeanwhile(err)
	}
	seal(r, opening)
	if err := stores.Requests.Seal(ctx, r, opening); err != nil {
		return core.ChangedMeanwhile(err)
	}
	// The request replaces a schedule from before the workflow governed the Project.
	return stores.Schedules.Cancel(ctx, e.ProjectID, e.ID, schedule.Publish)
}

// Reschedule implements ports.Approval.
func (q *Requests) Reschedule(
	ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, entryID int64, times schedule.Times,
) error {
	r, err := latest(ctx, stores.Requests, project.ID, entryID)
	if errors.Is(err, core.ErrNotFound) || err == nil && !r.Status.Open() {
		return nil
	}
	t := transition{what: review.ActionReschedule, by: actor.Ref(), times: times}
	if err != nil || !t.changesTimes(&r) {
		return err
	}
	if actor.User != nil {
		if actor, err = present(ctx, stores.Grants, stores.Users, actor); err != nil {
			return err
		}
	}
	if err := mayReschedule(actor, project, &r); err != nil {
		return err
	}
	if t.at, err = stores.Clock.Now(ctx); err != nil {
		return err
	}
	t.due, t.over = due(t.period(&r), t.at)
	if r.Status == review.RequestApproved && times.PublishAt.Value != nil && t.due {
		return core.Invalid(core.FieldError{Location: "publishAt", Message: "must be later than now, because the request is approved: publish-now publishes it"})
	}
	return q.transit(ctx, stores, project, r, t) // publishes nothing: see above
}

// Withdraw implements ports.Approval.
func (q *Requests) Withdraw(
	ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, entryID int64, comment string, releases bool,
) error {
	open, err := publishing.Open(ctx, stores.Requests, project.ID, entryID)
	switch {
	case err != nil:
		return err
	case open.Release != nil && !releases:
		return leavesRelease(open.Release)
	case open.ID != 0:
		r, err := stores.Requests.Request(ctx, project.ID, open.ID)
		if err != nil {
			return err
		}
		if r.Release != nil && comment == "" {
			comment = memberTakenAway(entryID)
		}
		return q.withdraw(ctx, stores, actor, project, r, comment)
	}
	if err := leave(ctx, stores, project.ID, entryID, releases); err != nil {
		return err
	}
	return stores.Schedules.Cancel(ctx, project.ID, entryID, schedule.Publish)
}

// leave opens the release that waits for its time without a request and has the entry, if any. Unless releases is
// true, it returns the error of such an entry instead.
func leave(ctx context.Context, stores ports.Stores, projectID, entryID int64, releases bool) error {
	summaries, err := stores.Releases.Summaries(ctx, projectID, []int64{entryID})
	waiting := summaries[entryID]
	switch {
	case err != nil || !waiting.State.Submitted():
		return err
	case !releases:
		return leavesRelease(&review.RequestRelease{ID: waiting.ID, Name: waiting.Name})
	}
	r, err := stores.Releases.Lock(ctx, projectID, waiting.ID)
	if err != nil || r.State != release.Approved {
		return err
	}
	return publishing.Reopen(ctx, stores, r, "")
}

// memberTakenAway says why a release was withdrawn with one of its members.
func memberTakenAway(entryID int64) string {
	return fmt.Sprintf("entry %d was unpublished, moved to the trash or withdrawn, and the release with it", entryID)
}

// Close implements ports.Approval.
func (q *Requests) Close(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, collectionID int64) error {
	for last := int64(0); ; {
		open, err := stores.Requests.Open(ctx, project.ID, collectionID, last, walkBatch)
		if err != nil {
			return err
		}
		if len(open) == 0 {
			return publishing.ReopenOf(ctx, stores, project.ID, collectionID)
		}
		for _, r := range open {
			comment := ""
			if r.Release != nil {
				comment = publishing.CollectionDeleted
			}
			if err := q.withdraw(ctx, stores, actor, project, r, comment); err != nil {
				return err
			}
		}
		last = open[len(open)-1].ID
	}
}

// walkBatch is the number of requests that loops over all requests read at a time.
const walkBatch = 100

func (q *Requests) withdraw(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, r review.Request, comment string) error {
	at, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	return q.transit(ctx, stores, project, r, transition{what: review.ActionWithdraw, by: actor.Ref(), comment: comment, at: at})
}

// transit locks the entries of r, and applies t to r.
func (q *Requests) transit(ctx context.Context, stores ports.Stores, project *core.Project, r review.Request, t transition) error {
	set, err := q.publisher.Lock(ctx, stores, project, r.EntryIDs()...)
	if err != nil {
		return err
	}
	_, err = transit(ctx, stores, set, r, t)
	return err
}

// latest returns the entry's latest own request. An open request is always the latest.
func latest(ctx context.Context, requests ports.RequestReader, projectID, entryID int64) (review.Request, error) {
	return only(requests.EntryRequests(ctx, projectID, entryID, 1))
}

// only returns the only one of found, or errNoRequest.
func only(found []review.Request, err error) (review.Request, error) {
	switch {
	case err != nil:
		return review.Request{}, err
	case len(found) == 0:
		return review.Request{}, errNoRequest
	default:
		return found[0], nil
	}
}
