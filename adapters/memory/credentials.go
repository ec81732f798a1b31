package memory

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/assistant"
	"imprimatur/core/event"
)

type totp struct{ store }

func (s totp) TOTP(ctx context.Context, userID int64) (account.TOTP, error) {
	return get[account.TOTP](ctx, s.store, userID)
}

func (s totp) Set(ctx context.Context, t account.TOTP) error {
	return s.apply(ctx, func(st *state) {
		if old, _ := st.totp.get(t.UserID); !old.Confirmed {
			st.totp.put(t.UserID, t)
		}
	})
}

func (s totp) Confirm(ctx context.Context, userID, step int64) error {
	return edit(ctx, s.store, userID, func(st *state, t *account.TOTP) error {
		if t.Confirmed {
			return core.NotFound(s.thing)
		}
		t.Confirmed, t.LastStep = true, step
		st.setUser(userID, func(u *core.User) { u.TOTP = true })
		st.recordFactor(userID, event.FactorAdded)
		return nil
	})
}

func (s totp) Use(ctx context.Context, userID, step int64) (bool, error) {
	return try(ctx, s.store, userID, func(t *account.TOTP) bool {
		fresh := t.Confirmed && t.LastStep < step
		t.LastStep = step
		return fresh
	})
}

func (s totp) Delete(ctx context.Context, userID int64) error {
	return s.apply(ctx, func(st *state) {
		t, _ := st.totp.get(userID)
		st.totp.remove(userID)
		if t.Confirmed {
			st.setUser(userID, func(u *core.User) { u.TOTP = false })
			st.recordFactor(userID, event.FactorRemoved)
		}
	})
}

func (st *state) recordFactor(userID int64, kind event.Type) {
	st.record(userEvent(kind, st.account(userID)))
}

// recoveryCode is a recovery code of a user.
type recoveryCode struct {
	userID int64
	hash   [32]byte
}

type recoveryCodes struct{ conn }

func (s recoveryCodes) Count(ctx context.Context, userID int64) (int, error) {
	return view(ctx, s.conn, func(st *state) (int, error) { return len(st.recovery.of(userID)), nil })
}

func (s recoveryCodes) Has(ctx context.Context, userID int64, hash [32]byte) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { return st.recovery.has(recoveryCode{userID, hash}), nil })
}

func (s recoveryCodes) Replace(ctx context.Context, userID int64, hashes [][32]byte) error {
	return s.apply(ctx, func(st *state) {
		removeIf(&st.recovery, func(code recoveryCode, _ struct{}) bool { return code.userID == userID })
		for _, hash := range hashes {
			st.recovery.add(recoveryCode{userID, hash}, struct{}{})
		}
		if len(hashes) > 0 {
			st.recordFactor(userID, event.RecoveryRenewed)
		}
	})
}

func (s recoveryCodes) Use(ctx context.Context, userID int64, hash [32]byte) (had bool, err error) {
	err = s.apply(ctx, func(st *state) {
		if had = st.recovery.has(recoveryCode{userID, hash}); had {
			st.recovery.remove(recoveryCode{userID, hash})
			st.recordFactor(userID, event.RecoveryUsed)
		}
	})
	return had, err
}

type passkeys struct{ scoped }

func (s passkeys) Passkeys(ctx context.Context, userID int64) ([]account.Passkey, error) {
	return rowsOf[account.Passkey](ctx, s.store, userID)
}

func (s passkeys) ByCredential(ctx context.Context, credentialID []byte) (account.Passkey, error) {
	return find(ctx, s.store, func(p account.Passkey) bool { return bytes.Equal(p.CredentialID, credentialID) })
}

func (s passkeys) Insert(ctx context.Context, p *account.Passkey) error {
	return s.change(ctx, func(st *state) error {
		p.ID = st.passkeys.next()
		if st.passkeys.put(p.ID, *p); st.refused != nil {
			p.ID = 0
			return st.refused
		}
		st.countPasskeys(p.UserID, 1)
		st.recordFactor(p.UserID, event.FactorAdded)
		return nil
	})
}

func (s passkeys) Rename(ctx context.Context, userID, id int64, name string) error {
	return set(ctx, s.store, in{userID, id}, func(p *account.Passkey) { p.Name = name })
}

func (s passkeys) Use(ctx context.Context, used account.Passkey) (bool, error) {
	return try(ctx, s.store, used.ID, func(p *account.Passkey) bool {
		forward := p.Precedes(used)
		p.SignCount, p.Synced, p.LastUsedAt = used.SignCount, used.Synced, used.LastUsedAt
		return forward
	})
}

func (s passkeys) Delete(ctx context.Context, userID, id int64) error {
	return s.change(ctx, func(st *state) error {
		p, err := st.passkeys.in(userID, id)
		if err == nil {
			st.removePasskey(p)
		}
		return err
	})
}

func (s passkeys) DeleteByUser(ctx context.Context, userID int64) error {
	return s.apply(ctx, func(st *state) {
		for _, p := range st.passkeys.of(userID) {
			st.removePasskey(p)
		}
	})
}

func (st *state) removePasskey(p account.Passkey) {
	st.passkeys.remove(p.ID)
	st.countPasskeys(p.UserID, -1)
	st.recordFactor(p.UserID, event.FactorRemoved)
}

// countPasskeys adds n to the number of passkeys in the user.
func (st *state) countPasskeys(userID int64, n int) {
	st.setUser(userID, func(u *core.User) { u.Passkeys += n })
}

type previews struct{ store }

func (s previews) Preview(ctx context.Context, hash [32]byte) (core.Preview, error) {
	return get[core.Preview](ctx, s.store, hash)
}

func (s previews) Insert(ctx context.Context, p core.Preview) error {
	return s.apply(ctx, func(st *state) {
		st.previews.add(p.Hash, p)
		own := st.previews.where(func(other core.Preview) bool { return other.Session == p.Session })
		sort(own, func(a, b core.Preview) int {
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), bytes.Compare(b.Hash[:], a.Hash[:]))
		})
		for _, old := range own[min(core.MaxPreviews, len(own)):] {
			st.previews.remove(old.Hash)
		}
	})
}

func (s previews) DeleteOf(ctx context.Context, entryID int64) error {
	return s.apply(ctx, func(st *state) {
		removeIf(&st.previews, func(_ [32]byte, p core.Preview) bool { return p.EntryID == entryID })
	})
}

type tokens struct{ scoped }

func (s tokens) Tokens(ctx context.Context, projectID int64) ([]core.Token, error) {
	return rowsOf[core.Token](ctx, s.store, projectID)
}
func (s tokens) Token(ctx context.Context, projectID, id int64) (core.Token, error) {
	return get[core.Token](ctx, s.store, in{projectID, id})
}

func (s tokens) TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error) {
	return find(ctx, s.store, func(t core.Token) bool { return t.Hash == hash })
}

func (s tokens) TokensOf(ctx context.Context, userID int64) ([]core.Token, error) {
	created, err := where(ctx, s.store, func(t core.Token) bool { return t.CreatedBy == userID && t.RevokedAt.IsZero() })
	sort(created, by(func(t core.Token) int64 { return t.ProjectID }))
	return created, err
}

func (s tokens) Insert(ctx context.Context, t *core.Token) error { return s.insert(ctx, t) }

func (s tokens) Update(ctx context.Context, t core.Token) error {
	return edit(ctx, s.store, in{t.ProjectID, t.ID}, func(st *state, old *core.Token) error {
		old.Name, old.Abilities, old.AllowDrafts, old.AllowHistory, old.RateLimit = t.Name, t.Abilities, t.AllowDrafts, t.AllowHistory, t.RateLimit
		old.ExpiresAt, old.RevokedAt = t.ExpiresAt, t.RevokedAt
		st.record(event.OfToken(*old))
		return nil
	})
}

// tokenDay is a day of a token, in milliseconds since 1970.
type tokenDay struct{ projectID, tokenID, day int64 }

func (s tokens) Touch(ctx context.Context, day time.Time, uses []core.TokenUse) error {
	return s.apply(ctx, func(st *state) {
		for _, use := range uses {
			t, ok := st.tokens.get(use.TokenID)
			if !ok {
				continue
			}
			if t.LastUsedAt.Before(use.UsedAt) {
				t.LastUsedAt = use.UsedAt
				st.tokens.put(t.ID, t)
			}
			if use.Reads+use.Writes > 0 {
				key := tokenDay{t.ProjectID, t.ID, day.UnixMilli()}
				usage, _ := st.tokenUsage.get(key)
				st.tokenUsage.put(key, core.TokenUsage{Day: day, Reads: usage.Reads + use.Reads, Writes: usage.Writes + use.Writes})
			}
		}
	})
}

func (s tokens) Usage(ctx context.Context, projectID, id int64, from time.Time) ([]core.TokenUsage, error) {
	return view(ctx, s.conn, func(st *state) ([]core.TokenUsage, error) {
		return matching(&st.tokenUsage, func(key tokenDay, usage core.TokenUsage) bool {
			return key.projectID == projectID && key.tokenID == id && !usage.Day.Before(from)
		}), nil
	})
}

type assistants struct{ numbered }

func (s assistants) AssistantsOf(ctx context.Context, userID int64) ([]core.Assistant, error) {
	return rowsOf[core.Assistant](ctx, s.store, userID)
}
func (s assistants) Assistant(ctx context.Context, id int64) (core.Assistant, error) {
	return get[core.Assistant](ctx, s.store, id)
}

func (s assistants) AssistantByHash(ctx context.Context, hash [32]byte) (core.Assistant, error) {
	return find(ctx, s.store, func(a core.Assistant) bool { return a.Hash == hash })
}

func (s assistants) Insert(ctx context.Context, a *core.Assistant) error { return s.insert(ctx, a) }

func (s assistants) Revoke(ctx context.Context, a *core.Assistant) error {
	return edit(ctx, s.store, a.ID, func(st *state, stored *core.Assistant) error {
		if !stored.RevokedAt.IsZero() {
			return core.NotFound(s.thing)
		}
		stored.RevokedAt = a.RevokedAt
		st.record(assistant.Changed(event.AssistantRevoked, stored))
		return nil
	})
}
