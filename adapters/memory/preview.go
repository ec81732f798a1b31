package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
)

type previews struct{ conn }

func (s previews) Preview(ctx context.Context, hash [32]byte) (core.Preview, error) {
	return view(ctx, s.conn, func(st *state) (core.Preview, error) {
		p, ok := st.previews.get(hash)
		return found(p, ok, "preview")
	})
}

func (s previews) Insert(ctx context.Context, p core.Preview) error {
	return s.apply(ctx, func(st *state) {
		st.previews.put(p.Hash, p)
		var own []core.Preview
		for _, other := range st.previews.rows {
			if other.Session == p.Session {
				own = append(own, other)
			}
		}
		slices.SortFunc(own, func(a, b core.Preview) int {
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), bytes.Compare(b.Hash[:], a.Hash[:]))
		})
		for _, old := range own[min(core.MaxPreviews, len(own)):] {
			st.previews.remove(old.Hash)
		}
	})
}
