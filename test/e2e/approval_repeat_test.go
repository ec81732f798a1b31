package e2e

import (
	"strings"
	"sync"
	"testing"
)

// TestRepeatedRequests sends the same request with one Idempotency-Key 100 times
// concurrently: it takes effect once, and later requests receive the stored response.
func TestRepeatedRequests(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.createEntry(t, "toPublish", `{"fields":{"title":"To publish"}}`)
		n.submit(t, "toApprove", "To approve")
		n.submit(t, "toReject", "To reject")
		for _, c := range []struct {
			name, user, path, body, other string
			status                        int
		}{
			{"an entry by token", "token full", "{public}", `{"fields":{"title":"Once by token"}}`, `{"fields":{"title":"Other"}}`, 201},
			{"an entry by session", "editor", "{content}", `{"published":true,"fields":{"title":"Once by session"}}`, `{"fields":{"title":"Other"}}`, 201},
			{"a request", "editor", "{content}/{toPublish}/publish", `{}`, ``, 202},
			{"an approval", "head", "{content}/{toApprove}/approval/approve", `{"comment":"once"}`, `{"comment":"other"}`, 200},
			{"a rejection", "chief", "{content}/{toReject}/approval/reject", `{"comment":"once"}`, ``, 200},
			{"a token", "chief", "/api/projects/{site}/tokens", `{"name":"Once","abilities":["read"]}`, `{"name":"Other","abilities":["read"]}`, 201},
			{"a refusal", "chief", "{content}", `{"fields":{"views":"x"}}`, `{"fields":{}}`, 422},
		} {
			t.Run(c.name, func(t *testing.T) {
				const times = 100
				key := "Idempotency-Key: " + strings.ReplaceAll(c.name, " ", "-") + "-5f9c2d3e-8a41-4b6f"
				responses := make([]response, times)
				var running sync.WaitGroup
				for i := range times {
					running.Go(func() { responses[i] = n.send(t, c.user, "POST", c.path, c.body, key) })
				}
				running.Wait()
				replay := n.mustSend(t, c.user, "POST", c.path, c.body, c.status, key)
				if replay.header.Get("Idempotent-Replayed") != "true" {
					t.Error("Idempotent-Replayed is missing")
				}
				firsts := 0
				for _, a := range responses {
					switch {
					case a.status == 409:
						if p := wantProblem(t, a, 409); p.Code != "idempotency_key_in_use" {
							t.Errorf("refused with %s", a.body)
						}
					case a.status != c.status || string(a.body) != string(replay.body):
						t.Errorf("answered %d %s, want %d %s", a.status, a.body, replay.status, replay.body)
					case a.header.Get("Idempotent-Replayed") == "":
						firsts++
					}
				}
				if firsts != 1 {
					t.Errorf("%d of %d requests took effect", firsts, times)
				}
				if p := wantProblem(t, n.send(t, c.user, "POST", c.path, c.other, key), 422); c.other != "" && p.Code != "idempotency_key_reused" {
					t.Errorf("another request under the key: %s", p.Code)
				}
			})
		}
		for title, want := range map[string]int{"Once by token": 1, "Once by session": 1, "Other": 0} {
			found := decode[struct{ Meta struct{ Total int } }](t, n.mustSend(t, "editor", "GET", "{content}?count=true&"+param("where[title]", title), "", 200))
			if found.Meta.Total != want {
				t.Errorf("%d entries are %q, want %d", found.Meta.Total, title, want)
			}
		}
		if r := n.wantStatus(t, "toApprove", "pending", 2); len(r.Actions) != 2 {
			t.Errorf("the request has %d actions, want 2", len(r.Actions))
		}
		if r := n.wantStatus(t, "toReject", "rejected", 0); len(r.Actions) != 2 {
			t.Errorf("the request has %d actions, want 2", len(r.Actions))
		}
		// Keys are separate per caller, and must be well-formed.
		path, body := "{public}", `{"fields":{"title":"Of mine"}}`
		n.mustSend(t, "token full", "POST", path, body, 201, "Idempotency-Key: mine")
		if a := n.mustSend(t, "editor", "POST", "{content}", body, 201, "Idempotency-Key: mine"); a.header.Get("Idempotent-Replayed") != "" {
			t.Error("the response of another caller was replayed")
		}
		for _, key := range []string{"", " ", "a b", strings.Repeat("k", 256), "clé"} {
			if a := n.send(t, "editor", "POST", "{content}", body, "Idempotency-Key: "+key); a.status != 400 {
				t.Errorf("the key %.20q answered %d", key, a.status)
			}
		}
		if a := n.send(t, "editor", "POST", "{content}", body, "Idempotency-Key: a", "Idempotency-Key: b"); a.status != 400 {
			t.Errorf("two keys answered %d", a.status)
		}
	})
}
