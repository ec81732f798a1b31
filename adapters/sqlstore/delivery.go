package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/ports"
)

// deliveryStore implements ports.Outbox, ports.DeliveryStore and ports.DeliveryLog.
type deliveryStore struct{ conn }

type deliveryRow struct {
	bun.BaseModel `bun:"table:deliveries,alias:d"`

	ProjectID int64 `bun:",pk"`
	ID        int64 `bun:",pk,autoincrement"`
	WebhookID int64
	Message   string
	Type      string
	Events    encoded[[]int64]
	Count     int
	Status    core.DeliveryStatus
	DueAt     instant
	Attempts  int
	CreatedAt instant
	EndedAt   instant
}

func (r deliveryRow) core() core.Delivery {
	return core.Delivery{
		ID: r.ID, ProjectID: r.ProjectID, WebhookID: r.WebhookID, Message: r.Message, Type: r.Type, Events: r.Events.v, Count: r.Count, Status: r.Status,
		DueAt: time.Time(r.DueAt), Attempts: r.Attempts, CreatedAt: time.Time(r.CreatedAt), EndedAt: time.Time(r.EndedAt),
	}
}

type attemptRow struct {
	bun.BaseModel `bun:"table:delivery_attempts,alias:a"`

	ProjectID  int64
	DeliveryID int64
	Number     int
	At         instant
	Took       int64
	Code       int
	Fault      string
	Answer     string
}

func (r attemptRow) core() core.DeliveryAttempt {
	return core.DeliveryAttempt{
		DeliveryID: r.DeliveryID, Number: r.Number, At: time.Time(r.At), Took: milliseconds(r.Took), Code: r.Code, Fault: r.Fault, Answer: r.Answer,
	}
}

// Take locks nothing on engines that run one write transaction at a time.
func (s deliveryStore) Take(ctx context.Context, limit int, except ...int64) (taken []core.Event, err error) {
	oldest := s.write.NewSelect().Model((*eventRow)(nil)).Column("id").Where("outgoing").Order("id").Limit(int64(limit))
	if len(except) > 0 {
		oldest = oldest.Where("id NOT IN (?)", bun.List(except))
	}
	if s.locks() {
		oldest = oldest.For("UPDATE SKIP LOCKED")
	}
	var rows []eventRow
	if _, err := s.write.NewUpdate().Model((*eventRow)(nil)).Set("outgoing = ?", false).Where("id IN (?)", oldest).Returning("*").Exec(ctx, &rows); err != nil {
		return nil, s.db.fault(err, "event")
	}
	slices.SortFunc(rows, func(a, b eventRow) int { return cmp.Compare(a.ID, b.ID) })
	return mapped(rows, eventRow.core), nil
}

// Hold waits for transactions that have locked one of the webhooks, and reads those that are active then.
func (s deliveryStore) Hold(ctx context.Context, projectID int64) ([]core.Webhook, error) {
	return all[webhookRow](ctx, s.conn, "webhook", func(q *bun.SelectQuery) *bun.SelectQuery {
		if s.locks() {
			q = q.For("NO KEY UPDATE")
		}
		return q.Where("project_id = ? AND active", projectID).Order("id")
	})
}

func (s deliveryStore) Events(ctx context.Context, ids []int64) ([]core.Event, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return all[eventRow](ctx, s.conn, "event", ordered("id", "id IN (?)", bun.List(ids)))
}

func (s deliveryStore) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	var row struct {
		Count  int64
		Oldest instant
	}
	err = s.read.NewSelect().Model((*eventRow)(nil)).ColumnExpr("count(*) AS count, min(at) AS oldest").Where("outgoing").Scan(ctx, &row)
	return row.Count, time.Time(row.Oldest), s.db.fault(err, "event")
}

func (s deliveryStore) Insert(ctx context.Context, wait time.Duration, deliveries ...*core.Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	now := s.db.dialect.Now()
	rows := mapped(deliveries, func(d *core.Delivery) *deliveryRow {
		return &deliveryRow{
			ProjectID: d.ProjectID, WebhookID: d.WebhookID, Message: core.NewDeliveryMessage(), Type: d.Type, Events: encoded[[]int64]{d.Events}, Count: d.Count, Status: d.Status,
		}
	})
	_, err := s.write.NewInsert().Model(&rows).
		Value("due_at", now+" + ?", wait.Milliseconds()).Value("created_at", now).Returning("id, due_at, created_at").Exec(ctx)
	for i, r := range rows {
		deliveries[i].ID, deliveries[i].Message, deliveries[i].DueAt, deliveries[i].CreatedAt = r.ID, r.Message, time.Time(r.DueAt), time.Time(r.CreatedAt)
	}
	return s.written(err, "delivery")
}

func (s deliveryStore) Gather(ctx context.Context, w core.Webhook, events []int64) (bool, error) {
	var open []deliveryRow
	q := s.write.NewSelect().Model(&open).Where("project_id = ? AND webhook_id = ? AND ended_at IS NULL AND status = ?", w.ProjectID, w.ID, core.DeliveryGathering).Limit(1)
	if s.locks() {
		q = q.For("UPDATE")
	}
	if err := q.Scan(ctx); err != nil || len(open) == 0 {
		return false, s.db.fault(err, "delivery")
	}
	d := &open[0]
	d.Count += len(events)
	d.Events.v = append(d.Events.v, events[:min(len(events), core.DeliveryEvents-len(d.Events.v))]...)
	now := s.db.dialect.Now()
	_, err := s.write.NewUpdate().Model(d).Column("events", "count").
		Set("due_at = CASE WHEN "+now+" + ? < created_at + ? THEN "+now+" + ? ELSE created_at + ? END",
			w.Quiet.Milliseconds(), w.Most.Milliseconds(), w.Quiet.Milliseconds(), w.Most.Milliseconds()).
		WherePK().Exec(ctx)
	return true, s.db.fault(err, "delivery")
}

func (s deliveryStore) Claim(ctx context.Context, limit int, lease time.Duration, room func(webhookID int64) int) (claimed []core.Delivery, err error) {
	due, err := all[webhookRow](ctx, s.conn, "webhook", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("EXISTS (SELECT 1 FROM deliveries d WHERE d.project_id = w.project_id AND d.webhook_id = w.id AND d.ended_at IS NULL AND d.due_at <= " +
			s.db.dialect.Now() + " AND (w.active OR d.count = 0)) AND " + ofLiveProject("w")).OrderExpr("random()") // so that none waits for ever
	})
	due = slices.DeleteFunc(due, func(w core.Webhook) bool { return room(w.ID) <= 0 })
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

func (s deliveryStore) claim(ctx context.Context, w core.Webhook, limit int, lease time.Duration) ([]core.Delivery, error) {
	if limit <= 0 {
		return nil, nil
	}
	now := s.db.dialect.Now()
	due := s.write.NewSelect().Model((*deliveryRow)(nil)).Column("id").
		Where("project_id = ? AND webhook_id = ? AND ended_at IS NULL AND due_at <= "+now+" AND (count = 0 OR ?)", w.ProjectID, w.ID, w.Active).Order("due_at", "id").Limit(int64(limit))
	if s.locks() {
		due = due.For("UPDATE SKIP LOCKED")
	}
	var rows []deliveryRow
	_, err := s.write.NewUpdate().Model((*deliveryRow)(nil)).
		Set("status = ?", core.DeliveryWaiting).Set("attempts = attempts + 1").Set("due_at = "+now+" + ?", lease.Milliseconds()).
		Where("project_id = ? AND id IN (?)", w.ProjectID, due).Returning("*").Exec(ctx, &rows)
	return mapped(rows, deliveryRow.core), s.db.fault(err, "delivery")
}

func (s deliveryStore) Record(ctx context.Context, d core.Delivery, a core.DeliveryAttempt, again time.Duration) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		now := c.db.dialect.Now()
		q := c.write.NewUpdate().Model((*deliveryRow)(nil)).Where("project_id = ? AND id = ? AND attempts = ?", d.ProjectID, d.ID, a.Number)
		if d.Status == core.DeliveryWaiting {
			q = q.Set("due_at = "+now+" + ?", again.Milliseconds())
		} else {
			q = q.Set("status = ?", d.Status).Set("ended_at = " + now)
		}
		result, err := q.Exec(ctx)
		if err != nil {
			return c.db.fault(err, "delivery")
		}
		if err := c.found(result, "delivery"); err != nil {
			return err
		}
		row := &attemptRow{
			ProjectID: d.ProjectID, DeliveryID: d.ID, Number: a.Number, At: instant(a.At), Took: a.Took.Milliseconds(), Code: a.Code, Fault: a.Fault, Answer: a.Answer,
		}
		_, err = c.write.NewInsert().Model(row).Exec(ctx)
		return c.written(err, "delivery")
	})
}

func (s deliveryStore) Waiting(ctx context.Context) (count int64, due time.Time, err error) {
	var row struct {
		Count int64
		Due   instant
	}
	err = s.read.NewSelect().Model((*deliveryRow)(nil)).ColumnExpr("count(*) AS count, min(due_at) AS due").Where("ended_at IS NULL").Scan(ctx, &row)
	return row.Count, time.Time(row.Due), s.db.fault(err, "delivery")
}

func (s deliveryStore) Receivers(ctx context.Context) ([]core.Webhook, error) {
	return all[webhookRow](ctx, s.conn, "webhook", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where(ofLiveProject("w")).Order("id") })
}

func (s deliveryStore) Deliveries(ctx context.Context, q ports.DeliveryQuery) ([]core.Delivery, error) {
	return all[deliveryRow](ctx, s.conn, "delivery", func(rows *bun.SelectQuery) *bun.SelectQuery {
		rows = rows.Where("project_id = ? AND webhook_id = ?", q.ProjectID, q.WebhookID)
		if q.Status != "" {
			rows = rows.Where("status = ?", q.Status)
		}
		if q.Before != 0 {
			rows = rows.Where("id < ?", q.Before)
		}
		return rows.Order("id DESC").Limit(int64(q.Limit))
	})
}

// selectLatest reads two rows of indexes for each webhook.
const selectLatest = "SELECT d.webhook_id, d.status, COALESCE(a.number, 0), COALESCE(a.at, d.created_at), COALESCE(a.code, 0) FROM webhooks w" +
	" JOIN deliveries d ON d.project_id = @project AND d.id = (SELECT max(l.id) FROM deliveries l WHERE l.project_id = @project AND l.webhook_id = w.id)" +
	" LEFT JOIN delivery_attempts a ON a.project_id = @project AND a.delivery_id = d.id" +
	" AND a.number = (SELECT max(l.number) FROM delivery_attempts l WHERE l.project_id = @project AND l.delivery_id = d.id)" +
	" WHERE w.project_id = @project ORDER BY w.id"

func (s deliveryStore) Latest(ctx context.Context, projectID int64) ([]core.DeliveryResult, error) {
	return collect(ctx, s.conn, into(func(r *core.DeliveryResult) []any {
		return []any{&r.WebhookID, &r.Status, &r.Attempts, (*instant)(&r.At), &r.Code}
	}), selectLatest, projectID)
}

func (s deliveryStore) Attempts(ctx context.Context, projectID int64, deliveryIDs []int64) ([]core.DeliveryAttempt, error) {
	if len(deliveryIDs) == 0 {
		return nil, nil
	}
	return all[attemptRow](ctx, s.conn, "delivery", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("project_id = ? AND delivery_id IN (?)", projectID, bun.List(deliveryIDs)).Order("delivery_id", "number")
	})
}

func (s deliveryStore) Retry(ctx context.Context, projectID, webhookID, id int64) error {
	result, err := s.write.NewUpdate().Model((*deliveryRow)(nil)).
		Set("status = ?", core.DeliveryWaiting).Set("ended_at = NULL").Set("due_at = "+s.db.dialect.Now()).
		Where("project_id = ? AND webhook_id = ? AND id = ?", projectID, webhookID, id).Exec(ctx)
	if err != nil {
		return s.db.fault(err, "delivery")
	}
	return s.found(result, "delivery")
}

func (s deliveryStore) Park(ctx context.Context, projectID, webhookID int64, ids ...int64) (parked int, err error) {
	q := s.write.NewUpdate().Model((*deliveryRow)(nil)).Set("status = ?", core.DeliveryParked).Set("ended_at = "+s.db.dialect.Now()).
		Where("project_id = ? AND webhook_id = ? AND ended_at IS NULL", projectID, webhookID)
	if len(ids) > 0 {
		q = q.Where("id IN (?)", bun.List(ids))
	}
	result, err := q.Exec(ctx)
	if err != nil {
		return 0, s.db.fault(err, "delivery")
	}
	n, err := result.RowsAffected()
	return int(n), s.db.fault(err, "delivery")
}
