package identity

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/letter"
	"imprimatur/core/password"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Resets sets new passwords for users that have forgotten theirs, by a link to their address.
type Resets struct {
	stores ports.Stores
	tx     ports.Tx
	hasher password.Hasher
	clock  ports.Clock
	post   letter.Post

	// Unsent, when not nil, is called for a request that no mail can be sent for, because the
	// installation sends none.
	Unsent func(ctx context.Context)
	// Limited, when not nil, is called for the first request in an hour that is dropped because its
	// client's IP address has caused 30 mails.
	Limited func(ctx context.Context, from string)
}

// NewResets returns Resets.
func NewResets(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, clock ports.Clock, post letter.Post) *Resets {
	return &Resets{stores: stores, tx: tx, hasher: password.NewHasher(hasher), clock: clock, post: post}
}

// Request sends a link to the address if it has an active account: at most three an hour, and at most 30 an
// hour for from, the client's IP address. It does not say that it drops a request. Request does not look for the account: the link is stored by address, and the
// mail is dropped when it is about to be sent. Its time and result therefore do not depend on whether
// the account exists.
func (r *Resets) Request(ctx context.Context, email, from string) error {
	if !r.post.On {
		if r.Unsent != nil {
			r.Unsent(ctx)
		}
		return nil
	}
	if !address.Email(email) {
		return nil
	}
	email, text, now := address.Mailbox(email), secret.Text(), r.clock.Now()
	link := account.MailLink{Hash: secret.Hash(text), Kind: account.LinkReset, Email: email, CreatedAt: now, ExpiresAt: now.Add(ResetLifetime)}
	excess := 0
	err := r.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		wait, err := countMail(ctx, stores.SignIns, "reset:"+hashed(email), maxMails, now)
		if err != nil || wait > 0 {
			return err
		}
		if wait, excess, err = countExcess(ctx, stores.SignIns, "reset-from:"+addressKey(from), maxMailsFrom, now); err != nil || wait > 0 {
			return err
		}
		if err := stores.Links.Insert(ctx, link); err != nil {
			return err
		}
		return r.post.Put(ctx, stores.Mails, letter.Letter{Kind: letter.Reset, Address: email, Path: ResetPath + text, Hash: link.Hash, ExpiresAt: link.ExpiresAt})
	})
	if err == nil && excess == 1 && r.Limited != nil {
		r.Limited(ctx, from)
	}
	return err
}

// Look returns the account whose password the link sets. It returns core.KindGone for a link that
// does not work.
func (r *Resets) Look(ctx context.Context, text string) (core.User, error) {
	hash, ok := linkHash(text)
	if !ok {
		return core.User{}, invalidLink()
	}
	link, err := r.stores.Links.Link(ctx, hash)
	return r.owner(ctx, r.stores, link, err)
}

// owner returns the active account of a link that was found, or not. A link to an account that signs in by an identity
// provider alone does not work.
func (r *Resets) owner(ctx context.Context, stores ports.Stores, link account.MailLink, err error) (core.User, error) {
	if core.KindOf(err) == core.KindNotFound || err == nil && (link.Kind != account.LinkReset || !r.clock.Now().Before(link.ExpiresAt)) {
		return core.User{}, invalidLink()
	}
	if err != nil {
		return core.User{}, err
	}
	user, err := stores.Users.UserByEmail(ctx, link.Email)
	if err == nil && user.Active {
		if forbidden, err := ByProviderAlone(ctx, stores, &user); err != nil || !forbidden {
			return user, err
		}
	}
	if err == nil || core.KindOf(err) == core.KindNotFound {
		err = invalidLink()
	}
	return core.User{}, err
}

// Finish sets the password and returns the account. It ends all sessions of the account and all its
// links, and forgets its failed sign-ins. It does not sign in. It returns core.KindGone for a link
// that does not work, and core.KindInvalid for the password.
func (r *Resets) Finish(ctx context.Context, text, fresh string) (user core.User, err error) {
	if user, err = r.Look(ctx, text); err != nil {
		return core.User{}, err
	}
	var wrong core.Faults
	password.Check(&wrong, "password", fresh)
	if err := wrong.Err(); err != nil {
		return core.User{}, err
	}
	hash, err := r.hasher.Hash(ctx, fresh)
	if err != nil {
		return core.User{}, err
	}
	link, _ := linkHash(text)
	err = r.tx.Do(ctx, core.Actor{User: &user}, func(ctx context.Context, stores ports.Stores) error {
		taken, err := stores.Links.Take(ctx, link)
		if _, err = r.owner(ctx, stores, taken, err); err != nil {
			return err
		}
		if err := stores.Users.Lock(ctx, user.ID); err != nil {
			return err
		}
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if !current.Active || current.Email != taken.Email {
			return invalidLink()
		}
		current.PasswordHash, current.MustChangePassword, current.UpdatedAt = hash, false, r.clock.Now()
		user = current
		if err := stores.Users.Update(ctx, current); err != nil {
			return err
		}
		if err := endAccess(ctx, stores, current); err != nil {
			return err
		}
		return stores.SignIns.Forget(ctx, accountKey(current.Email))
	})
	if err != nil {
		return core.User{}, err
	}
	return user, nil
}

// endAccess ends the sessions of an account, and its links: those that set another password, and those
// that would move it to another address. It also forgets failed sign-ins, which were not with the new
// password.
func endAccess(ctx context.Context, stores ports.Stores, user core.User) error {
	if err := stores.SignIns.Forget(ctx, accountKey(user.Email)); err != nil {
		return err
	}
	if err := stores.Sessions.DeleteByUser(ctx, user.ID); err != nil {
		return err
	}
	if err := stores.Links.Forget(ctx, account.LinkReset, user.Email, 0); err != nil {
		return err
	}
	if err := stores.Links.Forget(ctx, account.LinkProvider, user.Email, 0); err != nil {
		return err
	}
	return stores.Links.Forget(ctx, account.LinkAddress, user.Email, user.ID)
}
