package memory

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

type totp struct{ conn }

func (s totp) TOTP(ctx context.Context, userID int64) (account.TOTP, error) {
	return view(ctx, s.conn, func(st *state) (account.TOTP, error) {
		t, ok := st.totp.get(userID)
		return found(t, ok, "authenticator app")
	})
}

func (s totp) Set(ctx context.Context, t account.TOTP) error {
	return s.apply(ctx, func(st *state) {
		if old, _ := st.totp.get(t.UserID); !old.Confirmed {
			st.totp.put(t.UserID, t)
		}
	})
}

func (s totp) Confirm(ctx context.Context, userID, step int64) error {
	return s.change(ctx, func(st *state) error {
		t, ok := st.totp.get(userID)
		if !ok || t.Confirmed {
			return core.NotFound("authenticator app")
		}
		t.Confirmed, t.LastStep = true, step
		st.totp.put(userID, t)
		st.setTOTP(userID, true)
		return nil
	})
}

func (s totp) Use(ctx context.Context, userID, step int64) (fresh bool, err error) {
	err = s.apply(ctx, func(st *state) {
		t, _ := st.totp.get(userID)
		if fresh = t.Confirmed && t.LastStep < step; fresh {
			t.LastStep = step
			st.totp.put(userID, t)
		}
	})
	return fresh, err
}

func (s totp) Delete(ctx context.Context, userID int64) error {
	return s.apply(ctx, func(st *state) {
		t, _ := st.totp.get(userID)
		st.totp.remove(userID)
		if t.Confirmed {
			st.setTOTP(userID, false)
		}
	})
}

// setTOTP says in the user whether the user has a confirmed app, and records an event.
func (st *state) setTOTP(userID int64, has bool) {
	user, _ := st.users.get(userID)
	user.TOTP = has
	st.users.put(userID, user)
	kind := event.FactorRemoved
	if has {
		kind = event.FactorAdded
	}
	st.record(event.Event{Type: kind, TenantID: user.TenantID, SubjectID: userID})
}

// recoveryCode is a recovery code of a user.
type recoveryCode struct {
	userID int64
	hash   [32]byte
}

type recoveryCodes struct{ conn }

func (s recoveryCodes) Count(ctx context.Context, userID int64) (int, error) {
	return view(ctx, s.conn, func(st *state) (n int, _ error) {
		for code := range st.recovery.rows {
			if code.userID == userID {
				n++
			}
		}
		return n, nil
	})
}

func (s recoveryCodes) Has(ctx context.Context, userID int64, hash [32]byte) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { return st.recovery.has(recoveryCode{userID, hash}), nil })
}

func (s recoveryCodes) Replace(ctx context.Context, userID int64, hashes [][32]byte) error {
	return s.apply(ctx, func(st *state) {
		st.recovery.removeIf(func(code recoveryCode, _ struct{}) bool { return code.userID == userID })
		for _, hash := range hashes {
			st.recovery.put(recoveryCode{userID, hash}, struct{}{})
		}
		if len(hashes) > 0 {
			user, _ := st.users.get(userID)
			st.record(event.Event{Type: event.RecoveryRenewed, TenantID: user.TenantID, SubjectID: userID})
		}
	})
}

func (s recoveryCodes) Use(ctx context.Context, userID int64, hash [32]byte) (had bool, err error) {
	err = s.apply(ctx, func(st *state) {
		code := recoveryCode{userID, hash}
		if had = st.recovery.has(code); had {
			st.recovery.remove(code)
			user, _ := st.users.get(userID)
			st.record(event.Event{Type: event.RecoveryUsed, TenantID: user.TenantID, SubjectID: userID})
		}
	})
	return had, err
}
