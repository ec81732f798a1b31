package ports

import (
	"context"

	"imprimatur/core"
)

// MediaReader reads media items.
type MediaReader interface {
	// MediaByIDs returns those of the items that exist, in no promised order.
	MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error)
}

// MediaStore keeps the rows of media libraries.
type MediaStore interface {
	MediaReader
	// Insert adds item and sets its ID.
	Insert(ctx context.Context, item *core.MediaItem) error
}
