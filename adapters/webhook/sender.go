package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"imprimatur/adapters/egress"
	"imprimatur/adapters/wire"
	"imprimatur/core/cachetag"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// Sender is a ports.WebhookSender and a ports.Addresses.
type Sender struct {
	client *egress.Client
	tags   *cachetag.Scheme
	limit  time.Duration // of one attempt
	now    func() time.Time
}

// New returns a Sender that sends through client. tags makes the tags of events.
func New(client *egress.Client, tags *cachetag.Scheme) *Sender {
	return &Sender{client, tags, timeout, time.Now}
}

const (
	// timeout is the time limit of one attempt.
	timeout = 15 * time.Second
	// lookupTimeout is the time limit for the check of an address that a user gives.
	lookupTimeout = 2 * time.Second
)

// Fault implements ports.Addresses.
func (s *Sender) Fault(ctx context.Context, address string) string {
	limited, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if err := s.client.CheckNow(limited, address); err != nil {
		return err.Error()
	}
	return ""
}

// Send implements ports.WebhookSender.
func (s *Sender) Send(ctx context.Context, m ports.WebhookMessage) ports.WebhookAnswer {
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	var connected net.Addr
	limited = httptrace.WithClientTrace(limited, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { connected = i.Conn.RemoteAddr() }})
	r, err := s.request(limited, m)
	if err != nil {
		return ports.WebhookAnswer{Fault: faultOf(egress.ErrNoAddress)}
	}
	response, err := s.client.Do(r)
	if err != nil {
		return ports.WebhookAnswer{Fault: faultOf(err)}
	}
	defer func() { _ = response.Body.Close() }() // nothing more is read
	answer := ports.WebhookAnswer{Code: response.StatusCode, RetryAfter: retryAfter(response.Header, s.now())}
	if s.client.Public(connected) {
		answer.Body = beginning(response.Body)
	}
	return answer
}

// request returns the signed request of m.
func (s *Sender) request(ctx context.Context, m ports.WebhookMessage) (*http.Request, error) {
	body, err := json.Marshal(wire.MessageOf(m, s.tags.Of))
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range m.Headers {
		r.Header.Set(name, value)
	}
	id, timestamp := m.Delivery.Message, strconv.FormatInt(s.now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Imprimatur")
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", timestamp)
	r.Header.Set("webhook-signature", signatures(m.Secrets, id, timestamp, body))
	return r, nil
}

// beginning returns the beginning of a response's body as text.
func beginning(body io.Reader) string {
	read, _ := io.ReadAll(io.LimitReader(body, webhook.AnswerLength)) // what came before an error counts
	text := strings.ReplaceAll(strings.ToValidUTF8(string(read), "\uFFFD"), "\x00", "\uFFFD")
	for len(text) > webhook.AnswerLength {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// retryAfter returns how long the receiver asks to wait: a number of seconds, or a time, by its own
// clock if the response has the time (Date), so that a wrong clock here changes nothing.
func retryAfter(header http.Header, now time.Time) time.Duration {
	asked := header.Get("Retry-After")
	const most = 24 * time.Hour
	switch seconds, err := strconv.ParseInt(asked, 10, 64); {
	case errors.Is(err, strconv.ErrRange) && seconds > 0:
		return most
	case err == nil && seconds > 0:
		return time.Duration(min(seconds, int64(most/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	if at, err := http.ParseTime(asked); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// faultOf says in words for users why a request has no response. It has nothing of the network of
// this installation.
func faultOf(err error) string {
	var unknown *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var late net.Error
	switch {
	case errors.Is(err, egress.ErrNotPublic):
		return "the address " + egress.ErrNotPublic.Error()
	case errors.Is(err, egress.ErrNoAddress):
		return "the address " + egress.ErrNoAddress.Error()
	case errors.As(err, &unknown):
		return "the name of the host is not known"
	case errors.As(err, &certificate):
		return "the certificate of the host is not valid"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the host does not speak TLS there"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the host refuses connections"
	case errors.As(err, &late) && late.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "no answer within 15 s"
	default:
		return "the connection was lost"
	}
}
