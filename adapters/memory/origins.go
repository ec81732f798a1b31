package memory

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
)

type origins struct{ conn }

// originKey is a reference in a Project.
type originKey struct {
	projectID int64
	reference string
}

func (s origins) Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error) {
	return s.list(ctx, func(o core.Origin) bool { return o.ProjectID == projectID && slices.Contains(references, o.Reference) })
}

func (s origins) OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error) {
	return s.list(ctx, func(o core.Origin) bool { return o.ProjectID == projectID && slices.Contains(groups, o.Group) })
}

func (s origins) Save(ctx context.Context, all []core.Origin) error {
	return s.change(ctx, func(st *state) error {
		for _, o := range all {
			if _, err := st.collection(o.ProjectID, o.CollectionID); err != nil {
				return err
			}
		}
		for _, o := range all {
			st.origins.put(originKey{o.ProjectID, o.Reference}, o)
		}
		return nil
	})
}

// list returns the matching origins by group and reference.
func (s origins) list(ctx context.Context, match func(core.Origin) bool) ([]core.Origin, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Origin, error) {
		return st.origins.sorted(match, func(a, b core.Origin) int {
			return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Reference, b.Reference))
		}, unshared), nil
	})
}
