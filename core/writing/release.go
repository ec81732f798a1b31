package writing

import (
	"cmp"
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// intentKind is what a write does with the published version.
type intentKind uint8

const (
	// intentFollow keeps the publication state. Where no workflow governs the Project, the fields
	// that the write names become public; see transaction.follows.
	intentFollow intentKind = iota
	// intentPublish is "published": true.
	intentPublish
	// intentWithdraw is "published": false. It withdraws a pending request or schedule and
	// keeps the published version; with nothing pending it unpublishes the entry.
	intentWithdraw
	// intentUnpublish unpublishes the entry and withdraws a pending request or schedule.
	intentUnpublish
	// intentTrash moves both versions to the trash and withdraws a pending request or schedule. The
	// end of the publication stays scheduled.
	intentTrash
	// intentRestore takes the entry out of the trash. Its published version becomes public again
	// only if it still may; see transaction.restore.
	intentRestore
	// intentKeep does not change the published version.
	intentKeep
)

// publishIntent is what a write does with the published version, when, and what it says of it.
type publishIntent struct {
	kind intentKind
	at   time.Time // zero: at once
	// until is the end of the publication; see core.EntryWrite.UnpublishAt.
	until core.Optional[time.Time]
	// version becomes public instead of the draft; if at is in the future, only until at. nil: with
	// intentPublish the draft becomes public, with intentFollow nothing.
	version  core.Document
	since    time.Time                // review.NextVersion.Since
	revision publishing.RevisionWrite // without what release decides
	comment  string                   // for the record of the request that the write opens or withdraws
}

// intent returns the publishIntent of in, a write of e, and adds faults of in to found.
func (tx *transaction) intent(ctx context.Context, e *core.Entry, in request, found *core.Faults) (publishIntent, error) {
	intent := state(in.EntryWrite, found)
	if in.PublishedAt.IsZero() {
		return intent, nil
	}
	intent.since = in.PublishedAt.UTC().Truncate(time.Millisecond)
	now, err := tx.clock.began(ctx)
	if intent.since.After(now) || !core.TimeInRange(intent.since) {
		found.Add("publishedAt", nil, "must not be in the future, and not before the year 1")
	}
	if err != nil || in.from == fromBatch { // an import dates what it publishes, if it does
		return intent, err
	}
	return intent, tx.mayDate(ctx, e, in.EntryWrite, intent, found)
}

// mayDate returns core.KindForbidden unless the actor may set what readers see as the time of the
// publication of e, and adds a fault to found where the write in publishes nothing that could have it.
func (tx *transaction) mayDate(ctx context.Context, e *core.Entry, in core.EntryWrite, intent publishIntent, found *core.Faults) error {
	if !tx.actor.RoleInProject(tx.schema.Project).Includes(core.RoleAdmin) {
		return core.Forbidden("publishedAt is only for admins of the project")
	}
	governed, err := tx.workflow.governs(ctx, e)
	if err != nil {
		return err
	}
	follows, err := tx.follows(ctx, e, intent)
	switch {
	case err != nil:
		return err
	case governed:
		found.Add("publishedAt", nil, "cannot be set where a workflow governs the project")
	case in.PublishAt != nil:
		found.Add("publishedAt", nil, `excludes "publishAt"`)
	case intent.kind != intentPublish && !follows:
		found.Add("publishedAt", nil, `goes with "published": true`)
	}
	return nil
}

// state returns the publishIntent of the members of in about the state, and adds their faults to found.
func state(in core.EntryWrite, found *core.Faults) publishIntent {
	switch {
	case in.Hold:
		return publishIntent{kind: intentKeep}
	case (in.PublishAt != nil || in.UnpublishAt.Given) && (in.Published == nil || !*in.Published):
		if in.PublishAt != nil {
			found.Add("publishAt", nil, `goes with "published": true`)
		}
		if in.UnpublishAt.Given {
			found.Add("unpublishAt", nil, `goes with "published": true`)
		}
		return publishIntent{}
	case in.KeepPublished && in.Published != nil:
		found.Add("keepPublished", true, `excludes "published"`)
		return publishIntent{}
	case in.KeepPublished:
		return publishIntent{kind: intentKeep}
	case in.Published == nil:
		return publishIntent{kind: intentFollow}
	case !*in.Published:
		return publishIntent{kind: intentWithdraw}
	}
	return publishAt(in.PublishAt, in.UnpublishAt, found)
}

// publishAt returns the intent to publish at the time at (nil: at once) until the time until.
func publishAt(at *time.Time, until core.Optional[time.Time], found *core.Faults) publishIntent {
	intent := publishIntent{kind: intentPublish, until: until}
	if at != nil {
		intent.at = at.UTC()
	}
	period := schedule.Period{From: intent.at}
	if until.Value != nil {
		period.Until = until.Value.UTC()
	}
	for _, f := range period.Faults() {
		found.Add(f.Location, f.Value, f.Message)
	}
	return intent
}

// release changes e's published version by the intent, as far as no request is needed, and returns what
// follows after e is stored.
func (tx *transaction) release(ctx context.Context, e *core.Entry, intent publishIntent) (effects, error) {
	switch intent.kind {
	case intentPublish:
		return tx.publish(ctx, e, intent)
	case intentWithdraw:
		pending, err := tx.times.pending(ctx, e)
		if pending || err != nil {
			return effects{withdraw: true}, err
		}
		if err := tx.mayHide(ctx, e); err != nil {
			return effects{}, err
		}
		publishing.Hide(e)
		return effects{withdraw: true, end: core.Null[time.Time]()}, nil
	case intentUnpublish:
		if err := tx.mayHide(ctx, e); err != nil {
			return effects{}, err
		}
		publishing.Hide(e)
		return effects{withdraw: true, end: core.Null[time.Time]()}, nil
	case intentTrash:
		if err := tx.mayHide(ctx, e); err != nil {
			return effects{}, err
		}
		e.TrashedAt = tx.versions.Now
		return effects{withdraw: true}, nil
	case intentRestore:
		return tx.restore(ctx, e)
	case intentFollow:
		switch {
		case intent.version == nil:
		case intent.since.IsZero() && tx.schema.Collection.SameContent(intent.version, e.Published):
			c := tx.schema.Collection
			e.Published = c.Republished(c.Present(intent.version), intent.version, e.Published) // without what is dropped
		default:
			return effects{}, tx.versions.Show(ctx, e, review.NextVersion{Document: intent.version, Since: intent.since})
		}
	}
	return effects{}, nil
}

// mayHide returns an error unless the actor may take e from readers at once, if they see it; see review.Workflow.MayHide.
// The reason of an emergency becomes that of the event.
func (tx *transaction) mayHide(ctx context.Context, e *core.Entry) error {
	if e.Published == nil {
		return nil
	}
	emergency := tx.writer.emergency
	if err := checkText("emergency", emergency); err != nil {
		return err
	}
	workflow, err := publishing.Workflow(ctx, tx.stores.Workflows, e.ProjectID)
	if err != nil {
		return err
	}
	if err := workflow.MayHide(tx.actor, tx.schema.Project, tx.schema.Collection.Slug, emergency != ""); err != nil {
		return err
	}
	e.Reason = cmp.Or(emergency, e.Reason)
	return nil
}

// follows reports whether the fields that a write names become public with it: the entry is
// published, the actor is no assistant, no workflow governs it, no publication of the draft is scheduled, because a
// scheduled draft must not become public before its time, and it waits in no release.
func (tx *transaction) follows(ctx context.Context, e *core.Entry, intent publishIntent) (bool, error) {
	if intent.kind != intentFollow || e.Published == nil || tx.actor.Assistant != nil {
		return false, nil
	}
	governed, err := tx.workflow.governs(ctx, e)
	if governed || err != nil {
		return false, err
	}
	scheduled, err := tx.times.due(ctx, e, schedule.Publish)
	if err != nil || !scheduled.DueAt.IsZero() {
		return false, err
	}
	waits, err := publishing.Waits(ctx, tx.stores.Releases, e.ProjectID, e.ID)
	return err == nil && !waits, err
}

// mayPropose returns core.KindForbidden if the actor is an assistant and the write does more than change the draft of e or
// submit it for review.
func (tx *transaction) mayPropose(ctx context.Context, e *core.Entry, intent publishIntent) error {
	if tx.actor.Assistant == nil {
		return nil
	}
	switch intent.kind {
	case intentFollow, intentKeep:
		return nil
	case intentPublish:
		if !intent.at.IsZero() || intent.until.Given || intent.version != nil {
			return core.Forbidden("an assistant submits drafts without times of publication")
		}
		governed, err := tx.workflow.governs(ctx, e)
		if err == nil && !governed {
			err = core.Forbidden("an assistant never publishes: no workflow reviews this entry, so that a user must publish it")
		}
		return err
	default:
		return core.Forbidden("an assistant only drafts and submits for review")
	}
}

// following returns the published version of before with the named fields as in the draft of e.
func following(before, e *core.Entry, named []string) core.Document {
	public, draft := before.Published.Values(), e.Draft.Values()
	for _, name := range named {
		if value, there := draft[name]; there {
			public[name] = value
		} else {
			delete(public, name)
		}
	}
	return core.NewDocument(public)
}

// restore takes e out of the trash, and makes its published version public again if that may
// happen without another check.
func (tx *transaction) restore(ctx context.Context, e *core.Entry) (effects, error) {
	published := e.Published
	e.TrashedAt = time.Time{}
	if err := tx.stores.Previews.DeleteOf(ctx, e.ID); err != nil { // they ended with the trash
		return effects{}, err
	}
	if published == nil {
		return effects{}, nil
	}
	returns, err := tx.mayReturn(ctx, e)
	if err != nil {
		return effects{}, err
	}
	publishing.Hide(e)
	if !returns {
		return effects{end: core.Null[time.Time]()}, nil
	}
	return effects{}, tx.versions.ShowAfter(ctx, e, published, review.NextVersion{Document: published})
}

// mayReturn reports whether the published version of e may become public after the trash: no
// workflow governs e, the version has no faults, and its end is not past.
func (tx *transaction) mayReturn(ctx context.Context, e *core.Entry) (bool, error) {
	governed, err := tx.workflow.governs(ctx, e)
	if err != nil || governed {
		return false, err
	}
	faults, err := tx.targets().Faults(ctx, tx.schema, e.Published.Values(), ports.WhollyPublic(e))
	if err != nil || len(faults.List) > 0 {
		return false, err
	}
	end, err := tx.times.due(ctx, e, schedule.Unpublish)
	if err != nil || end.DueAt.IsZero() {
		return true, err
	}
	now, err := tx.stores.Clock.Now(ctx)
	return end.DueAt.After(now), err
}

// publish makes e's draft, or the intent's version, public: at once if the intent's time is
// zero or past, otherwise by a schedule. In a governed Project it submits a request instead.
func (tx *transaction) publish(ctx context.Context, e *core.Entry, intent publishIntent) (effects, error) {
	governed, err := tx.workflow.governs(ctx, e)
	if err != nil {
		return effects{}, err
	}
	if governed {
		open, err := publishing.Open(ctx, tx.stores.Requests, e.ProjectID, e.ID)
		switch {
		case err != nil:
			return effects{}, err
		case open.Release != nil: // it is published with the release, at the time of that
			return effects{joined: true}, nil
		case open.ID != 0:
			return reschedule(intent), nil
		}
	}
	if !governed {
		if waits, err := publishing.Waits(ctx, tx.stores.Releases, e.ProjectID, e.ID); err != nil || waits {
			return effects{}, err // its release publishes it
		}
	}
	at, err := tx.times.futureTime(ctx, intent.at)
	if err != nil {
		return effects{}, err
	}
	public := e.Draft
	if intent.version != nil && (intent.at.IsZero() || !at.IsZero()) {
		public = intent.version
	}
	until, err := tx.times.endAfter(ctx, e, intent, governed || !at.IsZero(), at)
	if err != nil {
		return effects{}, err
	}
	period := schedule.Period{From: at}
	until.AssignTo(&period.Until)
	isPublic, err := tx.versions.Shows(ctx, e, public)
	if err != nil {
		return effects{}, err
	}
	keepsEnd, err := tx.times.keepsEnd(ctx, e, intent.until)
	switch {
	case err != nil:
		return effects{}, err
	case isPublic && intent.version == nil && !at.IsZero():
		return effects{}, errNothingToPublish
	case governed && isPublic && keepsEnd:
		return effects{}, nil
	case governed:
		return submit(intent, public, period), nil
	case !at.IsZero():
		return tx.schedule(ctx, e, intent, period)
	}
	if e.ID != 0 { // before the time of the publication is taken
		if err := tx.stores.Schedules.Cancel(ctx, e.ProjectID, e.ID, schedule.Publish); err != nil {
			return effects{}, err
		}
	}
	if err := tx.versions.Show(ctx, e, review.NextVersion{Document: public, Since: intent.since}); err != nil {
		return effects{}, err
	}
	return effects{end: until}, nil
}

var errNothingToPublish = core.Conflict("nothing_to_publish", "readers see the draft as it is already, so there is nothing to publish later")

// submit opens a request to publish public for the period.
func submit(intent publishIntent, public core.Document, period schedule.Period) effects {
	if intent.version != nil {
		period.From = time.Time{}
	}
	return effects{submit: public, chosen: intent.version != nil, period: period}
}

// reschedule gives the open request the times of the intent.
func reschedule(intent publishIntent) effects {
	times := schedule.Times{UnpublishAt: intent.until}
	if !intent.at.IsZero() {
		times.PublishAt = core.Some(intent.at)
	}
	if intent.version != nil {
		times = schedule.Times{}
	}
	return effects{reschedule: &times}
}

// schedule publishes the intent's version, if any, and schedules the draft for the period. It keeps
// an existing schedule for the same period.
func (tx *transaction) schedule(ctx context.Context, e *core.Entry, intent publishIntent, period schedule.Period) (effects, error) {
	if intent.version != nil {
		if err := tx.versions.Show(ctx, e, review.NextVersion{Document: intent.version, Since: intent.since}); err != nil {
			return effects{}, err
		}
		if isPublic, err := tx.versions.Shows(ctx, e, e.Draft); err != nil || isPublic {
			return effects{}, err
		}
	}
	p, err := tx.times.due(ctx, e, schedule.Publish)
	if err != nil {
		return effects{}, err
	}
	if p.DueAt.Equal(period.From.Truncate(time.Millisecond)) && p.UnpublishAt.Equal(period.Until) {
		return effects{}, nil
	}
	return effects{schedule: true, period: period}, nil
}

// governance finds out which entries of a collection a workflow governs.
type governance struct {
	stores ports.Stores
	schema core.Schema
	known  map[int64]bool // results by id; 0: new entries
}

// governs is publishing.Governs. It reads once for all new entries and once in each write of another entry:
// the workflow of the Project does not change during the transaction.
func (g *governance) governs(ctx context.Context, e *core.Entry) (bool, error) {
	if governed, known := g.known[e.ID]; known {
		return governed, nil
	}
	governed, err := publishing.Governs(ctx, g.stores, g.schema.Project.ID, g.schema.Collection.Slug, e.ID)
	if err == nil {
		g.known[e.ID] = governed
	}
	return governed, err
}
