package sqlstore

import (
	"context"

	"imprimatur/core"
)

var scanReminder = into(func(r *core.Reminder) []any { return []any{&r.ProjectID, &r.RequestID, &r.StepID} })

// dueReminders selects the due reminders, the earliest first, from an index.
func (c conn) dueReminders(except []int64) string {
	text := "SELECT project_id, request_id, step_id FROM approval_waits WHERE remind_at <= " + c.db.dialect.Now() + " AND " + ofLiveProject("approval_waits")
	for _, id := range except { // few: reminders do not fail
		text += " AND request_id <> " + number(id)
	}
	return text + " ORDER BY remind_at LIMIT $1"
}

// AnyDue implements ports.Reminders.
func (s requestStore) AnyDue(ctx context.Context, except ...int64) (bool, error) {
	due, err := collect(ctx, s.conn, scanReminder, s.dueReminders(except), 1)
	return len(due) > 0, err
}

// TakeDue implements ports.Reminders.
func (s requestStore) TakeDue(ctx context.Context, limit int, except ...int64) (taken []core.Reminder, err error) {
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		lock := c.forUpdate()
		if lock != "" {
			lock += " SKIP LOCKED"
		}
		taken, err = collect(ctx, c, scanReminder, "WITH due (project, request, step) AS MATERIALIZED ("+c.dueReminders(except)+lock+")"+
			" UPDATE approval_waits SET remind_at = NULL FROM due WHERE project_id = project AND request_id = request AND step_id = step"+
			" RETURNING project_id, request_id, step_id", limit)
		return err
	})
	return taken, err
}
