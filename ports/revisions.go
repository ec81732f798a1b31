package ports

import (
	"context"

	"imprimatur/core"
)

// RevisionStore stores the past revisions of entries. The newest revision of an entry is
// core.Entry.Revision. Revisions are deleted with their entry, collection or Project.
type RevisionStore interface {
	// Save adds the revisions, or replaces those with the same entry and number. The store may
	// delay the statement until the entry is written, another method is called or the
	// transaction ends.
	Save(ctx context.Context, revisions ...core.Revision) error
	// Delete removes the revisions of the entry with these numbers.
	Delete(ctx context.Context, projectID, entryID int64, numbers []int64) error
	// Revisions returns what q selects.
	Revisions(ctx context.Context, q core.RevisionQuery) ([]core.Revision, error)
	// Count returns the number of past revisions of the entry.
	Count(ctx context.Context, projectID, entryID int64) (int64, error)
	// Prunable returns, in ascending order, the past revisions of the entry between the
	// predecessor of the first one that is numbered at most through and not kept, and the
	// successor of through, both included. It returns none when there is no such first one.
	Prunable(ctx context.Context, projectID, entryID, through int64) ([]core.Revision, error)
}
