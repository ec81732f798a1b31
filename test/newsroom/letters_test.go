package newsroom_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/delivery"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/core/notice"
	"imprimatur/core/secret"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// letterBox sends the letters of an installation, and keeps them.
type letterBox struct {
	*newsroom.Fixture
	key      secret.Key
	post     letter.Post
	mailer   *delivery.Mailer
	mu       sync.Mutex
	sent     []string // links
	to       []string // addresses
	outcomes []notice.MailStatus
}

func newLetterBox(w *newsroom.Fixture) *letterBox {
	b := &letterBox{Fixture: w, key: secret.New()}
	b.post = letter.Post{Key: b.key, On: true}
	b.mailer = delivery.NewMailer(w.Stores, b, b.key)
	b.mailer.Observe = func(m notice.Mail) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.outcomes = append(b.outcomes, m.Status)
	}
	return b
}

// Send implements ports.MailSender.
func (b *letterBox) Send(_ context.Context, m ports.MailMessage) ports.MailAnswer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent, b.to = append(b.sent, m.Link), append(b.to, m.Address)
	return ports.MailAnswer{}
}

// deliver sends all due mails and returns their links and the outcomes.
func (b *letterBox) deliver() (links []string, outcomes []notice.MailStatus) {
	b.sent, b.to, b.outcomes = nil, nil, nil
	for begun := true; begun; {
		var err error
		begun, err = b.mailer.Send(b.Context(), func() {})
		b.OK(err)
		b.mailer.Wait()
	}
	return b.sent, b.outcomes
}

// reset puts a letter of a reset among the mails, with a link that works until expiresAt.
func (b *letterBox) reset(key secret.Key, email string, expiresAt time.Time) letter.Letter {
	link := account.MailLink{Hash: secret.Hash(secret.Text()), Kind: account.LinkReset, Email: email, CreatedAt: b.Clock.Now(), ExpiresAt: expiresAt}
	l := letter.Letter{Kind: letter.Reset, Address: email, Path: identity.ResetPath + "canary", Hash: link.Hash, ExpiresAt: expiresAt}
	b.OK(b.Tx.Do(b.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Links.Insert(ctx, link); err != nil {
			return err
		}
		return letter.Post{Key: key, On: true}.Put(ctx, stores.Mails, l)
	}))
	return l
}

// A letter is encrypted until it is sent, and sent once.
func TestLettersAreSentOnce(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		b := newLetterBox(w)
		b.deliver() // of the accounts
		editor := w.Actor("editor").User.Email
		l := b.reset(b.key, editor, w.Clock.Now().Add(time.Hour))
		claimed, err := w.Stores.Mails.Claim(t.Context(), 10, 0)
		require.NoError(t, err)
		require.Len(t, claimed, 1)
		for _, secret := range []string{l.Path, editor, "reset", "canary"} {
			require.False(t, bytes.Contains(claimed[0].Letter, []byte(secret)), secret)
		}
		if _, err := letter.Open(secret.New(), claimed[0].Letter); err == nil {
			t.Error("another key opens the letter")
		}
		links, outcomes := b.deliver()
		require.Equal(t, []string{l.Path}, links)
		require.Equal(t, []notice.MailStatus{notice.MailSent}, outcomes)
		links, _ = b.deliver()
		require.Empty(t, links)
	})
}

// A letter whose link no longer works when its turn comes is not sent.
func TestLettersOfDeadLinksAreDropped(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		b := newLetterBox(w)
		editor, viewer := w.Actor("editor").User.Email, w.Actor("viewer").User.Email
		later := w.Clock.Now().Add(time.Hour)
		invitations := identity.NewInvitations(w.Stores, w.Tx, countingHasher{}, access.Standing{}, w.Clock, b.post)
		addresses := identity.NewAddresses(w.Stores, w.Tx, w.Clock, b.post)
		for name, spoil := range map[string]func(){
			"expired":            func() { b.reset(b.key, editor, w.Clock.Now().Add(-time.Minute)) },
			"of another key":     func() { b.reset(secret.New(), editor, later) },
			"of no account":      func() { b.reset(b.key, "nobody@example.org", later) },
			"of an inactive one": func() { b.reset(b.key, viewer, later); w.SetActive("viewer", false) },
			"used": func() {
				l := b.reset(b.key, editor, later)
				_, err := w.Stores.Links.Take(t.Context(), l.Hash)
				w.OK(err)
			},
			"withdrawn": func() {
				made, err := invitations.Create(t.Context(), w.Actor("admin"), identity.InvitationInput{Email: "ida@example.org", Grants: []core.Grant{{Role: core.RoleViewer, ProjectID: w.Project.ID}}})
				w.OK(err)
				w.OK(invitations.Revoke(t.Context(), w.Actor("admin"), made.ID))
			},
			"replaced": func() {
				actor := w.Actor("admin")
				actor.Session, actor.Proof = [32]byte{1}, core.Proof{At: w.Clock.Now(), Way: core.WayPassword}
				w.OK(addresses.Request(t.Context(), actor, "new@example.org"))
				w.OK(w.Stores.Links.Forget(t.Context(), account.LinkAddress, "", actor.UserID()))
			},
		} {
			b.deliver() // of what happened before
			spoil()
			links, outcomes := b.deliver()
			require.Empty(t, links, name)
			require.Contains(t, outcomes, notice.MailDropped, name)
			require.False(t, slices.ContainsFunc(outcomes, func(s notice.MailStatus) bool { return s != notice.MailDropped }), "%s: %v", name, outcomes)
			count, _, err := w.Stores.Mails.Backlog(t.Context())
			require.NoError(t, err)
			require.Zero(t, count, name)
		}
		require.True(t, strings.HasPrefix(b.reset(b.key, editor, later).Path, identity.ResetPath))
		links, _ := b.deliver()
		require.Len(t, links, 1, "one that works is sent")
	})
}

// A person who was invited and asks for a new password before having any gets the invitation again.
func TestForgottenPasswordsOfInvitedPeople(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		b := newLetterBox(w)
		invitations := identity.NewInvitations(w.Stores, w.Tx, countingHasher{}, access.Standing{}, w.Clock, b.post)
		resets := identity.NewResets(w.Stores, w.Tx, countingHasher{}, w.Clock, b.post)
		b.mailer.Invite = invitations.Again
		for _, email := range []string{"ida@example.org", "ben@example.org"} {
			_, err := invitations.Create(t.Context(), w.Actor("admin"), identity.InvitationInput{Email: email, Grants: []core.Grant{{Role: core.RoleViewer, ProjectID: w.Project.ID}}})
			w.OK(err)
		}
		b.deliver()
		w.OK(resets.Request(t.Context(), "Ida@example.org", "192.0.2.1"))
		links, _ := b.deliver()
		require.Len(t, links, 1)
		require.Equal(t, []string{"ida@example.org"}, b.to)
		offer, err := invitations.Look(t.Context(), strings.TrimPrefix(links[0], identity.InvitationPath))
		w.OK(err)
		require.Equal(t, "ida@example.org", offer.Email)

		w.OK(resets.Request(t.Context(), "nobody@example.org", "192.0.2.1"))
		links, outcomes := b.deliver()
		require.Empty(t, links)
		require.Equal(t, []notice.MailStatus{notice.MailDropped}, outcomes)
	})
}

// The former address of an account hears of a new one, whoever has changed it.
func TestFormerAddressesHearOfNewOnes(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		b := newLetterBox(w)
		users := access.NewUsers(w.Stores, w.Tx, countingHasher{}, w.Clock, b.post)
		addresses := identity.NewAddresses(w.Stores, w.Tx, w.Clock, b.post)
		for name, change := range map[string]func(id int64){
			"by an administrator": func(id int64) {
				_, err := users.Update(t.Context(), core.SystemActor, id, access.UserChange{Email: new("by-admin@example.org")})
				w.OK(err)
			},
			"by the user": func(int64) {
				actor := w.Actor("editor")
				actor.Session, actor.Proof = [32]byte{1}, core.Proof{At: w.Clock.Now(), Way: core.WayPassword}
				w.OK(addresses.Request(t.Context(), actor, "by-user@example.org"))
				links, _ := b.deliver()
				_, err := addresses.Confirm(t.Context(), strings.TrimPrefix(links[0], identity.AddressPath))
				w.OK(err)
			},
		} {
			b.deliver()
			former := w.Actor("editor").User
			change(former.ID)
			b.deliver()
			require.Contains(t, b.to, former.Email, name)
		}
	})
}
