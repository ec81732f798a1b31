package sqlstore

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// sessionStore implements ports.SessionStore.
type sessionStore struct{ conn }

var sessions = rowsOf("sessions", "session", func(s *account.Session) []member {
	return []member{
		{name: "id", of: &s.ID},
		{name: "hash", of: octets{s.Hash[:]}},
		{name: "user_id", of: &s.UserID},
		{name: "address", of: &s.Address},
		{name: "user_agent", of: &s.UserAgent},
		{name: "created_at", of: (*instant)(&s.CreatedAt)},
		{name: "expires_at", of: (*instant)(&s.ExpiresAt)},
		{name: "used_at", of: (*instant)(&s.LastUsedAt)},
		{name: "verified_at", of: (*instant)(&s.Proof.At)},
		{name: "verified_way", of: &s.Proof.Way},
		{name: "signing_payload", of: &s.Challenge.Payload},
		{name: "signing_version", of: &s.Challenge.Version},
		{name: "signing_until", of: (*instant)(&s.Challenge.ExpiresAt)},
		{name: "provider_id", of: nullIfZero[int64]{&s.Origin.ProviderID}},
		{name: "provider_sid", of: nullIfZero[string]{&s.Origin.SID}},
		{name: "provider_methods", of: nullIfZero[string]{&s.Origin.Methods}},
		{name: "provider_context", of: nullIfZero[string]{&s.Origin.Context}},
	}
})

func (s sessionStore) Insert(ctx context.Context, session account.Session) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		created, err := sessionEvent(ctx, c, event.SessionCreated, session.UserID)
		if err != nil {
			return err
		}
		created.Reason = session.Origin.Said()
		session.LastUsedAt, session.Challenge = time.Time{}, account.SignatureChallenge{}
		if err := sessions.add(ctx, c, &session, &session.ID, func() event.Event { return created }); err != nil {
			return err
		}
		_, err = c.do(ctx, users.thing, "UPDATE users SET last_sign_in_at = ? WHERE id = ?", instant(session.CreatedAt), session.UserID)
		return err
	})
}

func (s sessionStore) Sessions(ctx context.Context, userID int64) ([]account.Session, error) {
	return sessions.all(ctx, s.conn, " WHERE user_id = ? ORDER BY id", userID)
}

func (s sessionStore) Session(ctx context.Context, hash [32]byte) (account.Session, error) {
	return sessions.one(ctx, s.conn, " WHERE hash = ?", hash[:])
}

func (s sessionStore) Verify(ctx context.Context, hash [32]byte, proof core.Proof) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		users, err := returned(ctx, c, sessions.thing, scanValue[int64],
			"UPDATE sessions SET verified_at = ?, verified_way = ? WHERE hash = ? RETURNING user_id", instant(proof.At), proof.Way, hash[:])
		if err != nil {
			return err
		}
		if len(users) == 0 {
			return core.NotFound("session")
		}
		event, err := sessionEvent(ctx, c, event.SessionVerified, users[0])
		if err != nil {
			return err
		}
		c.record(event)
		return nil
	})
}

func (s sessionStore) Ask(ctx context.Context, hash [32]byte, c account.SignatureChallenge) error {
	n, err := s.signing(ctx, c, "hash = ?", hash[:])
	if err == nil && n == 0 {
		err = core.NotFound("session")
	}
	return err
}

func (s sessionStore) Answer(ctx context.Context, hash [32]byte, c account.SignatureChallenge) (fresh bool, err error) {
	n, err := s.signing(ctx, account.SignatureChallenge{}, "hash = ? AND signing_payload = ? AND signing_payload <> ''", hash[:], c.Payload)
	return n > 0, err
}

// signing sets the challenge of the sessions that meet a condition, and returns their number.
func (s sessionStore) signing(ctx context.Context, c account.SignatureChallenge, condition string, args ...any) (n int64, err error) {
	err = s.change(ctx, func(ctx context.Context, in conn) error {
		n, err = in.do(ctx, sessions.thing, "UPDATE sessions SET signing_payload = ?, signing_version = ?, signing_until = ? WHERE "+condition,
			append([]any{c.Payload, c.Version, instant(c.ExpiresAt)}, args...)...)
		return err
	})
	return n, err
}

// Touch always runs in a transaction, which is retried after a deadlock: another replica may update the same
// sessions in another order.
func (s sessionStore) Touch(ctx context.Context, uses []account.SessionUse) error {
	if len(uses) == 0 {
		return nil
	}
	return s.change(ctx, func(ctx context.Context, c conn) error {
		err := c.touch(ctx, "sessions", "used_at", mapped(uses, func(use account.SessionUse) []any { return []any{use.SessionID, use.UsedAt.UnixMilli()} }))
		return c.db.fault(err, sessions.thing)
	})
}

func (s sessionStore) Delete(ctx context.Context, hash [32]byte) error {
	return s.end(ctx, "hash = ?", hash[:])
}

func (s sessionStore) DeleteByOrigin(ctx context.Context, providerID int64, sid string) error {
	return s.end(ctx, "provider_id = ? AND provider_sid = ?", providerID, sid)
}

func (s sessionStore) DeleteByUser(ctx context.Context, userID int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if _, err := c.do(ctx, users.thing, "UPDATE users SET generation = generation + 1 WHERE id = ?", userID); err != nil {
			return err
		}
		return sessionStore{c}.end(ctx, "user_id = ?", userID)
	})
}

// end deletes sessions, expired ones included, and records an event for each.
func (s sessionStore) end(ctx context.Context, condition string, args ...any) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		users, err := returned(ctx, c, sessions.thing, scanValue[int64], "DELETE FROM sessions WHERE "+condition+" RETURNING user_id", args...)
		if err != nil {
			return err
		}
		for _, user := range users {
			event, err := sessionEvent(ctx, c, event.SessionEnded, user)
			if err != nil {
				return err
			}
			c.record(event)
		}
		return nil
	})
}

// sessionEvent returns an event about a session of the user.
func sessionEvent(ctx context.Context, c conn, kind event.Type, userID int64) (event.Event, error) {
	user, err := userStore{c}.User(ctx, userID)
	if errors.Is(err, core.ErrNotFound) {
		err = nil // the INSERT of the session reports the missing user
	}
	return event.Event{Type: kind, TenantID: user.TenantID, SubjectID: userID}, err
}
