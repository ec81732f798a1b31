package media

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// expire deletes the publications that ended before the time for which their Project keeps them,
// and more than a year ago, and then the items that left the library and that no publication names
// any more. Their bytes have no references then, unless other items need them.
func (s *Sweeper) expire(ctx context.Context) error {
	now, err := s.stores.Schedules.Now(ctx)
	if err != nil {
		return err
	}
	for deleted := sweepBatch; deleted == sweepBatch; {
		if deleted, err = s.stores.Publications.DeleteExpired(ctx, now, now.AddDate(-1, 0, 0), sweepBatch); err != nil {
			return err
		}
	}
	for {
		items, err := s.stores.Media.Unnamed(ctx, sweepBatch)
		if err != nil {
			return err
		}
		for i := range items {
			if err := s.drop(ctx, &items[i]); err != nil {
				return err
			}
		}
		if len(items) < sweepBatch {
			return nil
		}
	}
}

// drop deletes a kept item. Another process may have deleted it.
func (s *Sweeper) drop(ctx context.Context, item *core.MediaItem) error {
	err := s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Media.DeleteKept(ctx, item.ProjectID, item.ID); err != nil {
			return err
		}
		return stores.Blobs.Release(ctx, item.ProjectID, item.Blobs())
	})
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	return err
}
