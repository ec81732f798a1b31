package sqlstore

import (
	"context"
	"strings"
	"time"
)

// queue is a table of what is attempted until it ends: a mail or a delivery. Its columns status, attempts, due_at and
// ended_at say how far it is. Times are the database's.
type queue[T any] struct{ *rows[T] }

// waits is the condition of the rows that have not ended, and isDue of those that an attempt is due for.
const waits = "ended_at IS NULL"

func isDue(now string) string { return waits + " AND due_at <= " + now }

// claim begins an attempt of up to limit due rows that meet a condition, the earliest first, and returns them in no
// order. Until lease has passed, no other claim returns them. place is a condition that all of them meet, to find them
// by id. The arguments are named.
func (q queue[T]) claim(ctx context.Context, c conn, limit int, lease time.Duration, place, condition string, args ...any) ([]T, error) {
	now, lock := c.db.dialect.Now(), c.forUpdate()
	if lock != "" {
		lock += " SKIP LOCKED"
	}
	return returned(ctx, c, q.thing, q.scan, "WITH due (due_id) AS MATERIALIZED (SELECT id FROM "+q.Name+" WHERE "+isDue(now)+" AND "+condition+
		" ORDER BY due_at, id LIMIT @limit"+lock+") UPDATE "+q.Name+" SET status = 'waiting', attempts = attempts + 1, due_at = "+now+" + @lease"+
		" WHERE "+place+" AND id IN (SELECT due_id FROM due) RETURNING "+q.read,
		append(args, as{"lease", lease.Milliseconds()}, as{"limit", limit})...)
}

// record stores the outcome of an attempt of the row that meets a condition: it sets columns, and the row has ended, or
// is due again. It returns not found if no row does.
func (q queue[T]) record(ctx context.Context, c conn, set assigned, ended bool, again time.Duration, condition string, args ...any) error {
	columns, values := set.split()
	now := c.db.dialect.Now()
	if ended {
		columns = append(columns, "ended_at = "+now)
	} else {
		columns, values = append(columns, "due_at = "+now+" + ?"), append(values, again.Milliseconds())
	}
	for i := range set {
		columns[i] += " = ?"
	}
	return c.must(ctx, q.thing, "UPDATE "+q.Name+" SET "+strings.Join(columns, ", ")+" WHERE "+condition, append(values, args...)...)
}

// backlog returns the number of rows that wait, and the earliest of their times in a column.
func (q queue[T]) backlog(ctx context.Context, c conn, column string) (count int64, first time.Time, err error) {
	err = c.each(ctx, func(from Rows) error { return from.Scan(&count, (*instant)(&first)) },
		"SELECT count(*), min("+column+") FROM "+q.Name+" WHERE "+waits)
	return count, first, err
}
