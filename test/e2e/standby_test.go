package e2e

import (
	"testing"

	"imprimatur/test/postgrestest"
)

// TestReadsWhereNothingCanBeWritten has a second process serve from a database that
// refuses every write with the error of a standby: it reads what the first one
// writes, and turns writes away as unavailable.
func TestReadsWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	s := settle(t, database)
	_, standby, _ := serve(t, database+"&default_transaction_read_only=on", "--no-migrate", "--rate-limit", "0")
	ask := func(base, method, path, body string) answer {
		return call(t, method, base+s.fill(path), body, "Authorization: Bearer "+s.tokens["full"])
	}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "{pages}", "", 200},
		{"GET", "{pages}/{alpha}", "", 200},
		{"GET", "{pages}?state=with_draft&sort=title&count=true", "", 200},
		{"POST", "/public/v2/graphql", `{"query": "{ entries(collection: \"pages\") { totalCount items { data } } }"}`, 200},
		{"POST", "{pages}", `{"fields": {"title": "Omega"}}`, 503},
		{"PATCH", "{pages}/{alpha}", `{"fields": {"title": "Omega"}}`, 503},
		{"DELETE", "{pages}/{alpha}", "", 503},
	} {
		a := ask(standby, c.method, c.path, c.body)
		if a.status != c.status || c.status == 503 && a.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %d %v %s", c.method, c.path, a.status, a.header, a.body)
		}
	}
	if a := call(t, "POST", standby+"/api/session", `{"email": "root@example.com", "password": "`+password+`"}`, "Origin: "+standby); a.status != 503 {
		t.Errorf("signing in: %d %s", a.status, a.body)
	}
	first, second := ask(s.base, "GET", "{pages}", ""), ask(standby, "GET", "{pages}", "")
	if string(first.body) != string(second.body) || first.header.Get("ETag") != second.header.Get("ETag") {
		t.Errorf("%s here, %s there", first.body, second.body)
	}
}
