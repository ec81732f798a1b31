package media

import (
	"context"
	"strconv"

	"imprimatur/core"
	"imprimatur/ports"
)

// Checker compares the ledger with the media items, and the stored bytes with the ledger.
type Checker struct{ storage }

// NewChecker returns a Checker.
func NewChecker(stores ports.Stores, tx ports.Tx, blobs ports.BlobStore) *Checker {
	return &Checker{storage{stores, tx, blobs}}
}

// Check calls report with each difference in the Project. It returns the number of differences,
// and the number that is left after the repair. If repair is true, it corrects the counts in the
// ledger; it cannot restore missing bytes.
func (c *Checker) Check(ctx context.Context, project *core.Project, repair bool, report func(core.Difference)) (found, left int64, err error) {
	var wrong []string
	if err := c.stores.BlobChecks.CheckHolders(ctx, project.ID, func(name string, needed, held int64) {
		wrong = append(wrong, name)
		report(core.Difference{What: "holders of file " + name, Expected: strconv.FormatInt(needed, 10), Found: strconv.FormatInt(held, 10)})
	}); err != nil {
		return 0, 0, err
	}
	found, left = int64(len(wrong)), int64(len(wrong))
	if repair {
		for _, name := range wrong {
			if err := c.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				return stores.BlobChecks.RepairHolders(ctx, project.ID, name)
			}); err != nil {
				return found, left, err
			}
			left--
		}
	}
	missing, err := c.missing(ctx, project, report)
	return found + missing, left + missing, err
}

// missing reports each name with references whose bytes do not exist.
func (c *Checker) missing(ctx context.Context, project *core.Project, report func(core.Difference)) (missing int64, err error) {
	for after := ""; ; {
		names, err := c.stores.BlobChecks.Held(ctx, project.ID, after, sweepBatch)
		if err != nil || len(names) == 0 {
			return missing, err
		}
		for _, name := range names {
			there, err := c.blobs.Exists(ctx, name)
			if err != nil {
				return missing, err
			}
			if !there {
				missing++
				report(core.Difference{What: "file " + name, Expected: "its bytes", Found: "none"})
			}
			after = name
		}
	}
}
