package postgres_test

import (
	"errors"
	"net"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/postgres"
	"imprimatur/test/postgrestest"
)

// withoutTLS returns the address of a server that answers requests for TLS as Postgres without TLS does.
func withoutTLS(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("N"))
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// TestDiagnose connects in each way that a server refuses.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	good := postgrestest.New(t)
	admin, err := pgx.Connect(t.Context(), good)
	require.NoError(t, err)
	defer admin.Close(t.Context()) //nolint:errcheck // the test is over
	_, err = admin.Exec(t.Context(), "CREATE ROLE guest LOGIN; REVOKE CONNECT ON DATABASE "+admin.Config().Database+" FROM public")
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = admin.Exec(t.Context(), "DROP ROLE guest") })
	change := func(edit func(*url.URL)) string {
		u, err := url.Parse(good)
		require.NoError(t, err)
		edit(u)
		return u.String()
	}
	plain := withoutTLS(t)
	for name, c := range map[string]struct {
		url  string
		want postgres.ConnectFault
	}{
		"role":     {change(func(u *url.URL) { u.User = url.UserPassword("nobody", "secret") }), postgres.ConnectFault{Reason: `the server has no role "nobody"`}},
		"database": {change(func(u *url.URL) { u.Path = "/missing" }), postgres.ConnectFault{Reason: `the server has no database "missing"`, NoDatabase: true}},
		"right": {
			change(func(u *url.URL) { u.User = url.User("guest") }),
			postgres.ConnectFault{Reason: `the role "guest" may not connect to the database "` + admin.Config().Database + `"`},
		},
		"server": {"postgres://a:secret@127.0.0.1:1/x", postgres.ConnectFault{Reason: "no server answers at 127.0.0.1:1", Temporary: true}},
		"name":   {"postgres://a:secret@host.invalid/x", postgres.ConnectFault{Reason: `no host has the name "host.invalid"`, Temporary: true}},
		"TLS":    {"postgres://a:secret@" + plain + "/x?sslmode=require", postgres.ConnectFault{Reason: "the server at " + plain + " takes no TLS connections, which sslmode asks for"}},
	} {
		db, err := postgres.Open(t.Context(), c.url, postgres.Options{Conns: 2})
		require.NoError(t, err, name)
		require.Equal(t, c.want, postgres.Diagnose(c.url, db.Ping(t.Context())), name)
		require.NoError(t, db.Close())
	}
	require.True(t, postgres.Diagnose(good, errors.New("other")).Temporary)
}
