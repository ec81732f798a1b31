package memory

import (
	"bytes"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/installation"
	"imprimatur/ports"
)

type aging struct{ conn }

func (s aging) Delete(ctx context.Context, kind ports.Aged, t time.Time, limit int) (deleted int, err error) {
	err = s.apply(ctx, func(st *state) { deleted = st.age(kind, t, limit) })
	return deleted, err
}

// age removes up to limit old rows of a kind.
func (st *state) age(kind ports.Aged, t time.Time, limit int) int {
	if kind == ports.AgedEvents {
		return st.removeOldEvents(t, limit)
	}
	things := map[ports.Aged]string{
		ports.AgedSessions: "session", ports.AgedSignIns: "failed sign-in", ports.AgedLinks: "link", ports.AgedInvitations: "invitation",
		ports.AgedSpent: "spent ticket", ports.AgedPreviews: "preview", ports.AgedUsage: "usage of a token", ports.AgedKeys: "idempotency key",
		ports.AgedDeliveries: "delivery", ports.AgedMails: "mail", ports.AgedNotices: "notice",
	}
	if thing, ok := things[kind]; ok {
		return st.tableOf(thing).removeOld(t, limit)
	}
	return 0
}

func (st *state) removeOldEvents(t time.Time, limit int) (removed int) {
	for removed < min(limit, len(st.events)) && st.events[removed].At.Before(t) {
		removed++
	}
	st.events = slices.Clone(st.events[removed:])
	if removed > 0 && t.After(st.keptSince) {
		st.keptSince = t
	}
	return removed
}

// databaseClock implements ports.DatabaseClock.
type databaseClock struct{ conn }

func (c databaseClock) Now(ctx context.Context) (time.Time, error) { return c.now(), ctx.Err() }

type idempotency struct{ conn }

// claim is the stored state of a key.
type claim struct {
	ports.IdempotentRequest

	At        time.Time
	effective bool
}

func (s idempotency) Begin(
	ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration,
) (given *core.IdempotencyClaim, kept ports.IdempotentRequest, err error) {
	err = s.apply(ctx, func(st *state) {
		now := s.now()
		before, taken := st.claims.get(key)
		expired := now.Sub(before.At) > expiry
		if taken && (before.effective || !expired) {
			kept = clone(before.IdempotentRequest)
			kept.Lost = expired && kept.Response.Status == 0
			return
		}
		given = &core.IdempotencyClaim{Key: key, At: now}
		st.claims.put(key, claim{IdempotentRequest: ports.IdempotentRequest{Fingerprint: fingerprint}, At: now})
	})
	return given, kept, err
}

func (s idempotency) TakeEffect(ctx context.Context, given core.IdempotencyClaim) error {
	return s.change(ctx, func(st *state) error { return takeEffect(st, given) })
}

func takeEffect(st *state, given core.IdempotencyClaim) error {
	c, ok := st.held(given)
	if !ok || c.Response.Status != 0 {
		return core.Conflict("idempotency_key_taken", "another request has claimed this idempotency key")
	}
	c.effective = true
	st.claims.put(given.Key, c)
	return nil
}

func (s idempotency) Finish(ctx context.Context, given core.IdempotencyClaim, answer ports.StoredResponse) error {
	return s.change(ctx, func(st *state) error {
		c, ok := st.held(given)
		if !ok {
			return core.NotFound("idempotency key")
		}
		c.Response, c.effective = answer, true
		st.claims.put(given.Key, c)
		return nil
	})
}

func (s idempotency) Abandon(ctx context.Context, given core.IdempotencyClaim) error {
	return s.apply(ctx, func(st *state) {
		if c, ok := st.held(given); ok && !c.effective {
			st.claims.remove(given.Key)
		}
	})
}

// held returns the state of a key while the claim holds.
func (st *state) held(given core.IdempotencyClaim) (claim, bool) {
	c, ok := st.claims.get(given.Key)
	return c, ok && c.At.Equal(given.At)
}

type signingKeys struct{ numbered }

func (s signingKeys) SigningKeys(ctx context.Context) ([]installation.SigningKey, error) {
	return where(ctx, s.store, func(installation.SigningKey) bool { return true })
}

// Lock locks all keys.
func (s signingKeys) Lock(ctx context.Context) error {
	_, err := view(ctx, s.conn, func(st *state) (none struct{}, err error) {
		for id := range st.signingKeys.each {
			st.lock(s.thing, id)
		}
		return none, nil
	})
	return err
}

func (s signingKeys) Insert(ctx context.Context, k *installation.SigningKey) error {
	return s.insert(ctx, k)
}

func (s signingKeys) Update(ctx context.Context, k installation.SigningKey) error {
	return edit(ctx, s.store, k.ID, func(st *state, stored *installation.SigningKey) error {
		stored.Private, stored.Until, stored.RevokedAt = k.Private, k.Until, k.RevokedAt
		st.record(installation.SigningKeyEvent(*stored))
		return nil
	})
}

func (s signingKeys) SecretCheck(ctx context.Context) ([]byte, error) {
	return view(ctx, s.conn, func(st *state) ([]byte, error) { return st.secretCheck, nil })
}

func (s signingKeys) SetSecretCheck(ctx context.Context, value []byte) error {
	return s.apply(ctx, func(st *state) { st.secretCheck = bytes.Clone(value) })
}

// installation implements ports.InstallationReader. Only tests restore a Store.
type here struct{ conn }

func (s here) Installation(ctx context.Context) (installation.Installation, error) {
	return view(ctx, s.conn, func(st *state) (installation.Installation, error) { return st.installation, nil })
}

// SetInstallation replaces the state of the installation.
func (s *Store) SetInstallation(ctx context.Context, i installation.Installation) error {
	return s.transact(ctx, core.SystemActor, func(tx *transaction) error {
		tx.state.installation = i
		return nil
	})
}
