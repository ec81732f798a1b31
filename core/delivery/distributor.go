package delivery

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Distributor makes deliveries from events.
type Distributor struct{ tx ports.Tx }

// NewDistributor returns a Distributor.
func NewDistributor(tx ports.Tx) *Distributor { return &Distributor{tx} }

// portion is the number of events that one transaction distributes.
const portion = 500

// Distribute makes the deliveries of up to 500 outgoing events, and reports whether there may be more.
func (d *Distributor) Distribute(ctx context.Context) (more bool, err error) {
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
		for project, events := range byProject {
			if err := distribute(ctx, stores, project, events); err != nil {
				return err
			}
		}
		return nil
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
		var wanted []int64
		for _, e := range events {
			if webhooks[i].Wants(&e) {
				wanted = append(wanted, e.ID)
			}
		}
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
func deliver(ctx context.Context, stores ports.Stores, w *core.Webhook, events []int64) error {
	if !w.Gathers() {
		deliveries := make([]*core.Delivery, len(events))
		for i, id := range events {
			deliveries[i] = &core.Delivery{ProjectID: w.ProjectID, WebhookID: w.ID, Events: []int64{id}, Count: 1, Status: core.DeliveryWaiting}
		}
		return stores.Deliveries.Insert(ctx, 0, deliveries...)
	}
	if err := stores.Webhooks.Lock(ctx, w.ProjectID, w.ID); err != nil {
		return err
	}
	added, err := stores.Deliveries.Gather(ctx, *w, events)
	if err != nil || added {
		return err
	}
	return stores.Deliveries.Insert(ctx, w.Quiet, &core.Delivery{
		ProjectID: w.ProjectID, WebhookID: w.ID, Events: events[:min(len(events), core.DeliveryEvents)], Count: len(events), Status: core.DeliveryGathering,
	})
}
