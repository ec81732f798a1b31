package access_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
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
			must(w.authenticator.Token(t.Context(), secret))(t) // fills the cache
			test.end(t, w, token.ID)
			actor, err := w.authenticator.Token(t.Context(), secret)
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

func (l *lookups) TokenByHash(context.Context, [32]byte) (core.Token, error) {
	l.count.Add(1)
	return core.Token{}, l.err
}

func TestOnlyWellFormedSecretsAreLookedUp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	known := &lookups{err: core.NotFound("token")}
	authenticator := access.NewAuthenticator(known, w.clock, w.usage)
	var answers []string
	for _, secret := range []string{"", "imp_", "x", access.NewSecret() + "x", access.NewSecret()[:53] + "~", access.NewSecret()} {
		_, err := authenticator.Token(t.Context(), secret)
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
	_, err := access.NewAuthenticator(away, w.clock, w.usage).Token(t.Context(), access.NewSecret())
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
		must(w.authenticator.Token(t.Context(), secret))(t)
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

// touches is a token store that fails a number of times.
type touches struct {
	ports.TokenStore
	failures int
	used     []map[int64]time.Time
}

func (s *touches) Touch(_ context.Context, used map[int64]time.Time) error {
	if s.failures > 0 {
		s.failures--
		return errors.New("away")
	}
	s.used = append(s.used, used)
	return nil
}

func TestFailedUsageWritesAreRetried(t *testing.T) {
	t.Parallel()
	w := setup(t)
	store := &touches{TokenStore: w.stores.Tokens, failures: 1}
	usage := access.NewUsage(store)
	token, secret := w.token(t, w.worldDesk, core.AbilityRead)
	authenticator := access.NewAuthenticator(tokenByHash{w.stores.Tokens}, w.clock, usage)
	must(authenticator.Token(t.Context(), secret))(t)

	if err := usage.Flush(t.Context()); err == nil {
		t.Error("a failed write is not reported")
	}
	for range 2 {
		ok(t, usage.Flush(t.Context()))
	}
	if len(store.used) != 1 || !store.used[0][token.Token.ID].Equal(w.clock.now) {
		t.Errorf("written: %v", store.used)
	}
}

// tokenByHash reads tokens from the store without a cache.
type tokenByHash struct{ ports.TokenStore }

func (tokenByHash) SessionActor(context.Context, [32]byte) (core.Session, core.Actor, error) {
	return core.Session{}, core.Actor{}, core.NotFound("session")
}
