package identity

import (
	"context"
	"errors"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/letter"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Addresses changes the addresses of users by themselves. The new address must confirm the change by a
// link; the former one is told.
type Addresses struct {
	stores ports.Stores
	tx     ports.Tx
	clock  ports.Clock
	post   letter.Post
}

// NewAddresses returns Addresses.
func NewAddresses(stores ports.Stores, tx ports.Tx, clock ports.Clock, post letter.Post) *Addresses {
	return &Addresses{stores: stores, tx: tx, clock: clock, post: post}
}

// Request sends a link to the new address of the actor, which replaces earlier ones. The result does
// not say whether another account has the address. It returns core.KindConflict with the code no_mail
// if the installation sends no mails, core.KindForbidden with the code verify_first for an actor that has
// neither given a fresh proof nor just signed in, and core.KindTooManyRequests after three mails in an hour.
func (a *Addresses) Request(ctx context.Context, actor core.Actor, email string) error {
	var wrong core.Faults
	switch {
	case !address.Email(email):
		wrong.Add("email", nil, "must be an e-mail address")
	case address.Mailbox(email) == actor.User.Email:
		wrong.Add("email", nil, "is already your address")
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	if !a.post.On {
		return core.Conflict("no_mail", "this installation sends no e-mails; ask an administrator to change the address")
	}
	if err := mustHaveProven(ctx, a.stores, actor); err != nil {
		return err
	}
	email, text, now := address.Mailbox(email), secret.Text(), a.clock.Now()
	link := account.MailLink{Hash: secret.Hash(text), Kind: account.LinkAddress, Email: email, UserID: actor.UserID(), CreatedAt: now, ExpiresAt: now.Add(AddressLifetime)}
	return a.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		for _, key := range []string{"address:" + hashed(email), "address-of:" + strconv.FormatInt(actor.UserID(), 10)} {
			if wait, err := countMail(ctx, stores.SignIns, key, maxMails, now); err != nil || wait > 0 {
				if err == nil {
					err = tooManyMails(wait)
				}
				return err
			}
		}
		if err := stores.Links.Forget(ctx, account.LinkAddress, "", actor.UserID()); err != nil {
			return err
		}
		if err := stores.Links.Insert(ctx, link); err != nil {
			return err
		}
		return a.post.Put(ctx, stores.Mails, letter.Letter{
			Kind: letter.Address, Address: email, Name: actor.User.Name, Language: actor.User.Settings.Language,
			Path: AddressPath + text, Hash: link.Hash, ExpiresAt: link.ExpiresAt,
		})
	})
}

// Look returns the account and the new address of a link. It returns core.KindGone for a link that
// does not work.
func (a *Addresses) Look(ctx context.Context, text string) (user core.User, email string, err error) {
	hash, ok := linkHash(text)
	if !ok {
		return core.User{}, "", invalidLink()
	}
	link, err := a.stores.Links.Link(ctx, hash)
	if err = a.usable(link, err); err != nil {
		return core.User{}, "", err
	}
	user, err = a.stores.Users.User(ctx, link.UserID)
	if err == nil && !user.Active {
		err = invalidLink()
	}
	return user, link.Email, err
}

// usable returns core.KindGone unless a link was found and works.
func (a *Addresses) usable(link account.MailLink, err error) error {
	if errors.Is(err, core.ErrNotFound) || err == nil && (link.Kind != account.LinkAddress || !a.clock.Now().Before(link.ExpiresAt)) {
		return invalidLink()
	}
	return err
}

// Confirm changes the address of the account of a link, tells the former address, and returns the
// account. It returns core.KindGone for a link that does not work, and core.KindConflict with the code
// email_taken if another account has the address meanwhile.
func (a *Addresses) Confirm(ctx context.Context, text string) (user core.User, err error) {
	if user, _, err = a.Look(ctx, text); err != nil {
		return core.User{}, err
	}
	hash, _ := linkHash(text)
	err = a.tx.Do(ctx, core.Actor{User: &user}, func(ctx context.Context, stores ports.Stores) error {
		link, err := stores.Links.Take(ctx, hash)
		if err = a.usable(link, err); err != nil {
			return err
		}
		if err := stores.Users.Lock(ctx, link.UserID); err != nil {
			return err
		}
		before, err := stores.Users.User(ctx, link.UserID)
		if err != nil {
			return err
		}
		if !before.Active {
			return invalidLink()
		}
		after := before
		after.Email, after.UpdatedAt = link.Email, a.clock.Now()
		user = after
		if err := stores.Users.Update(ctx, after); err != nil {
			return emailTaken(err)
		}
		for _, kind := range []account.MailLinkKind{account.LinkReset, account.LinkProvider} {
			if err := stores.Links.Forget(ctx, kind, before.Email, 0); err != nil {
				return err
			}
		}
		return a.post.Put(ctx, stores.Mails, letter.Moved(before, after))
	})
	if err != nil {
		return core.User{}, err
	}
	return user, nil
}

// emailTaken returns the conflict of a store with its code, and other errors as they are.
func emailTaken(err error) error {
	if errors.Is(err, core.ErrConflict) {
		return core.Conflict("email_taken", "a user with this e-mail already exists")
	}
	return err
}
