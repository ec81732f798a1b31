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
	return k.public(wr.PublishAt, found)
}

// public is the aim to publish at a time. One that is past is now.
func (k *work) public(at *time.Time, found *faults) aim {
	a := aim{wish: wishPublic}
	if at == nil || !at.After(k.now) {
		return a
	}
	if !k.gated {
		found.add("publishAt", core.FormatTime(*at), "scheduled publishing needs a workflow that governs the project")
	}
	a.at = at.UTC()
	return a
}

// release makes of e's published version what a wants and the gate allows. It is
// the only code that makes content public. What it returns is to be done once e is
// stored.
func (k *work) release(ctx context.Context, e *core.Entry, a aim) (settle func() error, err error) {
	nothing := func() error { return nil }
	withdraw := func() error { return k.gate.Withdraw(ctx, k.stores, k.actor, e) }
	switch a.wish {
	case wishPublic:
		if !k.gated {
			k.show(e)
			return nothing, nil
		}
		if e.Published != nil && !e.HasUnpublishedChanges() {
			return nothing, nil
		}
		k.submitted = true
		return func() error { return k.gate.Submit(ctx, k.stores, k.actor, k.schema, e, a.at) }, nil
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
		if e.Published != nil && k.gated {
			hide(e)
		}
		if e.Published != nil {
			e.PublishedAt, e.ReleasedAt = k.now, k.now
		}
		return nothing, nil
	default:
		if e.Published != nil && !k.gated {
			k.show(e)
		}
		return nothing, nil
	}
}

// show makes the draft the published version.
func (k *work) show(e *core.Entry) {
	if e.Published == nil {
		e.PublishedAt = k.now
	}
	if e.Published == nil || e.HasUnpublishedChanges() {
		e.Published, e.ReleasedAt = bytes.Clone(e.Draft), k.now
	}
}

// hide takes the published version away.
func hide(e *core.Entry) {
	e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{}
}

// pending reports whether a request for e is under way, or approved for later.
func (k *work) pending(ctx context.Context, e *core.Entry) (bool, error) {
	if e.ID == 0 || !k.gated {
		return false, nil
	}
	approvals, err := k.gate.Approvals(ctx, k.stores, e.ProjectID, []int64{e.ID})
	if err != nil {
		return false, err
	}
	status := approvals[e.ID].Status
	return status == "pending" || status == "approved", nil
}
