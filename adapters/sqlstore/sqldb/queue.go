package sqldb

import (
	"context"
	"strings"
	"time"
)

// Queue is a table of what is attempted until it ends: a mail or a delivery. Its columns status, attempts, due_at and
// ended_at say how far it is. Times are the database's.
type Queue[T any] struct{ *TableOf[T] }

// Waits is the condition of the rows that have not ended.
const Waits = "ended_at IS NULL"

// IsDue returns the condition of the rows that an attempt is due for.
func IsDue(now string) string { return Waits + " AND due_at <= " + now }

// Claim begins an attempt of up to limit due rows that meet a condition, the earliest first, and returns them in no
// order. Until lease has passed, no other claim returns them. place is a condition that all of them meet, to find them
// by id. The arguments are named.
func (q Queue[T]) Claim(ctx context.Context, c Conn, limit int, lease time.Duration, place, condition string, args ...any) ([]T, error) {
	now, lock := c.DB.Dialect.Now(), c.ForUpdate()
	if lock != "" {
		lock += " SKIP LOCKED"
	}
	return Returned(ctx, c, q.Thing, q.Scan, "WITH due (due_id) AS MATERIALIZED (SELECT id FROM "+q.Name+" WHERE "+IsDue(now)+" AND "+condition+
		" ORDER BY due_at, id LIMIT @limit"+lock+") UPDATE "+q.Name+" SET status = 'waiting', attempts = attempts + 1, due_at = "+now+" + @lease"+
		" WHERE "+place+" AND id IN (SELECT due_id FROM due) RETURNING "+q.Read,
		append(args, as{"lease", lease.Milliseconds()}, as{"limit", limit})...)
}

// Record stores the outcome of an attempt of the row that meets a condition: it sets columns, and the row has ended, or
// is due again. It returns not found if no row does.
func (q Queue[T]) Record(ctx context.Context, c Conn, set Assigned, ended bool, again time.Duration, condition string, args ...any) error {
	columns, values := set.Split()
	now := c.DB.Dialect.Now()
	if ended {
		columns = append(columns, "ended_at = "+now)
	} else {
		columns, values = append(columns, "due_at = "+now+" + ?"), append(values, again.Milliseconds())
	}
	for i := range set {
		columns[i] += " = ?"
	}
	return c.Must(ctx, q.Thing, "UPDATE "+q.Name+" SET "+strings.Join(columns, ", ")+" WHERE "+condition, append(values, args...)...)
}

// Backlog returns the number of rows that wait, and the earliest of their times in a column.
func (q Queue[T]) Backlog(ctx context.Context, c Conn, column string) (count int64, first time.Time, err error) {
	err = c.Each(ctx, func(from Rows) error { return from.Scan(&count, (*Instant)(&first)) },
		"SELECT count(*), min("+column+") FROM "+q.Name+" WHERE "+Waits)
	return count, first, err
}
