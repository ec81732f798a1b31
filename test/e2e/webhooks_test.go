package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"imprimatur/test/program"
)

// hook is a webhook as the API shows it.
type hook struct {
	ID     int
	Secret string
}

// TestWebhooks changes content and checks what receivers get and what the log of deliveries has.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			got := make(chan [2]string, 20) // error of the verifier, body
			var secret string
			var broken atomic.Bool
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				verifier, err := standard.NewWebhook(secret)
				if err == nil {
					err = verifier.Verify(body, r.Header)
				}
				fault := ""
				if err != nil {
					fault = err.Error()
				}
				if broken.Load() {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				_, _ = io.WriteString(w, "an internal answer")
				got <- [2]string{fault, string(body)}
			}))
			t.Cleanup(receiver.Close)
			s := newSite(t, engine, "--webhook-allow", receiver.Listener.Addr().String())
			refuseWebhooks(t, s)

			made := call(t, "POST", s.base+s.fill("{project}/webhooks"), `{"name":"Site","url":"`+receiver.URL+`/hook","events":["entry.updated"],"headers":{"X-Key":"canary-header"}}`, s.session...)
			if made.status != 201 {
				t.Fatalf("%d %s", made.status, made.body)
			}
			created := decode[hook](t, made)
			secret = created.Secret
			s.send(t, "full", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"canary title"}}`)
			select {
			case first := <-got:
				var message struct {
					Type string
					Data struct{ Type, RequestID string }
				}
				err := json.Unmarshal([]byte(first[1]), &message)
				if err != nil || first[0] != "" || message.Type != "entry.updated" || message.Data.Type != message.Type || message.Data.RequestID == "" || strings.Contains(first[1], "canary") {
					t.Errorf("%v %v", err, first)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("nothing came\n" + s.process.Output())
			}
			id := "{project}/webhooks/" + strconv.Itoa(created.ID)
			s.process.Await(t, "delivery", func() bool {
				list := call(t, "GET", s.base+s.fill(id+"/deliveries?status=delivered"), "", s.session...)
				return list.status == 200 && strings.Contains(string(list.body), `"code":200`)
			})
			for _, path := range []string{"{project}/webhooks", id, id + "/deliveries"} {
				a := call(t, "GET", s.base+s.fill(path), "", s.session...)
				for _, hidden := range []string{"canary", secret, "an internal answer"} {
					if a.status != 200 || strings.Contains(string(a.body), hidden) {
						t.Errorf("%s: %d %s", path, a.status, a.body)
					}
				}
			}
			if a := call(t, "POST", s.base+s.fill(id+"/replay"), `{"since":"2020-01-01T00:00:00Z"}`, s.session...); a.status != 202 {
				t.Errorf("replay: %d %s", a.status, a.body)
			}
			operateDeliveries(t, s, created.ID, &broken)
			if a := call(t, "DELETE", s.base+s.fill(id), "", s.session...); a.status != 204 {
				t.Errorf("delete: %d %s", a.status, a.body)
			}
			metrics := call(t, "GET", s.ops+"/metrics", "")
			for _, want := range []string{"imprimatur_deliveries_waiting 0", "imprimatur_deliveries_late_seconds 0", `imprimatur_deliveries_total{outcome="failed"} [1-9]`, `imprimatur_deliveries_total{outcome="parked"} 0`} {
				if !regexp.MustCompile("(?m)^" + want).Match(metrics.body) {
					t.Errorf("/metrics has no %q", want)
				}
			}
		})
	}
}

// operateDeliveries lists, parks and retries deliveries by commands beside the running program.
func operateDeliveries(t *testing.T, s *site, webhook int, broken *atomic.Bool) {
	t.Helper()
	command := func(args ...string) string {
		t.Helper()
		out, diagnostics, err := program.Run(t, "", append([]string{"deliveries"}, append(args, "--database-url", s.database)...)...)
		if err != nil {
			return diagnostics
		}
		return out
	}
	type line struct {
		ID, WebhookID   int
		Project, Status string
		Attempts        []struct{ Code int }
	}
	list := func(status string) (lines []line) {
		t.Helper()
		for text := range strings.Lines(command("list", "--json", "--project", s.uuid, "--webhook", strconv.Itoa(webhook), "--status", status)) {
			lines = append(lines, decode[line](t, response{body: []byte(text)}))
		}
		return lines
	}
	broken.Store(true)
	s.send(t, "full", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"canary again"}}`)
	var failed []line
	s.process.Await(t, "a failed attempt", func() bool {
		failed = slices.DeleteFunc(list("waiting"), func(l line) bool { return len(l.Attempts) == 0 })
		return len(failed) > 0
	})
	if l := failed[0]; l.Project != s.uuid || l.WebhookID != webhook || l.Attempts[0].Code != 502 {
		t.Errorf("listed: %+v", l)
	}
	id := strconv.Itoa(failed[0].ID)
	if table := command("list"); !strings.Contains(table, "LAST ANSWER\n") || !strings.Contains(table, "\n"+id+" ") || !strings.Contains(table, "502") || strings.Contains(table, "canary") {
		t.Errorf("the table: %s", table)
	}
	for _, c := range []struct{ args, want string }{
		{"park " + id, "parked: 1\n"},
		{"park " + id, "imprimatur: delivery " + id + " is parked: only those that wait can be parked\n"},
		{"park --webhook 999", "imprimatur: no such webhook\n"},
		{"park", "imprimatur: select deliveries: by their ids, or with --project, --webhook or --status\n"},
		{"park --status parked", "imprimatur: setting --status: must be waiting or gathering\n"},
		{"retry 999999", "imprimatur: no such delivery: 999999\n"},
		{"retry --project " + s.away + " " + id, "imprimatur: no such delivery: " + id + "\n"},
		{"retry x", "imprimatur: \"x\" is not the id of a delivery\n"},
		{"list --project " + strings.Replace(s.uuid, s.uuid[:8], "00000000", 1), "imprimatur: no such project\n"},
		{"list --limit 0", "imprimatur: setting --limit: must be from 1 to 1000\n"},
	} {
		if got := command(strings.Fields(c.args)...); got != c.want {
			t.Errorf("%s: %q", c.args, got)
		}
	}
	broken.Store(false) // not before: a retry would deliver what is to be parked
	if got := command("retry", "--webhook", strconv.Itoa(webhook)); got != "due now: 1\n" {
		t.Errorf("retry: %q", got)
	}
	s.process.Await(t, "the parked delivery", func() bool {
		return slices.ContainsFunc(list("delivered"), func(l line) bool { return strconv.Itoa(l.ID) == id })
	})
}

// refuseWebhooks sends webhooks that are invalid.
func refuseWebhooks(t *testing.T, s *site) {
	t.Helper()
	for _, url := range []string{
		"http://169.254.169.254/", "https://169.254.169.254/", "https://localhost/", "http://example.org/", "https://example.org:8443/", "https://[::1]/",
		"https://[::ffff:127.0.0.1]/", "https://0x7f000001/", "https://2130706433/", "https://127.1/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
		"https://10.0.0.1/", "https://100.64.0.1/", "https://224.0.0.1/", "https://0.0.0.0/", "https://u:p@example.org/", "ftp://example.org/", "//example.org", "",
	} {
		refuseWebhook(t, s, map[string]any{"url": url}, "url")
	}
	refuseWebhook(t, s, map[string]any{"url": "https://93.184.215.14/" + strings.Repeat("a", 2000)}, "url")
	for _, event := range []string{"entry.liked", "user.*", "*.*", "entry", "ENTRY.*", ""} {
		refuseWebhook(t, s, map[string]any{"events": []string{event}}, "events[0]")
	}
	for _, name := range []string{"Host", "content-length", "Webhook-Signature", "a b", "", "Transfer-Encoding"} {
		refuseWebhook(t, s, map[string]any{"headers": map[string]string{name: "x"}}, "headers."+name)
	}
	refuseWebhook(t, s, map[string]any{"headers": map[string]string{"X-A": "a\r\nHost: b"}}, "headers.X-A")
	refuseWebhook(t, s, map[string]any{"name": "a\nb"}, "name")
	refuseWebhook(t, s, map[string]any{"locales": []string{"xx"}, "collections": []string{"nothing"}}, "locales[0]", "collections[0]")
}

// refuseWebhook sends one that is valid but for change.
func refuseWebhook(t *testing.T, s *site, change map[string]any, locations ...string) {
	t.Helper()
	in := map[string]any{"name": "Site", "url": "https://93.184.215.14/", "events": []string{"*"}}
	for name, value := range change {
		in[name] = value
	}
	body, _ := json.Marshal(in)
	a := call(t, "POST", s.base+s.fill("{project}/webhooks"), string(body), s.session...)
	var found []string
	for _, fault := range decode[struct{ Errors []struct{ Location string } }](t, a).Errors {
		found = append(found, fault.Location)
	}
	slices.Sort(found)
	slices.Sort(locations)
	if a.status != 422 || !slices.Equal(found, locations) {
		t.Errorf("%s: %d %s", body, a.status, a.body)
	}
}
