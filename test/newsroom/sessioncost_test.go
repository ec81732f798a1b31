package newsroom_test

import (
	"context"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/test/newsroom"
)

// A request with a cached session runs no statement. Otherwise it reads the session, the user, the grants,
// the custom roles and the delegations, and for a user without a second factor each tenant that could require one.
func TestStatementsOfASession(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		w.OK(w.Stores.TOTP.Set(w.Context(), account.TOTP{UserID: w.IDs["admin"], Secret: []byte("x"), CreatedAt: w.Clock.Now()}))
		w.OK(w.Stores.TOTP.Confirm(w.Context(), w.IDs["admin"], 1))
		usage := access.NewUsage(w.Stores.Tokens, w.Stores.Sessions, w.Clock)
		authenticator := access.NewAuthenticator(cache.NewCredentials(w.Stores, changefeed.NewLocal()), w.Clock, usage)
		for name, want := range map[string]int64{"admin": 5, "editor": 6} { // with a second factor, and without in one tenant
			id := secret.Text()
			now := w.Clock.Now()
			w.OK(w.Stores.Sessions.Insert(t.Context(), account.Session{Hash: secret.Hash(id), UserID: w.IDs[name], CreatedAt: now, ExpiresAt: now.Add(time.Hour)}))
			look := func() int64 {
				ctx, statements := sqldb.WithStatementCount(context.WithoutCancel(t.Context()))
				_, err := authenticator.Session(ctx, id, account.Exempt{})
				require.NoError(t, err)
				return statements.Load()
			}
			require.Equal(t, want, look(), name)
			require.Zero(t, look(), name)
		}
	})
}
