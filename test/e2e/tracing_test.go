package e2e

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// span is a span as a collector gets it.
type span struct {
	trace, id, parent, name string
	attributes              map[string]string
}

// spansOf decodes a request of the OpenTelemetry SDK.
func spansOf(body []byte) (spans []span, resource map[string]string, err error) {
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		return nil, nil, err
	}
	resource = map[string]string{}
	for _, of := range request.GetResourceSpans() {
		for _, a := range of.GetResource().GetAttributes() {
			resource[a.GetKey()] = a.GetValue().GetStringValue()
		}
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				got := span{hex.EncodeToString(s.GetTraceId()), hex.EncodeToString(s.GetSpanId()), hex.EncodeToString(s.GetParentSpanId()), s.GetName(), map[string]string{}}
				for _, a := range s.GetAttributes() {
					got.attributes[a.GetKey()] = a.GetValue().GetStringValue()
					if n, isNumber := a.GetValue().GetValue().(*common.AnyValue_IntValue); isNumber {
						got.attributes[a.GetKey()] = strconv.FormatInt(n.IntValue, 10)
					}
				}
				spans = append(spans, got)
			}
		}
	}
	return spans, resource, nil
}

// TestSpans: a collector gets spans of requests with their statements, in the trace of a trusted proxy, and of
// deliveries. They have no content.
func TestSpans(t *testing.T) {
	t.Parallel()
	const trace, above = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for engine, system := range map[string]string{"SQLite": "sqlite", "Postgres": "postgresql"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var spans []span
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				some, resource, fault := spansOf(body)
				if err != nil || fault != nil || r.URL.Path != "/v1/traces" || resource["service.name"] != "imprimatur" || resource["service.version"] == "" {
					t.Errorf("%s: %v %v %v", r.URL.Path, err, fault, resource)
				}
				if strings.Contains(string(body), "canary") {
					t.Error("a span has content")
				}
				mu.Lock()
				defer mu.Unlock()
				spans = append(spans, some...)
				w.Header().Set("Content-Type", "application/x-protobuf")
			}))
			t.Cleanup(receiver.Close)
			sent := make(chan bool, 100)
			hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent <- true }))
			t.Cleanup(hook.Close)

			s := newSite(t, engine, "--otlp-endpoint", receiver.URL, "--trusted-proxies", "127.0.0.0/8,::1/128", "--webhook-allow", hook.Listener.Addr().String())
			if made := call(t, "POST", s.base+s.fill("{project}/webhooks"), `{"name":"Site","url":"`+hook.URL+`/canary","events":["entry.updated"]}`, s.session...); made.status != 201 {
				t.Fatalf("%d %s", made.status, made.body)
			}
			for _, request := range [][3]string{
				{"GET", "{pages}?where[title]=canary-searched&count=true", ""},
				{"PATCH", "{pages}/{alpha}", `{"fields":{"title":"canary title"}}`},
			} {
				if a := s.send(t, "full", request[0], request[1], request[2], "traceparent: 00-"+trace+"-"+above+"-01"); a.status != 200 {
					t.Fatalf("%s answered %d: %s", request[0], a.status, a.body)
				}
			}
			if a := s.send(t, "full", "GET", "{pages}", "", "traceparent: 00-11111111111111111111111111111111-"+above+"-00"); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			select {
			case <-sent:
			case <-time.After(20 * time.Second):
				t.Fatal("no delivery\n" + s.process.Output())
			}
			s.process.Await(t, "the record of the delivery", func() bool {
				a := call(t, "GET", s.ops+"/metrics", "")
				return strings.Contains(string(a.body), `imprimatur_deliveries_total{outcome="delivered"} 1`)
			})
			s.process.Stop(t) // sends the spans that wait

			mu.Lock()
			defer mu.Unlock()
			within := func(id, operation string) (statements int) {
				for _, one := range spans {
					if one.parent == id && one.attributes["db.system.name"] == system && one.name == operation {
						statements++
					}
				}
				return statements
			}
			found := map[string]int{}
			for _, one := range spans {
				switch {
				case one.trace == "11111111111111111111111111111111":
					t.Errorf("a span of a trace that is not sampled: %v", one)
				case one.trace == trace && one.attributes["http.request.method"] != "":
					if one.parent != above || one.attributes["http.response.status_code"] != "200" || !strings.Contains(one.name, "/entries") || one.attributes["imprimatur.request_id"] == "" {
						t.Errorf("the span of a request is %v", one)
					}
					found[one.attributes["http.request.method"]] = within(one.id, "SELECT") + within(one.id, "WITH")
					found["commit"] += within(one.id, "COMMIT") + within(one.id, "BATCH")
				case one.name == "delivery":
					found["delivery"] = within(one.id, "SELECT")
					if one.attributes["http.response.status_code"] != "200" || one.attributes["imprimatur.webhook"] == "" {
						t.Errorf("the span of a delivery is %v", one)
					}
				case one.attributes["db.system.name"] != "" && !slices.ContainsFunc(spans, func(s span) bool { return s.id == one.parent }):
					t.Errorf("a statement within no span: %v", one)
				}
			}
			for _, what := range []string{"GET", "PATCH", "commit", "delivery"} {
				if found[what] == 0 {
					t.Errorf("no statements of %s: %v", what, found)
				}
			}
			if t.Failed() {
				for _, one := range spans {
					t.Log(one)
				}
			}
		})
	}
}
