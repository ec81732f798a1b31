package memory

import (
	"context"
	"time"
)

// holds implements ports.HoldStore.
type holds struct{ conn }

func (s holds) Keep(ctx context.Context, id string, lifetime time.Duration) error {
	return s.apply(ctx, func(st *state) { st.byteHolds.put(id, s.now().Add(lifetime)) })
}

func (s holds) End(ctx context.Context, id string) error {
	return s.apply(ctx, func(st *state) {
		st.byteHolds.removeIf(func(held string, ends time.Time) bool { return held == id || !ends.After(s.now()) })
	})
}

func (s holds) Held(ctx context.Context) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		return st.byteHolds.any(func(ends time.Time) bool { return ends.After(s.now()) }), nil
	})
}
