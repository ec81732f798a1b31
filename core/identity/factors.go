package identity

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Factors manages the second factors of users.
type Factors struct {
	users    ports.UserStore
	totp     ports.TOTPStore
	recovery ports.RecoveryCodeStore
	tx       ports.Tx
	policy   Policy
	clock    ports.Clock
}

// NewFactors returns Factors.
func NewFactors(stores ports.Stores, tx ports.Tx, policy Policy, clock ports.Clock) *Factors {
	return &Factors{
		users: stores.Users, totp: stores.TOTP, recovery: stores.Recovery, tx: tx, policy: policy, clock: clock,
	}
}

// OwnFactors are the second factors of a user.
type OwnFactors struct {
	TOTP     bool
	Passkeys int
	Recovery int // codes left
}

// Own returns the second factors of the actor.
func (f *Factors) Own(ctx context.Context, actor core.Actor) (OwnFactors, error) {
	user, err := f.users.User(ctx, actor.UserID())
	if err != nil {
		return OwnFactors{}, err
	}
	left, err := f.recovery.Count(ctx, user.ID)
	return OwnFactors{TOTP: user.TOTP, Passkeys: user.Passkeys, Recovery: left}, err
}

// RemoveApp removes the authenticator app of the actor, who must have given a fresh proof, and with the
// last second factor the recovery codes.
func (f *Factors) RemoveApp(ctx context.Context, actor core.Actor) error {
	return f.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		if !user.TOTP {
			return core.NotFound("authenticator app")
		}
		if err := mustVerify(ctx, stores, actor); err != nil {
			return err
		}
		if err := stores.TOTP.Delete(ctx, user.ID); err != nil || user.Passkeys > 0 {
			return err
		}
		return stores.Recovery.Replace(ctx, user.ID, nil)
	})
}

// RenewCodes replaces the recovery codes of the actor, who must have given a fresh proof. It returns
// core.KindConflict for an actor without a second factor.
func (f *Factors) RenewCodes(ctx context.Context, actor core.Actor) (codes []string, err error) {
	err = f.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		if !user.HasFactor() {
			return core.Conflict("no_factor", "recovery codes are for accounts with a second factor")
		}
		if err := mustHaveProven(ctx, stores, actor); err != nil {
			return err
		}
		codes, err = renew(ctx, stores, user.ID)
		return err
	})
	return codes, err
}

// Reset removes all second factors of another user and ends the user's sessions. It changes nothing for a
// user that has none. The actor must manage the account (Policy), or be able to give every role that the
// user has.
func (f *Factors) Reset(ctx context.Context, actor core.Actor, userID int64) error {
	if actor.UserID() == userID {
		return core.Forbidden("own second factors are removed one by one, after a fresh proof")
	}
	return f.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Users.Lock(ctx, userID); err != nil {
			return err
		}
		if err := f.mayReset(ctx, stores, actor, userID); err != nil {
			return err
		}
		if user, err := stores.Users.User(ctx, userID); err != nil || !user.HasFactor() {
			return err
		}
		if err := stores.TOTP.Delete(ctx, userID); err != nil {
			return err
		}
		if err := stores.Passkeys.DeleteByUser(ctx, userID); err != nil {
			return err
		}
		if err := stores.Recovery.Replace(ctx, userID, nil); err != nil {
			return err
		}
		return stores.Sessions.DeleteByUser(ctx, userID)
	})
}

// mayReset returns core.KindNotFound or core.KindForbidden unless the actor may remove the factors of
// the user.
func (f *Factors) mayReset(ctx context.Context, stores ports.Stores, actor core.Actor, userID int64) error {
	user, refusal := f.policy.SeenUser(ctx, stores.Users, actor, userID)
	if refusal == nil {
		refusal = f.policy.MustManage(ctx, stores.Grants, actor, user)
	}
	if refusal == nil {
		return nil
	}
	user, err := stores.Users.User(ctx, userID)
	if err != nil || user.SuperAdmin {
		return refusal
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, userID)
	if err != nil {
		return err
	}
	ids := make([]int64, len(roles))
	for i, role := range roles {
		ids[i] = role.ID
	}
	if len(grants)+len(ids) == 0 {
		return refusal
	}
	if _, err := f.policy.MayGive(ctx, stores, actor, grants, ids); err != nil {
		return refusal
	}
	return nil
}

// change calls do in a transaction with the locked account of the actor.
func (f *Factors) change(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores ports.Stores, user core.User) error) error {
	return f.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Users.Lock(ctx, actor.UserID()); err != nil {
			return err
		}
		user, err := stores.Users.User(ctx, actor.UserID())
		if err != nil {
			return err
		}
		return do(ctx, stores, user)
	})
}

// renew replaces the recovery codes of the user.
func renew(ctx context.Context, stores ports.Stores, userID int64) ([]string, error) {
	codes, hashes := newRecoveryCodes()
	return codes, stores.Recovery.Replace(ctx, userID, hashes)
}
