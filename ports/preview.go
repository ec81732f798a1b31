package ports

import (
	"context"

	"imprimatur/core"
)

// PreviewStore stores previews. No change of them is an event.
type PreviewStore interface {
	Preview(ctx context.Context, hash [32]byte) (core.Preview, error)
	// Insert adds p, and deletes the oldest previews of its session beyond core.MaxPreviews.
	Insert(ctx context.Context, p core.Preview) error
	// DeleteOf deletes the previews of the entry.
	DeleteOf(ctx context.Context, entryID int64) error
}
