package media

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Sweeper deletes bytes that no item needs, and items that no publication needs.
type Sweeper struct {
	storage

	clock ports.Clock
}

// NewSweeper returns a Sweeper.
func NewSweeper(stores ports.Stores, tx ports.Tx, blobs ports.BlobStore, clock ports.Clock) *Sweeper {
	return &Sweeper{storage{stores, tx, blobs}, clock}
}

// SweepReport has the numbers of blobs that a sweep deleted or, for Foreign, kept.
type SweepReport struct {
	Released  int64 // in the ledger, without references
	Abandoned int64 // unfinished uploads
	Stray     int64 // not in the ledger
	Unused    int64 // renditions that were not used for RenditionAge
	Foreign   int64 // of no Project of this database: kept, because they may belong to another database
}

// SweepAge is the age at which a sweep considers bytes abandoned. It is longer than an upload
// takes after its last byte has arrived.
const SweepAge = time.Hour

// sweepBatch is the number of names that are processed at once.
const sweepBatch = 500

// Sweep deletes expired publications and the items kept for them; see core.Project.PublicationDays. It
// deletes renditions that were not used for RenditionAge.
// Then it deletes all bytes that no item needs: those that Tidy deletes, and bytes older than
// olderThan that the ledger does not know. For the latter it lists all names in the store.
func (s *Sweeper) Sweep(ctx context.Context, olderThan time.Duration) (SweepReport, error) {
	if err := s.expire(ctx); err != nil {
		return SweepReport{}, err
	}
	report, err := s.Tidy(ctx, olderThan)
	if err == nil {
		report.Unused, err = s.unused(ctx)
	}
	if err != nil {
		return report, err
	}
	strays := &strays{Sweeper: s, report: &report}
	err = s.blobs.Walk(ctx, "", func(info ports.BlobInfo) error {
		if strings.HasPrefix(info.Name, ports.UploadPrefix) || !s.older(info, olderThan) {
			return nil
		}
		return strays.add(ctx, info.Name)
	})
	return report, errors.Join(err, strays.flush(ctx))
}

// expire deletes the publications that ended more than Project.PublicationDays and more than a
// year ago, and then the items that left the library and that no publication names any more. After
// that, only other items can have references to their bytes.
func (s *Sweeper) expire(ctx context.Context) error {
	now, err := s.stores.Clock.Now(ctx)
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

// drop deletes a kept item, unless another process has deleted it.
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

// Tidy deletes the bytes that have no references in the ledger, and unfinished uploads older
// than olderThan. Its cost depends on what it deletes, not on what is stored.
func (s *Sweeper) Tidy(ctx context.Context, olderThan time.Duration) (report SweepReport, err error) {
	if report.Released, err = s.released(ctx); err != nil {
		return report, err
	}
	err = s.blobs.Walk(ctx, ports.UploadPrefix, func(info ports.BlobInfo) error {
		if !s.older(info, olderThan) {
			return nil
		}
		report.Abandoned++
		return s.blobs.Delete(ctx, info.Name)
	})
	return report, err
}

func (s *Sweeper) older(info ports.BlobInfo, age time.Duration) bool {
	return !info.ModTime.Truncate(time.Millisecond).After(s.clock.Now().Add(-age))
}

// released deletes the bytes without references. It stops when a batch is not full, or when it
// could delete nothing in a batch because other transactions hold the bytes again.
func (s *Sweeper) released(ctx context.Context) (total int64, err error) {
	for {
		unheld, err := s.stores.Blobs.Unheld(ctx, sweepBatch)
		if err != nil {
			return total, err
		}
		var freed int64
		for _, blob := range unheld {
			n, err := s.free(ctx, blob.ProjectID, []string{blob.Name})
			if err != nil {
				return total + freed, err
			}
			freed += n
		}
		total += freed
		if freed == 0 || len(unheld) < sweepBatch {
			return total, nil
		}
	}
}

// strays collects names of one Project at a time and deletes the blobs that are not in the ledger.
type strays struct {
	*Sweeper
	report  *SweepReport
	project string // the UUID of the Project of names
	names   []string
}

func (s *strays) add(ctx context.Context, name string) error {
	project, _, _ := strings.Cut(name, "/")
	if project != s.project || len(s.names) == sweepBatch {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	s.project, s.names = project, append(s.names, name)
	return nil
}

func (s *strays) flush(ctx context.Context) error {
	names := s.names
	s.names = nil
	if len(names) == 0 {
		return nil
	}
	project, err := s.stores.Projects.ProjectByUUID(ctx, s.project)
	if errors.Is(err, core.ErrNotFound) {
		s.report.Foreign += int64(len(names))
		return nil
	}
	if err != nil {
		return err
	}
	known, err := s.stores.Blobs.Marks(ctx, project.ID, names)
	if err != nil {
		return err
	}
	recorded, err := s.stores.Renditions.Recorded(ctx, project.ID, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, held := known[name]; held || slices.Contains(recorded, name) {
			continue
		}
		removed, err := s.removeStray(ctx, project.ID, name)
		if err != nil {
			return err
		}
		s.report.Stray += removed
	}
	return nil
}

// removeStray first adds the name to the ledger, to lock it: an upload of the same bytes may be
// about to use them.
func (s *strays) removeStray(ctx context.Context, projectID int64, name string) (removed int64, err error) {
	names := []string{name}
	err = s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Blobs.Hold(ctx, projectID, names); err != nil {
			return err
		}
		if err := stores.Blobs.Release(ctx, projectID, names); err != nil {
			return err
		}
		removed, err = s.forget(ctx, stores, projectID, names)
		return err
	})
	return removed, err
}
