package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// deliveryStore implements ports.Outbox, ports.DeliveryStore and ports.DeliveryLog.
type deliveryStore struct{ conn }

var deliveries = queue[webhook.Delivery]{rowsOf("deliveries", "delivery", func(d *webhook.Delivery) []member {
	return []member{
		{name: "project_id", kind: "bigint", of: &d.ProjectID},
		{name: "id", kind: "bigint", of: &d.ID},
		{name: "webhook_id", kind: "bigint", of: &d.WebhookID},
		{name: "message", kind: "text", of: &d.Message},
		{name: "type", kind: "text", of: &d.Type},
		{name: "events", kind: "text", of: inJSON[[]int64]{&d.Events}},
		{name: "count", kind: "bigint", of: &d.Count},
		{name: "status", kind: "text", of: (*string)(&d.Status)},
		{name: "due_at", kind: "bigint", of: (*instant)(&d.DueAt)},
		{name: "attempts", kind: "bigint", of: &d.Attempts},
		{name: "created_at", kind: "bigint", of: (*instant)(&d.CreatedAt)},
		{name: "ended_at", kind: "bigint", of: (*instant)(&d.EndedAt)},
	}
})}

var deliveryAttempts = rowsOf("delivery_attempts", "delivery", func(a *webhook.DeliveryAttempt) []member {
	return []member{
		{name: "project_id", kind: "bigint"},
		{name: "delivery_id", kind: "bigint", of: &a.DeliveryID},
		{name: "number", kind: "bigint", of: &a.Number},
		{name: "at", kind: "bigint", of: (*instant)(&a.At)},
		{name: "took", kind: "bigint", of: (*period)(&a.Took)},
		{name: "code", kind: "bigint", of: &a.Code},
		{name: "fault", kind: "text", of: &a.Fault},
		{name: "answer", kind: "text", of: &a.Answer},
	}
})

// Take locks nothing on engines that run one write transaction at a time.
func (s deliveryStore) Take(ctx context.Context, limit int, except ...int64) (taken []event.Event, err error) {
	oldest, lock, args := "SELECT id FROM events WHERE outgoing", s.forUpdate(), []any{as{"limit", limit}}
	if len(except) > 0 {
		oldest, args = oldest+" AND NOT id ?", append(args, amongIDs(except))
	}
	if lock != "" {
		lock += " SKIP LOCKED"
	}
	taken, err = events.changed(ctx, s.conn, "WITH oldest (oldest_id) AS MATERIALIZED ("+oldest+" ORDER BY id LIMIT @limit"+lock+")"+
		" UPDATE events SET outgoing = false WHERE id IN (SELECT oldest_id FROM oldest)", args...)
	slices.SortFunc(taken, func(a, b event.Event) int { return cmp.Compare(a.ID, b.ID) })
	return taken, err
}

// Hold waits for transactions that have locked one of the webhooks, and reads those that are active then.
func (s deliveryStore) Hold(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	lock := ""
	if s.locks() {
		lock = " FOR NO KEY UPDATE"
	}
	return webhooks.all(ctx, s.conn, " WHERE project_id = ? AND active ORDER BY id"+lock, projectID)
}

func (s deliveryStore) Events(ctx context.Context, ids []int64) ([]event.Event, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return events.all(ctx, s.conn, " WHERE id ? ORDER BY id", amongIDs(ids))
}

func (s deliveryStore) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	err = s.each(ctx, func(from Rows) error { return from.Scan(&count, (*instant)(&oldest)) }, "SELECT count(*), min(at) FROM events WHERE outgoing")
	return count, oldest, err
}

var newDeliveries = newTable("deliveries", "project_id bigint", "webhook_id bigint", "message text", "type text", "events text", "count bigint", "status text")

func (s deliveryStore) Insert(ctx context.Context, wait time.Duration, added ...*webhook.Delivery) error {
	if len(added) == 0 {
		return nil
	}
	rows := mapped(added, func(d *webhook.Delivery) []any {
		return []any{d.ProjectID, d.WebhookID, webhook.NewDeliveryMessage(), d.Type, encoded[[]int64]{d.Events}, d.Count, string(d.Status)}
	})
	return s.change(ctx, func(ctx context.Context, c conn) error {
		now, columns := c.db.dialect.Now(), strings.Join(newDeliveries.Columns, ", ")
		stored, err := deliveries.changed(ctx, c, "INSERT INTO deliveries ("+columns+", due_at, attempts, created_at)"+
			" SELECT v.*, "+now+" + ?, 0, "+now+" FROM (?) AS v", wait.Milliseconds(), rowList{newDeliveries.Types, rows})
		for i, d := range stored {
			added[i].ID, added[i].Message, added[i].DueAt, added[i].CreatedAt = d.ID, d.Message, d.DueAt, d.CreatedAt
		}
		return err
	})
}

func (s deliveryStore) Gather(ctx context.Context, w webhook.Webhook, events []int64) (gathered bool, err error) {
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		open, err := deliveries.all(ctx, c, " WHERE "+ofReceiver+" AND "+waits+" AND status = 'gathering' LIMIT 1"+c.forUpdate(), w.ProjectID, w.ID)
		if gathered = len(open) > 0; err != nil || !gathered {
			return err
		}
		d := open[0]
		d.Count += len(events)
		d.Events = append(d.Events, events[:min(len(events), webhook.DeliveryEvents-len(d.Events))]...)
		now := c.db.dialect.Now()
		_, err = c.exec(ctx, "UPDATE deliveries SET events = ?, count = ?, due_at = CASE WHEN "+now+" + @quiet < created_at + @most THEN "+now+" + @quiet ELSE created_at + @most END"+
			" WHERE project_id = ? AND id = ?", inJSON[[]int64]{&d.Events}, d.Count, w.Quiet.Milliseconds(), w.Most.Milliseconds(), d.ProjectID, d.ID)
		return c.db.fault(err, "delivery")
	})
	return gathered, err
}

func (s deliveryStore) Claim(ctx context.Context, limit int, lease time.Duration, room func(webhookID int64) int) (claimed []webhook.Delivery, err error) {
	due, err := webhooks.all(ctx, s.conn, " w WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.project_id = w.project_id AND d.webhook_id = w.id"+
		" AND d.ended_at IS NULL AND d.due_at <= "+s.db.dialect.Now()+" AND (w.active OR d.count = 0)) AND "+ofLiveProject("w")+" ORDER BY random()") // so that none waits for ever
	due = slices.DeleteFunc(due, func(w webhook.Webhook) bool { return room(w.ID) <= 0 })
	if err != nil || len(due) == 0 || limit <= 0 {
		return nil, err
	}
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		claimed = nil
		for _, w := range due {
			some, err := deliveryStore{c}.claim(ctx, w, min(room(w.ID), limit-len(claimed)), lease)
			if err != nil {
				return err
			}
			claimed = append(claimed, some...)
		}
		return nil
	})
	return claimed, err
}

func (s deliveryStore) claim(ctx context.Context, w webhook.Webhook, limit int, lease time.Duration) ([]webhook.Delivery, error) {
	if limit <= 0 {
		return nil, nil
	}
	return deliveries.claim(ctx, s.conn, limit, lease, ofReceiver, ofReceiver+" AND (count = 0 OR @active)",
		as{"project", w.ProjectID}, as{"webhook", w.ID}, as{"active", w.Active})
}

// ofReceiver is the condition of the deliveries of a webhook.
const ofReceiver = "project_id = @project AND webhook_id = @webhook"

func (s deliveryStore) Record(ctx context.Context, d webhook.Delivery, a webhook.DeliveryAttempt, again time.Duration) error {
	var set assigned
	ended := d.Status != webhook.DeliveryWaiting
	if ended {
		set = assigned{{"status", string(d.Status)}}
	}
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if err := deliveries.record(ctx, c, set, ended, again, "project_id = ? AND id = ? AND attempts = ?", d.ProjectID, d.ID, a.Number); err != nil {
			return err
		}
		a.DeliveryID = d.ID
		text, args := append(assigned{{"project_id", d.ProjectID}}, deliveryAttempts.set(&a)...).insert(deliveryAttempts.Name)
		_, err := c.do(ctx, deliveryAttempts.thing, text, args...)
		return err
	})
}

func (s deliveryStore) Waiting(ctx context.Context) (count int64, due time.Time, err error) {
	return deliveries.backlog(ctx, s.conn, "due_at")
}

func (s deliveryStore) Receivers(ctx context.Context) ([]webhook.Webhook, error) {
	return webhooks.all(ctx, s.conn, " w WHERE "+ofLiveProject("w")+" ORDER BY id")
}

func (s deliveryStore) Deliveries(ctx context.Context, q ports.DeliveryQuery) ([]webhook.Delivery, error) {
	end, args := " WHERE "+ofReceiver, []any{q.ProjectID, q.WebhookID}
	if q.Status != "" {
		end, args = end+" AND status = ?", append(args, string(q.Status))
	}
	if q.Before != 0 {
		end, args = end+" AND id < ?", append(args, q.Before)
	}
	return deliveries.all(ctx, s.conn, end+" ORDER BY id DESC LIMIT ?", append(args, q.Limit)...)
}

// selectLatest reads two rows of indexes for each webhook.
const selectLatest = "SELECT d.webhook_id, d.status, COALESCE(a.number, 0), COALESCE(a.at, d.created_at), COALESCE(a.code, 0) FROM webhooks w" +
	" JOIN deliveries d ON d.project_id = @project AND d.id = (SELECT max(l.id) FROM deliveries l WHERE l.project_id = @project AND l.webhook_id = w.id)" +
	" LEFT JOIN delivery_attempts a ON a.project_id = @project AND a.delivery_id = d.id" +
	" AND a.number = (SELECT max(l.number) FROM delivery_attempts l WHERE l.project_id = @project AND l.delivery_id = d.id)" +
	" WHERE w.project_id = @project ORDER BY w.id"

func (s deliveryStore) Latest(ctx context.Context, projectID int64) ([]webhook.DeliveryResult, error) {
	return collect(ctx, s.conn, into(func(r *webhook.DeliveryResult) []any {
		return []any{&r.WebhookID, &r.Status, &r.Attempts, (*instant)(&r.At), &r.Code}
	}), selectLatest, projectID)
}

func (s deliveryStore) Attempts(ctx context.Context, projectID int64, deliveryIDs []int64) ([]webhook.DeliveryAttempt, error) {
	if len(deliveryIDs) == 0 {
		return nil, nil
	}
	return deliveryAttempts.all(ctx, s.conn, " WHERE project_id = @project AND delivery_id ? ORDER BY delivery_id, number", projectID, amongIDs(deliveryIDs))
}

func (s deliveryStore) Retry(ctx context.Context, projectID, webhookID, id int64) error {
	n, err := s.set(ctx, "status = 'waiting', ended_at = NULL, due_at = "+s.db.dialect.Now(), ofReceiver+" AND id = ?", projectID, webhookID, id)
	if err == nil && n == 0 {
		err = core.NotFound("delivery")
	}
	return err
}

func (s deliveryStore) Park(ctx context.Context, projectID, webhookID int64, ids ...int64) (parked int, err error) {
	condition, args := ofReceiver+" AND "+waits, []any{projectID, webhookID}
	if len(ids) > 0 {
		condition, args = condition+" AND id ?", append(args, amongIDs(ids))
	}
	return s.set(ctx, "status = 'parked', ended_at = "+s.db.dialect.Now(), condition, args...)
}

// set changes the deliveries that meet a condition and returns their number.
func (s deliveryStore) set(ctx context.Context, columns, condition string, args ...any) (changed int, err error) {
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.exec(ctx, "UPDATE deliveries SET "+columns+" WHERE "+condition, args...)
		changed = int(n)
		return c.db.fault(err, "delivery")
	})
	return changed, err
}
