package delivery

import (
	"cmp"
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/letter"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// letter returns the message of a letter. wanted is false if its link no longer works, and for a new
// password that neither an active account nor an invited person has asked for.
func (m *Mailer) letter(ctx context.Context, c notice.Mail) (message ports.MailMessage, wanted bool, err error) {
	l, err := letter.Open(m.key, c.Letter)
	if err != nil {
		return message, false, nil //nolint:nilerr // sealed with a former key: nothing can be sent
	}
	now, err := m.stores.Clock.Now(ctx)
	if err != nil {
		return message, false, err
	}
	if !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt) {
		return message, false, nil
	}
	if err := m.address(ctx, &l); err != nil {
		if errors.Is(err, core.ErrNotFound) {
			return message, false, nil
		}
		return message, false, err
	}
	return ports.MailMessage{ID: c.ID, Name: l.Name, Address: l.Address, Language: l.Language, Link: l.Path, Letter: &l}, true, nil
}

// address completes a letter. A reset of an address without an account becomes the invitation to it. It
// returns core.ErrNotFound if the link of the letter no longer works, or if a reset has neither an active
// account nor an open invitation.
func (m *Mailer) address(ctx context.Context, l *letter.Letter) error {
	switch l.Kind {
	case letter.Invitation, letter.Reminder:
		i, err := m.stores.Invitations.InvitationByHash(ctx, l.Hash)
		if err == nil && (!i.AcceptedAt.IsZero() || !i.RevokedAt.IsZero()) {
			return core.ErrNotFound
		}
		return err
	case letter.Address:
		_, err := m.stores.Links.Link(ctx, l.Hash)
		return err
	case letter.Connect:
		if _, err := m.stores.Links.Link(ctx, l.Hash); err != nil {
			return err
		}
		user, err := m.stores.Users.UserByEmail(ctx, l.Address)
		if err == nil && !user.Active {
			return core.ErrNotFound
		}
		l.Name, l.Language = user.Name, user.Settings.Language
		return err
	case letter.Reset:
		if _, err := m.stores.Links.Link(ctx, l.Hash); err != nil {
			return err
		}
		user, err := m.stores.Users.UserByEmail(ctx, l.Address)
		if errors.Is(err, core.ErrNotFound) && m.Invite != nil {
			*l, err = m.Invite(ctx, l.Address)
			return err
		}
		if err == nil && !user.Active {
			return core.ErrNotFound
		}
		if err == nil && m.Barred != nil {
			if barred, err := m.Barred(ctx, &user); err != nil || barred {
				return cmp.Or(err, error(core.ErrNotFound))
			}
		}
		l.Name, l.Language = user.Name, user.Settings.Language
		return err
	case letter.AddressChanged:
	}
	return nil
}
