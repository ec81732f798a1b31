package contract

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"imprimatur/core/account"
	"imprimatur/ports"
)

// SignIns checks a ports.FailedSignInStore.
func SignIns(t *testing.T, open Factory) {
	run(t, open, cases{
		"counts by key in a window from the first failure": func(t *testing.T, w *fixture) {
			ada, bea := uuid.NewString(), uuid.NewString()
			assertEqual(t, result(w.SignIns.FailedSignIns(t.Context(), []string{ada, bea}, at(0)))(t), []account.FailedSignIns{})
			assertEqual(t, result(w.SignIns.Add(t.Context(), ada, at(1), at(10)))(t), account.FailedSignIns{Key: ada, Count: 1, EndsAt: at(10)})
			assertEqual(t, result(w.SignIns.Add(t.Context(), ada, at(5), at(15)))(t), account.FailedSignIns{Key: ada, Count: 2, EndsAt: at(10)})
			assertEqual(t, result(w.SignIns.Add(t.Context(), bea, at(5), at(15)))(t), account.FailedSignIns{Key: bea, Count: 1, EndsAt: at(15)})
			assertEqual(t, result(w.SignIns.FailedSignIns(t.Context(), []string{ada}, at(9)))(t), []account.FailedSignIns{{Key: ada, Count: 2, EndsAt: at(10)}})
			assertEqual(t, len(result(w.SignIns.FailedSignIns(t.Context(), []string{ada, bea}, at(9)))(t)), 2)
			assertEqual(t, result(w.SignIns.FailedSignIns(t.Context(), []string{ada, bea}, at(10)))(t), []account.FailedSignIns{{Key: bea, Count: 1, EndsAt: at(15)}})
			assertEqual(t, result(w.SignIns.Add(t.Context(), ada, at(10), at(20)))(t), account.FailedSignIns{Key: ada, Count: 1, EndsAt: at(20)})
		},
		"deletes a key": func(t *testing.T, w *fixture) {
			ada, bea := uuid.NewString(), uuid.NewString()
			result(w.SignIns.Add(t.Context(), ada, at(1), at(10)))(t)
			result(w.SignIns.Add(t.Context(), bea, at(1), at(10)))(t)
			for range 2 {
				requireNoError(t, w.SignIns.Forget(t.Context(), ada))
				assertEqual(t, result(w.SignIns.FailedSignIns(t.Context(), []string{ada, bea}, at(1)))(t), []account.FailedSignIns{{Key: bea, Count: 1, EndsAt: at(10)}})
			}
		},
		"deletes ended windows": func(t *testing.T, w *fixture) {
			ended, open := uuid.NewString(), uuid.NewString()
			result(w.SignIns.Add(t.Context(), ended, at(-20), at(-10)))(t)
			result(w.SignIns.Add(t.Context(), open, at(-20), at(-9)))(t)
			result(w.Aging.Delete(t.Context(), ports.AgedSignIns, at(-9), 1000))(t)
			assertEqual(t, result(w.SignIns.FailedSignIns(t.Context(), []string{ended, open}, at(-20)))(t), []account.FailedSignIns{{Key: open, Count: 1, EndsAt: at(-9)}})
		},
		"counts concurrent failures": func(t *testing.T, w *fixture) {
			const many = 8
			ada, bea := uuid.NewString(), uuid.NewString()
			won := race(many, func(int) error {
				return w.do(t, func(ctx context.Context, s ports.Stores) error {
					if _, err := s.SignIns.Add(ctx, ada, at(1), at(10)); err != nil {
						return err
					}
					_, err := s.SignIns.Add(ctx, bea, at(1), at(10))
					return err
				})
			})
			for _, err := range won.failures {
				t.Errorf("not counted: %v", err)
			}
			for _, key := range []string{ada, bea} {
				assertEqual(t, result(w.SignIns.FailedSignIns(t.Context(), []string{key}, at(1)))(t), []account.FailedSignIns{{Key: key, Count: many, EndsAt: at(10)}})
			}
		},
	})
}
