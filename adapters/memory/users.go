package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/event"
)

type users struct{ conn }

func (s users) User(ctx context.Context, id int64) (core.User, error) {
	return view(ctx, s.conn, func(st *state) (core.User, error) { return st.user(id) })
}

func (s users) UsersByIDs(ctx context.Context, ids []int64) ([]core.User, error) {
	return view(ctx, s.conn, func(st *state) ([]core.User, error) {
		return byID(&st.users, func(u core.User) bool { return slices.Contains(ids, u.ID) }, unshared), nil
	})
}

func (s users) UserByEmail(ctx context.Context, email string) (core.User, error) {
	email = address.Mailbox(email)
	return view(ctx, s.conn, func(st *state) (core.User, error) {
		u, ok := st.users.find(func(u core.User) bool { return u.Email == email })
		return found(u, ok, "user")
	})
}

func (s users) Users(ctx context.Context, tenantID int64, offset, limit int64) ([]core.User, error) {
	return view(ctx, s.conn, func(st *state) ([]core.User, error) {
		rows := byID(&st.users, func(u core.User) bool { return tenantID == 0 || u.TenantID == tenantID }, unshared)
		return window(rows, offset, limit), nil
	})
}

func (s users) Candidates(ctx context.Context, tenantID int64) ([]core.User, error) {
	return view(ctx, s.conn, func(st *state) ([]core.User, error) {
		grants := st.grantsOf(func(membership) bool { return true })
		return byID(&st.users, func(u core.User) bool {
			granted := func(g core.Grant) bool { return g.UserID == u.ID && g.TenantID == tenantID }
			return u.Active && (u.TenantID == tenantID || slices.ContainsFunc(grants, granted))
		}, unshared), nil
	})
}

// Lock does nothing: transactions run one after another.
func (s users) Lock(context.Context, int64) error { return nil }

func (s users) Insert(ctx context.Context, u *core.User) error {
	return s.change(ctx, func(st *state) error {
		if err := st.emailFree(*u); err != nil {
			return err
		}
		u.ID = st.users.next()
		st.users.put(u.ID, *u)
		st.record(event.Event{Type: event.UserCreated, TenantID: u.TenantID, SubjectID: u.ID})
		return nil
	})
}

func (s users) Update(ctx context.Context, u core.User) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.user(u.ID)
		if err != nil {
			return err
		}
		if err := st.emailFree(u); err != nil {
			return err
		}
		u.CreatedAt, u.LastSignInAt, u.TOTP, u.Passkeys, u.Generation = old.CreatedAt, old.LastSignInAt, old.TOTP, old.Passkeys, old.Generation
		st.users.put(u.ID, u)
		for _, kind := range event.OfUser(old, u) {
			st.record(event.Event{Type: kind, TenantID: u.TenantID, SubjectID: u.ID})
		}
		return nil
	})
}

func (st *state) user(id int64) (core.User, error) {
	u, ok := st.users.get(id)
	return found(u, ok, "user")
}

func (st *state) emailFree(u core.User) error {
	if st.users.any(func(o core.User) bool { return o.Email == u.Email && o.ID != u.ID }) {
		return core.Conflict("email_taken", "a user has that e-mail address")
	}
	return nil
}

// window returns up to limit rows from offset on, and one more if it exists.
func window[T any](rows []T, offset, limit int64) []T {
	from := min(offset, int64(len(rows)))
	to := min(from+limit+1, int64(len(rows)))
	return rows[from:to]
}

type sessions struct{ conn }

func (s sessions) Insert(ctx context.Context, session account.Session) error {
	return s.apply(ctx, func(st *state) {
		session.ID = st.sessions.next()
		st.sessions.put(session.Hash, session)
		user, known := st.users.get(session.UserID)
		if user.LastSignInAt = session.CreatedAt; known {
			st.users.put(user.ID, user)
		}
		st.record(event.Event{Type: event.SessionCreated, TenantID: user.TenantID, SubjectID: session.UserID, Reason: session.Origin.Said()})
	})
}

func (s sessions) Sessions(ctx context.Context, userID int64) ([]account.Session, error) {
	return view(ctx, s.conn, func(st *state) ([]account.Session, error) {
		return st.sessions.sorted(
			func(session account.Session) bool { return session.UserID == userID },
			func(a, b account.Session) int { return cmp.Compare(a.ID, b.ID) }, unshared), nil
	})
}

func (s sessions) Session(ctx context.Context, hash [32]byte) (account.Session, error) {
	return view(ctx, s.conn, func(st *state) (account.Session, error) {
		session, ok := st.sessions.get(hash)
		return found(session, ok, "session")
	})
}

func (s sessions) Verify(ctx context.Context, hash [32]byte, proof core.Proof) error {
	return s.change(ctx, func(st *state) error {
		session, ok := st.sessions.get(hash)
		if !ok {
			return core.NotFound("session")
		}
		session.Proof = proof
		st.sessions.put(hash, session)
		user, _ := st.users.get(session.UserID)
		st.record(event.Event{Type: event.SessionVerified, TenantID: user.TenantID, SubjectID: session.UserID})
		return nil
	})
}

func (s sessions) Ask(ctx context.Context, hash [32]byte, c account.SignatureChallenge) error {
	return s.change(ctx, func(st *state) error {
		session, ok := st.sessions.get(hash)
		if !ok {
			return core.NotFound("session")
		}
		session.Challenge = c
		st.sessions.put(hash, session)
		return nil
	})
}

func (s sessions) Answer(ctx context.Context, hash [32]byte, c account.SignatureChallenge) (fresh bool, err error) {
	err = s.apply(ctx, func(st *state) {
		session, _ := st.sessions.get(hash)
		if fresh = c.Payload != "" && session.Challenge.Payload == c.Payload; fresh {
			session.Challenge = account.SignatureChallenge{}
			st.sessions.put(hash, session)
		}
	})
	return fresh, err
}

func (s sessions) Touch(ctx context.Context, uses []account.SessionUse) error {
	return s.apply(ctx, func(st *state) {
		for _, use := range uses {
			for _, session := range st.sessions.all(func(session account.Session) bool {
				return session.ID == use.SessionID && session.LastUsedAt.Before(use.UsedAt)
			}) {
				session.LastUsedAt = use.UsedAt
				st.sessions.put(session.Hash, session)
			}
		}
	})
}

func (s sessions) Delete(ctx context.Context, hash [32]byte) error {
	return s.apply(ctx, func(st *state) {
		st.endSessions(func(session account.Session) bool { return session.Hash == hash })
	})
}

func (s sessions) DeleteByUser(ctx context.Context, userID int64) error {
	return s.apply(ctx, func(st *state) {
		if user, ok := st.users.get(userID); ok {
			user.Generation++
			st.users.put(userID, user)
		}
		st.endSessions(func(session account.Session) bool { return session.UserID == userID })
	})
}

func (s sessions) DeleteByOrigin(ctx context.Context, providerID int64, sid string) error {
	return s.apply(ctx, func(st *state) {
		st.endSessions(func(session account.Session) bool {
			return session.Origin.ProviderID == providerID && session.Origin.SID == sid
		})
	})
}

// endSessions removes sessions, with an event for each.
func (st *state) endSessions(match func(account.Session) bool) {
	for _, session := range st.sessions.all(match) {
		st.sessions.remove(session.Hash)
		user, _ := st.users.get(session.UserID)
		st.record(event.Event{Type: event.SessionEnded, TenantID: user.TenantID, SubjectID: session.UserID})
	}
}

type failedSignIns struct{ conn }

func (s failedSignIns) FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]account.FailedSignIns, error) {
	return view(ctx, s.conn, func(st *state) ([]account.FailedSignIns, error) {
		return st.signIns.all(func(f account.FailedSignIns) bool { return slices.Contains(keys, f.Key) && f.EndsAt.After(now) }), nil
	})
}

func (s failedSignIns) Add(ctx context.Context, key string, now, endsAt time.Time) (failed account.FailedSignIns, err error) {
	err = s.apply(ctx, func(st *state) {
		var counted bool
		if failed, counted = st.signIns.get(key); !counted || !failed.EndsAt.After(now) {
			failed = account.FailedSignIns{Key: key, EndsAt: endsAt}
		}
		failed.Count++
		st.signIns.put(key, failed)
	})
	return failed, err
}

func (s failedSignIns) Forget(ctx context.Context, key string) error {
	return s.apply(ctx, func(st *state) { st.signIns.remove(key) })
}

type spent struct{ conn }

func (s spent) Spend(ctx context.Context, hash [32]byte, expiresAt time.Time) (fresh bool, err error) {
	err = s.apply(ctx, func(st *state) {
		if fresh = !st.spent.has(hash); fresh {
			st.spent.put(hash, expiresAt)
		}
	})
	return fresh, err
}
