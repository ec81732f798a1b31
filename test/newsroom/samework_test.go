package newsroom_test

import (
	"context"
	"fmt"
	"net/url"
	"sync/atomic"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/webauthn"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
	"imprimatur/test/newsroom"
)

// countingHasher counts its hashes. A hash is the password itself.
type countingHasher struct{ hashes *atomic.Int64 }

func (h countingHasher) Hash(_ context.Context, password string) (string, error) {
	h.hashes.Add(1)
	return password, nil
}

func (h countingHasher) Matches(_ context.Context, password, hash string) (bool, error) {
	h.hashes.Add(1)
	return password == hash, nil
}

// accounts are the addresses of accounts of every kind, and of none.
func accounts(w *newsroom.Fixture) map[string]string {
	w.Helper()
	w.SetActive("viewer", false)
	w.OK(w.Stores.TOTP.Set(w.Context(), account.TOTP{UserID: w.IDs["admin"], Secret: []byte("x"), CreatedAt: w.Clock.Now()}))
	w.OK(w.Stores.TOTP.Confirm(w.Context(), w.IDs["admin"], 1))
	return map[string]string{
		"known": w.Actor("editor").User.Email, "inactive": w.Actor("viewer").User.Email, "with a factor": w.Actor("admin").User.Email, "unknown": "nobody@example.org",
	}
}

// cost is the work of a call: SQL statements and hashes.
type cost struct{ statements, hashes int64 }

func costOf(t *testing.T, h countingHasher, call func(ctx context.Context)) cost {
	t.Helper()
	ctx, statements := sqldb.WithStatementCount(t.Context())
	before := h.hashes.Load()
	call(ctx)
	return cost{statements.Load(), h.hashes.Load() - before}
}

// The work of a sign-in with a wrong password, and of a request for a new password, says nothing about
// the account.
func TestTheWorkDoesNotTellAccounts(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		b, h := newLetterBox(w), countingHasher{new(atomic.Int64)}
		sessions := identity.NewSessions(w.Stores, w.Tx, h, w.Clock, b.key, webauthn.New(&url.URL{Scheme: "https", Host: "cms.example"}))
		resets := identity.NewResets(w.Stores, w.Tx, h, w.Clock, b.post)
		var asked, tried cost
		n := 0
		for name, email := range accounts(w) {
			for again := range 2 {
				n++
				from := fmt.Sprintf("192.0.2.%d", n)
				reset := costOf(t, h, func(ctx context.Context) { require.NoError(t, resets.Request(ctx, email, from)) })
				signIn := costOf(t, h, func(ctx context.Context) {
					_, err := sessions.SignIn(ctx, identity.SignIn{Email: email, Password: "wrong", Client: identity.Client{Address: from}})
					require.Equal(t, core.KindUnauthenticated, core.KindOf(err))
				})
				if n == 1 {
					asked, tried = reset, signIn
				}
				require.Equal(t, asked, reset, "a reset, %s, %d", name, again)
				require.Equal(t, tried, signIn, "a sign-in, %s, %d", name, again)
			}
		}
		t.Logf("a reset %+v, a sign-in %+v", asked, tried)
		require.Equal(t, int64(1), tried.hashes)
		require.Zero(t, asked.hashes)
		for _, text := range []string{"a@b@c", "", "x\n@example.org"} {
			require.Equal(t, cost{}, costOf(t, h, func(ctx context.Context) { require.NoError(t, resets.Request(ctx, text, "192.0.2.1")) }))
		}
	})
}
