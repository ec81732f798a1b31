package content

import (
	"bytes"
	"context"
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
)

// aim is a wish and the time it is for; zero is at once.
type aim struct {
	wish wish
	at   time.Time
}

// aim returns what wr wants to become of the published version.
func (k *work) aim(wr Write, found *faults) aim {
	switch {
	case wr.PublishAt != nil && (wr.Published == nil || !*wr.Published):
		found.add("publishAt", core.FormatTime(*wr.PublishAt), `goes with "published": true`)
		return aim{}
	case wr.Published == nil:
		return aim{wish: wishSame}
	case !*wr.Published:
		return aim{wish: wishUnchecked}
	}
	return k.public(wr.PublishAt)
}

// public is the aim to publish at a time. One that is past is now.
func (k *work) public(at *time.Time) aim {
	a := aim{wish: wishPublic}
	if at != nil && at.After(k.now) {
		a.at = at.UTC()
	}
	return a
}

// release makes of e's published version what a wants and the gate allows. With
// Releaser it is the only code that makes content public. What it returns is to be
// done once e is stored.
func (k *work) release(ctx context.Context, e *core.Entry, a aim) (settle func() error, err error) {
	nothing := func() error { return nil }
	withdraw := func() error { return k.gate.Withdraw(ctx, k.stores, k.actor, e) }
	governed, err := k.gate.Governs(ctx, k.stores, k.schema.Project, e.ID)
	if err != nil {
		return nil, err
	}
	switch a.wish {
	case wishPublic:
		return k.publish(ctx, e, a.at, governed), nil
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
	case wishBack:
		if e.Published != nil && governed {
			hide(e)
		}
		if e.Published != nil {
			e.PublishedAt, e.ReleasedAt = k.now, k.now
		}
		return nothing, nil
	default:
		if e.Published != nil && !governed {
			show(e, e.Draft, k.now)
		}
		return nothing, nil
	}
}

// publish makes e's draft public at the time, or at once when it is zero, or has
// the gate decide.
func (k *work) publish(ctx context.Context, e *core.Entry, at time.Time, governed bool) (settle func() error) {
	switch {
	case governed && e.Published != nil && !e.HasUnpublishedChanges():
		return func() error { return nil }
	case governed:
		k.submitted = true
		return func() error { return k.gate.Submit(ctx, k.stores, k.actor, k.schema, e, at) }
	case !at.IsZero():
		return func() error { return k.gate.Schedule(ctx, k.stores, k.actor, e, at) }
	default:
		isNew := e.ID == 0
		show(e, e.Draft, k.now)
		return func() error {
			if isNew {
				return nil
			}
			return k.gate.Withdraw(ctx, k.stores, k.actor, e) // what was scheduled
		}
	}
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

// pending reports whether a request for e is open.
func (k *work) pending(ctx context.Context, e *core.Entry) (bool, error) {
	if e.ID == 0 {
		return false, nil
	}
	approvals, err := k.gate.Approvals(ctx, k.stores, e.ProjectID, []int64{e.ID})
	if err != nil {
		return false, err
	}
	return core.RequestStatus(approvals[e.ID].Status).Open(), nil
}
