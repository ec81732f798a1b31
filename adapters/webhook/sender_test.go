package webhook

import (
	"bufio"
	"context"
	cryptotls "crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/egress"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwpnTA4TbyVIw="

// send sends a message to a handler and returns the answer.
func send(t *testing.T, handler http.HandlerFunc, change func(*ports.WebhookMessage)) ports.WebhookAnswer {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	allowed, err := egress.ParseAllowed([]string{server.Listener.Addr().String()})
	require.NoError(t, err)
	m := ports.WebhookMessage{
		URL: server.URL + "/hook", Secrets: []string{secret},
		Delivery: webhook.Delivery{ID: 31, ProjectID: 2, WebhookID: 5, Message: "dlv_a1", Type: "entry.published", Count: 1},
		Events: []event.Event{{
			ID: 7, Type: event.EntryPublished, At: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), ProjectID: 2, EntryID: 4, Group: 3, Slug: "a",
			Actor: core.ActorRef{Kind: "user", ID: 9, Name: "Ada Canary", MadeBy: 8},
		}},
	}
	if change != nil {
		change(&m)
	}
	return New(egress.New(allowed), nil).Send(t.Context(), m)
}

func TestMessagesAreVerified(t *testing.T) {
	t.Parallel()
	other := "whsec_" + strings.Repeat("A", 43) + "="
	var id string
	answer := send(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, s := range []string{secret, other} {
			verifier, err := standard.NewWebhook(s)
			if err == nil {
				err = verifier.Verify(body, r.Header)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		id = r.Header.Get("webhook-id") + " " + r.Header.Get("X-Key") + " " + string(body)
		w.WriteHeader(http.StatusNoContent)
	}, func(m *ports.WebhookMessage) {
		m.Secrets = append(m.Secrets, other)
		m.Headers = map[string]string{"X-Key": "k"}
	})
	require.Equal(t, http.StatusNoContent, answer.Code)
	require.Equal(t, `dlv_a1 k {"type":"entry.published","timestamp":"2026-01-02T03:04:05.006Z","data":{"id":7,"type":"entry.published",`+
		`"at":"2026-01-02T03:04:05.006Z","projectId":2,"entryId":4,"translationGroup":3,"slug":"a","actor":{"kind":"user","id":9}}}`, id)
}

func TestBodies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*ports.WebhookMessage)
		want   string
	}{
		"batch": {func(m *ports.WebhookMessage) { m.Delivery.Type, m.Delivery.Count = webhook.DeliveryBatch, 3 }, `{"type":"batch","timestamp":"2026-01-02T03:04:05.006Z","data":{"count":3,"events":[{"id":7,`},
		"test": {func(m *ports.WebhookMessage) {
			m.Delivery.Type, m.Events, m.Delivery.CreatedAt = webhook.DeliveryTest, nil, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		}, `{"type":"webhook.test","timestamp":"2026-01-02T03:04:05.000Z","data":{"projectId":2,"webhookId":5}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			send(t, func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got = string(body)
			}, c.change)
			require.True(t, strings.HasPrefix(got, c.want), got)
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    ports.WebhookAnswer
	}{
		"retry after seconds": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, ports.WebhookAnswer{Code: 503, RetryAfter: 90 * time.Second}},
		"no number": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "soon")
			w.WriteHeader(http.StatusTooManyRequests)
		}, ports.WebhookAnswer{Code: 429}},
		"redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }, ports.WebhookAnswer{Code: 302}},
		"10 MB": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 10<<20))
		}, ports.WebhookAnswer{Code: 200}},
		"a body stays inside":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "internal") }, ports.WebhookAnswer{Code: 200}},
		"the connection closes": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ports.WebhookAnswer{Fault: "the connection was lost"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, send(t, c.handler, nil))
		})
	}
}

// TestSlowAnswers sends messages to receivers that answer byte by byte, for ever.
func TestSlowAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin, drip string
		code        int           // 0: a fault
		limit       time.Duration // of the attempt
	}{
		"nothing":        {"", "", 0, 50 * time.Millisecond},
		"status":         {"HTTP/1.1 2", "0", 0, 50 * time.Millisecond},
		"header":         {"HTTP/1.1 200 OK\r\nX-A: ", "a", 0, 50 * time.Millisecond},
		"body":           {"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "b", 200, timeout},
		"no end":         {"HTTP/1.1 200 OK\r\nX-A: ", strings.Repeat("a", 4<<10), 0, timeout},
		"informational":  {"", "HTTP/1.1 103 Early Hints\r\n\r\n", 0, timeout},
		"no HTTP at all": {"SSH-2.0-OpenSSH_9.6\r\n", "x", 0, timeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			t.Cleanup(func() { _ = listener.Close() })
			go func() {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				defer func() { _ = conn.Close() }()
				// A client that has an answer before it has sent anything takes it for a fault.
				_, err = http.ReadRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, c.begin)
				for err == nil {
					_, err = io.WriteString(conn, c.drip)
					if c.drip == "" {
						_, err = conn.Read(make([]byte, 4<<10))
					}
					time.Sleep(time.Millisecond) // a slow receiver
				}
			}()
			allowed, err := egress.ParseAllowed([]string{"127.0.0.1/32"})
			require.NoError(t, err)
			sender := New(egress.New(allowed), nil)
			sender.limit = c.limit
			m := ports.WebhookMessage{URL: "http://" + listener.Addr().String(), Secrets: []string{secret}, Delivery: webhook.Delivery{Type: webhook.DeliveryTest}}
			answer := sender.Send(t.Context(), m)
			require.Equal(t, c.code, answer.Code)
			require.Equal(t, c.code == 0, answer.Fault != "")
		})
	}
}

// TestRedirectsAreNotFollowed checks that a receiver cannot lead a message elsewhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	t.Cleanup(inside.Close)
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, target := range []string{inside.URL, "http://169.254.169.254/latest/meta-data", "//localhost/", "file:///etc/passwd"} {
			require.Equal(t, ports.WebhookAnswer{Code: code}, send(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", target)
				w.WriteHeader(code)
			}, nil))
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		asked, date string
		now         time.Time
		want        time.Duration
	}{
		{"90", "", date, 90 * time.Second},
		{"0", "", date, 0},
		{"-1", "", date, 0},
		{"9999999999", "", date, 24 * time.Hour},
		{"99999999999999999999", "", date, 24 * time.Hour},
		{"-99999999999999999999", "", date, 0},
		{"1e3", "", date, 0},
		{date.Add(time.Minute).Format(http.TimeFormat), "", date, time.Minute},
		{date.Add(-time.Minute).Format(http.TimeFormat), "", date, 0},
		{date.Add(time.Minute).Format(http.TimeFormat), date.Format(http.TimeFormat), date.AddDate(-9, 0, 0), time.Minute},
		{date.Add(time.Minute).Format(http.TimeFormat), date.Format(http.TimeFormat), date.AddDate(9, 0, 0), time.Minute},
	} {
		require.Equal(t, c.want, retryAfter(http.Header{"Retry-After": {c.asked}, "Date": {c.date}}, c.now), c)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	plainTLS := "https://" + plain.Listener.Addr().String()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &cryptotls.Config{MaxVersion: cryptotls.VersionTLS11} //nolint:gosec // what the program refuses
	old.StartTLS()
	t.Cleanup(old.Close)
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	allowed, err := egress.ParseAllowed([]string{"127.0.0.1/32", closed.Addr().String(), tls.Listener.Addr().String(), "nowhere.invalid:443"})
	require.NoError(t, err)
	sender := New(egress.New(allowed), nil)
	for address, want := range map[string]string{
		"http://" + closed.Addr().String():  "the host refuses connections",
		tls.URL:                             "the certificate of the host is not valid",
		plainTLS:                            "the host does not speak TLS there",
		old.URL:                             "the connection was lost",
		"https://nowhere.invalid/":          "the name of the host is not known",
		"https://169.254.169.254/latest":    "the address must be an https address on port 443 of a public host",
		"https://user:secret@example.org/x": "the address must be an https address",
	} {
		answer := sender.Send(t.Context(), ports.WebhookMessage{URL: address, Secrets: []string{secret}, Delivery: webhook.Delivery{Type: webhook.DeliveryTest}})
		require.Equal(t, ports.WebhookAnswer{Fault: want}, answer, address)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NotEmpty(t, sender.Send(ended, ports.WebhookMessage{URL: tls.URL, Delivery: webhook.Delivery{Type: webhook.DeliveryTest}}).Fault)
}

func TestBeginning(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a\uFFFDb", beginning(strings.NewReader("a\x00b")))
	require.LessOrEqual(t, len(beginning(strings.NewReader(strings.Repeat("\xff", 5000)))), webhook.AnswerLength)
	require.Len(t, beginning(strings.NewReader(strings.Repeat("x", 5000))), webhook.AnswerLength)
}
