package e2e

import (
	"net/url"
	"strings"
	"testing"

	"imprimatur/test/postgrestest"
)

// TestReadOnlyServer makes the database of a running process read-only, as a failover to a standby does, and
// writable again.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	p, base, ops := serve(t, database)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, strings.Replace(database, u.Path+"?", "/postgres?", 1))
	name := strings.TrimPrefix(u.Path, "/")
	for _, c := range []struct {
		setting string
		status  int
		body    string
	}{
		{"on", 503, "database cannot write: the server is read-only: a standby, or default_transaction_read_only is set\n"},
		{"off", 200, "ok\n"},
	} {
		for _, statement := range []string{
			`ALTER DATABASE "` + name + `" SET default_transaction_read_only = ` + c.setting,
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + name + `'`,
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		p.Await(t, "readiness with "+c.setting, func() bool {
			a := call(t, "GET", ops+"/readyz", "")
			return a.status == c.status && string(a.body) == c.body
		})
		if a := call(t, "GET", base+"/openapi.json", ""); a.status != 200 {
			t.Errorf("with %s a read answered %d", c.setting, a.status)
		}
	}
}
