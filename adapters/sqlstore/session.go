package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// sessionStore implements ports.SessionStore.
type sessionStore struct{ conn }

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`

	ID          int64 `bun:",pk,autoincrement"`
	Hash        []byte
	UserID      int64
	Address     string
	UserAgent   string
	CreatedAt   instant
	ExpiresAt   instant
	UsedAt      instant
	VerifiedAt  instant
	VerifiedWay core.Way
	// The account.SignatureChallenge; empty: none.
	SigningPayload string
	SigningVersion int64
	SigningUntil   instant
	// The account.SessionOrigin.
	ProviderID      int64  `bun:",nullzero"`
	ProviderSID     string `bun:"provider_sid,nullzero"`
	ProviderMethods string `bun:",nullzero"`
	ProviderContext string `bun:",nullzero"`
}

func (r sessionRow) core() account.Session {
	return account.Session{
		ID: r.ID, Hash: [32]byte(r.Hash), UserID: r.UserID, Address: r.Address, UserAgent: r.UserAgent, CreatedAt: time.Time(r.CreatedAt), ExpiresAt: time.Time(r.ExpiresAt),
		LastUsedAt: time.Time(r.UsedAt), Proof: core.Proof{At: time.Time(r.VerifiedAt), Way: r.VerifiedWay},
		Challenge: account.SignatureChallenge{Payload: r.SigningPayload, Version: r.SigningVersion, ExpiresAt: time.Time(r.SigningUntil)},
		Origin:    account.SessionOrigin{ProviderID: r.ProviderID, SID: r.ProviderSID, Methods: r.ProviderMethods, Context: r.ProviderContext},
	}
}

func (s sessionStore) Insert(ctx context.Context, session account.Session) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		created, err := c.sessionEvent(ctx, event.SessionCreated, session.UserID)
		if err != nil {
			return err
		}
		created.Reason = session.Origin.Said()
		r := &sessionRow{
			Hash: session.Hash[:], UserID: session.UserID, Address: session.Address, UserAgent: session.UserAgent,
			CreatedAt: instant(session.CreatedAt), ExpiresAt: instant(session.ExpiresAt),
			VerifiedAt: instant(session.Proof.At), VerifiedWay: session.Proof.Way,
			ProviderID: session.Origin.ProviderID, ProviderSID: session.Origin.SID, ProviderMethods: session.Origin.Methods, ProviderContext: session.Origin.Context,
		}
		if err := c.insert(ctx, newRow{r, &r.ID, &session.ID}, "session", func() event.Event { return created }); err != nil {
			return err
		}
		_, err = c.write.NewUpdate().Table("users").Set("last_sign_in_at = ?", r.CreatedAt).Where("id = ?", r.UserID).Exec(ctx)
		return c.db.fault(err, "user")
	})
}

func (s sessionStore) Sessions(ctx context.Context, userID int64) ([]account.Session, error) {
	return all[sessionRow](ctx, s.conn, "session", ordered("id", "user_id = ?", userID))
}

func (s sessionStore) Session(ctx context.Context, hash [32]byte) (account.Session, error) {
	return one[sessionRow](ctx, s.conn, "session", where("hash = ?", hash[:]))
}

func (s sessionStore) Verify(ctx context.Context, hash [32]byte, proof core.Proof) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		var users []int64
		_, err := c.write.NewUpdate().Table("sessions").Set("verified_at = ?", instant(proof.At)).Set("verified_way = ?", proof.Way).
			Where("hash = ?", hash[:]).Returning("user_id").Exec(ctx, &users)
		if err != nil {
			return c.db.fault(err, "session")
		}
		if len(users) == 0 {
			return core.NotFound("session")
		}
		event, err := c.sessionEvent(ctx, event.SessionVerified, users[0])
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
		done, err := in.write.NewUpdate().Table("sessions").Set("signing_payload = ?", c.Payload).Set("signing_version = ?", c.Version).
			Set("signing_until = ?", instant(c.ExpiresAt)).Where(condition, args...).Exec(ctx)
		if err != nil {
			return in.db.fault(err, "session")
		}
		n, err = done.RowsAffected()
		return err
	})
	return n, err
}

// Touch is one statement. It always runs in a transaction, which is retried after a deadlock: another
// replica may update the same sessions in another order.
func (s sessionStore) Touch(ctx context.Context, uses []account.SessionUse) error {
	if len(uses) == 0 {
		return nil
	}
	type useRow struct {
		ID     int64
		UsedAt int64
	}
	rows := mapped(uses, func(use account.SessionUse) useRow { return useRow{use.SessionID, use.UsedAt.UnixMilli()} })
	return s.change(ctx, func(ctx context.Context, c conn) error {
		_, err := c.write.NewUpdate().With("used", c.write.NewValues(&rows)).Table("sessions").TableExpr("used").
			Set("used_at = used.used_at").Where("sessions.id = used.id").
			Where("coalesce(sessions.used_at, 0) < used.used_at").Exec(ctx)
		return c.db.fault(err, "session")
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
		_, err := c.write.NewUpdate().Table("users").Set("generation = generation + 1").Where("id = ?", userID).Exec(ctx)
		if err != nil {
			return c.db.fault(err, "user")
		}
		return sessionStore{c}.end(ctx, "user_id = ?", userID)
	})
}

// end deletes sessions, expired ones included, and records an event for each.
func (s sessionStore) end(ctx context.Context, condition string, args ...any) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		var users []int64
		if _, err := c.write.NewDelete().Model((*sessionRow)(nil)).Where(condition, args...).Returning("user_id").Exec(ctx, &users); err != nil {
			return c.db.fault(err, "session")
		}
		for _, user := range users {
			event, err := c.sessionEvent(ctx, event.SessionEnded, user)
			if err != nil {
				return err
			}
			c.record(event)
		}
		return nil
	})
}

// sessionEvent returns an event about a session of the user.
func (c conn) sessionEvent(ctx context.Context, kind event.Type, userID int64) (event.Event, error) {
	user, err := userStore{c}.User(ctx, userID)
	if errors.Is(err, core.ErrNotFound) {
		err = nil // the INSERT of the session reports the missing user
	}
	return event.Event{Type: kind, TenantID: user.TenantID, SubjectID: userID}, err
}
