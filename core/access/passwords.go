package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// PasswordChange sets a password. Current is required when users change their own password.
type PasswordChange struct {
	Current string
	New     string
	Address string // of the client: an IP address without port
}

// SetPassword changes a password and ends all sessions of the account. Users must send their
// current password; a wrong one counts as a failed sign-in (Sessions.SignIn). For another account
// the actor must manage the account.
func (u *Users) SetPassword(ctx context.Context, actor core.Actor, id int64, change PasswordChange) error {
	user, err := seenUser(ctx, u.users, actor, id)
	if err != nil {
		return err
	}
	if err := u.mayReplace(ctx, actor, user, change); err != nil {
		return err
	}
	hash, err := u.hasher.Hash(ctx, change.New)
	if err != nil {
		return err
	}
	return u.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if actor.UserID() == id {
			// Checked again here, so that parallel attempts cannot exceed the limit.
			if err := u.attempts.allowed(ctx, stores.SignIns, user.Email, change.Address); err != nil {
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
		current.PasswordHash, current.UpdatedAt = hash, u.clock.Now()
		if err := stores.Users.Update(ctx, current); err != nil {
			return err
		}
		return stores.Sessions.DeleteByUser(ctx, id)
	})
}

// mayReplace checks the permission to change the account, and both passwords.
func (u *Users) mayReplace(ctx context.Context, actor core.Actor, user core.User, change PasswordChange) error {
	var wrong faults
	if actor.UserID() == user.ID {
		if err := u.attempts.allowed(ctx, u.attempts.signIns, user.Email, change.Address); err != nil {
			return err
		}
		matches, err := u.hasher.Matches(ctx, change.Current, user.PasswordHash)
		if err != nil {
			return err
		}
		if !matches {
			if err := u.attempts.failed(ctx, user.Email, change.Address); err != nil {
				return err
			}
			wrong.Add("current", nil, "is not the current password")
		}
	} else if err := mustManage(ctx, u.grants, actor, user); err != nil {
		return err
	}
	wrong.password("new", change.New)
	return wrong.Err()
}
