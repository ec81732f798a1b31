package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

type webhooks struct{ scoped }

func (s webhooks) Webhooks(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	return rowsOf[webhook.Webhook](ctx, s.store, projectID)
}

func (s webhooks) Webhook(ctx context.Context, projectID, id int64) (webhook.Webhook, error) {
	return get[webhook.Webhook](ctx, s.store, in{projectID, id})
}

func (s webhooks) Insert(ctx context.Context, w *webhook.Webhook) error { return s.insert(ctx, w) }

func (s webhooks) Update(ctx context.Context, w webhook.Webhook) error {
	return edit(ctx, s.store, in{w.ProjectID, w.ID}, func(st *state, old *webhook.Webhook) error {
		w.CreatedBy, w.CreatedAt = old.CreatedBy, old.CreatedAt
		*old = w
		st.record(webhook.Updated(w))
		return nil
	})
}

func (s webhooks) NoteFailing(ctx context.Context, projectID, id int64, since time.Time) error {
	return s.apply(ctx, func(st *state) {
		if w, err := st.webhooks.in(projectID, id); err == nil {
			w.FailingSince = since
			st.webhooks.put(id, w)
		}
	})
}

type attemptKey struct {
	delivery int64
	number   int
}

type deliveries struct{ queue[webhook.Delivery] }

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
		taken, st.outgoing = clone(st.eventsWith(ids)), left
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

func (s deliveries) Hold(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.Webhook, error) {
		active := st.webhooks.where(func(w webhook.Webhook) bool { return w.ProjectID == projectID && w.Active })
		for _, w := range active {
			st.lock("webhook", w.ID)
		}
		return active, nil
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
	return s.apply(ctx, func(st *state) {
		for _, d := range added {
			d.ID, d.Message, d.CreatedAt, d.DueAt = st.deliveries.next(), webhook.NewDeliveryMessage(), s.now(), s.now().Add(wait)
			st.deliveries.put(d.ID, *d)
		}
	})
}

func (s deliveries) Gather(ctx context.Context, w webhook.Webhook, events []int64) (added bool, err error) {
	err = s.apply(ctx, func(st *state) {
		st.needLock("webhook", w.ID)
		var d webhook.Delivery
		d, added = st.deliveries.find(func(d webhook.Delivery) bool { return d.WebhookID == w.ID && d.Status == webhook.DeliveryGathering })
		if !added {
			return
		}
		d.Count += len(events)
		d.Events = slices.Concat(d.Events, first(events, webhook.DeliveryEvents-len(d.Events)))
		d.DueAt = s.now().Add(w.Quiet)
		if last := d.CreatedAt.Add(w.Most); d.DueAt.After(last) {
			d.DueAt = last
		}
		st.deliveries.put(d.ID, d)
	})
	return added, err
}

func (s deliveries) Claim(ctx context.Context, limit int, lease time.Duration, room func(webhookID int64) int) ([]webhook.Delivery, error) {
	taken := map[int64]int{}
	return s.claim(ctx, limit, lease, func(st *state, d *webhook.Delivery) bool {
		w, _ := st.webhooks.get(d.WebhookID)
		if !w.Active && d.Count > 0 || taken[d.WebhookID] >= room(d.WebhookID) {
			return false
		}
		taken[d.WebhookID]++
		d.Status = webhook.DeliveryWaiting
		return true
	})
}

func (s deliveries) Record(ctx context.Context, d webhook.Delivery, a webhook.DeliveryAttempt, again time.Duration) error {
	return s.record(ctx, d.ID, d.Status != webhook.DeliveryWaiting, again, func(st *state, stored *webhook.Delivery) error {
		if stored.ProjectID != d.ProjectID || stored.Attempts != a.Number {
			return core.NotFound(s.thing)
		}
		a.DeliveryID, stored.Status = d.ID, d.Status
		st.attempts.put(attemptKey{d.ID, a.Number}, a)
		return nil
	})
}

func (s deliveries) Waiting(ctx context.Context) (count int64, due time.Time, err error) {
	return s.backlog(ctx, func(d *webhook.Delivery) time.Time { return d.DueAt })
}

func (s deliveries) Receivers(ctx context.Context) ([]webhook.Webhook, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.Webhook, error) {
		return st.webhooks.where(func(webhook.Webhook) bool { return true }), nil
	})
}

func (s deliveries) Deliveries(ctx context.Context, q ports.DeliveryQuery) ([]webhook.Delivery, error) {
	rows, err := where(ctx, s.store, func(d webhook.Delivery) bool {
		return d.ProjectID == q.ProjectID && d.WebhookID == q.WebhookID && (q.Status == "" || d.Status == q.Status) && (q.Before == 0 || d.ID < q.Before)
	})
	return first(latest(rows), q.Limit), err
}

func (s deliveries) Latest(ctx context.Context, projectID int64) ([]webhook.DeliveryResult, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.DeliveryResult, error) {
		results := map[int64]webhook.DeliveryResult{} // by webhook; deliveries are in the order of ids
		for _, d := range st.deliveries.where(func(d webhook.Delivery) bool { return d.ProjectID == projectID }) {
			r := webhook.DeliveryResult{WebhookID: d.WebhookID, Status: d.Status, At: d.CreatedAt}
			for _, a := range st.attempts.of(d.ID) {
				r.Attempts, r.At, r.Code = a.Number, a.At, a.Code
			}
			results[d.WebhookID] = r
		}
		return sort(slices.Collect(maps.Values(results)), by(func(r webhook.DeliveryResult) int64 { return r.WebhookID })), nil
	})
}

func (s deliveries) Attempts(ctx context.Context, projectID int64, deliveryIDs []int64) ([]webhook.DeliveryAttempt, error) {
	return view(ctx, s.conn, func(st *state) ([]webhook.DeliveryAttempt, error) {
		return st.attempts.where(func(a webhook.DeliveryAttempt) bool {
			d, _ := st.deliveries.get(a.DeliveryID)
			return d.ProjectID == projectID && slices.Contains(deliveryIDs, a.DeliveryID)
		}), nil
	})
}

func (s deliveries) Retry(ctx context.Context, projectID, webhookID, id int64) error {
	return edit(ctx, s.store, id, func(_ *state, d *webhook.Delivery) error {
		if d.ProjectID != projectID || d.WebhookID != webhookID {
			return core.NotFound(s.thing)
		}
		d.Status, d.EndedAt, d.DueAt = webhook.DeliveryWaiting, time.Time{}, s.now()
		return nil
	})
}

func (s deliveries) Park(ctx context.Context, projectID, webhookID int64, ids ...int64) (parked int, err error) {
	err = s.apply(ctx, func(st *state) {
		for _, d := range st.deliveries.of(webhookID) {
			if d.ProjectID == projectID && d.EndedAt.IsZero() && (len(ids) == 0 || slices.Contains(ids, d.ID)) {
				d.Status, d.EndedAt = webhook.DeliveryParked, s.now()
				st.deliveries.put(d.ID, d)
				parked++
			}
		}
	})
	return parked, err
}

type mails struct{ queue[notice.Mail] }

func (s mails) Insert(ctx context.Context, noticeIDs ...int64) error {
	return s.apply(ctx, func(st *state) {
		for _, id := range noticeIDs {
			if !st.notices.has(id) {
				st.refuse(core.NotFound("notice"))
			}
			s.add(st, notice.Mail{NoticeID: id})
		}
	})
}

func (s mails) InsertLetter(ctx context.Context, letter []byte) error {
	return s.apply(ctx, func(st *state) { s.add(st, notice.Mail{Letter: letter}) })
}

// add adds a mail that is due now.
func (s mails) add(st *state, m notice.Mail) {
	m.ID, m.Status, m.DueAt, m.CreatedAt = st.mails.next(), notice.MailWaiting, s.now(), s.now()
	st.mails.put(m.ID, m)
}

func (s mails) Mailed(ctx context.Context, userID, approvalID int64, within time.Duration) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		return st.mails.any(func(m notice.Mail) bool {
			n, ok := st.notices.get(m.NoticeID)
			return ok && n.UserID == userID && n.ApprovalID == approvalID && m.CreatedAt.After(s.now().Add(-within))
		}), nil
	})
}

func (s mails) Claim(ctx context.Context, limit int, lease time.Duration) ([]notice.Mail, error) {
	return s.claim(ctx, limit, lease, func(*state, *notice.Mail) bool { return true })
}

func (s mails) Record(ctx context.Context, m notice.Mail, again time.Duration) error {
	ended := m.Status != notice.MailWaiting
	return s.record(ctx, m.ID, ended, again, func(_ *state, stored *notice.Mail) error {
		if stored.Attempts != m.Attempts || !stored.EndedAt.IsZero() {
			return core.NotFound(s.thing)
		}
		if stored.Status, stored.Fault = m.Status, m.Fault; ended {
			stored.Letter = nil
		}
		return nil
	})
}

func (s mails) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	return s.backlog(ctx, func(m *notice.Mail) time.Time { return m.CreatedAt })
}

type notices struct{ numbered }

func (s notices) Insert(ctx context.Context, added ...*notice.Notice) error {
	return s.apply(ctx, func(st *state) {
		for _, n := range added {
			if st.notices.any(func(other notice.Notice) bool { return other.UserID == n.UserID && other.Key == n.Key }) {
				continue
			}
			n.ID, n.At = st.notices.next(), s.now()
			stored := *n
			stored.Actor.MadeBy = 0
			st.notices.put(n.ID, stored)
		}
	})
}

func (s notices) Notice(ctx context.Context, id int64) (notice.Notice, error) {
	return get[notice.Notice](ctx, s.store, id)
}

func (s notices) Notices(ctx context.Context, q ports.NoticeQuery) ([]notice.Notice, error) {
	return view(ctx, s.conn, func(st *state) ([]notice.Notice, error) { return page(st.noticesOf(q), q.Offset, q.Limit), nil })
}

func (s notices) Count(ctx context.Context, q ports.NoticeQuery) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) { return int64(len(st.noticesOf(q))), nil })
}

func (st *state) noticesOf(q ports.NoticeQuery) []notice.Notice {
	actor := st.actor(q.Reach)
	return latest(st.notices.where(func(n notice.Notice) bool {
		if n.UserID != q.Reach.UserID || q.Unread && !n.ReadAt.IsZero() {
			return false
		}
		p, _ := st.projects.get(n.ProjectID)
		var request *review.Request
		if r, ok := st.requests.get(n.ApprovalID); ok {
			request = &r
		}
		return n.VisibleTo(actor, p, request)
	}))
}

func (s notices) Blank(ctx context.Context, projectID int64, since time.Time, keys ...string) error {
	return s.set(ctx, func(n notice.Notice) bool {
		return n.ProjectID == projectID && !n.At.Before(since) && slices.Contains(keys, n.Key)
	}, func(n *notice.Notice) { n.Comment = "" })
}

func (s notices) MarkRead(ctx context.Context, userID int64, ids []int64, before time.Time) error {
	return s.set(ctx, func(n notice.Notice) bool {
		return n.UserID == userID && n.ReadAt.IsZero() && (slices.Contains(ids, n.ID) || !before.IsZero() && !n.At.After(before))
	}, func(n *notice.Notice) { n.ReadAt = s.now() })
}

// set changes the notices that match.
func (s notices) set(ctx context.Context, match func(notice.Notice) bool, set func(*notice.Notice)) error {
	return s.apply(ctx, func(st *state) {
		for _, n := range st.notices.where(match) {
			set(&n)
			st.notices.put(n.ID, n)
		}
	})
}
