package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/review"
)

// dueOf has for each kind of reminders the table, the condition that one is due or will be, the column of its time, the
// step, and the change that removes it.
var dueOf = [...]struct {
	kind                            review.ReminderKind
	table, at, due, id, step, taken string
}{
	{review.RemindTurn, "approval_waits", "remind_at", "remind_at IS NOT NULL", "request_id", "step_id", "remind_at = NULL"},
	{review.RemindEscalated, "approval_waits", "escalate_at", "escalate_at IS NOT NULL AND NOT escalate_told AND passed_at IS NULL", "request_id", "step_id", "escalate_told = true"},
	{review.RemindOverdue, "approval_requests", "late_at", "late_at IS NOT NULL AND status = 'pending'", "id", "0", "late_at = NULL"},
}

// dueReminders selects the due reminders of a kind, the earliest first, from an index.
func dueReminders(c sqldb.Conn, kind review.ReminderKind, except []int64) string {
	of := dueOf[kind]
	text := "SELECT project_id, " + of.id + ", " + of.step + " FROM " + of.table + " WHERE " + of.due + " AND " + of.at + " <= " + c.DB.Dialect.Now() + " AND " +
		ofLiveProject(of.table)
	for _, id := range except { // few: reminders do not fail
		text += " AND " + of.id + " <> " + sqldb.Number(id)
	}
	return text + " ORDER BY " + of.at + " LIMIT ?"
}

func scanReminder(kind review.ReminderKind) func(sqldb.Rows) (review.Reminder, error) {
	return func(rows sqldb.Rows) (review.Reminder, error) {
		r := review.Reminder{Kind: kind}
		return r, rows.Scan(&r.ProjectID, &r.RequestID, &r.StepID)
	}
}

// AnyDue implements ports.Reminders.
func (s requestStore) AnyDue(ctx context.Context, except ...int64) (bool, error) {
	for _, of := range dueOf {
		if due, err := sqldb.Collect(ctx, s.Conn, scanReminder(of.kind), dueReminders(s.Conn, of.kind, except), 1); err != nil || len(due) > 0 {
			return len(due) > 0, err
		}
	}
	return false, nil
}

// TakeDue implements ports.Reminders.
func (s requestStore) TakeDue(ctx context.Context, limit int, except ...int64) (taken []review.Reminder, err error) {
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		for _, of := range dueOf {
			if len(taken) == limit {
				break
			}
			lock := c.ForUpdate()
			if lock != "" {
				lock += " SKIP LOCKED"
			}
			same := "project_id = project AND " + of.id + " = request"
			if of.step != "0" {
				same += " AND step_id = step"
			}
			some, err := sqldb.Collect(ctx, c, scanReminder(of.kind), "WITH due (project, request, step) AS MATERIALIZED ("+dueReminders(c, of.kind, except)+lock+")"+
				" UPDATE "+of.table+" SET "+of.taken+" FROM due WHERE "+same+" RETURNING project_id, "+of.id+", "+of.step, limit-len(taken))
			if err != nil {
				return err
			}
			taken = append(taken, some...)
		}
		return nil
	})
	return taken, err
}
