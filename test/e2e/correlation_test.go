package e2e

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
)

// lines returns the JSON lines of a log that contain text.
func lines(t *testing.T, log, text string) (found []map[string]any) {
	t.Helper()
	for scanner := bufio.NewScanner(strings.NewReader(log)); scanner.Scan(); {
		line := scanner.Text()
		if !strings.HasPrefix(line, "{") || !strings.Contains(line, text) {
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		found = append(found, fields)
	}
	return found
}

// TestRequestsOfProxies sends requests with an id and a trace, as a trusted proxy and as a stranger, and
// looks for them in the response, in the problem, in the log lines of the request and of its reads, and in
// the event.
func TestRequestsOfProxies(t *testing.T) {
	t.Parallel()
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			n := newNewsroom(t, engine, "--trusted-proxies", "127.0.0.0/8,::1/128", "--slow-query", "1ns")
			send := func(id, method, path, body string, status int) response {
				t.Helper()
				a := n.mustSend(t, "root", method, path, body, status, "X-Request-Id: "+id, "traceparent: "+trace)
				if got := a.header.Get("X-Request-Id"); got != id {
					t.Errorf("%s %s: the id is %q, want %q", method, path, got, id)
				}
				return a
			}
			send("list-1", "GET", "{content}", "", 200)
			n.process.Await(t, "the log of a list", func() bool { return len(lines(t, n.process.Output(), `"list-1"`)) >= 2 })
			seen := map[any]bool{}
			for _, line := range lines(t, n.process.Output(), `"list-1"`) {
				seen[line["msg"]] = true
				if line["requestId"] != "list-1" || line["traceparent"] != trace {
					t.Errorf("a line of the request: %v", line)
				}
			}
			if !seen["slow read"] || !seen["request"] {
				t.Errorf("lines of the request: %v", seen)
			}

			problem := decode[map[string]any](t, send("missing-1", "GET", "/api/projects/999999", "", 404))
			if problem["requestId"] != "missing-1" || problem["traceparent"] != trace {
				t.Errorf("the problem is %v", problem)
			}
			send("write-1", "POST", "{content}", `{"fields":{"title":"Of a request"}}`, 201)
			var recorded int
			if err := open(t, n.database).QueryRowContext(t.Context(), "SELECT count(*) FROM events WHERE request_id = 'write-1'").Scan(&recorded); err != nil || recorded == 0 {
				t.Errorf("%d events of the request: %v", recorded, err)
			}
			bad := n.mustSend(t, "root", "GET", "/api/projects/999999", "", 404, "X-Request-Id: two words", "traceparent: "+strings.ToUpper(trace))
			if p := decode[map[string]any](t, bad); p["requestId"] == "two words" || p["traceparent"] != nil {
				t.Errorf("the problem with invalid headers is %v", p)
			}
		})
	}
}

// Strangers cannot choose what stands in the log.
func TestRequestsOfStrangers(t *testing.T) {
	t.Parallel()
	n := newNewsroom(t, engines[0], "--trusted-proxies", "192.0.2.0/24")
	a := n.mustSend(t, "root", "GET", "/api/projects/999999", "", 404, "X-Request-Id: chosen", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	id := a.header.Get("X-Request-Id")
	if p := decode[map[string]any](t, a); id == "chosen" || p["requestId"] != id || p["traceparent"] != nil {
		t.Errorf("the problem is %v", p)
	}
	n.process.Await(t, "the line of the request", func() bool { return len(lines(t, n.process.Output(), id)) > 0 })
	if log := n.process.Output(); strings.Contains(log, "chosen") || strings.Contains(log, "4bf92f3577b34da6a3ce929d0e0e4736") {
		t.Error("the log has what a stranger sent")
	}
}
