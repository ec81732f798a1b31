package access_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

func TestTokenLifetime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  func(t *testing.T, w *fixture, id int64)
		want core.Kind
	}{
		{"fresh", func(*testing.T, *fixture, int64) {}, core.KindInternal},
		{"just before it expires", func(_ *testing.T, w *fixture, _ int64) { w.clock.pass(time.Hour - time.Millisecond) }, core.KindInternal},
		{"when it expires", func(_ *testing.T, w *fixture, _ int64) { w.clock.pass(time.Hour) }, core.KindUnauthenticated},
		{"revoked", func(t *testing.T, w *fixture, id int64) {
			ok(t, w.tokens.Revoke(t.Context(), core.Actor{System: true}, w.worldDesk, id))
		}, core.KindUnauthenticated},
		{"its project deleted", func(t *testing.T, w *fixture, _ int64) {
			ok(t, w.organisation.DeleteProject(t.Context(), core.Actor{System: true}, w.worldDesk))
		}, core.KindUnauthenticated},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			expires := w.clock.now.Add(time.Hour)
			token, secret, err := w.tokens.Create(t.Context(), system, w.worldDesk, access.TokenInput{
				Name: "t", Abilities: []core.Ability{core.AbilityRead}, ExpiresAt: &expires,
			})
			ok(t, err)
			must(w.authenticator.Token(t.Context(), secret, core.AbilityRead))(t) // fills the cache
			test.end(t, w, token.ID)
			actor, err := w.authenticator.Token(t.Context(), secret, core.AbilityRead)
			wantKind(t, err, test.want)
			if err == nil && actor.Token.ID != token.ID {
				t.Errorf("the actor is token %d, want %d", actor.Token.ID, token.ID)
			}
		})
	}
}

// lookups counts the reads of stored credentials.
type lookups struct {
	ports.Credentials
	count atomic.Int64
	err   error
}

func (l *lookups) TokenByHash(context.Context, [32]byte) (*core.Token, error) {
	l.count.Add(1)
	return nil, l.err
}

func TestOnlyWellFormedSecretsAreLookedUp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	known := &lookups{err: core.NotFound("token")}
	authenticator := access.NewAuthenticator(known, w.clock, w.usage)
	var answers []string
	for _, secret := range []string{"", "imp_", "x", access.NewSecret() + "x", access.NewSecret()[:53] + "~", access.NewSecret()} {
		_, err := authenticator.Token(t.Context(), secret, core.AbilityRead)
		wantKind(t, err, core.KindUnauthenticated)
		answers = append(answers, err.Error())
	}
	if known.count.Load() != 1 {
		t.Errorf("%d lookups, want one, for the well-formed secret", known.count.Load())
	}
	for _, answer := range answers {
		if answer != answers[0] {
			t.Errorf("errors differ: %q and %q", answers[0], answer)
		}
	}
}

func TestStoreFailureIsNotAWrongCredential(t *testing.T) {
	t.Parallel()
	w := setup(t)
	away := &lookups{err: &core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "away"}}
	_, err := access.NewAuthenticator(away, w.clock, w.usage).Token(t.Context(), access.NewSecret(), core.AbilityRead)
	wantKind(t, err, core.KindUnavailable)
}

func TestUsageIsAtMostAMinuteBehind(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, secret := w.token(t, w.worldDesk, core.AbilityRead)
	stored := func() time.Time {
		return must(w.stores.Tokens.Token(t.Context(), w.worldDesk.ID, token.Token.ID))(t).LastUsedAt
	}
	use := func() time.Time {
		must(w.authenticator.Token(t.Context(), secret, core.AbilityRead))(t)
		return w.clock.now
	}
	want := func(used time.Time) {
		t.Helper()
		if got := must(w.tokens.Token(t.Context(), w.worldDesk, token.Token.ID))(t).LastUsedAt; !got.Equal(used) {
			t.Errorf("last used %v, want %v", got, used)
		}
		if got := must(w.tokens.List(t.Context(), w.worldDesk))(t)[0].LastUsedAt; !got.Equal(used) {
			t.Errorf("listed with last use %v, want %v", got, used)
		}
	}
	want(time.Time{})
	w.clock.pass(20 * time.Second)
	first := use()
	want(first)
	if got := stored(); !got.IsZero() {
		t.Errorf("stored during a request: %v", got)
	}
	for range 2 { // before and after it is stored
		w.clock.pass(20 * time.Second)
		use()
		ok(t, w.usage.Flush(t.Context()))
		want(first)
	}
	if got := stored(); !got.Equal(first) {
		t.Errorf("stored %v, want %v", got, first)
	}
	w.clock.pass(20 * time.Second)
	next := use()
	want(next)
	ok(t, w.usage.Flush(t.Context()))
	want(next)
	if got := stored(); !got.Equal(next) {
		t.Errorf("stored %v, want %v", got, next)
	}
}

// countedSessions counts the calls of Touch, of which the first fails.
type countedSessions struct {
	ports.SessionStore
	calls int
}

func (s *countedSessions) Touch(ctx context.Context, uses []account.SessionUse) error {
	if s.calls++; s.calls == 1 {
		return errors.New("away")
	}
	return s.SessionStore.Touch(ctx, uses)
}

// The last use of a session is stored apart from requests, and not more often than every five minutes.
func TestLastUseOfSessions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	sessions := &countedSessions{SessionStore: w.stores.Sessions}
	usage := access.NewUsage(w.stores.Tokens, sessions, w.clock)
	authenticator := access.NewAuthenticator(cache.NewCredentials(w.stores, changefeed.NewLocal()), w.clock, usage)
	id := w.signIn(t, "editor")
	used := func() time.Time { return must(w.stores.Sessions.Session(t.Context(), secret.Hash(id)))(t).LastUsedAt }
	request := func() time.Time {
		must(authenticator.Session(t.Context(), id, account.Exempt{}))(t)
		return w.clock.now
	}
	first := request()
	if !used().IsZero() || sessions.calls != 0 {
		t.Errorf("stored %v in a request", used())
	}
	if usage.Flush(t.Context()) == nil {
		t.Error("no error of a failed write")
	}
	for range 3 { // once after the failure
		w.clock.pass(time.Minute)
		request()
		ok(t, usage.Flush(t.Context()))
		if !used().Equal(first) || sessions.calls != 2 {
			t.Errorf("stored %v with %d writes, want %v with 2", used(), sessions.calls, first)
		}
	}
	w.clock.pass(5 * time.Minute)
	next := request()
	ok(t, usage.Flush(t.Context()))
	if !used().Equal(next) || sessions.calls != 3 {
		t.Errorf("stored %v with %d writes, want %v with 3", used(), sessions.calls, next)
	}
	w.clock.pass(10 * time.Minute) // without requests
	ok(t, usage.Flush(t.Context()))
	if sessions.calls != 3 {
		t.Errorf("%d writes without a request", sessions.calls)
	}
	_, err := authenticator.Session(t.Context(), strings.Repeat("A", 26), account.Exempt{})
	wantKind(t, err, core.KindUnauthenticated)
	ok(t, usage.Flush(t.Context()))
	if sessions.calls != 3 {
		t.Error("a use of no session was stored")
	}
}

// touches is a token store whose first calls of Touch fail.
type touches struct {
	ports.TokenStore
	failures int
	used     []core.TokenUse
}

func (s *touches) Touch(_ context.Context, _ time.Time, used []core.TokenUse) error {
	if s.failures > 0 {
		s.failures--
		return errors.New("away")
	}
	s.used = append(s.used, used...)
	return nil
}

func TestFailedUsageWritesAreRetried(t *testing.T) {
	t.Parallel()
	w := setup(t)
	store := &touches{TokenStore: w.stores.Tokens, failures: 1}
	usage := access.NewUsage(store, w.stores.Sessions, w.clock)
	token, secret := w.token(t, w.worldDesk, core.AbilityRead)
	authenticator := access.NewAuthenticator(tokenByHash{w.stores.Tokens}, w.clock, usage)
	must(authenticator.Token(t.Context(), secret, core.AbilityRead))(t)

	if err := usage.Flush(t.Context()); err == nil {
		t.Error("a failed write is not reported")
	}
	for range 2 {
		ok(t, usage.Flush(t.Context()))
	}
	want := core.TokenUse{TokenID: token.Token.ID, UsedAt: w.clock.now, Reads: 1}
	if len(store.used) != 1 || store.used[0] != want {
		t.Errorf("written: %v, want %v", store.used, want)
	}
}

func TestRequestsOfTokensAreCounted(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, secret := w.token(t, w.worldDesk, core.AbilityRead)
	use := func(ability core.Ability, times int) {
		var requests sync.WaitGroup
		for range times {
			requests.Go(func() {
				if _, err := w.authenticator.Token(t.Context(), secret, ability); err != nil {
					t.Error(err)
				}
			})
		}
		requests.Wait()
		ok(t, w.usage.Flush(t.Context()))
	}
	use(core.AbilityRead, 50)
	w.clock.pass(48 * time.Hour)
	use(core.AbilityCreate, 20)
	use(core.AbilityRead, 3)
	day := core.Day(w.clock.now)
	want := []core.TokenUsage{{Day: day.AddDate(0, 0, -2), Reads: 50}, {Day: day.AddDate(0, 0, -1)}, {Day: day, Reads: 3, Writes: 20}}
	if got := must(w.tokens.Usage(t.Context(), w.worldDesk, token.Token.ID, 3))(t); !slices.Equal(got, want) {
		t.Errorf("usage %v, want %v", got, want)
	}
	if got := must(w.tokens.Usage(t.Context(), w.worldDesk, token.Token.ID, 1))(t); !slices.Equal(got, want[2:]) {
		t.Errorf("usage of today %v, want %v", got, want[2:])
	}
	_, err := w.tokens.Usage(t.Context(), w.blog, token.Token.ID, 3)
	wantKind(t, err, core.KindNotFound)
}

// tokenByHash reads tokens from the store without a cache.
type tokenByHash struct{ store ports.TokenStore }

func (c tokenByHash) TokenByHash(ctx context.Context, hash [32]byte) (*core.Token, error) {
	token, err := c.store.TokenByHash(ctx, hash)
	return &token, err
}

func (tokenByHash) AssistantActor(context.Context, [32]byte) (core.Actor, error) {
	return core.Actor{}, core.NotFound("assistant")
}

func (tokenByHash) Preview(context.Context, [32]byte) (core.Preview, error) {
	return core.Preview{}, core.NotFound("preview")
}

func (tokenByHash) SessionActor(context.Context, [32]byte) (account.Session, core.Actor, error) {
	return account.Session{}, core.Actor{}, core.NotFound("session")
}

func (tokenByHash) Maker(context.Context, *core.Token) (core.Actor, *core.Project, error) {
	return core.Actor{}, nil, core.NotFound("user")
}
