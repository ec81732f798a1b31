package memory

import (
	"bytes"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

type passkeys struct{ conn }

func (s passkeys) Passkeys(ctx context.Context, userID int64) ([]account.Passkey, error) {
	return view(ctx, s.conn, func(st *state) ([]account.Passkey, error) {
		return byID(&st.passkeys, func(p account.Passkey) bool { return p.UserID == userID }, copyPasskey), nil
	})
}

func (s passkeys) ByCredential(ctx context.Context, credentialID []byte) (account.Passkey, error) {
	return view(ctx, s.conn, func(st *state) (account.Passkey, error) {
		p, ok := st.passkeys.find(func(p account.Passkey) bool { return bytes.Equal(p.CredentialID, credentialID) })
		return found(copyPasskey(p), ok, "passkey")
	})
}

func (s passkeys) Insert(ctx context.Context, p *account.Passkey) error {
	return s.change(ctx, func(st *state) error {
		if st.passkeys.any(func(other account.Passkey) bool { return bytes.Equal(other.CredentialID, p.CredentialID) }) {
			return core.ErrConflict
		}
		p.ID = st.passkeys.next()
		st.passkeys.put(p.ID, copyPasskey(*p))
		st.countPasskeys(p.UserID, 1)
		return nil
	})
}

func (s passkeys) Rename(ctx context.Context, userID, id int64, name string) error {
	return s.change(ctx, func(st *state) error {
		p, err := st.passkey(userID, id)
		if err != nil {
			return err
		}
		p.Name = name
		st.passkeys.put(id, p)
		return nil
	})
}

func (s passkeys) Use(ctx context.Context, used account.Passkey) (forward bool, err error) {
	err = s.apply(ctx, func(st *state) {
		p, ok := st.passkeys.get(used.ID)
		forward = ok && p.Precedes(used)
		if forward {
			p.SignCount, p.Synced, p.LastUsedAt = used.SignCount, used.Synced, used.LastUsedAt
			st.passkeys.put(p.ID, p)
		}
	})
	return forward, err
}

func (s passkeys) Delete(ctx context.Context, userID, id int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.passkey(userID, id); err != nil {
			return err
		}
		st.passkeys.remove(id)
		st.countPasskeys(userID, -1)
		return nil
	})
}

func (s passkeys) DeleteByUser(ctx context.Context, userID int64) error {
	return s.apply(ctx, func(st *state) {
		for _, p := range st.passkeys.all(func(p account.Passkey) bool { return p.UserID == userID }) {
			st.passkeys.remove(p.ID)
			st.countPasskeys(userID, -1)
		}
	})
}

func (st *state) passkey(userID, id int64) (account.Passkey, error) {
	p, ok := st.passkeys.get(id)
	return found(p, ok && p.UserID == userID, "passkey")
}

// countPasskeys adds n to the number of passkeys in the user, and records an event.
func (st *state) countPasskeys(userID int64, n int) {
	user, _ := st.users.get(userID)
	user.Passkeys += n
	st.users.put(userID, user)
	kind := event.FactorRemoved
	if n > 0 {
		kind = event.FactorAdded
	}
	st.record(event.Event{Type: kind, TenantID: user.TenantID, SubjectID: userID})
}

func copyPasskey(p account.Passkey) account.Passkey {
	p.CredentialID, p.PublicKey, p.Transports = bytes.Clone(p.CredentialID), bytes.Clone(p.PublicKey), slices.Clone(p.Transports)
	return p
}
