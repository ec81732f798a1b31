package sqlstore

import (
	"context"
	"strconv"

	"imprimatur/core"
)

// collect runs a read of the hot path and scans its rows.
func collect[T any](ctx context.Context, c conn, scan func(Rows) (T, error), text string, args ...any) ([]T, error) {
	var all []T
	err := c.query(ctx, text, args, func(rows Rows) (err error) {
		all, err = appendRows(all, rows, scan)
		return err
	})
	return all, c.db.fault(err, "entry")
}

// collectByValues is collect for a read whose best plan depends on its arguments: whether many rows meet its conditions.
func collectByValues[T any](ctx context.Context, c conn, scan func(Rows) (T, error), text string, args ...any) (all []T, err error) {
	plan := c.db.dialect.PlanForValues()
	if plan == "" {
		return collect(ctx, c, scan, text, args...)
	}
	err = c.change(ctx, func(ctx context.Context, c conn) error {
		all = nil
		_, err := c.run(ctx, []Statement{{Text: plan}, reading(c, &all, scan, text, args...)})
		return c.db.fault(err, "entry")
	})
	return all, err
}

// countByValues is collectByValues for a number of rows. text follows FROM.
func countByValues(ctx context.Context, c conn, text string, args ...any) (int64, error) {
	found, err := collectByValues(ctx, c, scanValue[int64], "SELECT count(*) FROM "+text, args...)
	if err != nil {
		return 0, err
	}
	return found[0], nil
}

// appendRows scans rows and appends them to all.
func appendRows[T any](all []T, rows Rows, scan func(Rows) (T, error)) ([]T, error) {
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// single runs a read of one row. If no row matches, it returns not found; thing names the resource
// in the message.
func single[T any](ctx context.Context, c conn, thing string, scan func(Rows) (T, error), text string, args ...any) (T, error) {
	found, err := collect(ctx, c, scan, text, args...)
	if err == nil && len(found) == 0 {
		err = core.NotFound(thing)
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}

// value runs a read of one row with one column.
func value[T any](ctx context.Context, c conn, text string, args ...any) (T, error) {
	return single(ctx, c, "row", scanValue[T], text, args...)
}

func scanValue[T any](rows Rows) (v T, err error) {
	err = rows.Scan(&v)
	return v, err
}

// into returns a function that scans a row into the targets of a T.
func into[T any](targets func(*T) []any) func(Rows) (T, error) {
	return func(rows Rows) (v T, err error) {
		err = rows.Scan(targets(&v)...)
		return v, err
	}
}

// each runs a read and calls fn for each row.
func (c conn) each(ctx context.Context, fn func(Rows) error, text string, args ...any) error {
	_, err := collect(ctx, c, func(rows Rows) (struct{}, error) { return struct{}{}, fn(rows) }, text, args...)
	return err
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
