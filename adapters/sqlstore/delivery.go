package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// deliveryStore implements ports.Outbox, ports.DeliveryStore and ports.DeliveryLog.
type deliveryStore struct{ sqldb.Conn }

var deliveries = sqldb.Queue[webhook.Delivery]{TableOf: sqldb.NewTableOf("deliveries", "delivery", func(d *webhook.Delivery) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &d.ProjectID},
		{Name: "id", Kind: "bigint", Of: &d.ID},
		{Name: "webhook_id", Kind: "bigint", Of: &d.WebhookID},
		{Name: "message", Kind: "text", Of: &d.Message},
		{Name: "type", Kind: "text", Of: &d.Type},
		{Name: "events", Kind: "text", Of: sqldb.InJSON(&d.Events)},
		{Name: "count", Kind: "bigint", Of: &d.Count},
		{Name: "status", Kind: "text", Of: (*string)(&d.Status)},
		{Name: "due_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.DueAt)},
		{Name: "attempts", Kind: "bigint", Of: &d.Attempts},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.CreatedAt)},
		{Name: "ended_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.EndedAt)},
	}
})}

var deliveryAttempts = sqldb.NewTableOf("delivery_attempts", "delivery", func(a *webhook.DeliveryAttempt) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint"},
		{Name: "delivery_id", Kind: "bigint", Of: &a.DeliveryID},
		{Name: "number", Kind: "bigint", Of: &a.Number},
		{Name: "at", Kind: "bigint", Of: (*sqldb.Instant)(&a.At)},
		{Name: "took", Kind: "bigint", Of: (*sqldb.Period)(&a.Took)},
		{Name: "code", Kind: "bigint", Of: &a.Code},
		{Name: "fault", Kind: "text", Of: &a.Fault},
		{Name: "answer", Kind: "text", Of: &a.Answer},
	}
})

// Take locks nothing on engines that run one write transaction at a time.
func (s deliveryStore) Take(ctx context.Context, limit int, except ...int64) (taken []event.Event, err error) {
	oldest, lock, args := "SELECT id FROM events WHERE outgoing", s.ForUpdate(), []any{sqldb.As("limit", limit)}
	if len(except) > 0 {
		oldest, args = oldest+" AND NOT id ?", append(args, sqldb.AmongIDs(except))
	}
	if lock != "" {
		lock += " SKIP LOCKED"
	}
	taken, err = events.Changed(ctx, s.Conn, "WITH oldest (oldest_id) AS MATERIALIZED ("+oldest+" ORDER BY id LIMIT @limit"+lock+")"+
		" UPDATE events SET outgoing = false WHERE id IN (SELECT oldest_id FROM oldest)", args...)
	slices.SortFunc(taken, func(a, b event.Event) int { return cmp.Compare(a.ID, b.ID) })
	return taken, err
}

// Hold waits for transactions that have locked one of the webhooks, and reads those that are active then.
func (s deliveryStore) Hold(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	lock := ""
	if s.Locks() {
		lock = " FOR NO KEY UPDATE"
	}
	return webhooks.All(ctx, s.Conn, " WHERE project_id = ? AND active ORDER BY id"+lock, projectID)
}

func (s deliveryStore) Events(ctx context.Context, ids []int64) ([]event.Event, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return events.All(ctx, s.Conn, " WHERE id ? ORDER BY id", sqldb.AmongIDs(ids))
}

func (s deliveryStore) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	err = s.Each(ctx, func(from sqldb.Rows) error { return from.Scan(&count, (*sqldb.Instant)(&oldest)) }, "SELECT count(*), min(at) FROM events WHERE outgoing")
	return count, oldest, err
}

var newDeliveries = sqldb.NewTable("deliveries", "project_id bigint", "webhook_id bigint", "message text", "type text", "events text", "count bigint", "status text")

func (s deliveryStore) Insert(ctx context.Context, wait time.Duration, added ...*webhook.Delivery) error {
	if len(added) == 0 {
		return nil
	}
	rows := sqldb.Mapped(added, func(d *webhook.Delivery) []any {
		return []any{d.ProjectID, d.WebhookID, webhook.NewDeliveryMessage(), d.Type, sqldb.Encode(d.Events), d.Count, string(d.Status)}
	})
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		now, columns := c.DB.Dialect.Now(), strings.Join(newDeliveries.Columns, ", ")
		stored, err := deliveries.Changed(ctx, c, "INSERT INTO deliveries ("+columns+", due_at, attempts, created_at)"+
			" SELECT v.*, "+now+" + ?, 0, "+now+" FROM (?) AS v", wait.Milliseconds(), sqldb.RowList{Types: newDeliveries.Types, Rows: rows})
		for i, d := range stored {
			added[i].ID, added[i].Message, added[i].DueAt, added[i].CreatedAt = d.ID, d.Message, d.DueAt, d.CreatedAt
		}
		return err
	})
}

func (s deliveryStore) Gather(ctx context.Context, w webhook.Webhook, events []int64) (gathered bool, err error) {
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		open, err := deliveries.All(ctx, c, " WHERE "+ofReceiver+" AND "+sqldb.Waits+" AND status = 'gathering' LIMIT 1"+c.ForUpdate(), w.ProjectID, w.ID)
		if gathered = len(open) > 0; err != nil || !gathered {
			return err
		}
		d := open[0]
		d.Count += len(events)
		d.Events = append(d.Events, events[:min(len(events), webhook.DeliveryEvents-len(d.Events))]...)
		now := c.DB.Dialect.Now()
		_, err = c.Exec(ctx, "UPDATE deliveries SET events = ?, count = ?, due_at = CASE WHEN "+now+" + @quiet < created_at + @most THEN "+now+" + @quiet ELSE created_at + @most END"+
			" WHERE project_id = ? AND id = ?", sqldb.InJSON(&d.Events), d.Count, w.Quiet.Milliseconds(), w.Most.Milliseconds(), d.ProjectID, d.ID)
		return c.DB.Fault(err, "delivery")
	})
	return gathered, err
}

func (s deliveryStore) Claim(ctx context.Context, limit int, lease time.Duration, room func(webhookID int64) int) (claimed []webhook.Delivery, err error) {
	due, err := webhooks.All(ctx, s.Conn, " w WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.project_id = w.project_id AND d.webhook_id = w.id"+
		" AND d.ended_at IS NULL AND d.due_at <= "+s.DB.Dialect.Now()+" AND (w.active OR d.count = 0)) AND "+ofLiveProject("w")+" ORDER BY random()") // so that none waits for ever
	due = slices.DeleteFunc(due, func(w webhook.Webhook) bool { return room(w.ID) <= 0 })
	if err != nil || len(due) == 0 || limit <= 0 {
		return nil, err
	}
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
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
	return deliveries.Claim(ctx, s.Conn, limit, lease, ofReceiver, ofReceiver+" AND (count = 0 OR @active)",
		sqldb.As("project", w.ProjectID), sqldb.As("webhook", w.ID), sqldb.As("active", w.Active))
}

// ofReceiver is the condition of the deliveries of a webhook.
const ofReceiver = "project_id = @project AND webhook_id = @webhook"

func (s deliveryStore) Record(ctx context.Context, d webhook.Delivery, a webhook.DeliveryAttempt, again time.Duration) error {
	var set sqldb.Assigned
	ended := d.Status != webhook.DeliveryWaiting
	if ended {
		set = sqldb.Assign("status", string(d.Status))
	}
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if err := deliveries.Record(ctx, c, set, ended, again, "project_id = ? AND id = ? AND attempts = ?", d.ProjectID, d.ID, a.Number); err != nil {
			return err
		}
		a.DeliveryID = d.ID
		text, args := append(sqldb.Assign("project_id", d.ProjectID), deliveryAttempts.Set(&a)...).Insert(deliveryAttempts.Name)
		_, err := c.Do(ctx, deliveryAttempts.Thing, text, args...)
		return err
	})
}

func (s deliveryStore) Waiting(ctx context.Context) (count int64, due time.Time, err error) {
	return deliveries.Backlog(ctx, s.Conn, "due_at")
}

func (s deliveryStore) Receivers(ctx context.Context) ([]webhook.Webhook, error) {
	return webhooks.All(ctx, s.Conn, " w WHERE "+ofLiveProject("w")+" ORDER BY id")
}

func (s deliveryStore) Deliveries(ctx context.Context, q ports.DeliveryQuery) ([]webhook.Delivery, error) {
	end, args := " WHERE "+ofReceiver, []any{q.ProjectID, q.WebhookID}
	if q.Status != "" {
		end, args = end+" AND status = ?", append(args, string(q.Status))
	}
	if q.Before != 0 {
		end, args = end+" AND id < ?", append(args, q.Before)
	}
	return deliveries.All(ctx, s.Conn, end+" ORDER BY id DESC LIMIT ?", append(args, q.Limit)...)
}

// selectLatest reads two rows of indexes for each webhook.
const selectLatest = "SELECT d.webhook_id, d.status, COALESCE(a.number, 0), COALESCE(a.at, d.created_at), COALESCE(a.code, 0) FROM webhooks w" +
	" JOIN deliveries d ON d.project_id = @project AND d.id = (SELECT max(l.id) FROM deliveries l WHERE l.project_id = @project AND l.webhook_id = w.id)" +
	" LEFT JOIN delivery_attempts a ON a.project_id = @project AND a.delivery_id = d.id" +
	" AND a.number = (SELECT max(l.number) FROM delivery_attempts l WHERE l.project_id = @project AND l.delivery_id = d.id)" +
	" WHERE w.project_id = @project ORDER BY w.id"

func (s deliveryStore) Latest(ctx context.Context, projectID int64) ([]webhook.DeliveryResult, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(r *webhook.DeliveryResult) []any {
		return []any{&r.WebhookID, &r.Status, &r.Attempts, (*sqldb.Instant)(&r.At), &r.Code}
	}), selectLatest, projectID)
}

func (s deliveryStore) Attempts(ctx context.Context, projectID int64, deliveryIDs []int64) ([]webhook.DeliveryAttempt, error) {
	if len(deliveryIDs) == 0 {
		return nil, nil
	}
	return deliveryAttempts.All(ctx, s.Conn, " WHERE project_id = @project AND delivery_id ? ORDER BY delivery_id, number", projectID, sqldb.AmongIDs(deliveryIDs))
}

func (s deliveryStore) Retry(ctx context.Context, projectID, webhookID, id int64) error {
	n, err := s.set(ctx, "status = 'waiting', ended_at = NULL, due_at = "+s.DB.Dialect.Now(), ofReceiver+" AND id = ?", projectID, webhookID, id)
	if err == nil && n == 0 {
		err = core.NotFound("delivery")
	}
	return err
}

func (s deliveryStore) Park(ctx context.Context, projectID, webhookID int64, ids ...int64) (parked int, err error) {
	condition, args := ofReceiver+" AND "+sqldb.Waits, []any{projectID, webhookID}
	if len(ids) > 0 {
		condition, args = condition+" AND id ?", append(args, sqldb.AmongIDs(ids))
	}
	return s.set(ctx, "status = 'parked', ended_at = "+s.DB.Dialect.Now(), condition, args...)
}

// set changes the deliveries that meet a condition and returns their number.
func (s deliveryStore) set(ctx context.Context, columns, condition string, args ...any) (changed int, err error) {
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		n, err := c.Exec(ctx, "UPDATE deliveries SET "+columns+" WHERE "+condition, args...)
		changed = int(n)
		return c.DB.Fault(err, "delivery")
	})
	return changed, err
}
