package identity

import (
	"bytes"
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// passkeyProofs checks assertions of passkeys.
type passkeyProofs struct {
	store      ports.PasskeyStore
	users      ports.UserStore
	spent      ports.SpentStore
	tx         ports.Tx
	reader     ports.PasskeyReader
	challenges challenges
	key        secret.Key
	clock      ports.Clock
}

func newPasskeyProofs(stores ports.Stores, tx ports.Tx, clock ports.Clock, key secret.Key, reader ports.PasskeyReader) passkeyProofs {
	return passkeyProofs{stores.Passkeys, stores.Users, stores.Spent, tx, reader, challenges{key, clock}, key, clock}
}

// owner returns the user whose passkey an assertion names, without verifying it; the zero User for no
// passkey.
func (p passkeyProofs) owner(ctx context.Context, assertion []byte) (core.User, error) {
	read, err := p.reader.Asserted(assertion)
	if err != nil {
		return core.User{}, nil //nolint:nilerr // it is of no user
	}
	passkey, err := p.store.ByCredential(ctx, read.CredentialID)
	if err == nil {
		var user core.User
		if user, err = p.users.User(ctx, passkey.UserID); err == nil {
			return user, nil
		}
	}
	return core.User{}, unlessMissing(err)
}

// unlessMissing returns err, or nil for core.ErrNotFound.
func unlessMissing(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	return err
}

// of returns the evidence of an assertion of a passkey of the user.
func (p passkeyProofs) of(user core.User, assertion []byte) evidence {
	var used account.Passkey
	return evidence{
		way: core.WayPasskey,
		matches: func(ctx context.Context) (right bool, err error) {
			used, right, err = p.check(ctx, user, assertion)
			return right, err
		},
		use: func(ctx context.Context, stores ports.Stores) (bool, error) {
			used.LastUsedAt = p.clock.Now()
			return stores.Passkeys.Use(ctx, used)
		},
	}
}

// check returns the passkey as it is after the assertion. It returns false unless the assertion is right.
// Its challenge counts once, also when the sign-in fails afterwards.
func (p passkeyProofs) check(ctx context.Context, user core.User, assertion []byte) (account.Passkey, bool, error) {
	read, err := p.reader.Asserted(assertion)
	if err != nil {
		return account.Passkey{}, false, nil //nolint:nilerr // it is wrong
	}
	hash, expiresAt, valid := p.challenges.open(read.Challenge, toAssert, 0)
	if !valid {
		return account.Passkey{}, false, nil
	}
	passkey, err := p.store.ByCredential(ctx, read.CredentialID)
	if err != nil {
		return account.Passkey{}, false, unlessMissing(err)
	}
	if !p.asserts(user, passkey, &read) {
		return account.Passkey{}, false, nil
	}
	if fresh, err := p.spent.Spend(ctx, hash, expiresAt); err != nil || !fresh {
		return account.Passkey{}, false, err
	}
	used, err := p.verified(ctx, user, passkey, &read)
	return used, used.ID != 0, err
}

// asserts reports whether an assertion was made with a passkey of the user.
func (p passkeyProofs) asserts(user core.User, passkey account.Passkey, read *ports.PasskeyAssertion) bool {
	return passkey.UserID == user.ID && (len(read.UserHandle) == 0 || bytes.Equal(read.UserHandle, userHandle(p.key, user.ID))) && read.Verify(passkey) == nil
}

// verified returns the passkey as it is after an assertion, or the zero value if the assertion is wrong.
func (p passkeyProofs) verified(ctx context.Context, user core.User, passkey account.Passkey, read *ports.PasskeyAssertion) (account.Passkey, error) {
	if !p.asserts(user, passkey, read) {
		return account.Passkey{}, nil
	}
	used := passkey
	used.SignCount, used.Synced = read.SignCount, read.Synced
	if !passkey.Precedes(used) {
		return account.Passkey{}, p.usedBack(ctx, user)
	}
	return used, nil
}

// usedBack records that the counter of a passkey of the user went back: there may be a copy of it.
func (p passkeyProofs) usedBack(ctx context.Context, user core.User) error {
	return p.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		return stores.Events.Record(ctx, event.Event{Type: event.FactorUsedBack, TenantID: user.TenantID, SubjectID: user.ID})
	})
}
