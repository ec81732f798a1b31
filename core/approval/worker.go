package approval

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Worker publishes what is due. Any number of them may work on one database: each due
// publication is taken by one of them, in a transaction that publishes it, writes it
// down and takes it off the list, or does nothing. The database's clock says what is
// due, so that a wrong clock of this machine makes nothing early.
type Worker struct {
	Deps

	// Observe, when not nil, is told how each attempt ended: how late it was by this
	// machine's clock, and why it failed.
	Observe func(p core.Publication, late time.Duration, fault error)

	gate *Gate
}

// NewWorker returns a Worker over these parts.
func NewWorker(deps Deps) *Worker { return &Worker{Deps: deps, gate: NewGate(deps.Clock, nil)} }

const (
	// reachAhead is how many due publications are looked at for one that nobody else
	// is at.
	reachAhead = 20
	// longestWait is how long something may have been due before anybody looks.
	longestWait = 500 * time.Millisecond
	// firstRetry doubles with each failed attempt, up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 10 * time.Minute
)

// PublishDue publishes everything that is due and that no other worker or editor is
// at. What cannot be published is noted with its fault, tried again later, and holds
// nothing else up. The error is of the database being away, or of ctx.
func (w *Worker) PublishDue(ctx context.Context) (published, failed int, err error) {
	for ctx.Err() == nil {
		p, fault, err := w.publishNext(ctx)
		switch {
		case err != nil:
			return published, failed, err
		case p == nil:
			return published, failed, nil
		case fault == nil:
			published++
		default:
			failed++
		}
	}
	return published, failed, ctx.Err()
}

// Wait returns how long there is nothing to do: until the next publication is due, and
// at most half a second, for others may schedule. It is zero when one is due.
func (w *Worker) Wait(ctx context.Context) (time.Duration, error) {
	wait, ok, err := w.Stores.Publications.NextDue(ctx)
	if err != nil || !ok {
		return longestWait, err
	}
	return min(max(wait, 0), longestWait), nil
}

// publishNext publishes one due publication and returns it, with the fault when it
// could not be published; nil when there is none to be had.
func (w *Worker) publishNext(ctx context.Context) (p *core.Publication, fault, err error) {
	err = w.Tx.Do(ctx, func(ctx context.Context, stores ports.Stores) error {
		if p, err = claim(ctx, stores); err != nil || p == nil {
			return err
		}
		return w.publish(ctx, stores, p)
	})
	switch {
	case err == nil && p == nil:
		return nil, nil, nil
	case err == nil:
		w.Changes.Announce(ctx, ports.Change{Kind: ports.ChangeContent, ID: p.ProjectID})
	case p == nil || ctx.Err() != nil || errors.Is(err, core.ErrUnavailable):
		return nil, nil, err
	default:
		fault, err = err, w.note(ctx, p, err)
	}
	if w.Observe != nil {
		w.Observe(*p, w.Clock.Now().Sub(p.DueAt), fault)
	}
	return p, fault, err
}

// claim takes a due publication and its entry for this transaction. It waits for
// nobody: what others are at is theirs, or is left for the next look.
func claim(ctx context.Context, stores ports.Stores) (*core.Publication, error) {
	due, err := stores.Publications.Due(ctx, reachAhead)
	if err != nil {
		return nil, err
	}
	for i := range due {
		_, ok, err := stores.Entries.TryLock(ctx, due[i].ProjectID, due[i].EntryID)
		if ok || errors.Is(err, core.ErrNotFound) {
			return &due[i], nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil //nolint:nilnil // documented: none to be had
}

// publish makes p public and takes it off the list.
func (w *Worker) publish(ctx context.Context, stores ports.Stores, p *core.Publication) error {
	project, err := stores.Projects.Project(ctx, p.ProjectID)
	if err != nil {
		return err
	}
	if p.RequestID == 0 {
		err = w.publishDraft(ctx, stores, project, p)
	} else {
		err = w.publishRequest(ctx, stores, project, p)
	}
	if err != nil {
		return err
	}
	return stores.Publications.Cancel(ctx, p.ProjectID, p.EntryID)
}

// publishRequest publishes what was approved. A request that is approved no longer
// publishes nothing.
func (w *Worker) publishRequest(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Publication) error {
	r, err := stores.Requests.Request(ctx, p.ProjectID, p.RequestID)
	if err != nil || r.Status != core.RequestApproved {
		return err
	}
	due := turn{what: core.ActionPublish, by: core.Actor{System: true}.Ref(), at: w.Clock.Now(), come: true}
	_, err = move(ctx, stores, w.Publisher, project, r, due)
	return err
}

// publishDraft publishes what no workflow governed when it was scheduled. If one does
// by now, the time has come to ask for approval.
func (w *Worker) publishDraft(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Publication) error {
	governed, err := w.gate.Governs(ctx, stores, project, p.EntryID)
	if err != nil {
		return err
	}
	if !governed {
		return w.Publisher.ReleaseDraft(ctx, stores, project, p.EntryID)
	}
	e, err := stores.Entries.Entry(ctx, p.ProjectID, p.EntryID)
	if err != nil {
		return err
	}
	collections, err := stores.Collections.Collections(ctx, p.ProjectID)
	if err != nil {
		return err
	}
	schema := core.Schema{Project: project, Collections: collections}
	if schema.Collection = schema.ByID(e.CollectionID); schema.Collection == nil {
		return core.NotFound("collection")
	}
	return w.gate.submit(ctx, stores, p.ScheduledBy, schema, &e, time.Time{})
}

// note writes down that p failed, unless somebody has scheduled anew or taken back
// what it was about.
func (w *Worker) note(ctx context.Context, p *core.Publication, fault error) error {
	return w.Tx.Do(ctx, func(ctx context.Context, stores ports.Stores) error {
		if _, err := stores.Entries.Lock(ctx, p.ProjectID, p.EntryID); err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		now, err := stores.Publications.Scheduled(ctx, p.ProjectID, p.EntryID)
		if errors.Is(err, core.ErrNotFound) || err == nil && (now.Attempts != p.Attempts || !now.DueAt.Equal(p.DueAt)) {
			return nil
		}
		if err != nil {
			return err
		}
		return stores.Publications.Failed(ctx, p.ProjectID, p.EntryID, sentence(fault), backoff(p.Attempts))
	})
}

// backoff returns how long to wait after an attempt that others failed before.
func backoff(before int) time.Duration {
	if before > 10 {
		return lastRetry
	}
	return min(firstRetry<<before, lastRetry)
}

// sentence words a fault for people, without internals.
func sentence(fault error) string {
	var e *core.Error
	if !errors.As(fault, &e) || e.Kind == core.KindInternal {
		return "an internal fault; the log says more"
	}
	text := e.Message
	for _, f := range e.Fields {
		text += "; " + f.Location + " " + f.Message
	}
	return text
}
