package identity

import (
	"context"
	"errors"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// sessionStore implements ports.SessionStore.
type sessionStore struct{ sqldb.Conn }

var sessions = sqldb.NewTableOf("sessions", "session", func(s *account.Session) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Of: &s.ID},
		{Name: "hash", Of: sqldb.Octets(s.Hash[:])},
		{Name: "user_id", Of: &s.UserID},
		{Name: "address", Of: &s.Address},
		{Name: "user_agent", Of: &s.UserAgent},
		{Name: "created_at", Of: (*sqldb.Instant)(&s.CreatedAt)},
		{Name: "expires_at", Of: (*sqldb.Instant)(&s.ExpiresAt)},
		{Name: "used_at", Of: (*sqldb.Instant)(&s.LastUsedAt)},
		{Name: "verified_at", Of: (*sqldb.Instant)(&s.Proof.At)},
		{Name: "verified_way", Of: &s.Proof.Way},
		{Name: "signing_payload", Of: &s.Challenge.Payload},
		{Name: "signing_version", Of: &s.Challenge.Version},
		{Name: "signing_until", Of: (*sqldb.Instant)(&s.Challenge.ExpiresAt)},
		{Name: "provider_id", Of: sqldb.NullIfZero(&s.Origin.ProviderID)},
		{Name: "provider_sid", Of: sqldb.NullIfZero(&s.Origin.SID)},
		{Name: "provider_methods", Of: sqldb.NullIfZero(&s.Origin.Methods)},
		{Name: "provider_context", Of: sqldb.NullIfZero(&s.Origin.Context)},
	}
})

func (s sessionStore) Insert(ctx context.Context, session account.Session) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		created, err := sessionEvent(ctx, c, event.SessionCreated, session.UserID)
		if err != nil {
			return err
		}
		created.Reason = session.Origin.Said()
		session.LastUsedAt, session.Challenge = time.Time{}, account.SignatureChallenge{}
		if err := sessions.Add(ctx, c, &session, &session.ID, func() event.Event { return created }); err != nil {
			return err
		}
		_, err = c.Do(ctx, Users.Thing, "UPDATE users SET last_sign_in_at = ? WHERE id = ?", sqldb.Instant(session.CreatedAt), session.UserID)
		return err
	})
}

func (s sessionStore) Sessions(ctx context.Context, userID int64) ([]account.Session, error) {
	return sessions.All(ctx, s.Conn, " WHERE user_id = ? ORDER BY id", userID)
}

func (s sessionStore) Session(ctx context.Context, hash [32]byte) (account.Session, error) {
	return sessions.One(ctx, s.Conn, " WHERE hash = ?", hash[:])
}

func (s sessionStore) Verify(ctx context.Context, hash [32]byte, proof core.Proof) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		users, err := sqldb.Returned(ctx, c, sessions.Thing, sqldb.ScanValue[int64],
			"UPDATE sessions SET verified_at = ?, verified_way = ? WHERE hash = ? RETURNING user_id", sqldb.Instant(proof.At), proof.Way, hash[:])
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
		c.Record(event)
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
	err = s.Change(ctx, func(ctx context.Context, in sqldb.Conn) error {
		n, err = in.Do(ctx, sessions.Thing, "UPDATE sessions SET signing_payload = ?, signing_version = ?, signing_until = ? WHERE "+condition,
			append([]any{c.Payload, c.Version, sqldb.Instant(c.ExpiresAt)}, args...)...)
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
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		err := c.Touch(ctx, "sessions", "used_at", sqldb.Mapped(uses, func(use account.SessionUse) []any { return []any{use.SessionID, use.UsedAt.UnixMilli()} }))
		return c.DB.Fault(err, sessions.Thing)
	})
}

func (s sessionStore) Delete(ctx context.Context, hash [32]byte) error {
	return s.end(ctx, "hash = ?", hash[:])
}

func (s sessionStore) DeleteByOrigin(ctx context.Context, providerID int64, sid string) error {
	return s.end(ctx, "provider_id = ? AND provider_sid = ?", providerID, sid)
}

func (s sessionStore) DeleteByUser(ctx context.Context, userID int64) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if _, err := c.Do(ctx, Users.Thing, "UPDATE users SET generation = generation + 1 WHERE id = ?", userID); err != nil {
			return err
		}
		return sessionStore{c}.end(ctx, "user_id = ?", userID)
	})
}

// end deletes sessions, expired ones included, and records an event for each.
func (s sessionStore) end(ctx context.Context, condition string, args ...any) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		users, err := sqldb.Returned(ctx, c, sessions.Thing, sqldb.ScanValue[int64], "DELETE FROM sessions WHERE "+condition+" RETURNING user_id", args...)
		if err != nil {
			return err
		}
		for _, user := range users {
			event, err := sessionEvent(ctx, c, event.SessionEnded, user)
			if err != nil {
				return err
			}
			c.Record(event)
		}
		return nil
	})
}

// sessionEvent returns an event about a session of the user.
func sessionEvent(ctx context.Context, c sqldb.Conn, kind event.Type, userID int64) (event.Event, error) {
	user, err := userStore{c}.User(ctx, userID)
	if errors.Is(err, core.ErrNotFound) {
		err = nil // the INSERT of the session reports the missing user
	}
	return event.Event{Type: kind, TenantID: user.TenantID, SubjectID: userID}, err
}
