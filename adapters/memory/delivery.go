package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

type webhooks struct{ conn }

func copyWebhook(w webhook.Webhook) webhook.Webhook {
	w.Events, w.Collections, w.Locales, w.Secrets = slices.Clone(w.Events), slices.Clone(w.Collections), slices.Clone(w.Locales), slices.Clone(w.Secrets)
	return w
}

func (st *state) webhook(projectID, id int64) (webhook.Webhook, error) {
	w, ok := st.webhooks.get(id)
	return found(copyWebhook(w), ok && w.ProjectID == projectID, "webhook")
}

func (s webhooks) Webhooks(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.Webhook, error) {
		return byID(&st.webhooks, func(w webhook.Webhook) bool { return w.ProjectID == projectID }, copyWebhook), nil
	})
}

func (s webhooks) Webhook(ctx context.Context, projectID, id int64) (webhook.Webhook, error) {
	return view(ctx, s.conn, func(st *state) (webhook.Webhook, error) { return st.webhook(projectID, id) })
}

// Lock does nothing: transactions run one after another.
func (s webhooks) Lock(context.Context, int64, int64) error { return nil }

func (s webhooks) Insert(ctx context.Context, w *webhook.Webhook) error {
	return s.change(ctx, func(st *state) error {
		if !st.projects.has(w.ProjectID) {
			return core.NotFound("project")
		}
		w.ID = st.webhooks.next()
		st.webhooks.put(w.ID, copyWebhook(*w))
		st.record(event.Event{Type: event.WebhookCreated, ProjectID: w.ProjectID, SubjectID: w.ID})
		return nil
	})
}

func (s webhooks) Update(ctx context.Context, w webhook.Webhook) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.webhook(w.ProjectID, w.ID)
		if err != nil {
			return err
		}
		w = copyWebhook(w)
		w.CreatedBy, w.CreatedAt = old.CreatedBy, old.CreatedAt
		st.webhooks.put(w.ID, w)
		st.record(webhook.Updated(w))
		return nil
	})
}

func (s webhooks) NoteFailing(ctx context.Context, projectID, id int64, since time.Time) error {
	return s.apply(ctx, func(st *state) {
		if w, err := st.webhook(projectID, id); err == nil {
			w.FailingSince = since
			st.webhooks.put(id, w)
		}
	})
}

func (s webhooks) Delete(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.webhook(projectID, id); err != nil {
			return err
		}
		st.webhooks.remove(id)
		st.removeDeliveries(func(d webhook.Delivery) bool { return d.WebhookID == id })
		st.record(event.Event{Type: event.WebhookDeleted, ProjectID: projectID, SubjectID: id})
		return nil
	})
}

// removeDeliveries removes the deliveries that match, with their attempts.
func (st *state) removeDeliveries(match func(webhook.Delivery) bool) {
	st.deliveries.removeIf(func(_ int64, d webhook.Delivery) bool { return match(d) })
	st.removeAttempts()
}

// removeAttempts removes the attempts of deliveries that are gone.
func (st *state) removeAttempts() {
	st.attempts.removeIf(func(key attemptKey, _ webhook.DeliveryAttempt) bool { return !st.deliveries.has(key.delivery) })
}

type attemptKey struct {
	delivery int64
	number   int
}

type deliveries struct{ conn }

func copyDelivery(d webhook.Delivery) webhook.Delivery {
	d.Events = slices.Clone(d.Events)
	return d
}

func (s deliveries) Take(ctx context.Context, limit int, except ...int64) (taken []event.Event, err error) {
	err = s.apply(ctx, func(st *state) {
		var ids, left []int64
		for _, id := range st.outgoing {
			if len(ids) < limit && !slices.Contains(except, id) {
				ids = append(ids, id)
			} else {
				left = append(left, id)
			}
		}
		taken, st.outgoing = st.eventsWith(ids), left
	})
	return taken, err
}

// eventsWith returns the events with the given ids, which are sorted.
func (st *state) eventsWith(ids []int64) (found []event.Event) {
	for _, e := range st.events {
		if _, ok := slices.BinarySearch(ids, e.ID); ok {
			found = append(found, e)
		}
	}
	return found
}

// Hold locks nothing: transactions run one after another.
func (s deliveries) Hold(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.Webhook, error) {
		return byID(&st.webhooks, func(w webhook.Webhook) bool { return w.ProjectID == projectID && w.Active }, copyWebhook), nil
	})
}

func (s deliveries) Events(ctx context.Context, ids []int64) ([]event.Event, error) {
	return view(ctx, s.conn, func(st *state) ([]event.Event, error) { return st.eventsWith(slices.Sorted(slices.Values(ids))), nil })
}

func (s deliveries) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	events, err := view(ctx, s.conn, func(st *state) ([]event.Event, error) { return st.eventsWith(st.outgoing), nil })
	if len(events) > 0 {
		oldest = events[0].At
	}
	return int64(len(events)), oldest, err
}

func (s deliveries) Insert(ctx context.Context, wait time.Duration, added ...*webhook.Delivery) error {
	return s.change(ctx, func(st *state) error {
		for _, d := range added {
			if _, err := st.webhook(d.ProjectID, d.WebhookID); err != nil {
				return err
			}
		}
		for _, d := range added {
			d.ID, d.Message, d.CreatedAt, d.DueAt = st.deliveries.next(), webhook.NewDeliveryMessage(), s.now(), s.now().Add(wait)
			st.deliveries.put(d.ID, copyDelivery(*d))
		}
		return nil
	})
}

func (s deliveries) Gather(ctx context.Context, w webhook.Webhook, events []int64) (added bool, err error) {
	err = s.apply(ctx, func(st *state) {
		var d webhook.Delivery
		d, added = st.deliveries.find(func(d webhook.Delivery) bool { return d.WebhookID == w.ID && d.Status == webhook.DeliveryGathering })
		if !added {
			return
		}
		d = copyDelivery(d)
		d.Count += len(events)
		d.Events = append(d.Events, events[:min(len(events), webhook.DeliveryEvents-len(d.Events))]...)
		d.DueAt = s.now().Add(w.Quiet)
		if last := d.CreatedAt.Add(w.Most); d.DueAt.After(last) {
			d.DueAt = last
		}
		st.deliveries.put(d.ID, d)
	})
	return added, err
}

func (s deliveries) Claim(ctx context.Context, limit int, lease time.Duration, room func(webhookID int64) int) (claimed []webhook.Delivery, err error) {
	err = s.apply(ctx, func(st *state) {
		now := s.now()
		due := st.deliveries.sorted(func(d webhook.Delivery) bool {
			w, ok := st.webhooks.get(d.WebhookID)
			return ok && (w.Active || d.Count == 0) && d.EndedAt.IsZero() && !d.DueAt.After(now)
		}, func(a, b webhook.Delivery) int { return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID)) }, copyDelivery)
		taken := map[int64]int{}
		for _, d := range due {
			if len(claimed) == limit || taken[d.WebhookID] >= room(d.WebhookID) {
				continue
			}
			taken[d.WebhookID]++
			d.Status, d.Attempts, d.DueAt = webhook.DeliveryWaiting, d.Attempts+1, now.Add(lease)
			st.deliveries.put(d.ID, d)
			claimed = append(claimed, copyDelivery(d))
		}
	})
	return claimed, err
}

func (s deliveries) Record(ctx context.Context, d webhook.Delivery, a webhook.DeliveryAttempt, again time.Duration) error {
	return s.change(ctx, func(st *state) error {
		stored, ok := st.deliveries.get(d.ID)
		if !ok || stored.ProjectID != d.ProjectID || stored.Attempts != a.Number {
			return core.NotFound("delivery")
		}
		if d.Status == webhook.DeliveryWaiting {
			stored.DueAt = s.now().Add(again)
		} else {
			stored.Status, stored.EndedAt = d.Status, s.now()
		}
		st.deliveries.put(d.ID, stored)
		a.DeliveryID = d.ID
		st.attempts.put(attemptKey{d.ID, a.Number}, a)
		return nil
	})
}

func (s deliveries) Waiting(ctx context.Context) (count int64, due time.Time, err error) {
	waiting, err := view(ctx, s.conn, func(st *state) ([]webhook.Delivery, error) {
		return st.deliveries.all(func(d webhook.Delivery) bool { return d.EndedAt.IsZero() }), nil
	})
	for _, d := range waiting {
		if due.IsZero() || d.DueAt.Before(due) {
			due = d.DueAt
		}
	}
	return int64(len(waiting)), due, err
}

func (s deliveries) Receivers(ctx context.Context) ([]webhook.Webhook, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.Webhook, error) {
		return byID(&st.webhooks, func(webhook.Webhook) bool { return true }, copyWebhook), nil
	})
}

func (s deliveries) Deliveries(ctx context.Context, q ports.DeliveryQuery) ([]webhook.Delivery, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.Delivery, error) {
		found := byID(&st.deliveries, func(d webhook.Delivery) bool {
			return d.ProjectID == q.ProjectID && d.WebhookID == q.WebhookID && (q.Status == "" || d.Status == q.Status) && (q.Before == 0 || d.ID < q.Before)
		}, copyDelivery)
		slices.Reverse(found)
		return found[:min(len(found), q.Limit)], nil
	})
}

func (s deliveries) Latest(ctx context.Context, projectID int64) ([]webhook.DeliveryResult, error) {
	return view(ctx, s.conn, func(st *state) (latest []webhook.DeliveryResult, err error) {
		newest := map[int64]webhook.Delivery{}
		for _, d := range st.deliveries.all(func(d webhook.Delivery) bool { return d.ProjectID == projectID }) {
			if d.ID > newest[d.WebhookID].ID {
				newest[d.WebhookID] = d
			}
		}
		for webhookID, d := range newest {
			r := webhook.DeliveryResult{WebhookID: webhookID, Status: d.Status, At: d.CreatedAt}
			for _, a := range st.attempts.all(func(a webhook.DeliveryAttempt) bool { return a.DeliveryID == d.ID }) {
				if a.Number > r.Attempts {
					r.Attempts, r.At, r.Code = a.Number, a.At, a.Code
				}
			}
			latest = append(latest, r)
		}
		slices.SortFunc(latest, func(a, b webhook.DeliveryResult) int { return cmp.Compare(a.WebhookID, b.WebhookID) })
		return latest, nil
	})
}

func (s deliveries) Attempts(ctx context.Context, projectID int64, deliveryIDs []int64) ([]webhook.DeliveryAttempt, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.DeliveryAttempt, error) {
		return st.attempts.sorted(func(a webhook.DeliveryAttempt) bool {
			d, _ := st.deliveries.get(a.DeliveryID)
			return d.ProjectID == projectID && slices.Contains(deliveryIDs, a.DeliveryID)
		}, func(a, b webhook.DeliveryAttempt) int {
			return cmp.Or(cmp.Compare(a.DeliveryID, b.DeliveryID), cmp.Compare(a.Number, b.Number))
		}, unshared), nil
	})
}

func (s deliveries) Retry(ctx context.Context, projectID, webhookID, id int64) error {
	return s.change(ctx, func(st *state) error {
		d, ok := st.deliveries.get(id)
		if !ok || d.ProjectID != projectID || d.WebhookID != webhookID {
			return core.NotFound("delivery")
		}
		d.Status, d.EndedAt, d.DueAt = webhook.DeliveryWaiting, time.Time{}, s.now()
		st.deliveries.put(id, d)
		return nil
	})
}

func (s deliveries) Park(ctx context.Context, projectID, webhookID int64, ids ...int64) (parked int, err error) {
	err = s.apply(ctx, func(st *state) {
		for _, d := range st.deliveries.all(func(d webhook.Delivery) bool {
			return d.ProjectID == projectID && d.WebhookID == webhookID && d.EndedAt.IsZero() && (len(ids) == 0 || slices.Contains(ids, d.ID))
		}) {
			d.Status, d.EndedAt = webhook.DeliveryParked, s.now()
			st.deliveries.put(d.ID, d)
			parked++
		}
	})
	return parked, err
}
