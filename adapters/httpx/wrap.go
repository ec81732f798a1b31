package httpx

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"imprimatur/core"
	"imprimatur/ports"
)

// Options configure Wrap.
type Options struct {
	Logger *zap.Logger
	// Observe, if set, is called after every response, for metrics.
	Observe func(Completed)
	// Tracer, if set, records a span for every request.
	Tracer ports.Tracer
	// Secure adds Strict-Transport-Security to every response. Set it when clients use
	// https.
	Secure bool
	// Proxies are the networks of trusted load balancers. For requests through them,
	// RemoteAddr becomes the address of the client, and X-Request-Id and traceparent are
	// those of the load balancer.
	Proxies []netip.Prefix
}

// Completed describes a response that was sent.
type Completed struct {
	Method  string
	Route   string // the pattern that matched; unlike paths, patterns are bounded in number
	Status  int
	Bytes   int64
	Elapsed time.Duration
}

// Wrap adds to every request an id, a log line, security headers and panic recovery. It
// answers 404 for paths that are not in canonical form, before any router sees them, and
// ensures that clients that are still sending receive the response. Apply it once, around
// all handlers.
func Wrap(next http.Handler, options Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		about := &exchange{id: newID()}
		rec := &about.response
		rec.ResponseWriter, rec.conn = w, connOf(r)
		if r.ContentLength != 0 {
			// Also needed when the handler does not read the body: net/http then reads
			// the rest.
			_ = http.NewResponseController(w).SetReadDeadline(started.Add(pacePeriod))
		}
		if peer, trusted := proxyOf(r, options.Proxies); trusted {
			about.correlate(r.Header)
			r.RemoteAddr = clientAddress(r.Header, peer, options.Proxies)
		}
		ctx := about.context(r.Context())
		var endSpan func(ports.Span)
		if options.Tracer != nil {
			ctx, endSpan = options.Tracer.Begin(ctx, ports.SpanRequest)
		}
		r = r.WithContext(ctx)
		rec.body = longBodyOf(w, r)
		writeCommonHeaders(w.Header(), about.id, options.Secure)
		defer func() {
			thrown := recover()
			whole := thrown == nil || answerPanic(rec, r, options.Logger, thrown)
			finish(options, r, rec, about, time.Since(started))
			if endSpan != nil {
				endSpan(about.span(r))
			}
			if !whole {
				panic(http.ErrAbortHandler)
			}
			rec.body.linger()
		}()
		if !canonicalPath(sentPath(r.URL)) || !core.ValidText(r.URL.Path) {
			WriteProblem(rec, r, core.NotFound("path"))
			return
		}
		next.ServeHTTP(rec, r)
	})
}

// The values are shared between responses: net/http only reads them.
var (
	nosniff     = []string{"nosniff"}
	denyContent = []string{"default-src 'none'; frame-ancestors 'none'"}
	httpsOnly   = []string{"max-age=31536000"} // seconds: a year
)

// writeCommonHeaders sets the headers of every response. Together with the other headers
// of a cached response they are eight, the most that a map holds without growing.
func writeCommonHeaders(h http.Header, id string, secure bool) {
	h["X-Request-Id"] = []string{id}
	h["X-Content-Type-Options"] = nosniff
	h["Content-Security-Policy"] = denyContent
	if secure {
		h["Strict-Transport-Security"] = httpsOnly
	}
}

// WritePagePolicy sets additional headers for a response that a browser shows as a page:
// other sites receive neither its address nor a reference to its window.
func WritePagePolicy(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// secretPages are the paths of pages whose links end with a secret.
var secretPages = []string{"/invite/", "/reset/", "/dashboard/address/", "/dashboard/connect/"}

// WithoutSecret returns a path for logs and answers: the secret of a link is left out.
func WithoutSecret(path string) string {
	for _, page := range secretPages {
		if len(path) > len(page) && strings.EqualFold(path[:len(page)], page) {
			return page + "…"
		}
	}
	return path
}

// sentPath returns the path with the escapes that affect its segments.
func sentPath(u *url.URL) string {
	if u.RawPath != "" {
		return u.EscapedPath()
	}
	return u.Path // escaping would double the cost of this check
}

// canonicalPath reports whether a path has no empty, "." or ".." segment. net/http would
// redirect the others.
func canonicalPath(path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for i := 1; i < len(path); i++ {
		if path[i-1] != '/' || path[i] != '/' && path[i] != '.' {
			continue
		}
		if segment, _, _ := strings.Cut(path[i:], "/"); segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// answerPanic writes a 500 response when no part of a response was sent. Otherwise it
// returns false, and the connection must be reset so that the client does not accept an
// incomplete response.
func answerPanic(rec *recorder, r *http.Request, logger *zap.Logger, thrown any) (whole bool) {
	if err, ok := thrown.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return false
	}
	logger.With(LogFields(r.Context())...).Error("panic", zap.Any("panic", thrown), zap.ByteString("stack", debug.Stack()))
	if rec.status != 0 {
		return false
	}
	WriteProblem(rec, r, fmt.Errorf("panic: %v", thrown))
	return true
}

// finish writes the log line and calls Observe. The line leaves out the query, which may
// contain credentials. A 503 without a cause has no line, because under overload there
// would be too many.
func finish(options Options, r *http.Request, rec *recorder, about *exchange, elapsed time.Duration) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	if options.Observe != nil {
		options.Observe(Completed{Method: r.Method, Route: r.Pattern, Status: rec.status, Bytes: rec.bytes, Elapsed: elapsed})
	}
	if rec.status == http.StatusServiceUnavailable && about.fault == nil {
		return
	}
	line := options.Logger.Check(severity(rec.status, r.Context().Err() != nil), "request")
	if line == nil {
		return
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	fields := []zap.Field{
		zap.String("method", r.Method), zap.String("path", WithoutSecret(r.URL.Path)), zap.String("route", r.Pattern),
		zap.Int("status", rec.status), zap.Int64("bytes", rec.bytes), zap.Duration("elapsed", elapsed),
		zap.String("requestId", about.id), zap.String("address", address),
	}
	if about.trace != "" {
		fields = append(fields, zap.String("traceparent", about.trace))
	}
	if about.actor.Token != nil {
		fields = append(fields, zap.Int64("token", about.actor.Token.ID))
	}
	if about.actor.User != nil {
		fields = append(fields, zap.Int64("user", about.actor.User.ID))
	}
	if about.fault != nil {
		fields = append(fields, zap.NamedError("fault", about.fault))
	}
	line.Write(fields...)
}

// severity returns the log level of a response. Overload and an unavailable dependency
// are warnings; a disconnect of the client is not an error.
func severity(status int, hungUp bool) zapcore.Level {
	switch {
	case hungUp || status < http.StatusInternalServerError:
		return zapcore.InfoLevel
	case status == http.StatusServiceUnavailable:
		return zapcore.WarnLevel
	default:
		return zapcore.ErrorLevel
	}
}
