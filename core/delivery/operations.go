package delivery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// Operations is what operators do with the deliveries of all Projects.
type Operations struct {
	log ports.DeliveryLog
	tx  ports.Tx
}

// NewOperations returns Operations.
func NewOperations(stores ports.Stores, tx ports.Tx) *Operations {
	return &Operations{stores.DeliveryLog, tx}
}

// Selection selects deliveries. Its zero value selects all.
type Selection struct {
	ProjectID int64                  // 0: of all Projects
	WebhookID int64                  // 0: of all webhooks
	Status    webhook.DeliveryStatus // empty: List takes all, Retry parked ones, Park those that wait
	IDs       []int64                // only these, of any status
}

// Listed is a delivery with its webhook.
type Listed struct {
	Logged
	Webhook webhook.Webhook
}

// operationPage is the number of deliveries that one transaction changes.
const operationPage = 500

// List returns selected deliveries, newest first. It ignores IDs.
func (o *Operations) List(ctx context.Context, s Selection, limit int) ([]Listed, error) {
	webhooks, err := o.webhooksOf(ctx, s)
	if err != nil {
		return nil, err
	}
	var listed []Listed
	for _, w := range webhooks {
		found, err := o.log.Deliveries(ctx, ports.DeliveryQuery{ProjectID: w.ProjectID, WebhookID: w.ID, Status: s.Status, Limit: limit})
		if err != nil {
			return nil, err
		}
		listed = append(listed, with(w, found)...)
		slices.SortFunc(listed, func(a, b Listed) int { return cmp.Compare(b.ID, a.ID) })
		listed = listed[:min(len(listed), limit)]
	}
	return listed, o.addAttempts(ctx, listed)
}

// addAttempts sets the Log of each delivery.
func (o *Operations) addAttempts(ctx context.Context, listed []Listed) error {
	ids, place := map[int64][]int64{}, map[int64]int{} // ids by Project
	for i, d := range listed {
		ids[d.ProjectID], place[d.ID] = append(ids[d.ProjectID], d.ID), i
	}
	for project, some := range ids {
		attempts, err := o.log.Attempts(ctx, project, some)
		if err != nil {
			return err
		}
		for _, a := range attempts {
			d := &listed[place[a.DeliveryID]]
			d.Log = append(d.Log, a)
		}
	}
	return nil
}

// Retry makes selected deliveries due now and returns their number. left is the number of those that
// stay as they are because their webhook is off. Of deliveries that are selected by id it changes all
// or none: it returns core.ErrConflict if a webhook is off.
func (o *Operations) Retry(ctx context.Context, s Selection) (retried, left int, err error) {
	if len(s.IDs) > 0 {
		found, err := o.find(ctx, s)
		if err != nil {
			return 0, 0, err
		}
		for _, d := range found {
			if !d.Webhook.Active {
				return 0, 0, core.Conflict("webhook_off", "delivery %d: webhook %d is off: switch it on first", d.ID, d.WebhookID)
			}
		}
		retried, err = o.retry(ctx, found)
		return retried, 0, err
	}
	err = o.pages(ctx, s, []webhook.DeliveryStatus{cmp.Or(s.Status, webhook.DeliveryParked)}, func(page []Listed) error {
		if !page[0].Webhook.Active {
			left += len(page)
			return nil
		}
		n, err := o.retry(ctx, page)
		retried += n
		return err
	})
	return retried, left, err
}

// retry makes deliveries due that still exist and whose webhook is still active, and returns their number.
func (o *Operations) retry(ctx context.Context, deliveries []Listed) (count int, err error) {
	err = o.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		count = 0
		for _, d := range slices.SortedFunc(slices.Values(deliveries), func(a, b Listed) int { return cmp.Compare(a.WebhookID, b.WebhookID) }) {
			_, err := lockActive(ctx, stores, d.ProjectID, d.WebhookID)
			if err == nil {
				err = stores.DeliveryLog.Retry(ctx, d.ProjectID, d.WebhookID, d.ID)
			}
			switch {
			case err == nil:
				count++
			case !errors.Is(err, core.ErrNotFound) && !errors.Is(err, core.ErrConflict):
				return err
			}
		}
		return nil
	})
	return count, err
}

// Park parks selected deliveries and returns their number. Of deliveries that are selected by id it
// changes all or none: it returns core.ErrConflict if one has ended.
func (o *Operations) Park(ctx context.Context, s Selection) (parked int, err error) {
	if len(s.IDs) > 0 {
		found, err := o.find(ctx, s)
		if err != nil {
			return 0, err
		}
		for _, d := range found {
			if !d.EndedAt.IsZero() {
				return 0, core.Conflict("delivery_ended", "delivery %d is %s: only those that wait can be parked", d.ID, d.Status)
			}
		}
		return o.park(ctx, found)
	}
	statuses := []webhook.DeliveryStatus{webhook.DeliveryWaiting, webhook.DeliveryGathering}
	if s.Status != "" {
		statuses = []webhook.DeliveryStatus{s.Status}
	}
	err = o.pages(ctx, s, statuses, func(page []Listed) error {
		n, err := o.park(ctx, page)
		parked += n
		return err
	})
	return parked, err
}

func (o *Operations) park(ctx context.Context, deliveries []Listed) (count int, err error) {
	err = o.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		count = 0
		ids := map[[2]int64][]int64{} // by Project and webhook
		for _, d := range deliveries {
			of := [2]int64{d.ProjectID, d.WebhookID}
			ids[of] = append(ids[of], d.ID)
		}
		for of, some := range ids {
			n, err := stores.DeliveryLog.Park(ctx, of[0], of[1], some...)
			if err != nil {
				return err
			}
			count += n
		}
		return nil
	})
	return count, err
}

// webhooksOf returns the webhooks of a selection.
func (o *Operations) webhooksOf(ctx context.Context, s Selection) ([]webhook.Webhook, error) {
	webhooks, err := o.log.Receivers(ctx)
	if err != nil {
		return nil, err
	}
	webhooks = slices.DeleteFunc(webhooks, func(w webhook.Webhook) bool {
		return s.ProjectID != 0 && w.ProjectID != s.ProjectID || s.WebhookID != 0 && w.ID != s.WebhookID
	})
	if s.WebhookID != 0 && len(webhooks) == 0 {
		return nil, core.NotFound("webhook")
	}
	return webhooks, nil
}

// pages calls do with the deliveries of each selected webhook that have one of the statuses, at most
// operationPage at a time.
func (o *Operations) pages(ctx context.Context, s Selection, statuses []webhook.DeliveryStatus, do func([]Listed) error) error {
	webhooks, err := o.webhooksOf(ctx, s)
	if err != nil {
		return err
	}
	for _, w := range webhooks {
		for _, status := range statuses {
			if err := o.pagesOf(ctx, w, status, do); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *Operations) pagesOf(ctx context.Context, w webhook.Webhook, status webhook.DeliveryStatus, do func([]Listed) error) error {
	q := ports.DeliveryQuery{ProjectID: w.ProjectID, WebhookID: w.ID, Status: status, Limit: operationPage}
	for {
		found, err := o.log.Deliveries(ctx, q)
		if err != nil || len(found) == 0 {
			return err
		}
		if err := do(with(w, found)); err != nil {
			return err
		}
		q.Before = found[len(found)-1].ID
	}
}

// with returns deliveries of a webhook, each with it.
func with(w webhook.Webhook, deliveries []webhook.Delivery) []Listed {
	listed := make([]Listed, len(deliveries))
	for i, d := range deliveries {
		listed[i] = Listed{Logged{Delivery: d}, w}
	}
	return listed
}

// find returns the deliveries with the ids of s. It returns core.ErrNotFound if one does not exist or
// belongs to another Project or webhook than s selects.
func (o *Operations) find(ctx context.Context, s Selection) ([]Listed, error) {
	webhooks, err := o.webhooksOf(ctx, s)
	if err != nil {
		return nil, err
	}
	var found []Listed
	for _, id := range slices.Compact(slices.Sorted(slices.Values(s.IDs))) {
		d, err := o.delivery(ctx, webhooks, id)
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}

// delivery returns the delivery of one of the webhooks.
func (o *Operations) delivery(ctx context.Context, webhooks []webhook.Webhook, id int64) (Listed, error) {
	for _, w := range webhooks {
		nearest, err := o.log.Deliveries(ctx, ports.DeliveryQuery{ProjectID: w.ProjectID, WebhookID: w.ID, Before: id + 1, Limit: 1})
		if err != nil {
			return Listed{}, err
		}
		if len(nearest) > 0 && nearest[0].ID == id {
			return with(w, nearest)[0], nil
		}
	}
	return Listed{}, &core.Error{Kind: core.KindNotFound, Code: "not_found", Message: "no such delivery: " + strconv.FormatInt(id, 10)}
}
