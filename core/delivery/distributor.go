package delivery

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Distributor makes deliveries and notices from events.
type Distributor struct {
	outbox   ports.Outbox
	notifier ports.Notifier
	tx       ports.Tx
}

// NewDistributor returns a Distributor.
func NewDistributor(outbox ports.Outbox, tx ports.Tx, notifier ports.Notifier) *Distributor {
	return &Distributor{outbox, notifier, tx}
}

// portion is the number of events that one transaction distributes.
const portion = 500

// Distribute makes the deliveries and the notices of up to 500 outgoing events, and reports whether there may be more.
// It begins no transaction if there are none.
func (d *Distributor) Distribute(ctx context.Context) (more bool, err error) {
	if count, _, err := d.outbox.Backlog(ctx); err != nil || count == 0 {
		return false, err
	}
	err = d.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		events, err := stores.Outbox.Take(ctx, portion)
		if err != nil {
			return err
		}
		more = len(events) == portion
		byProject := map[int64][]core.Event{}
		for _, e := range events {
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
	return more, err
}

// distribute makes the deliveries of events of one Project.
func distribute(ctx context.Context, stores ports.Stores, projectID int64, events []core.Event) error {
	webhooks, err := stores.Webhooks.Webhooks(ctx, projectID)
	if err != nil {
		return err
	}
	for i := range webhooks {
		wanted := slices.DeleteFunc(slices.Clone(events), func(e core.Event) bool { return !webhooks[i].Wants(&e) })
		if len(wanted) == 0 {
			continue
		}
		if err := deliver(ctx, stores, &webhooks[i], wanted); err != nil {
			return err
		}
	}
	return nil
}

// deliver stores deliveries of events to w: one of each, or one of all that w gathers.
func deliver(ctx context.Context, stores ports.Stores, w *core.Webhook, events []core.Event) error {
	if !w.Gathers() {
		deliveries := make([]*core.Delivery, len(events))
		for i, e := range events {
			deliveries[i] = &core.Delivery{ProjectID: w.ProjectID, WebhookID: w.ID, Type: string(e.Type), Events: []int64{e.ID}, Count: 1, Status: core.DeliveryWaiting}
		}
		return stores.Deliveries.Insert(ctx, 0, deliveries...)
	}
	if err := stores.Webhooks.Lock(ctx, w.ProjectID, w.ID); err != nil {
		return err
	}
	ids := make([]int64, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	added, err := stores.Deliveries.Gather(ctx, *w, ids)
	if err != nil || added {
		return err
	}
	return stores.Deliveries.Insert(ctx, w.Quiet, &core.Delivery{
		ProjectID: w.ProjectID, WebhookID: w.ID, Type: core.DeliveryBatch,
		Events: ids[:min(len(ids), core.DeliveryEvents)], Count: len(ids), Status: core.DeliveryGathering,
	})
}
