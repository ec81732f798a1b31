package content

import (
	"bytes"
	"context"
	"errors"
	"time"

	"imprimatur/core"
)

// wish is what a write wants to become of the published version.
type wish uint8

const (
	// wishSame leaves the entry's state. A Published one follows its draft where no
	// workflow governs the Project.
	wishSame wish = iota
	// wishPublic is the box checked.
	wishPublic
	// wishUnchecked is the box unchecked: what is pending is taken back and readers
	// keep what they have; with nothing pending the entry is unpublished.
	wishUnchecked
	// wishPrivate unpublishes, and ends whatever is pending.
	wishPrivate
	// wishTrash ends whatever is pending; both versions go to the trash.
	wishTrash
	// wishBack is out of the trash, to the state the entry had.
	wishBack
	// wishHold leaves the published version as it is.
	wishHold
)

// aim is a wish and the time it is for; zero is at once.
type aim struct {
	wish wish
	at   time.Time
	// version is what becomes public in place of the draft: until at, when that is to
	// come. nil: the draft does.
	version core.Document
	since   time.Time // since when what becomes public has been so; zero: now
}

// aim returns what wr wants to become of the published version.
func (k *work) aim(wr Write, in input, found *core.Faults) aim {
	switch {
	case in.hold:
		return aim{wish: wishHold}
	case wr.PublishAt != nil && (wr.Published == nil || !*wr.Published):
		found.Add("publishAt", nil, `goes with "published": true`)
		return aim{}
	case wr.Published == nil:
		return aim{wish: wishSame}
	case !*wr.Published:
		return aim{wish: wishUnchecked}
	}
	a := k.public(wr.PublishAt, found)
	if in.publishedAt.After(k.now) || !in.publishedAt.IsZero() && !core.TimeInRange(in.publishedAt) {
		found.Add("publishedAt", nil, "must not be in the future, and not before the year 1")
	}
	a.since = in.publishedAt.UTC().Truncate(time.Millisecond)
	return a
}

// public is the aim to publish at a time, nil for at once.
func (k *work) public(at *time.Time, found *core.Faults) aim {
	a := aim{wish: wishPublic}
	if at == nil {
		return a
	}
	if !core.TimeInRange(*at) {
		found.Add("publishAt", nil, "must be of the years 1 to 9999 in UTC")
		return a
	}
	a.at = at.UTC()
	return a
}

// release makes of e's published version what a wants and the gate allows. With
// Releaser it is the only code that makes content public. What it returns is to be
// done once e is stored.
func (k *work) release(ctx context.Context, e *core.Entry, a aim) (settle func() error, err error) {
	nothing := func() error { return nil }
	withdraw := func() error { return k.gate.Withdraw(ctx, k.stores, k.actor, e) }
	switch a.wish {
	case wishPublic:
		return k.publish(ctx, e, a)
	case wishUnchecked:
		pending, err := k.pending(ctx, e)
		if !pending {
			hide(e)
		}
		return withdraw, err
	case wishPrivate:
		hide(e)
		return withdraw, nil
	case wishTrash:
		return withdraw, nil
	case wishHold:
		return nothing, nil
	default:
		if e.Published == nil {
			return nothing, nil
		}
		return nothing, k.follow(ctx, e, a.wish)
	}
}

// follow is what becomes of the published version when nothing is said about it.
func (k *work) follow(ctx context.Context, e *core.Entry, w wish) error {
	governed, err := k.governs(ctx, e)
	if err != nil {
		return err
	}
	if w == wishBack && governed {
		hide(e)
		return nil
	}
	if w == wishBack {
		e.PublishedAt, e.ReleasedAt = k.now, k.now
		return nil
	}
	if governed {
		return nil
	}
	// A draft that waits for its time is not shown before.
	scheduled, err := k.scheduled(ctx, e)
	if err == nil && !scheduled {
		show(e, e.Draft, k.now)
	}
	return err
}

// publish makes e's draft, or the version that a names, public at the time, or at once
// when it is zero or has come, or has the gate decide.
func (k *work) publish(ctx context.Context, e *core.Entry, a aim) (settle func() error, err error) {
	governed, err := k.governs(ctx, e)
	if err != nil {
		return nil, err
	}
	at, err := k.toCome(ctx, a.at)
	if err != nil {
		return nil, err
	}
	public := e.Draft
	if a.version != nil && (a.at.IsZero() || !at.IsZero()) {
		public = a.version
	}
	switch {
	case a.version == nil && !at.IsZero() && e.Published != nil && !e.HasUnpublishedChanges():
		return nil, errNothingToPublish
	case governed:
		return k.submit(ctx, e, a, public, at), nil
	case !at.IsZero():
		return k.schedule(ctx, e, a, at)
	}
	isNew := e.ID == 0
	a.show(e, public, k.now)
	return func() error {
		if isNew {
			return nil
		}
		return k.gate.Withdraw(ctx, k.stores, k.actor, e) // what was scheduled
	}, nil
}

var errNothingToPublish = core.Conflict("nothing_to_publish", "readers see the draft as it is already, so there is nothing to publish later")

// submit has the gate open a request for public, unless readers see it already.
func (k *work) submit(ctx context.Context, e *core.Entry, a aim, public core.Document, at time.Time) (settle func() error) {
	if e.Published != nil && string(e.Published) == string(public) {
		return func() error { return nil }
	}
	k.submitted = true
	if a.version != nil {
		at = time.Time{}
	}
	return func() error {
		submitted := *e
		submitted.Draft = public
		return k.gate.Submit(ctx, k.stores, k.actor, k.schema, &submitted, at)
	}
}

// schedule has the draft published at a time to come. A schedule for that time stays
// as it is.
func (k *work) schedule(ctx context.Context, e *core.Entry, a aim, at time.Time) (settle func() error, err error) {
	nothing := func() error { return nil }
	if a.version != nil {
		a.show(e, a.version, k.now)
		if !e.HasUnpublishedChanges() {
			return nothing, nil
		}
	}
	if e.ID != 0 {
		p, err := k.stores.Publications.Scheduled(ctx, e.ProjectID, e.ID)
		if err == nil && p.DueAt.Equal(at.Truncate(time.Millisecond)) {
			return nothing, nil
		}
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return nil, err
		}
	}
	return func() error { return k.gate.Schedule(ctx, k.stores, k.actor, e, at) }, nil
}

// show makes doc the published version of e.
func (a aim) show(e *core.Entry, doc core.Document, now time.Time) {
	isNew := e.Published == nil
	show(e, doc, now)
	if isNew && !a.since.IsZero() {
		e.PublishedAt = a.since
	}
}

// toCome returns the time, or zero when it has come. It goes by the database's clock,
// as all that is due does, so that a wrong clock of this machine publishes nothing early.
func (k *work) toCome(ctx context.Context, at time.Time) (time.Time, error) {
	if at.IsZero() {
		return at, nil
	}
	now, err := k.stores.Publications.Now(ctx)
	if !at.After(now) {
		at = time.Time{}
	}
	return at, err
}

// governs asks the gate about e. Whether a workflow governs the Project does not change
// while the transaction lasts, so for new entries one answer is enough.
func (k *work) governs(ctx context.Context, e *core.Entry) (bool, error) {
	if e.ID != 0 {
		return k.gate.Governs(ctx, k.stores, k.schema.Project, e.ID)
	}
	if k.governed == nil {
		governed, err := k.gate.Governs(ctx, k.stores, k.schema.Project, 0)
		if err != nil {
			return false, err
		}
		k.governed = &governed
	}
	return *k.governed, nil
}

// show makes doc the published version.
func show(e *core.Entry, doc core.Document, now time.Time) {
	if e.Published == nil {
		e.PublishedAt = now
	}
	if e.Published == nil || string(e.Published) != string(doc) {
		e.Published, e.ReleasedAt = bytes.Clone(doc), now
	}
}

// hide takes the published version away.
func hide(e *core.Entry) {
	e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{}
}

// pending reports whether a request for e is open or e is scheduled.
func (k *work) pending(ctx context.Context, e *core.Entry) (bool, error) {
	if e.ID == 0 {
		return false, nil
	}
	approvals, err := k.gate.Approvals(ctx, k.stores, e.ProjectID, []int64{e.ID})
	if err != nil {
		return false, err
	}
	if core.RequestStatus(approvals[e.ID].Status).Open() {
		return true, nil
	}
	return k.scheduled(ctx, e)
}

// scheduled reports whether e is to be published when a time comes.
func (k *work) scheduled(ctx context.Context, e *core.Entry) (bool, error) {
	_, err := k.stores.Publications.Scheduled(ctx, e.ProjectID, e.ID)
	if errors.Is(err, core.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
