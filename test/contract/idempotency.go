package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Idempotency checks a ports.IdempotencyStore.
func Idempotency(t *testing.T, open Factory) {
	run(t, open, cases{
		"gives a key to the first request, and its response to others": storesResponses,
		"gives an abandoned key to the next request": func(t *testing.T, w *fixture) {
			key := w.newKey(t)
			claim := claimKey(t, w, key, 1, time.Hour)
			requireNoError(t, w.Idempotency.Abandon(t.Context(), claim))
			requireNoError(t, w.Idempotency.Abandon(t.Context(), claim))
			requireError(t, w.Idempotency.Finish(t.Context(), claim, ports.StoredResponse{Status: 200}), core.ErrNotFound)
			claimKey(t, w, key, 2, time.Hour)
			assertEqual(t, stored(t, w, key, 2, time.Hour).Fingerprint, [32]byte{2})
		},
		"replaces an expired claim without effect":       replacesExpired,
		"keeps an expired claim with effect":             keepsEffective,
		"records the effect with its transaction":        recordsEffect,
		"refuses a transaction whose claim was replaced": refusesReplaced,
		"keeps recent keys": func(t *testing.T, w *fixture) {
			key := w.newKey(t)
			claimKey(t, w, key, 1, time.Hour)
			result(w.Aging.Delete(t.Context(), ports.AgedKeys, w.now(t).Add(-time.Hour), 1000))(t)
			stored(t, w, key, 1, time.Hour)
		},
		"stores any key": func(t *testing.T, w *fixture) {
			key := w.newKey(t)
			for _, text := range append([]string{"\xff\xfe", "\x00"}, hostileTexts...) {
				if key.Key = text; len(text) > 255 {
					continue
				}
				claimKey(t, w, key, 1, time.Hour)
				stored(t, w, key, 1, time.Hour)
			}
		},
		"accepts one of concurrent claims": racesClaims,
	})
	runSequentially(t, open, cases{
		"deletes old keys": func(t *testing.T, w *fixture) {
			old := w.newKey(t)
			claimKey(t, w, old, 1, time.Hour)
			result(w.Aging.Delete(t.Context(), ports.AgedKeys, w.now(t).Add(time.Second), 1000))(t)
			claimKey(t, w, old, 2, time.Hour)
		},
	})
}

func storesResponses(t *testing.T, w *fixture) {
	key := w.newKey(t)
	claim := claimKey(t, w, key, 1, time.Hour)
	assertEqual(t, stored(t, w, key, 2, time.Hour), ports.IdempotentRequest{Fingerprint: [32]byte{1}})
	answer := ports.StoredResponse{Status: 201, Header: map[string]string{"ETag": `"7"`}, Body: []byte("{\"a\":\"\x00\xff\"}")}
	requireNoError(t, w.Idempotency.Finish(t.Context(), claim, answer))
	kept := ports.IdempotentRequest{Fingerprint: [32]byte{1}, Response: answer}
	assertEqual(t, stored(t, w, key, 1, 0), kept)
	requireNoError(t, w.Idempotency.Abandon(t.Context(), claim))
	assertEqual(t, stored(t, w, key, 1, -time.Second), kept)
	other := key
	other.Caller = "token:9"
	claimKey(t, w, other, 3, time.Hour)
}

func replacesExpired(t *testing.T, w *fixture) {
	key := w.newKey(t)
	late := claimKey(t, w, key, 1, time.Hour)
	time.Sleep(2 * time.Millisecond) // the clock has a resolution of 1 ms
	claim := claimKey(t, w, key, 2, 0)
	assertEqual(t, stored(t, w, key, 9, time.Hour).Fingerprint, [32]byte{2})
	requireError(t, w.Idempotency.Finish(t.Context(), late, ports.StoredResponse{Status: 200}), core.ErrNotFound)
	requireNoError(t, w.Idempotency.Abandon(t.Context(), late))
	assertEqual(t, stored(t, w, key, 9, time.Hour), ports.IdempotentRequest{Fingerprint: [32]byte{2}})
	requireNoError(t, w.Idempotency.Finish(t.Context(), claim, ports.StoredResponse{Status: 204}))
	assertEqual(t, stored(t, w, key, 9, -time.Second).Response.Status, 204)
}

func keepsEffective(t *testing.T, w *fixture) {
	key := w.newKey(t)
	claim := claimKey(t, w, key, 1, time.Hour)
	for range 2 { // a request may have many transactions
		requireNoError(t, w.Idempotency.TakeEffect(t.Context(), claim))
	}
	assertEqual(t, stored(t, w, key, 1, time.Hour), ports.IdempotentRequest{Fingerprint: [32]byte{1}})
	lost := ports.IdempotentRequest{Fingerprint: [32]byte{1}, Lost: true}
	assertEqual(t, stored(t, w, key, 1, -time.Second), lost)
	requireNoError(t, w.Idempotency.Abandon(t.Context(), claim))
	assertEqual(t, stored(t, w, key, 1, -time.Second), lost)
	requireNoError(t, w.Idempotency.Finish(t.Context(), claim, ports.StoredResponse{Status: 204}))
	assertEqual(t, stored(t, w, key, 1, -time.Second).Lost, false)
	requireError(t, w.Idempotency.TakeEffect(t.Context(), claim), core.ErrConflict)
}

func recordsEffect(t *testing.T, w *fixture) {
	errAborted := errors.New("aborted")
	for _, outcome := range []error{nil, errAborted} {
		key := w.newKey(t)
		claim := claimKey(t, w, key, 1, time.Hour)
		err := w.rename(t, claim, "Renamed", outcome)
		if !errors.Is(err, outcome) {
			t.Fatalf("Do returned %v, want %v", err, outcome)
		}
		requireNoError(t, w.Idempotency.Abandon(t.Context(), claim))
		if outcome == nil {
			assertEqual(t, stored(t, w, key, 1, -time.Second).Lost, true)
		} else {
			claimKey(t, w, key, 1, time.Hour)
		}
	}
}

func refusesReplaced(t *testing.T, w *fixture) {
	key := w.newKey(t)
	late := claimKey(t, w, key, 1, time.Hour)
	time.Sleep(2 * time.Millisecond) // the clock has a resolution of 1 ms
	claim := claimKey(t, w, key, 1, 0)
	requireError(t, w.rename(t, late, "Late", nil), core.ErrConflict)
	assertEqual(t, result(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "Newsroom")
	requireNoError(t, w.rename(t, claim, "In time", nil))
	assertEqual(t, result(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "In time")
}

// rename renames the department in a transaction under a claim. The transaction returns
// outcome.
func (w *fixture) rename(t reporter, claim core.IdempotencyClaim, name string, outcome error) error {
	t.Helper()
	return w.tx.Do(t.Context(), core.Actor{System: true, Claim: &claim}, func(ctx context.Context, s ports.Stores) error {
		d := w.department
		d.Name = name
		return errors.Join(s.Departments.Update(ctx, d), outcome)
	})
}

func racesClaims(t *testing.T, w *fixture) {
	for _, abandoned := range []bool{false, true} {
		key := w.newKey(t)
		if abandoned {
			requireNoError(t, w.Idempotency.Abandon(t.Context(), claimKey(t, w, key, 9, time.Hour)))
		}
		won := race(6, func(i int) error {
			claim, _, err := w.Idempotency.Begin(t.Context(), key, [32]byte{byte(i)}, time.Hour)
			if err == nil && claim == nil {
				err = core.Conflict("taken", "taken")
			}
			return err
		})
		for _, err := range won.failures {
			requireError(t, err, core.ErrConflict)
		}
		if won.successes != 1 {
			t.Errorf("%d of 6 claims succeeded", won.successes)
		}
	}
}

func (w *fixture) newKey(t reporter) core.IdempotencyKey {
	t.Helper()
	return core.IdempotencyKey{Caller: w.newUser(t).Email, Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"}
}

// claimKey requires that the key is unclaimed, and returns the new claim.
func claimKey(t reporter, w *fixture, key core.IdempotencyKey, fingerprint byte, expiry time.Duration) core.IdempotencyClaim {
	t.Helper()
	claim, _, err := w.Idempotency.Begin(t.Context(), key, [32]byte{fingerprint}, expiry)
	requireNoError(t, err)
	if claim == nil {
		t.Fatalf("the key was not claimed by request %d", fingerprint)
		return core.IdempotencyClaim{}
	}
	return *claim
}

// stored requires that the key is claimed, and returns the stored request.
func stored(t reporter, w *fixture, key core.IdempotencyKey, fingerprint byte, expiry time.Duration) ports.IdempotentRequest {
	t.Helper()
	claim, kept, err := w.Idempotency.Begin(t.Context(), key, [32]byte{fingerprint}, expiry)
	requireNoError(t, err)
	if claim != nil {
		t.Fatalf("the key was claimed by request %d as well", fingerprint)
	}
	return kept
}
