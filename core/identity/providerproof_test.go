package identity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

// link links a person at the provider to the subject.
func (n *counter) link(t *testing.T, name, subject string) {
	t.Helper()
	begun := must(n.BeginLink(t.Context(), n.proven(t, name), n.provider.ID))(t)
	n.says(subject, "")
	must(n.back(t, begun))(t)
}

// TestProofsAtAProvider has every way in which a sign-in at a provider could prove who the user of a session is.
func TestProofsAtAProvider(t *testing.T) {
	t.Parallel()
	theirs := identity.ProviderChange{SecondFactor: new(account.FactorTheirs)}
	none := func(*testing.T, *counter) {}
	for name, row := range map[string]struct {
		change  identity.ProviderChange
		prepare func(*testing.T, *counter) // before it begins
		subject string
		after   time.Duration // from the beginning to auth_time
		unsaid  bool          // there is no auth_time
		between func(*testing.T, *counter)
		code    string   // "": proven
		way     core.Way // of the proof
	}{
		"now":                        {prepare: none, way: core.WayProvider},
		"some minutes later":         {prepare: none, after: 9 * time.Minute, way: core.WayProvider},
		"a second factor of theirs":  {change: theirs, prepare: none, way: core.WayProviderFactor},
		"with a factor, of theirs":   {change: theirs, prepare: func(t *testing.T, n *counter) { n.withApp(t, "editor") }, way: core.WayProviderFactor},
		"before it began":            {prepare: none, after: -time.Second, code: "not_proven"},
		"long ago":                   {prepare: none, after: -time.Hour, code: "not_proven"},
		"at no time":                 {prepare: none, unsaid: true, code: "not_proven"},
		"in the future":              {prepare: none, after: time.Hour, code: "not_proven"},
		"another person":             {prepare: none, subject: "eve", code: "wrong_subject"},
		"another account":            {prepare: func(t *testing.T, n *counter) { n.link(t, "viewer", "vi") }, subject: "vi", code: "wrong_subject"},
		"another person, of old":     {prepare: none, subject: "eve", unsaid: true, code: "not_proven"},
		"the session has ended":      {prepare: none, between: func(t *testing.T, n *counter) { ok(t, n.stores.Sessions.DeleteByUser(t.Context(), n.people["editor"])) }, code: "sign_in_again"},
		"unlinked meanwhile":         {prepare: none, between: func(t *testing.T, n *counter) { n.unlinkBehind(t, "ed") }, code: "wrong_subject"},
		"a factor added meanwhile":   {prepare: none, between: func(t *testing.T, n *counter) { n.withApp(t, "editor") }, code: "changed_meanwhile"},
		"switched off meanwhile":     {prepare: none, between: func(t *testing.T, n *counter) { n.update(t, identity.ProviderChange{State: new(account.ProviderOff)}) }, code: "not_found"},
		"an account without sign-in": {prepare: none, between: func(t *testing.T, n *counter) { n.outside.claims = account.ProviderClaims{AuthTime: n.clock.now} }, code: "wrong_subject"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := openCounter(t, row.change)
			n.link(t, "editor", "ed")
			row.prepare(t, n)
			id, other := n.signOnAs(t, "ed"), n.signOnAs(t, "ed")
			begun := must(n.BeginProof(t.Context(), n.present(t, id), n.provider.ID))(t)
			require.True(t, n.outside.request.Fresh, "it asks for a new sign-in")
			n.says("ed", "")
			if row.subject != "" {
				n.says(row.subject, "")
			}
			if !row.unsaid {
				n.outside.claims.AuthTime = n.clock.now.Add(row.after).Truncate(time.Second)
			}
			if row.after > 0 && row.code == "" {
				n.clock.pass(row.after)
			}
			if row.between != nil {
				row.between(t, n)
			}
			arrived, err := n.back(t, begun)
			if row.code != "" {
				wantErrorCode(t, err, row.code)
				if n.fixture.open(t.Context(), id) {
					require.Zero(t, n.present(t, id).Proof)
				}
				return
			}
			ok(t, err)
			require.Empty(t, arrived.Session, "it opens no session")
			want := core.Proof{At: n.clock.now, Way: row.way}
			require.Equal(t, []core.Proof{want, want, {}}, []core.Proof{arrived.Proof, n.present(t, id).Proof, n.present(t, other).Proof})
			require.True(t, want.Decides(n.present(t, id).User, n.clock.now))
			_, err = n.back(t, begun)
			wantErrorCode(t, err, "sign_in_again") // it counts once
		})
	}
}

// signOnAs signs the linked person in by the provider, with a code of its app if that must follow, and returns the session.
func (n *counter) signOnAs(t *testing.T, subject string) string {
	t.Helper()
	n.says(subject, "")
	arrived := must(n.signOn(t))(t)
	require.NotEmpty(t, arrived.Session)
	return arrived.Session
}

// unlinkBehind removes the link of a person.
func (n *counter) unlinkBehind(t *testing.T, subject string) {
	t.Helper()
	i := must(n.stores.Identities.Identity(t.Context(), n.provider.ID, subject))(t)
	ok(t, n.stores.Identities.Remove(t.Context(), i))
}

// TestWhoProvesAtAProvider begins proofs only where they can succeed.
func TestWhoProvesAtAProvider(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	begin := func(name string) error {
		_, err := n.BeginProof(t.Context(), n.session(t, name), n.provider.ID)
		return err
	}
	wantKind(t, begin("editor"), core.KindNotFound) // not linked
	n.link(t, "editor", "ed")
	ok(t, begin("editor"))
	proves := func() bool { return must(n.Links(t.Context(), n.session(t, "editor")))(t)[0].Proves }
	require.True(t, proves())
	id := n.signIn(t, "editor")
	n.withApp(t, "editor")
	_, err := n.BeginProof(t.Context(), n.present(t, id), n.provider.ID)
	wantKind(t, err, core.KindNotFound) // the app proves more
	n.update(t, identity.ProviderChange{SecondFactor: new(account.FactorTheirs)})
	must(n.BeginProof(t.Context(), n.present(t, id), n.provider.ID))(t)
	n.update(t, identity.ProviderChange{State: new(account.ProviderOff)})
	_, err = n.BeginProof(t.Context(), n.present(t, id), n.provider.ID)
	wantKind(t, err, core.KindNotFound)
}

// TestForbiddenPasswordsProveNothing takes neither proofs nor signatures by a password of users that sign in by a provider
// alone.
func TestForbiddenPasswordsProveNothing(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{PasswordUserID: new(int64(0))})
	n.link(t, "editor", "ed")
	id := n.signOnAs(t, "ed")
	require.True(t, must(n.Links(t.Context(), n.present(t, id)))(t)[0].Passwords)
	must(n.verify(t, id, identity.Evidence{Password: right}))(t)
	n.update(t, identity.ProviderChange{Passwords: new(account.PasswordsForbidden), PasswordUserID: new(n.people["tenant"])})
	require.False(t, must(n.Links(t.Context(), n.present(t, id)))(t)[0].Passwords)
	for range 12 { // it is no guess
		_, err := n.verify(t, id, identity.Evidence{Password: right})
		wantErrorCode(t, err, "provider_required")
	}
	challenge := account.SignatureChallenge{Payload: "payload", Version: 1, ExpiresAt: n.clock.now.Add(time.Minute)}
	actor := n.present(t, id)
	ok(t, n.stores.Sessions.Ask(t.Context(), actor.Session, challenge))
	_, err := n.sessions.Sign(t.Context(), actor, identity.Signing{Client: identity.Client{Address: here}, Challenge: challenge.Name(), Proof: identity.Evidence{Password: right}})
	wantErrorCode(t, err, "provider_required")
	must(n.verify(t, n.signIn(t, "tenant"), identity.Evidence{Password: right}))(t) // the account that keeps its password
}
