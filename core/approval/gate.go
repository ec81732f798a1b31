package approval

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Gate implements ports.PublishGate.
type Gate struct {
	wake func()
}

var _ ports.PublishGate = (*Gate)(nil)

// NewGate returns a Gate that calls wake, unless it is nil, after it has stored a schedule.
func NewGate(wake func()) *Gate { return &Gate{wake: wake} }

// Governs implements ports.PublishGate.
func (g *Gate) Governs(ctx context.Context, stores ports.Stores, project *core.Project, entryID int64) (bool, error) {
	_, err := stores.Workflows.Governing(ctx, project.ID)
	if !errors.Is(err, core.ErrNotFound) {
		return err == nil, err
	}
	if entryID == 0 {
		return false, nil
	}
	summaries, err := stores.Requests.Summaries(ctx, project.ID, []int64{entryID})
	return summaries[entryID].Status.Open(), err
}

// Requested implements ports.PublishGate.
func (g *Gate) Requested(ctx context.Context, stores ports.Stores, projectID, entryID int64) (bool, error) {
	requests, err := stores.Requests.Summaries(ctx, projectID, []int64{entryID})
	return requests[entryID].Status.Open(), err
}

// Submit implements ports.PublishGate. It locks the entry, so that the snapshot is the current
// draft.
func (g *Gate) Submit(ctx context.Context, stores ports.Stores, actor core.Actor, schema core.Schema, e *core.Entry, period core.Period, comment string) error {
	now, err := stores.Entries.Lock(ctx, e.ProjectID, e.ID)
	if errors.Is(err, core.ErrNotFound) || err == nil && now.Version != e.Version {
		return core.ErrChangedMeanwhile
	}
	if err != nil {
		return err
	}
	return g.submit(ctx, stores, actor.Ref(), schema, e, period, comment)
}

// submit opens a request for e unless one is open. The caller has locked e.
func (g *Gate) submit(ctx context.Context, stores ports.Stores, by core.ActorRef, schema core.Schema, e *core.Entry, period core.Period, comment string) error {
	latest, err := latest(ctx, stores.Requests, e.ProjectID, e.ID)
	if err == nil && latest.Status.Open() {
		return nil
	}
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return err
	}
	workflow, err := stores.Workflows.Governing(ctx, e.ProjectID)
	if errors.Is(err, core.ErrNotFound) {
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
	r, opening, err := submitted(workflow, schema, e, media, by, at, period)
	if err != nil {
		return err
	}
	var found core.Faults
	checkComment(comment, &found)
	if err := found.Err(); err != nil {
		return err
	}
	opening.Comment = comment
	if err := stores.Requests.Insert(ctx, r, opening, func() { seal(r, opening) }); err != nil {
		return core.ChangedMeanwhile(err)
	}
	// The request replaces a schedule from before the workflow governed the Project.
	return stores.Schedules.Cancel(ctx, e.ProjectID, e.ID, core.SchedulePublish)
}

// Reschedule implements ports.PublishGate.
func (g *Gate) Reschedule(
	ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, entryID int64, times core.Times,
) (open bool, err error) {
	r, err := latest(ctx, stores.Requests, project.ID, entryID)
	if errors.Is(err, core.ErrNotFound) || err == nil && !r.Status.Open() {
		return false, nil
	}
	t := transition{what: core.ActionReschedule, by: actor.Ref(), times: times}
	if err != nil || !t.changesTimes(&r) {
		return err == nil, err
	}
	if actor.User != nil {
		if actor, err = present(ctx, stores.Grants, stores.Users, actor); err != nil {
			return true, err
		}
	}
	if err := mayReschedule(actor, project, &r); err != nil {
		return true, err
	}
	if t.at, err = stores.Clock.Now(ctx); err != nil {
		return true, err
	}
	t.due, t.over = due(t.period(&r), t.at)
	if r.Status == core.RequestApproved && times.PublishAt.Value != nil && t.due {
		return true, core.Invalid(core.FieldError{Location: "publishAt", Message: "must be later than now, because the request is approved: publish-now publishes it"})
	}
	if g.wake != nil {
		defer g.wake()
	}
	_, err = applyTransition(ctx, stores, nil, project, r, t) // publishes nothing: see above
	return true, err
}

// Schedule implements ports.PublishGate.
func (g *Gate) Schedule(ctx context.Context, stores ports.Stores, actor core.Actor, e *core.Entry, period core.Period) error {
	if g.wake != nil {
		defer g.wake()
	}
	return stores.Schedules.Schedule(ctx, core.Schedule{
		ProjectID: e.ProjectID, EntryID: e.ID, Action: core.SchedulePublish, CollectionID: e.CollectionID,
		DueAt: period.From, UnpublishAt: period.Until, ScheduledBy: actor.Ref(),
	})
}

// End implements ports.PublishGate.
func (g *Gate) End(ctx context.Context, stores ports.Stores, actor core.Actor, e *core.Entry, until time.Time) error {
	if g.wake != nil && !until.IsZero() {
		defer g.wake()
	}
	return scheduleEnd(ctx, stores.Schedules, core.Schedule{
		ProjectID: e.ProjectID, EntryID: e.ID, CollectionID: e.CollectionID, DueAt: until, ScheduledBy: actor.Ref(),
	})
}

// scheduleEnd stores end as the scheduled end of the publication of its entry. If end has no
// DueAt, it removes the scheduled end.
func scheduleEnd(ctx context.Context, schedules ports.ScheduleStore, end core.Schedule) error {
	if end.Action = core.ScheduleUnpublish; end.DueAt.IsZero() {
		return schedules.Cancel(ctx, end.ProjectID, end.EntryID, end.Action)
	}
	return schedules.Schedule(ctx, end)
}

// Withdraw implements ports.PublishGate.
func (g *Gate) Withdraw(ctx context.Context, stores ports.Stores, actor core.Actor, e *core.Entry, comment string) error {
	r, err := latest(ctx, stores.Requests, e.ProjectID, e.ID)
	switch {
	case err == nil && r.Status.Open():
		if err := g.withdraw(ctx, stores, actor, r, comment); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, core.ErrNotFound):
		return err
	}
	return stores.Schedules.Cancel(ctx, e.ProjectID, e.ID, core.SchedulePublish)
}

// Close implements ports.DefinitionGate.
func (g *Gate) Close(ctx context.Context, stores ports.Stores, actor core.Actor, projectID, collectionID int64) error {
	for last := int64(0); ; {
		open, err := stores.Requests.Open(ctx, projectID, collectionID, last, walkBatch)
		if err != nil || len(open) == 0 {
			return err
		}
		for _, r := range open {
			if err := g.withdraw(ctx, stores, actor, r, ""); err != nil {
				return err
			}
		}
		last = open[len(open)-1].ID
	}
}

// walkBatch is the number of requests that loops over all requests read at a time.
const walkBatch = 100

func (g *Gate) withdraw(ctx context.Context, stores ports.Stores, actor core.Actor, r core.Request, comment string) error {
	collection, err := collectionOf(ctx, stores.Collections, &r)
	if err != nil {
		return err
	}
	draft, err := draftHash(ctx, stores.Entries, stores.Media, &r, collection)
	if err != nil {
		return err
	}
	at, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	after, actions, err := transition{what: core.ActionWithdraw, by: actor.Ref(), comment: comment, at: at, draftHash: draft}.apply(r)
	if err != nil {
		return err
	}
	return core.ChangedMeanwhile(stores.Requests.Update(ctx, &after, actions))
}

// Redefine implements ports.DefinitionGate.
func (g *Gate) Redefine(ctx context.Context, stores ports.Stores, before, after core.Schema, acknowledged bool) error {
	changes := core.PublicChanges(before, after)
	if len(changes) == 0 {
		return nil
	}
	governed, err := g.Governs(ctx, stores, before.Project, 0)
	if err != nil || !governed {
		return err
	}
	published, err := anyPublished(ctx, stores.Collections, stores.Entries, before)
	if err != nil || !published {
		return err
	}
	if !acknowledged {
		err := core.Conflict("governed", "a workflow governs the project, and this changes what readers see of published entries without a review; "+
			"send acknowledge=true to make the change")
		err.Fields = changes
		return err
	}
	event := core.Event{Type: core.EventProjectAcknowledged, TenantID: before.Project.TenantID, ProjectID: before.Project.ID}
	if before.Collection != nil {
		event.Type, event.Collection = core.EventCollectionAcknowledged, before.Collection.Slug
	}
	return stores.Events.Record(ctx, event)
}

// anyPublished reports whether the collection of schema has a published entry. If schema has no
// collection, it checks all collections of the Project.
func anyPublished(ctx context.Context, collections ports.CollectionStore, entries ports.EntryReader, schema core.Schema) (bool, error) {
	affected := []*core.Collection{schema.Collection}
	if schema.Collection == nil {
		var err error
		if affected, err = collections.Collections(ctx, schema.Project.ID); err != nil {
			return false, err
		}
	}
	for _, c := range affected {
		n, err := entries.Count(ctx, core.Selection{
			Schema: core.Schema{Project: schema.Project, Collection: c}, Locale: core.AllLocales, State: core.StatePublished,
			Sort: []core.SortKey{{Field: core.SystemID}}, Limit: 1,
		})
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// latest returns the entry's latest request. An open request is always the latest.
func latest(ctx context.Context, requests ports.RequestReader, projectID, entryID int64) (core.Request, error) {
	found, err := requests.EntryRequests(ctx, projectID, entryID, 1)
	switch {
	case err != nil:
		return core.Request{}, err
	case len(found) == 0:
		return core.Request{}, errNoRequest
	default:
		return found[0], nil
	}
}
