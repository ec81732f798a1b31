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
	Browser string // id of the browser if the user has signed in in it before (Sessions.KnownBrowser)
}

// SetPassword changes a password and ends all sessions of the account. Users must send their
// current password; a wrong one counts as a failed sign-in (Sessions.SignIn). For another account
// the actor must manage the account, and its user must then change the password at the next
// sign-in.
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
			if err := u.attempts.allowed(ctx, stores.SignIns, change.client(user)); err != nil {
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
		current.MustChangePassword = actor.UserID() != id && !actor.System
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
		matches, err := u.attempts.check(ctx, change.client(user), func(ctx context.Context) (bool, error) {
			return u.hasher.Matches(ctx, change.Current, user.PasswordHash)
		})
		if err != nil {
			return err
		}
		if !matches {
			wrong.Add("current", nil, "is not the current password")
		}
		if matches && change.New == change.Current {
			wrong.Add("new", nil, "must differ from the current password")
		}
	} else if err := mayReset(ctx, u.grants, actor, user); err != nil {
		return err
	}
	wrong.password("new", change.New)
	return wrong.Err()
}

// mayReset checks the permission to set the password of another user.
func mayReset(ctx context.Context, grants ports.GrantStore, actor core.Actor, user core.User) error {
	if actor.User != nil && actor.User.MustChangePassword {
		return passwordChangeRequired()
	}
	return mustManage(ctx, grants, actor, user)
}

func (c PasswordChange) client(user core.User) client {
	return client{user.Email, c.Address, c.Browser}
}
