package httpx

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"imprimatur/ports"
)

// maxRequestID is the length of the longest request id of a proxy, in bytes.
const maxRequestID = 128

// correlate takes the request id and the trace that a trusted proxy gave the request. Invalid values, and
// headers that were sent twice, are ignored.
func (e *exchange) correlate(header http.Header) {
	if ids := header["X-Request-Id"]; len(ids) == 1 && validRequestID(ids[0]) {
		e.id = ids[0]
	}
	if traces := header["Traceparent"]; len(traces) == 1 {
		e.trace = validTrace(traces[0])
	}
}

// validRequestID reports whether id is short and has only characters that need no escape in logs, JSON and
// headers.
func validRequestID(id string) bool {
	return len(id) > 0 && len(id) <= maxRequestID && strings.IndexFunc(id, notOfID) < 0
}

func notOfID(c rune) bool {
	letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	return !letter && !strings.ContainsRune("-_.:/+=@", c)
}

// The parts of a traceparent of version 00, with the dash before each (W3C Trace Context, section 3.2.2).
const (
	traceLength = 55
	traceID     = 3  // 32 characters
	parentID    = 36 // 16 characters
	traceFlags  = 53 // 2 characters
)

// validTrace returns the part of a traceparent that version 00 defines, or "" if it is invalid. Later
// versions may only append to it.
func validTrace(text string) string {
	if len(text) < traceLength || len(text) > maxRequestID || !lowerHex(text[:2]) || text[:2] == "ff" {
		return ""
	}
	if longer := len(text) > traceLength; longer && (text[:2] == "00" || text[traceLength] != '-') {
		return ""
	}
	text = text[:traceLength]
	trace, parent, flags := text[traceID:parentID-1], text[parentID:traceFlags-1], text[traceFlags:]
	dashes := text[traceID-1] == '-' && text[parentID-1] == '-' && text[traceFlags-1] == '-'
	if !dashes || !lowerHex(trace+parent+flags) || strings.Trim(trace, "0") == "" || strings.Trim(parent, "0") == "" {
		return ""
	}
	return text
}

func lowerHex(text string) bool {
	return strings.Trim(text, "0123456789abcdef") == ""
}

// LogFields returns the fields of every log line of the request that ctx belongs to; none outside a request.
func LogFields(ctx context.Context) []zap.Field {
	id := ports.RequestID(ctx)
	if id == "" {
		return nil
	}
	fields := []zap.Field{zap.String("requestId", id)}
	if trace := ports.Trace(ctx); trace != "" {
		fields = append(fields, zap.String("traceparent", trace))
	}
	return fields
}

// span returns the span of the request r, whose response was sent. The names of the attributes are those of
// OpenTelemetry, where it has one.
func (e *exchange) span(r *http.Request) ports.Span {
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	attributes := map[string]any{
		"http.request.method": r.Method, "http.route": r.Pattern, "http.response.status_code": e.response.status, "http.response.body.size": e.response.bytes,
		"url.path": WithoutSecret(r.URL.Path), "client.address": address, "imprimatur.request_id": e.id,
	}
	if e.actor.Token != nil {
		attributes["imprimatur.token"] = e.actor.Token.ID
	}
	if e.actor.User != nil {
		attributes["imprimatur.user"] = e.actor.User.ID
	}
	return ports.Span{Name: cmp.Or(r.Pattern, "no route"), Attributes: attributes, Failed: e.response.status >= http.StatusInternalServerError}
}
