package memory

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/event"
)

type users struct{ numbered }

func (s users) User(ctx context.Context, id int64) (core.User, error) {
	return get[core.User](ctx, s.store, id)
}

func (s users) UsersByIDs(ctx context.Context, ids []int64) ([]core.User, error) {
	return where(ctx, s.store, func(u core.User) bool { return slices.Contains(ids, u.ID) })
}

func (s users) UserByEmail(ctx context.Context, email string) (core.User, error) {
	email = address.Mailbox(email)
	return find(ctx, s.store, func(u core.User) bool { return u.Email == email })
}

func (s users) Users(ctx context.Context, tenantID int64, offset, limit int64) ([]core.User, error) {
	rows, err := where(ctx, s.store, func(u core.User) bool { return tenantID == 0 || u.TenantID == tenantID })
	return window(rows, offset, limit), err
}

func (s users) Candidates(ctx context.Context, tenantID int64) ([]core.User, error) {
	return view(ctx, s.conn, func(st *state) ([]core.User, error) {
		grants := st.grantsOf(func(membership) bool { return true })
		return st.users.where(func(u core.User) bool {
			granted := func(g core.Grant) bool { return g.UserID == u.ID && g.TenantID == tenantID }
			return u.Active && (u.TenantID == tenantID || slices.ContainsFunc(grants, granted))
		}), nil
	})
}

func (s users) Insert(ctx context.Context, u *core.User) error { return s.insert(ctx, u) }

func (s users) Update(ctx context.Context, u core.User) error {
	return edit(ctx, s.store, u.ID, func(st *state, old *core.User) error {
		for _, kind := range event.OfUser(*old, u) {
			st.record(userEvent(kind, u))
		}
		u.CreatedAt, u.LastSignInAt, u.TOTP, u.Passkeys, u.Generation = old.CreatedAt, old.LastSignInAt, old.TOTP, old.Passkeys, old.Generation
		*old = u
		return nil
	})
}

func userEvent(kind event.Type, u core.User) event.Event {
	return event.Event{Type: kind, TenantID: u.TenantID, SubjectID: u.ID}
}

// account returns the user with its id, also if there is none.
func (st *state) account(id int64) core.User {
	u, _ := st.users.get(id)
	u.ID = id
	return u
}

// setUser changes a user if it exists.
func (st *state) setUser(id int64, set func(*core.User)) {
	if u, ok := st.users.get(id); ok {
		set(&u)
		st.users.put(id, u)
	}
}

type sessions struct{ store }

func (s sessions) Insert(ctx context.Context, session account.Session) error {
	return s.apply(ctx, func(st *state) {
		session.ID = st.sessions.next()
		st.sessions.add(session.Hash, session)
		st.setUser(session.UserID, func(u *core.User) { u.LastSignInAt = session.CreatedAt })
		event := userEvent(event.SessionCreated, st.account(session.UserID))
		event.Reason = session.Origin.Said()
		st.record(event)
	})
}

func (s sessions) Sessions(ctx context.Context, userID int64) ([]account.Session, error) {
	return rowsOf[account.Session](ctx, s.store, userID)
}
func (s sessions) Session(ctx context.Context, hash [32]byte) (account.Session, error) {
	return get[account.Session](ctx, s.store, hash)
}

func (s sessions) Verify(ctx context.Context, hash [32]byte, proof core.Proof) error {
	return edit(ctx, s.store, hash, func(st *state, session *account.Session) error {
		session.Proof = proof
		st.record(userEvent(event.SessionVerified, st.account(session.UserID)))
		return nil
	})
}

func (s sessions) Ask(ctx context.Context, hash [32]byte, c account.SignatureChallenge) error {
	return set(ctx, s.store, hash, func(session *account.Session) { session.Challenge = c })
}

func (s sessions) Answer(ctx context.Context, hash [32]byte, c account.SignatureChallenge) (bool, error) {
	return try(ctx, s.store, hash, func(session *account.Session) bool {
		asked := session.Challenge.Payload
		session.Challenge = account.SignatureChallenge{}
		return asked != "" && asked == c.Payload
	})
}

func (s sessions) Touch(ctx context.Context, uses []account.SessionUse) error {
	return s.apply(ctx, func(st *state) {
		for _, use := range uses {
			for _, session := range st.sessions.where(func(session account.Session) bool {
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
		st.setUser(userID, func(u *core.User) { u.Generation++ })
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
	for _, session := range st.sessions.where(match) {
		st.sessions.remove(session.Hash)
		st.record(userEvent(event.SessionEnded, st.account(session.UserID)))
	}
}

type failedSignIns struct{ store }

func (s failedSignIns) FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]account.FailedSignIns, error) {
	return where(ctx, s.store, func(f account.FailedSignIns) bool { return slices.Contains(keys, f.Key) && f.EndsAt.After(now) })
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
			st.spent.put(hash, spentTicket{expiresAt})
		}
	})
	return fresh, err
}
