package content

import "context"

// Backfill fills one batch of entries into the slots of newly indexed fields, of
// whatever Project. It reports whether there was anything to do, so that a worker
// knows when to rest.
func (c *Collections) Backfill(ctx context.Context) (did bool, err error) {
	return false, nil
}
