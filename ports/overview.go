package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// OverviewStore counts what is in a Project.
type OverviewStore interface {
	// Overview returns the counts of the Project. Published, the medians and Tokens count what
	// happened since the day from, Published at most 366 days. Waiting is ordered by Order and Label, Collections by slug, and
	// Tokens by Reads, the most first, and id. Tokens has all tokens that are not revoked, and
	// revoked ones with Reads. The number of SQL statements is fixed.
	Overview(ctx context.Context, projectID int64, from time.Time) (core.Overview, error)
}
