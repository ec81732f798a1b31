package delivery

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// Distributor makes deliveries and notices from events. One goroutine uses it at a time.
type Distributor struct {
	outbox   ports.Outbox
	notifier ports.Notifier
	tx       ports.Tx
	held     map[int64]time.Time // until when events that failed stay in the outbox, by id

	// Observe, when not nil, is called for each event that fails alone.
	Observe func(eventID int64, err error)
}

// NewDistributor returns a Distributor.
func NewDistributor(outbox ports.Outbox, tx ports.Tx, notifier ports.Notifier) *Distributor {
	return &Distributor{outbox: outbox, notifier: notifier, tx: tx, held: map[int64]time.Time{}}
}

const (
	// portion is the number of events that one transaction distributes.
	portion = 500
	// holding is the time from the failure of an event to its next attempt.
	holding = time.Minute
)

// Distribute makes the deliveries and the notices of up to 500 outgoing events, and reports whether there may be more.
// It begins no transaction if there are none. When they fail together, it distributes them one by
// one: an event that fails alone stays in the outbox for a minute and holds up no other.
func (d *Distributor) Distribute(ctx context.Context) (more bool, err error) {
	if count, _, err := d.outbox.Backlog(ctx); err != nil || count == 0 {
		return false, err
	}
	maps.DeleteFunc(d.held, func(_ int64, until time.Time) bool { return time.Now().After(until) })
	taken, err := d.take(ctx, portion)
	if err != nil && len(taken) > 0 && !errors.Is(err, core.ErrUnavailable) && ctx.Err() == nil {
		return d.single(ctx)
	}
	return len(taken) == portion, err
}

// single is Distribute with a transaction for each event.
func (d *Distributor) single(ctx context.Context) (more bool, err error) {
	for range portion {
		taken, err := d.take(ctx, 1)
		if len(taken) == 0 || errors.Is(err, core.ErrUnavailable) || ctx.Err() != nil {
			return false, err
		}
		if err != nil {
			d.held[taken[0]] = time.Now().Add(holding)
			if d.Observe != nil {
				d.Observe(taken[0], err)
			}
		}
	}
	return true, nil
}

// take distributes up to limit events that are not held in one transaction. It returns their ids, also
// with an error.
func (d *Distributor) take(ctx context.Context, limit int) (taken []int64, err error) {
	err = d.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		events, err := stores.Outbox.Take(ctx, limit, slices.Collect(maps.Keys(d.held))...)
		if err != nil {
			return err
		}
		taken = nil // the transaction may be repeated
		byProject := map[int64][]event.Event{}
		for _, e := range events {
			taken = append(taken, e.ID)
			byProject[e.ProjectID] = append(byProject[e.ProjectID], e)
		}
		delete(byProject, 0) // only Projects have webhooks
		for project, events := range byProject {
			if err := distribute(ctx, stores, project, events); err != nil {
				return err
			}
		}
		return d.notifier.Notify(ctx, stores, events)
	})
	return taken, err
}

// distribute makes the deliveries of events of one Project. Those that are due now are one statement.
func distribute(ctx context.Context, stores ports.Stores, projectID int64, events []event.Event) error {
	webhooks, err := stores.Outbox.Hold(ctx, projectID)
	if err != nil {
		return err
	}
	var due []*webhook.Delivery
	for i := range webhooks {
		w := &webhooks[i]
		wanted := slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return !w.Wants(&e) })
		switch {
		case len(wanted) == 0:
		case !w.Gathers():
			due = append(due, deliveriesOf(w, wanted)...)
		default:
			if err := gather(ctx, stores, w, wanted); err != nil {
				return err
			}
		}
	}
	return stores.Deliveries.Insert(ctx, 0, due...)
}

// deliver stores deliveries of events to w, which is locked: one of each, or one of all that w gathers.
func deliver(ctx context.Context, stores ports.Stores, w *webhook.Webhook, events []event.Event) error {
	if w.Gathers() {
		return gather(ctx, stores, w, events)
	}
	return stores.Deliveries.Insert(ctx, 0, deliveriesOf(w, events)...)
}

// deliveriesOf returns a delivery of each event.
func deliveriesOf(w *webhook.Webhook, events []event.Event) []*webhook.Delivery {
	deliveries := make([]*webhook.Delivery, len(events))
	for i, e := range events {
		deliveries[i] = &webhook.Delivery{ProjectID: w.ProjectID, WebhookID: w.ID, Type: string(e.Type), Events: []int64{e.ID}, Count: 1, Status: webhook.DeliveryWaiting}
	}
	return deliveries
}

// gather adds events to the delivery of w, which is locked, that is gathering, or begins one.
func gather(ctx context.Context, stores ports.Stores, w *webhook.Webhook, events []event.Event) error {
	ids := make([]int64, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	added, err := stores.Deliveries.Gather(ctx, *w, ids)
	if err != nil || added {
		return err
	}
	return stores.Deliveries.Insert(ctx, w.Quiet, &webhook.Delivery{
		ProjectID: w.ProjectID, WebhookID: w.ID, Type: webhook.DeliveryBatch,
		Events: ids[:min(len(ids), webhook.DeliveryEvents)], Count: len(ids), Status: webhook.DeliveryGathering,
	})
}
