package e2e

import (
	"testing"
)

// TestReadOnlyDatabase serves a second process from a database that refuses every write
// with the error of a standby: reads show the first process's writes, and writes are
// refused as unavailable.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t, "Postgres")
	_, standby, _ := serve(t, s.database+"&default_transaction_read_only=on", "--no-migrate", "--rate-limit", "0")
	send := func(base, method, path, body string) response {
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
		a := send(standby, c.method, c.path, c.body)
		if a.status != c.status || c.status == 503 && a.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %d %v %s", c.method, c.path, a.status, a.header, a.body)
		}
	}
	if a := call(t, "POST", standby+"/api/session", `{"email": "root@example.com", "password": "`+password+`"}`, "Origin: "+standby); a.status != 503 {
		t.Errorf("signing in: %d %s", a.status, a.body)
	}
	first, second := send(s.base, "GET", "{pages}", ""), send(standby, "GET", "{pages}", "")
	if string(first.body) != string(second.body) || first.header.Get("ETag") != second.header.Get("ETag") {
		t.Errorf("the first process answered %s, the second %s", first.body, second.body)
	}
}
