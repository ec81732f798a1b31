package identity

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/password"
	"imprimatur/ports"
)

// Passwords sets the passwords of accounts.
type Passwords struct {
	users    ports.UserStore
	grants   ports.GrantStore
	attempts attempts
	tx       ports.Tx
	hasher   password.Hasher
	policy   Policy
	clock    ports.Clock
}

// NewPasswords returns Passwords.
func NewPasswords(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, policy Policy, clock ports.Clock) *Passwords {
	return &Passwords{
		users: stores.Users, grants: stores.Grants, attempts: newAttempts(stores, tx, clock), tx: tx, hasher: password.NewHasher(hasher), policy: policy, clock: clock,
	}
}

// PasswordChange sets a password. Current is required when users change their own password.
type PasswordChange struct {
	Current string
	New     string
	Address string // of the client: an IP address without port
	Browser string // id of the browser if the user has signed in in it before (Sessions.KnownBrowser)
}

// Set changes a password and ends all sessions and links of the account. Users must send their current
// password; a wrong one counts as a failed sign-in (Sessions.SignIn). For another account the
// actor must manage the account, and its user must then change the password at the next sign-in.
func (p *Passwords) Set(ctx context.Context, actor core.Actor, id int64, change PasswordChange) error {
	user, err := p.policy.SeenUser(ctx, p.users, actor, id)
	if err != nil {
		return err
	}
	if err := p.mayReplace(ctx, actor, user, change); err != nil {
		return err
	}
	hash, err := p.hasher.Hash(ctx, change.New)
	if err != nil {
		return err
	}
	return p.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if actor.UserID() == id {
			// Checked again here, so that parallel attempts cannot exceed the limit.
			if err := p.attempts.allowed(ctx, stores.SignIns, change.client(user)); err != nil {
				return err
			}
		}
		if err := stores.Users.Lock(ctx, id); err != nil {
			return err
		}
		current, err := stores.Users.User(ctx, id)
		if err != nil {
			return err
		}
		if current.PasswordHash != user.PasswordHash {
			return core.Conflict("changed_meanwhile", "another request has changed the password; try again")
		}
		current.PasswordHash, current.UpdatedAt = hash, p.clock.Now()
		current.MustChangePassword = actor.UserID() != id && !actor.System
		if err := stores.Users.Update(ctx, current); err != nil {
			return err
		}
		return endAccess(ctx, stores, current)
	})
}

// mayReplace checks the permission to change the account, and both passwords.
func (p *Passwords) mayReplace(ctx context.Context, actor core.Actor, user core.User, change PasswordChange) error {
	var wrong core.Faults
	if actor.UserID() == user.ID {
		matches, err := p.attempts.check(ctx, change.client(user), &user, func(ctx context.Context) (bool, error) {
			return p.hasher.Matches(ctx, change.Current, user.PasswordHash)
		})
		if err != nil {
			return err
		}
		if !matches {
			wrong.Add("current", nil, "is not the current password")
		}
		if matches && password.Normal(change.New) == password.Normal(change.Current) {
			wrong.Add("new", nil, "must differ from the current password")
		}
	} else if err := p.mayReset(ctx, actor, user); err != nil {
		return err
	}
	password.Check(&wrong, "new", change.New)
	return wrong.Err()
}

// mayReset checks the permission to set the password of another user.
func (p *Passwords) mayReset(ctx context.Context, actor core.Actor, user core.User) error {
	if actor.User != nil && actor.User.MustChangePassword {
		return core.PasswordChangeRequired()
	}
	return p.policy.MustManage(ctx, p.grants, actor, user)
}

func (c PasswordChange) client(user core.User) client {
	return client{user.Email, c.Address, c.Browser}
}
