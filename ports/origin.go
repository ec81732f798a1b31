package ports

import (
	"context"

	"imprimatur/core"
)

// OriginStore stores the references with which translation groups were imported. They are
// deleted with their collection or Project, but not with the entries of the group.
type OriginStore interface {
	// Origins returns those of the references that the Project has, in unspecified order.
	Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error)
	// OriginsOf returns the references of the groups, ordered by group and reference.
	OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error)
	// Save stores origins, and replaces those with the same reference. No reference occurs
	// twice. It returns core.ErrNotFound when the Project does not have the collection.
	Save(ctx context.Context, origins []core.Origin) error
}
