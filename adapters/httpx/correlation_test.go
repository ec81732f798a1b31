package httpx

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"imprimatur/core"
)

const (
	sentID    = "Root=1-67891233/abc:def@edge_7+8.9"
	sentTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
)

// TestCorrelation sends ids and traces from the peer 192.0.2.1 and looks for them in the header, the problem and
// all log lines of the response.
func TestCorrelation(t *testing.T) {
	t.Parallel()
	one := func(value string) []string { return []string{value} }
	for name, c := range map[string]struct {
		trusted   string
		id, trace []string
		wantID    string // "": one of ours
		wantTrace string
	}{
		"a trusted proxy":                 {"192.0.2.0/24", one(sentID), one(sentTrace), sentID, sentTrace},
		"only an id":                      {"192.0.2.0/24", one(sentID), nil, sentID, ""},
		"only a trace":                    {"192.0.2.0/24", nil, one(sentTrace), "", sentTrace},
		"another proxy":                   {"10.0.0.0/8", one(sentID), one(sentTrace), "", ""},
		"no trusted proxies":              {"", one(sentID), one(sentTrace), "", ""},
		"empty":                           {"192.0.2.0/24", one(""), one(""), "", ""},
		"the longest id":                  {"192.0.2.0/24", one(strings.Repeat("x", 128)), nil, strings.Repeat("x", 128), ""},
		"a longer id":                     {"192.0.2.0/24", one(strings.Repeat("x", 129)), nil, "", ""},
		"two ids":                         {"192.0.2.0/24", []string{"a", "b"}, []string{sentTrace, sentTrace}, "", ""},
		"a line break":                    {"192.0.2.0/24", one("a\nb"), one(sentTrace + "\n"), "", ""},
		"a quote":                         {"192.0.2.0/24", one(`a"b`), one(`00-"bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`), "", ""},
		"a blank":                         {"192.0.2.0/24", one("a b"), one(" " + sentTrace[1:]), "", ""},
		"not ASCII":                       {"192.0.2.0/24", one("é"), one("é" + sentTrace[2:]), "", ""},
		"markup":                          {"192.0.2.0/24", one("<b>"), nil, "", ""},
		"capitals in a trace":             {"192.0.2.0/24", nil, one(strings.ToUpper(sentTrace)), "", ""},
		"a trace of zeros":                {"192.0.2.0/24", nil, one("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), "", ""},
		"a parent of zeros":               {"192.0.2.0/24", nil, one("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"), "", ""},
		"an invalid version":              {"192.0.2.0/24", nil, one("ff" + sentTrace[2:]), "", ""},
		"a longer version 00":             {"192.0.2.0/24", nil, one(sentTrace + "-more"), "", ""},
		"a later version":                 {"192.0.2.0/24", nil, one("cc" + sentTrace[2:] + "-more"), "", "cc" + sentTrace[2:]},
		"a later version with other text": {"192.0.2.0/24", nil, one("cc" + sentTrace[2:] + ".more"), "", ""},
		"a short trace":                   {"192.0.2.0/24", nil, one(sentTrace[:54]), "", ""},
		"dashes elsewhere":                {"192.0.2.0/24", nil, one("00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var proxies []netip.Prefix
			if c.trusted != "" {
				proxies = append(proxies, netip.MustParsePrefix(c.trusted))
			}
			sink, logs := observer.New(zapcore.InfoLevel)
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header["X-Request-Id"], r.Header["Traceparent"] = c.id, c.trace
			rec := httptest.NewRecorder()
			Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a fault") }), Options{Logger: zap.New(sink), Proxies: proxies}).ServeHTTP(rec, r)

			id := rec.Header().Get("X-Request-Id")
			if id != c.wantID && (c.wantID != "" || len(id) != 26) {
				t.Errorf("the id is %q, want %q", id, c.wantID)
			}
			var problem Problem
			if err := json.Unmarshal(rec.Body.Bytes(), &problem); err != nil {
				t.Fatal(err)
			}
			if problem.RequestID != id || problem.Trace != c.wantTrace {
				t.Errorf("the problem is %+v, want id %q and trace %q", problem, id, c.wantTrace)
			}
			if logs.Len() != 2 {
				t.Fatalf("%d log lines, want those of the panic and of the request", logs.Len())
			}
			for _, line := range logs.All() {
				fields := line.ContextMap()
				if trace, _ := fields["traceparent"].(string); fields["requestId"] != id || trace != c.wantTrace {
					t.Errorf("%s: %v, want id %q and trace %q", line.Message, fields, id, c.wantTrace)
				}
			}
		})
	}
}

// A request of a client must not be taken for another one by the fields that a problem has for it.
func TestProblemsWithoutATraceHaveNoMember(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	WriteProblem(rec, httptest.NewRequest(http.MethodGet, "/", nil), core.NotFound("path"))
	if strings.Contains(rec.Body.String(), "traceparent") {
		t.Error(rec.Body)
	}
}
