package sqldb

import (
	"context"
	"strconv"

	"imprimatur/core"
)

// Collect runs a read of the hot path and scans its rows.
func Collect[T any](ctx context.Context, c Conn, scan func(Rows) (T, error), text string, args ...any) ([]T, error) {
	var all []T
	err := c.query(ctx, text, args, func(rows Rows) (err error) {
		all, err = appendRows(all, rows, scan)
		return err
	})
	return all, c.DB.Fault(err, "entry")
}

// CollectByValues is Collect for a read whose best plan depends on its arguments: whether many rows meet its conditions.
func CollectByValues[T any](ctx context.Context, c Conn, scan func(Rows) (T, error), text string, args ...any) (all []T, err error) {
	plan := c.DB.Dialect.PlanForValues()
	if plan == "" {
		return Collect(ctx, c, scan, text, args...)
	}
	err = c.Change(ctx, func(ctx context.Context, c Conn) error {
		all = nil
		_, err := c.Run(ctx, []Statement{{Text: plan}, Reading(c, &all, scan, text, args...)})
		return c.DB.Fault(err, "entry")
	})
	return all, err
}

// CountByValues is CollectByValues for a number of rows. text follows FROM.
func CountByValues(ctx context.Context, c Conn, text string, args ...any) (int64, error) {
	found, err := CollectByValues(ctx, c, ScanValue[int64], "SELECT count(*) FROM "+text, args...)
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

// Single runs a read of one row. If no row matches, it returns not found; thing names the resource
// in the message.
func Single[T any](ctx context.Context, c Conn, thing string, scan func(Rows) (T, error), text string, args ...any) (T, error) {
	found, err := Collect(ctx, c, scan, text, args...)
	if err == nil && len(found) == 0 {
		err = core.NotFound(thing)
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}

// Value runs a read of one row with one column.
func Value[T any](ctx context.Context, c Conn, text string, args ...any) (T, error) {
	return Single(ctx, c, "row", ScanValue[T], text, args...)
}

// ScanValue scans a row with one column.
func ScanValue[T any](rows Rows) (v T, err error) {
	err = rows.Scan(&v)
	return v, err
}

// Into returns a function that scans a row into the targets of a T.
func Into[T any](targets func(*T) []any) func(Rows) (T, error) {
	return func(rows Rows) (v T, err error) {
		err = rows.Scan(targets(&v)...)
		return v, err
	}
}

// Each runs a read and calls fn for each row.
func (c Conn) Each(ctx context.Context, fn func(Rows) error, text string, args ...any) error {
	_, err := Collect(ctx, c, func(rows Rows) (struct{}, error) { return struct{}{}, fn(rows) }, text, args...)
	return err
}

// Number returns a number as text.
func Number(n int64) string { return strconv.FormatInt(n, 10) }
