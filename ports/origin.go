package ports

import (
	"context"

	"imprimatur/core"
)

// OriginStore keeps the references by which translation groups were imported. They are
// deleted with their collection or Project, but not with the entries of the group.
type OriginStore interface {
	// Origins returns those of the references that the Project has, in no promised
	// order.
	Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error)
	// OriginsOf returns the references of the groups, ordered by group and reference.
	OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error)
	// Save stores origins, each in place of the one with its reference. No reference is
	// among them twice. core.ErrNotFound when the Project has no such collection.
	Save(ctx context.Context, origins []core.Origin) error
}
