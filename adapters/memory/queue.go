package memory

import (
	"context"
	"reflect"
	"time"
)

// queue is a store of what is attempted until it ends: mails or deliveries.
type queue[V any] struct{ store }

// progress is how far a row of a queue is.
type progress struct {
	id         int64
	attempts   *int
	due, ended *time.Time
}

// progressOf returns the progress of the row that a pointer leads to.
func progressOf(pointer any) progress {
	v := reflect.ValueOf(pointer).Elem()
	member := func(name string) any { return v.FieldByName(name).Addr().Interface() }
	return progress{*member("ID").(*int64), member("Attempts").(*int), member("DueAt").(*time.Time), member("EndedAt").(*time.Time)}
}

// waiting returns the rows that have not ended, the earliest due first.
func (q queue[V]) waiting(st *state) []V {
	rows := values[V](q.table(st).matching(func(r row) bool { return q.table(st).age(r).IsZero() }))
	return sort(rows, func(a, b V) int { return progressOf(&a).due.Compare(*progressOf(&b).due) })
}

// claim begins an attempt of up to limit due rows. begin prepares a row, and returns false for one that must wait.
func (q queue[V]) claim(ctx context.Context, limit int, lease time.Duration, begin func(*state, *V) bool) (claimed []V, err error) {
	err = q.apply(ctx, func(st *state) {
		for _, v := range q.waiting(st) {
			p := progressOf(&v)
			if len(claimed) == limit || p.due.After(q.now()) || !begin(st, &v) {
				continue
			}
			*p.attempts++
			*p.due = q.now().Add(lease)
			q.table(st).put(p.id, v)
			claimed = append(claimed, clone(v))
		}
	})
	return claimed, err
}

// record stores the outcome of an attempt: the row has ended, or is due again.
func (q queue[V]) record(ctx context.Context, id int64, ended bool, again time.Duration, outcome func(*state, *V) error) error {
	return edit(ctx, q.store, id, func(st *state, v *V) error {
		p := progressOf(v)
		if err := outcome(st, v); err != nil {
			return err
		}
		if ended {
			*p.ended = q.now()
		} else {
			*p.due = q.now().Add(again)
		}
		return nil
	})
}

// backlog returns the number of rows that wait, and the earliest of their times.
func (q queue[V]) backlog(ctx context.Context, of func(*V) time.Time) (count int64, first time.Time, err error) {
	err = q.read(ctx, func(st *state) error {
		for _, v := range q.waiting(st) {
			if count++; first.IsZero() || of(&v).Before(first) {
				first = of(&v)
			}
		}
		return nil
	})
	return count, first, err
}
