package identity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/password"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
)

// TestForbiddenPasswords ends the ways of the accounts of a domain that are not by its provider.
func TestForbiddenPasswords(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	ctx := t.Context()
	resets := identity.NewResets(n.stores, n.tx, password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1}), n.clock, letter.Post{Key: n.secret, On: true})
	reset := func(email string) (text string) {
		t.Helper()
		ok(t, resets.Request(ctx, email, here))
		for _, m := range must(n.stores.Mails.Claim(ctx, 100, 0))(t) {
			text = secretIn(must(letter.Open(n.secret, m.Letter))(t).Path)
		}
		return text
	}
	signIn := func(name string) error {
		_, err := n.sessions.SignIn(ctx, identity.SignIn{Email: name + "@example.org", Password: right, Client: identity.Client{Address: here}})
		return err
	}
	begun := must(n.BeginLink(ctx, n.proven(t, "editor"), n.provider.ID))(t)
	n.says("ed", "")
	must(n.back(t, begun))(t)
	text := reset("editor@example.org")
	must(resets.Look(ctx, text))(t)

	forbid := func(user int64) error {
		_, err := n.Update(ctx, n.actor(t, "tenant"), n.meridian.ID, n.provider.ID, identity.ProviderChange{Passwords: new(account.PasswordsForbidden), PasswordUserID: &user})
		return err
	}
	// The account that keeps its password is an active one of the tenant, and can sign in.
	stranger := must(n.users.Create(ctx, system, n.other.ID, access.UserInput{Email: "s@elsewhere.example", Name: "S", Password: right}))(t)
	for _, id := range []int64{stranger.ID, 999, -1} {
		wantFaults(t, forbid(id), "passwordUserId")
	}
	wantErrorCode(t, forbid(0), "last_way_in")
	bare := core.User{Email: "bare@example.org", Name: "Bare", TenantID: n.meridian.ID, Active: true, CreatedAt: n.clock.Now(), UpdatedAt: n.clock.Now()}
	ok(t, n.stores.Users.Insert(ctx, &bare))
	wantErrorCode(t, forbid(bare.ID), "last_way_in")
	ok(t, signIn("editor"))
	ok(t, forbid(n.people["project"]))
	n.provider = must(n.Provider(ctx, n.meridian.ID, n.provider.ID))(t)
	require.Equal(t, n.people["project"], n.provider.PasswordUserID)

	// Passwords, resets and invitations.
	for _, name := range []string{"editor", "viewer", "tenant"} {
		wantErrorCode(t, signIn(name), "provider_required")
	}
	ok(t, signIn("super"))
	ok(t, signIn("project"))
	_, err := n.sessions.SignIn(ctx, identity.SignIn{Email: "editor@example.org", Password: "wrong", Client: identity.Client{Address: here}})
	wantErrorCode(t, err, "wrong_credentials")
	_, err = resets.Look(ctx, text)
	wantErrorCode(t, err, "link_invalid")
	_, err = resets.Finish(ctx, text, "another long password")
	wantErrorCode(t, err, "link_invalid")
	must(resets.Look(ctx, reset("super@example.org")))(t)
	must(resets.Look(ctx, reset("project@example.org")))(t)
	invitation := n.invite(t, "ida@example.org", n.worldDesk.ID)
	_, err = n.invitations.Accept(ctx, core.Actor{}, identity.Acceptance{Secret: invitation, Name: "Ida", Password: right})
	wantErrorCode(t, err, "provider_required")
	_, err = n.stores.Users.UserByEmail(ctx, "ida@example.org")
	wantKind(t, err, core.KindNotFound)

	// The provider signs in. Its account keeps that way, and proves with what it has.
	session := must(n.signOn(t))(t).Actor
	session.Proof = core.Proof{At: n.clock.now, Way: core.WayPassword}
	wantErrorCode(t, n.Unlink(ctx, session, n.provider.ID), "last_way_in")

	// The named account cannot be switched off, and the rule ends with the provider.
	_, err = n.users.Update(ctx, n.actor(t, "super"), n.people["project"], access.UserChange{Active: new(false)})
	wantErrorCode(t, err, "last_way_in")
	wantErrorCode(t, forbid(0), "last_way_in")
	n.update(t, identity.ProviderChange{Name: new("Renamed")})
	n.update(t, identity.ProviderChange{State: new(account.ProviderOff)})
	ok(t, signIn("editor"))
	must(n.users.Update(ctx, n.actor(t, "super"), n.people["project"], access.UserChange{Active: new(false)}))(t)
	_, err = n.Update(ctx, n.actor(t, "tenant"), n.meridian.ID, n.provider.ID, identity.ProviderChange{State: new(account.ProviderOn)})
	wantErrorCode(t, err, "last_way_in")
}

// TestForbiddenPasskeys ends sign-ins with passkeys alone. They stay for proofs.
func TestForbiddenPasskeys(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	key, _ := n.withPasskey(t, "editor")
	in := func() error {
		_, err := n.useAlone(t, key.answer(n.challenge(t)))
		return err
	}
	ok(t, in())
	n.update(t, identity.ProviderChange{Passwords: new(account.PasswordsForbidden), PasswordUserID: new(n.people["tenant"])})
	wantErrorCode(t, in(), "provider_required")
	n.update(t, identity.ProviderChange{PasswordUserID: new(n.people["editor"])})
	ok(t, in())
}
