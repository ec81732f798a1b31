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
		"gives a key to one, and to others what became of it": keepsAnswers,
		"gives a key away again that was given back": func(t *testing.T, w *world) {
			key := w.newKey(t)
			claim := claims(t, w, key, 1, time.Hour)
			succeed(t, w.Idempotency.Abandon(t.Context(), claim))
			succeed(t, w.Idempotency.Abandon(t.Context(), claim))
			refused(t, w.Idempotency.Finish(t.Context(), claim, ports.Answer{Status: 200}), core.ErrNotFound)
			claims(t, w, key, 2, time.Hour)
			same(t, knows(t, w, key, 2, time.Hour).Fingerprint, [32]byte{2})
		},
		"gives a claim away again that expired without an effect": givesExpiredAway,
		"keeps a claim under which something took effect":         keepsEffective,
		"takes effect with its transaction":                       takesEffectTogether,
		"lets no transaction pass whose claim was given away":     holdsBackTheLate,
		"forgets old keys": func(t *testing.T, w *world) {
			key := w.newKey(t)
			claims(t, w, key, 1, time.Hour)
			succeed(t, w.Idempotency.DeleteBefore(t.Context(), w.now(t).Add(-time.Hour)))
			knows(t, w, key, 1, time.Hour)
		},
		"takes any key": func(t *testing.T, w *world) {
			key := w.newKey(t)
			for _, text := range append([]string{"\xff\xfe", "\x00"}, hostileTexts...) {
				if key.Key = text; len(text) > 255 {
					continue
				}
				claims(t, w, key, 1, time.Hour)
				knows(t, w, key, 1, time.Hour)
			}
		},
		"lets one of racing claims win": racesClaims,
	})
	runInTurn(t, open, cases{
		"forgets no newer keys": func(t *testing.T, w *world) {
			old := w.newKey(t)
			claims(t, w, old, 1, time.Hour)
			succeed(t, w.Idempotency.DeleteBefore(t.Context(), w.now(t).Add(time.Second)))
			claims(t, w, old, 2, time.Hour)
		},
	})
}

func keepsAnswers(t *testing.T, w *world) {
	key := w.newKey(t)
	claim := claims(t, w, key, 1, time.Hour)
	same(t, knows(t, w, key, 2, time.Hour), ports.IdempotentRequest{Fingerprint: [32]byte{1}})
	answer := ports.Answer{Status: 201, Header: map[string]string{"ETag": `"7"`}, Body: []byte("{\"a\":\"\x00\xff\"}")}
	succeed(t, w.Idempotency.Finish(t.Context(), claim, answer))
	kept := ports.IdempotentRequest{Fingerprint: [32]byte{1}, Answer: answer}
	same(t, knows(t, w, key, 1, 0), kept)
	succeed(t, w.Idempotency.Abandon(t.Context(), claim))
	same(t, knows(t, w, key, 1, -time.Second), kept)
	other := key
	other.Caller = "token:9"
	claims(t, w, other, 3, time.Hour)
}

func givesExpiredAway(t *testing.T, w *world) {
	key := w.newKey(t)
	late := claims(t, w, key, 1, time.Hour)
	time.Sleep(2 * time.Millisecond) // the clock has a resolution of 1 ms
	claim := claims(t, w, key, 2, 0)
	same(t, knows(t, w, key, 9, time.Hour).Fingerprint, [32]byte{2})
	refused(t, w.Idempotency.Finish(t.Context(), late, ports.Answer{Status: 200}), core.ErrNotFound)
	succeed(t, w.Idempotency.Abandon(t.Context(), late))
	same(t, knows(t, w, key, 9, time.Hour), ports.IdempotentRequest{Fingerprint: [32]byte{2}})
	succeed(t, w.Idempotency.Finish(t.Context(), claim, ports.Answer{Status: 204}))
	same(t, knows(t, w, key, 9, -time.Second).Answer.Status, 204)
}

func keepsEffective(t *testing.T, w *world) {
	key := w.newKey(t)
	claim := claims(t, w, key, 1, time.Hour)
	for range 2 { // a request may have many transactions
		succeed(t, w.Idempotency.TakeEffect(t.Context(), claim))
	}
	same(t, knows(t, w, key, 1, time.Hour), ports.IdempotentRequest{Fingerprint: [32]byte{1}})
	lost := ports.IdempotentRequest{Fingerprint: [32]byte{1}, Lost: true}
	same(t, knows(t, w, key, 1, -time.Second), lost)
	succeed(t, w.Idempotency.Abandon(t.Context(), claim))
	same(t, knows(t, w, key, 1, -time.Second), lost)
	succeed(t, w.Idempotency.Finish(t.Context(), claim, ports.Answer{Status: 204}))
	same(t, knows(t, w, key, 1, -time.Second).Lost, false)
	refused(t, w.Idempotency.TakeEffect(t.Context(), claim), core.ErrConflict)
}

func takesEffectTogether(t *testing.T, w *world) {
	errGivenUp := errors.New("given up")
	for _, outcome := range []error{nil, errGivenUp} {
		key := w.newKey(t)
		claim := claims(t, w, key, 1, time.Hour)
		err := w.rename(t, claim, "Renamed", outcome)
		if !errors.Is(err, outcome) {
			t.Fatalf("Do returned %v, want %v", err, outcome)
		}
		succeed(t, w.Idempotency.Abandon(t.Context(), claim))
		if outcome == nil {
			same(t, knows(t, w, key, 1, -time.Second).Lost, true)
		} else {
			claims(t, w, key, 1, time.Hour)
		}
	}
}

func holdsBackTheLate(t *testing.T, w *world) {
	key := w.newKey(t)
	late := claims(t, w, key, 1, time.Hour)
	time.Sleep(2 * time.Millisecond) // the clock has a resolution of 1 ms
	claim := claims(t, w, key, 1, 0)
	refused(t, w.rename(t, late, "Late", nil), core.ErrConflict)
	same(t, value(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "Newsroom")
	succeed(t, w.rename(t, claim, "In time", nil))
	same(t, value(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "In time")
}

// rename is a transaction under a claim, which ends with outcome.
func (w *world) rename(t reporter, claim core.IdempotencyClaim, name string, outcome error) error {
	t.Helper()
	return w.tx.Do(t.Context(), core.Actor{System: true, Claim: &claim}, func(ctx context.Context, s ports.Stores) error {
		d := w.department
		d.Name = name
		return errors.Join(s.Departments.Update(ctx, d), outcome)
	})
}

func racesClaims(t *testing.T, w *world) {
	for _, abandoned := range []bool{false, true} {
		key := w.newKey(t)
		if abandoned {
			succeed(t, w.Idempotency.Abandon(t.Context(), claims(t, w, key, 9, time.Hour)))
		}
		won := race(6, func(i int) error {
			claim, _, err := w.Idempotency.Begin(t.Context(), key, [32]byte{byte(i)}, time.Hour)
			if err == nil && claim == nil {
				err = core.Conflict("taken", "taken")
			}
			return err
		})
		for _, err := range won.failures {
			refused(t, err, core.ErrConflict)
		}
		if won.successes != 1 {
			t.Errorf("%d of 6 claims won", won.successes)
		}
	}
}

func (w *world) newKey(t reporter) core.IdempotencyKey {
	t.Helper()
	return core.IdempotencyKey{Caller: w.newUser(t).Email, Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"}
}

// claims checks that the key is given to a request, and returns the claim.
func claims(t reporter, w *world, key core.IdempotencyKey, fingerprint byte, expiry time.Duration) core.IdempotencyClaim {
	t.Helper()
	claim, _, err := w.Idempotency.Begin(t.Context(), key, [32]byte{fingerprint}, expiry)
	succeed(t, err)
	if claim == nil {
		t.Fatalf("the key was not given to %d", fingerprint)
		return core.IdempotencyClaim{}
	}
	return *claim
}

// knows checks that the key is not given to a request, and returns what is known of it.
func knows(t reporter, w *world, key core.IdempotencyKey, fingerprint byte, expiry time.Duration) ports.IdempotentRequest {
	t.Helper()
	claim, kept, err := w.Idempotency.Begin(t.Context(), key, [32]byte{fingerprint}, expiry)
	succeed(t, err)
	if claim != nil {
		t.Fatalf("the key was given to %d as well", fingerprint)
	}
	return kept
}
