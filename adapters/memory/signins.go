package memory

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
)

type failedSignIns struct{ conn }

func (s failedSignIns) FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]core.FailedSignIns, error) {
	return view(ctx, s.conn, func(st *state) ([]core.FailedSignIns, error) {
		return st.signIns.all(func(f core.FailedSignIns) bool { return slices.Contains(keys, f.Key) && f.EndsAt.After(now) }), nil
	})
}

func (s failedSignIns) Add(ctx context.Context, key string, now, endsAt time.Time) (failed core.FailedSignIns, err error) {
	err = s.change(ctx, func(st *state) error {
		var counted bool
		if failed, counted = st.signIns.get(key); !counted || !failed.EndsAt.After(now) {
			failed = core.FailedSignIns{Key: key, EndsAt: endsAt}
		}
		failed.Count++
		st.signIns.put(key, failed)
		return nil
	})
	return failed, err
}

func (s failedSignIns) Forget(ctx context.Context, key string) error {
	return s.change(ctx, func(st *state) error {
		st.signIns.remove(key)
		return nil
	})
}

func (s failedSignIns) DeleteEnded(ctx context.Context, now time.Time) error {
	return s.change(ctx, func(st *state) error {
		for _, f := range st.signIns.all(func(f core.FailedSignIns) bool { return !f.EndsAt.After(now) }) {
			st.signIns.remove(f.Key)
		}
		return nil
	})
}
