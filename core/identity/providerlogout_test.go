package identity_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/identity"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// TestEndByProvider ends the sessions of the account that is linked to a person, once for each token.
func TestEndByProvider(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	begun := must(n.BeginLink(t.Context(), n.proven(t, "editor"), n.provider.ID))(t)
	n.says("ed", "")
	must(n.back(t, begun))(t)
	end := func(token string) error {
		return n.EndByProvider(t.Context(), identity.Client{Address: "192.0.2.7"}, n.provider.ID, token)
	}
	signOn := func() string { return must(n.signOn(t))(t).Session }
	theirs, byPassword, viewer := signOn(), n.signIn(t, "editor"), n.signIn(t, "viewer")

	// Other persons: the answer is the same.
	ok(t, end("stranger:1"))
	ok(t, end("editor:2"))
	require.True(t, n.fixture.open(t.Context(), theirs))

	ok(t, end("ed:3"))
	for _, ended := range []string{theirs, byPassword} {
		require.False(t, n.fixture.open(t.Context(), ended))
	}
	require.True(t, n.fixture.open(t.Context(), viewer))

	// A token that was used, by whoever it was about, ends nothing any more.
	again := signOn()
	for _, token := range []string{"ed:3", "ed:1", "ed", ""} {
		err := end(token)
		wantKind(t, err, core.KindBadRequest)
		require.Equal(t, "invalid_request", asError(t, err).Code)
	}
	require.True(t, n.fixture.open(t.Context(), again))

	n.outside.away = true
	wantKind(t, end("ed:4"), core.KindUnavailable)
	n.outside.away = false
	wantKind(t, n.EndByProvider(t.Context(), identity.Client{}, n.provider.ID+100, "ed:4"), core.KindNotFound)
	require.True(t, n.fixture.open(t.Context(), again))

	// A provider that is off still ends what it has begun.
	n.update(t, identity.ProviderChange{State: new(account.ProviderOff)})
	ok(t, end("ed:4"))
	require.False(t, n.fixture.open(t.Context(), again))
}

// TestForgedLogouts counts tokens that are not to be believed as failed sign-ins from the address.
func TestForgedLogouts(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	end := func(address, token string) error {
		return n.EndByProvider(t.Context(), identity.Client{Address: address}, n.provider.ID, token)
	}
	wantKind(t, end("192.0.2.7", "forged"), core.KindBadRequest)
	const key = "sign-in:address:192.0.2.7"
	require.Equal(t, 1, must(n.stores.SignIns.FailedSignIns(t.Context(), []string{key}, n.clock.Now()))(t)[0].Count)
	ok(t, n.tx.Do(t.Context(), system, func(ctx context.Context, stores ports.Stores) error {
		for range 99 {
			if _, err := stores.SignIns.Add(ctx, key, n.clock.Now(), n.clock.Now().Add(time.Minute)); err != nil {
				return err
			}
		}
		return nil
	}))
	wantKind(t, end("192.0.2.7", "forged"), core.KindTooManyRequests)
	wantKind(t, end("192.0.2.7", "ed:1"), core.KindTooManyRequests)
	ok(t, end("192.0.2.8", "ed:1"))
}

// TestSignOutPages offers the sign-out at the provider of a linked account.
func TestSignOutPages(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	begun := must(n.BeginLink(t.Context(), n.proven(t, "editor"), n.provider.ID))(t)
	n.says("ed", "")
	must(n.back(t, begun))(t)
	page := func() (identity.SignOutPage, error) { return n.SignOutPage(t.Context(), n.provider.ID) }
	theirs, ours := n.signOnAs(t, "ed"), n.signIn(t, "editor")
	provider := func(id string) int64 { return must(n.OpenedBy(t.Context(), n.present(t, id)))(t) }
	require.Equal(t, []int64{n.provider.ID, 0}, []int64{provider(theirs), provider(ours)})
	require.Zero(t, must(n.OpenedBy(t.Context(), n.actor(t, "editor")))(t), "no session")
	shown := must(page())(t)
	require.Equal(t, n.provider.Name, shown.Name)
	require.Equal(t, n.provider.Issuer+"/logout?"+n.provider.ClientID+" https://cms.example/dashboard/sign-in", shown.URL)

	n.outside.stays = true
	_, err := page()
	wantKind(t, err, core.KindNotFound)
	n.outside.stays, n.outside.away = false, true
	_, err = page()
	wantKind(t, err, core.KindUnavailable)
	n.outside.away = false
	_, err = n.SignOutPage(t.Context(), n.provider.ID+100)
	wantKind(t, err, core.KindNotFound)
	n.update(t, identity.ProviderChange{State: new(account.ProviderOff)})
	_, err = page()
	wantKind(t, err, core.KindNotFound)
	require.Zero(t, provider(theirs))
}

// TestSessionsRememberTheProvider keeps what the provider has said, also through a second step, and in the record.
func TestSessionsRememberTheProvider(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	n.link(t, "editor", "ed")
	says := func(sid string) {
		n.says("ed", "")
		n.outside.claims.SID, n.outside.claims.Methods, n.outside.claims.Context = sid, []string{"pwd", "mfa"}, "2"
	}
	origin := func(id string) account.SessionOrigin {
		return must(n.stores.Sessions.Session(t.Context(), secret.Hash(id)))(t).Origin
	}
	want := account.SessionOrigin{ProviderID: n.provider.ID, SID: "one", Methods: "pwd mfa", Context: "2"}
	says("one")
	one := must(n.signOn(t))(t).Session
	require.Equal(t, want, origin(one))
	events := must(n.stores.Events.Events(t.Context(), ports.EventQuery{Limit: 10_000}))(t)
	i := slices.IndexFunc(events, func(e event.Event) bool { return e.Type == event.SessionCreated && e.Reason != "" })
	require.Equal(t, "amr: pwd mfa; acr: 2", events[i].Reason)
	text, _ := n.withApp(t, "editor")
	says("two")
	half := must(n.signOn(t))(t)
	two := must(n.sessions.SecondStep(t.Context(), identity.SecondStep{
		Client: identity.Client{Address: here, Device: half.Device}, Ticket: half.Ticket, Proof: identity.Evidence{TOTP: n.code(t, text, 30*time.Second)},
	}))(t).Session
	want.SID = "two"
	require.Equal(t, want, origin(two))
	n.outside.claims = account.ProviderClaims{Subject: "ed", Methods: []string{strings.Repeat("é", 500), "\xff"}, Context: strings.Repeat("x", 500)}
	n.update(t, identity.ProviderChange{SecondFactor: new(account.FactorTheirs)})
	long := origin(must(n.signOn(t))(t).Session)
	require.Equal(t, []any{"", true, true}, []any{long.SID, len(long.Methods) <= 203 && utf8.ValidString(long.Methods), len(long.Context) <= 203})

	// A token without a person ends the one session.
	end := func(token string) error {
		return n.EndByProvider(t.Context(), identity.Client{Address: "192.0.2.7"}, n.provider.ID, token)
	}
	byPassword := n.signIn(t, "viewer")
	ok(t, end("/three:1"))
	ok(t, end("/two:2"))
	require.Equal(t, []bool{true, false, true}, []bool{n.fixture.open(t.Context(), one), n.fixture.open(t.Context(), two), n.fixture.open(t.Context(), byPassword)})
	wantKind(t, end("/one:2"), core.KindBadRequest) // it was used
	require.True(t, n.fixture.open(t.Context(), one))
	ok(t, end("ed/one:3")) // a person: all sessions
	require.False(t, n.fixture.open(t.Context(), one))
}
