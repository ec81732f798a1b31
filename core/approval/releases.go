package approval

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// SubmitRelease opens the request to publish items, the members of a release, and returns it. The caller has locked
// their entries and the release. contributors are those of the release and of its members. Without the From of
// period the items become public on approval. It changes the state of release. It returns core.KindConflict with
// the code "in_review" and a fault of each member that an open request has, and core.ErrInvalid with the location
// "comment" for one that is too long. changes are those of all members.
func (q *Requests) SubmitRelease(
	ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, release *release.Release, items []review.RequestItem,
	contributors []core.ActorRef, period schedule.Period, comment string, changes []review.SubmittedChange,
) (*review.Request, error) {
	workflow, err := stores.Workflows.Governing(ctx, project.ID)
	if errors.Is(err, core.ErrNotFound) {
		return nil, core.ErrChangedMeanwhile
	}
	if err != nil {
		return nil, err
	}
	var found core.Faults
	checkComment(comment, &found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	if err := unrequested(ctx, stores.Requests, project.ID, items); err != nil {
		return nil, err
	}
	at, err := stores.Clock.Now(ctx)
	if err != nil {
		return nil, err
	}
	r, opening := submittedRelease(workflow, project, release, items, actor.Ref(), period, at, changes)
	r.Contributors, opening.Comment = contributors, comment
	if err := stores.Requests.Insert(ctx, r); err != nil {
		return nil, core.ChangedMeanwhile(err)
	}
	sealRelease(r, opening)
	if err := stores.Requests.Seal(ctx, r, opening); err != nil {
		return nil, core.ChangedMeanwhile(err)
	}
	if err := stores.Schedules.CancelAll(ctx, project.ID, r.EntryIDs(), schedule.Publish); err != nil {
		return nil, err
	}
	release.RequestID, release.Fault, release.PublishAt = r.ID, "", period.From
	release.Rounds++
	follow(release, r, at)
	return r, stores.Releases.SetState(ctx, *release)
}

// unrequested returns core.KindConflict with a fault of each item whose entry has an open request.
func unrequested(ctx context.Context, requests ports.RequestReader, projectID int64, items []review.RequestItem) error {
	open, err := requests.OpenOf(ctx, projectID, (&review.Request{Items: items}).EntryIDs())
	if err != nil || len(open) == 0 {
		return err
	}
	fault := core.Conflict("in_review", "members have open requests")
	for _, item := range items {
		of, is := open[item.EntryID]
		if !is {
			continue
		}
		message := "has the open request " + of.ReleaseNumber
		if of.Release != nil {
			message = "is in the submitted release " + of.Release.Name + " (" + of.ReleaseNumber + ")"
		}
		fault.Fields = append(fault.Fields, core.FieldError{Location: release.MemberLocation(item.EntryID, ""), Message: message})
	}
	return fault
}

// sealRelease is seal for a request with the bases of its items.
func sealRelease(r *review.Request, opening *review.Action) {
	r.Release.ContentHash = review.ReleaseHash(r.Release.ID, r.Release.Name, review.MembersOf(r.Items))
	opening.ContentHash = r.Release.ContentHash
	seal(r, opening)
}

// follow gives the release of after, a request that t has changed, the state that its request has now.
func (t transition) follow(ctx context.Context, releases ports.ReleaseStore, after *review.Request) error {
	release, err := releases.Lock(ctx, after.ProjectID, after.Release.ID)
	if err != nil {
		return err
	}
	if t.what == review.ActionReschedule {
		release.Contribute(t.by)
	}
	if release.PublishAt = after.ScheduledAt; t.by.Kind == core.SystemActor.Ref().Kind && t.what == review.ActionWithdraw {
		release.Fault = t.comment
	}
	follow(&release, after, t.at)
	return releases.SetState(ctx, release)
}

// follow gives release the state of its request r at the time at.
func follow(rel *release.Release, r *review.Request, at time.Time) {
	switch r.Status {
	case review.RequestPending:
		rel.State = release.Pending
	case review.RequestApproved:
		rel.State = release.Approved
	case review.RequestPublished:
		rel.State = release.Published
	default:
		rel.State = release.Open
	}
	rel.PublishedAt, rel.UpdatedAt = r.PublishedAt, at
	rel.Version++
}
