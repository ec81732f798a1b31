package writing

import (
	"bytes"
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// intentKind is what a write does with the published version.
type intentKind uint8

const (
	// intentFollow keeps the publication state. Where no workflow governs the Project, the fields
	// that the write names become public; see work.follows.
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
	// only if it still may; see work.restore.
	intentRestore
	// intentKeep does not change the published version.
	intentKeep
)

// publishIntent is what a write does with the published version, and when.
type publishIntent struct {
	kind intentKind
	at   time.Time // zero: at once
	// until is the end of the publication; see Write.UnpublishAt.
	until core.Optional[time.Time]
	// version becomes public instead of the draft; if at is in the future, only until at. nil: with
	// intentPublish the draft becomes public, with intentFollow nothing.
	version core.Document
	since   time.Time // core.Release.Since
}

// intent returns the publishIntent of in, a write of e, and adds faults of in to found.
func (k *work) intent(ctx context.Context, e *core.Entry, in input, found *core.Faults) (publishIntent, error) {
	intent := k.state(in, found)
	if in.PublishedAt.IsZero() {
		return intent, nil
	}
	intent.since = in.PublishedAt.UTC().Truncate(time.Millisecond)
	now, err := k.storeTime(ctx)
	if intent.since.After(now) || !core.TimeInRange(intent.since) {
		found.Add("publishedAt", nil, "must not be in the future, and not before the year 1")
	}
	if err != nil || k.batched { // an import dates what it publishes, if it does
		return intent, err
	}
	return intent, k.mayDate(ctx, e, in, intent, found)
}

// mayDate returns core.KindForbidden unless the actor may set what readers see as the time of the
// publication of e, and adds a fault to found where the write in publishes nothing that could have it.
func (k *work) mayDate(ctx context.Context, e *core.Entry, in input, intent publishIntent, found *core.Faults) error {
	if !k.actor.RoleInProject(k.schema.Project).Includes(core.RoleAdmin) {
		return core.Forbidden("publishedAt is only for admins of the project")
	}
	governed, err := k.governs(ctx, e)
	if err != nil {
		return err
	}
	follows, err := k.follows(ctx, e, intent)
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
func (k *work) state(in input, found *core.Faults) publishIntent {
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
	case in.keepPublished && in.Published != nil:
		found.Add("keepPublished", true, `excludes "published"`)
		return publishIntent{}
	case in.keepPublished:
		return publishIntent{kind: intentKeep}
	case in.Published == nil:
		return publishIntent{kind: intentFollow}
	case !*in.Published:
		return publishIntent{kind: intentWithdraw}
	}
	return k.public(in.PublishAt, in.UnpublishAt, found)
}

// public returns the intent to publish at the time at (nil: at once) until the time until.
func (k *work) public(at *time.Time, until core.Optional[time.Time], found *core.Faults) publishIntent {
	intent := publishIntent{kind: intentPublish, until: until}
	if at != nil {
		intent.at = at.UTC()
	}
	period := core.Period{From: intent.at}
	if until.Value != nil {
		period.Until = until.Value.UTC()
	}
	for _, f := range period.Faults() {
		found.Add(f.Location, f.Value, f.Message)
	}
	return intent
}

// release changes e's published version by the intent, as far as the gate allows it, and returns what
// the gate does after e is stored. Content becomes public only here and in Releaser.
func (k *work) release(ctx context.Context, e *core.Entry, intent publishIntent) (effects, error) {
	switch intent.kind {
	case intentPublish:
		return k.publish(ctx, e, intent)
	case intentWithdraw:
		pending, err := k.pending(ctx, e)
		if pending || err != nil {
			return effects{withdraw: true}, err
		}
		hide(e)
		return effects{withdraw: true, end: core.Null[time.Time]()}, nil
	case intentUnpublish:
		hide(e)
		return effects{withdraw: true, end: core.Null[time.Time]()}, nil
	case intentTrash:
		e.TrashedAt = k.now
		return effects{withdraw: true}, nil
	case intentRestore:
		return k.restore(ctx, e)
	case intentFollow:
		if intent.version != nil && (!intent.since.IsZero() || !k.schema.Collection.SameContent(intent.version, e.Published)) {
			return effects{}, k.show(ctx, e, core.Release{Document: intent.version, Since: intent.since})
		}
	}
	return effects{}, nil
}

// follows reports whether the fields that a write names become public with it: the entry is
// published, no workflow governs it, and no publication of the draft is scheduled, because a
// scheduled draft must not become public before its time.
func (k *work) follows(ctx context.Context, e *core.Entry, intent publishIntent) (bool, error) {
	if intent.kind != intentFollow || e.Published == nil {
		return false, nil
	}
	governed, err := k.governs(ctx, e)
	if governed || err != nil {
		return false, err
	}
	scheduled, err := k.due(ctx, e, core.SchedulePublish)
	return err == nil && scheduled.DueAt.IsZero(), err
}

// following returns the published version of before with the named fields as in the draft of e.
// Where the drafts had no unpublished changes, that is the draft.
func (k *work) following(before, e *core.Entry, named []string) core.Document {
	if k.schema.Collection.SameContent(before.Draft, before.Published) {
		return e.Draft
	}
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
func (k *work) restore(ctx context.Context, e *core.Entry) (effects, error) {
	published := e.Published
	e.TrashedAt = time.Time{}
	if published == nil {
		return effects{}, nil
	}
	returns, err := k.mayReturn(ctx, e)
	if err != nil {
		return effects{}, err
	}
	hide(e)
	if !returns {
		return effects{end: core.Null[time.Time]()}, nil
	}
	return effects{}, k.show(ctx, e, core.Release{Document: published})
}

// mayReturn reports whether the published version of e may become public after the trash: no
// workflow governs e, the version has no faults, and its end is not past.
func (k *work) mayReturn(ctx context.Context, e *core.Entry) (bool, error) {
	governed, err := k.governs(ctx, e)
	if err != nil || governed {
		return false, err
	}
	faults, err := ports.TargetsIn(k.stores).Faults(ctx, k.schema, e.Published)
	if err != nil || len(faults.List) > 0 {
		return false, err
	}
	end, err := k.due(ctx, e, core.ScheduleUnpublish)
	if err != nil || end.DueAt.IsZero() {
		return true, err
	}
	now, err := k.stores.Clock.Now(ctx)
	return end.DueAt.After(now), err
}

// publish makes e's draft, or the intent's version, public: at once if the intent's time is
// zero or past, otherwise by a schedule. In a governed Project it submits a request instead.
func (k *work) publish(ctx context.Context, e *core.Entry, intent publishIntent) (effects, error) {
	governed, err := k.governs(ctx, e)
	if err != nil {
		return effects{}, err
	}
	if governed {
		open, err := k.requested(ctx, e)
		if err != nil || open {
			return reschedule(intent), err
		}
	}
	at, err := k.futureTime(ctx, intent.at)
	if err != nil {
		return effects{}, err
	}
	public := e.Draft
	if intent.version != nil && (intent.at.IsZero() || !at.IsZero()) {
		public = intent.version
	}
	until, err := k.endAfter(ctx, e, intent, governed || !at.IsZero(), at)
	if err != nil {
		return effects{}, err
	}
	period := core.Period{From: at}
	until.AssignTo(&period.Until)
	isPublic, err := k.isPublic(ctx, e, public)
	if err != nil {
		return effects{}, err
	}
	keepsEnd, err := k.keepsEnd(ctx, e, intent.until)
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
		return k.schedule(ctx, e, intent, period)
	}
	if e.ID != 0 { // before the time of the publication is taken
		if err := k.gate.Withdraw(ctx, k.stores, k.actor, e, k.comment); err != nil { // cancels an earlier schedule
			return effects{}, err
		}
	}
	if err := k.show(ctx, e, core.Release{Document: public, Since: intent.since}); err != nil {
		return effects{}, err
	}
	return effects{end: until}, nil
}

var errNothingToPublish = core.Conflict("nothing_to_publish", "readers see the draft as it is already, so there is nothing to publish later")

// isPublic reports whether readers of e see the content of doc. If they see sealed media, the
// present words of the items must equal the sealed ones.
func (k *work) isPublic(ctx context.Context, e *core.Entry, doc core.Document) (bool, error) {
	c := k.schema.Collection
	if e.PublishedMedia == nil || !c.SameContent(doc, e.Published) {
		return e.Shows(c, doc, nil), nil
	}
	library, err := ports.MediaOf(ctx, k.stores.Media, e.ProjectID, c.MediaIDs(doc))
	return e.Shows(c, doc, library), err
}

// submit opens a request to publish public for the period.
func submit(intent publishIntent, public core.Document, period core.Period) effects {
	if intent.version != nil {
		period.From = time.Time{}
	}
	return effects{submit: &submission{public, intent.version != nil, period}}
}

// reschedule gives the open request the times of the intent.
func reschedule(intent publishIntent) effects {
	times := core.Times{UnpublishAt: intent.until}
	if !intent.at.IsZero() {
		times.PublishAt = core.Some(intent.at)
	}
	if intent.version != nil {
		times = core.Times{}
	}
	return effects{reschedule: &times}
}

// schedule publishes the intent's version, if any, and schedules the draft for the period. It keeps
// an existing schedule for the same period.
func (k *work) schedule(ctx context.Context, e *core.Entry, intent publishIntent, period core.Period) (effects, error) {
	if intent.version != nil {
		if err := k.show(ctx, e, core.Release{Document: intent.version, Since: intent.since}); err != nil {
			return effects{}, err
		}
		if isPublic, err := k.isPublic(ctx, e, e.Draft); err != nil || isPublic {
			return effects{}, err
		}
	}
	p, err := k.due(ctx, e, core.SchedulePublish)
	if err != nil {
		return effects{}, err
	}
	if p.DueAt.Equal(period.From.Truncate(time.Millisecond)) && p.UnpublishAt.Equal(period.Until) {
		return effects{}, nil
	}
	return effects{schedule: &period}, nil
}

// futureTime returns at, or zero when at is past. It compares with the database's clock, as
// the worker does, so that a wrong local clock cannot publish too early.
func (k *work) futureTime(ctx context.Context, at time.Time) (time.Time, error) {
	if at.IsZero() {
		return at, nil
	}
	now, err := k.stores.Clock.Now(ctx)
	if !at.After(now) {
		at = time.Time{}
	}
	return at, err
}

// governs reports whether the gate governs e. It asks the gate once for all new entries and once in
// each write of another entry: the workflow of the Project does not change during the transaction.
func (k *work) governs(ctx context.Context, e *core.Entry) (bool, error) {
	if governed, known := k.governed[e.ID]; known {
		return governed, nil
	}
	governed, err := k.gate.Governs(ctx, k.stores, k.schema.Project, e.ID)
	if err != nil {
		return false, err
	}
	if k.governed == nil {
		k.governed = map[int64]bool{}
	}
	k.governed[e.ID] = governed
	return governed, nil
}

// show makes the release the published version of e, unless readers see it already; the store sets
// the time. A release without a request seals nothing. It drops the values of removed fields: if such
// a field is added again, readers must not see a value that was in no publication.
func (k *work) show(ctx context.Context, e *core.Entry, release core.Release) error {
	shown, err := k.shows(ctx, e, &release)
	if err != nil || shown {
		return err
	}
	if release.Snapshot == nil {
		release.Snapshot, release.ContentHash = k.snapshot(e.Locale, release.Document, nil)
	}
	if release.By.Kind == "" {
		release.By = k.actor.Ref()
	}
	if !release.Since.IsZero() {
		e.PublishedAt = release.Since
	}
	e.Published, e.PublishedMedia, e.PublishedHash = bytes.Clone(release.Document), bytes.Clone(release.Media), release.ContentHash
	e.ReleasedAt = time.Time{}
	e.Publishing = &core.Publishing{By: release.By, RequestID: release.RequestID, Content: release.Snapshot}
	return nil
}

// shows reports whether readers of e see the release already. It removes the values of removed
// fields from a release without a request.
func (k *work) shows(ctx context.Context, e *core.Entry, release *core.Release) (bool, error) {
	same := e.Published != nil && (release.Since.IsZero() || release.Since.Equal(e.PublishedAt))
	if release.Snapshot != nil { // as it was reviewed
		return same && string(e.Published) == string(release.Document) && string(e.PublishedMedia) == string(release.Media), nil
	}
	public, err := k.isPublic(ctx, e, release.Document)
	if err != nil || same && public {
		return true, err
	}
	c := k.schema.Collection
	if e.Published != nil && c.SameContent(e.Published, release.Document) {
		release.Document = e.Published
	} else {
		release.Document = c.Present(release.Document)
	}
	return false, nil
}

// hide removes the published version.
func hide(e *core.Entry) {
	e.Published, e.PublishedHash, e.PublishedMedia = nil, "", nil
	e.PublishedAt, e.ReleasedAt = time.Time{}, time.Time{}
}

// pending reports whether a request for e is open or e is scheduled.
func (k *work) pending(ctx context.Context, e *core.Entry) (bool, error) {
	open, err := k.requested(ctx, e)
	if err != nil || open {
		return open, err
	}
	scheduled, err := k.due(ctx, e, core.SchedulePublish)
	return !scheduled.DueAt.IsZero(), err
}

// requested reports whether a request for e is open.
func (k *work) requested(ctx context.Context, e *core.Entry) (bool, error) {
	if e.ID == 0 {
		return false, nil
	}
	return k.gate.Requested(ctx, k.stores, e.ProjectID, e.ID)
}
