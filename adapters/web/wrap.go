package web

import (
	"context"
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
)

// Options is what Wrap needs to know.
type Options struct {
	Logger *zap.Logger
	// Observe, when set, is told of every answer: for metrics.
	Observe func(Answer)
	// Context, when set, gives the context of each request what else it is to hold.
	Context func(context.Context) context.Context
	// Secure says that callers reach us over https, and must keep to it.
	Secure bool
	// Proxies are the networks of the load balancers in front: of the addresses that
	// they forward, RemoteAddr becomes the caller's.
	Proxies []netip.Prefix
}

func (o Options) context(ctx context.Context) context.Context {
	if o.Context == nil {
		return ctx
	}
	return o.Context(ctx)
}

// Answer is one finished exchange.
type Answer struct {
	Method  string
	Route   string // the pattern that matched: bounded in number, unlike paths
	Status  int
	Bytes   int64
	Elapsed time.Duration
}

// Wrap gives every request an id, a log line, security headers and a way out of a
// panic, turns away paths that are not in their plain form before any router sees them,
// and sees to it that answers are found by those who are still sending. It goes around everything that is served, once.
func Wrap(next http.Handler, options Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		about := &exchange{Context: options.context(r.Context()), id: [1]string{newID()}}
		rec := &about.answer
		rec.ResponseWriter = w
		if r.ContentLength != 0 {
			// Also for who answers without reading it: net/http then takes the rest.
			_ = http.NewResponseController(w).SetReadDeadline(started.Add(patience))
		}
		r = r.WithContext(about)
		rec.body = longBodyOf(w, r)
		r.RemoteAddr = caller(r, options.Proxies)
		writeCommonHeaders(w.Header(), about.id[:], options.Secure)
		defer func() {
			thrown := recover()
			whole := thrown == nil || answerPanic(rec, r, options.Logger, thrown)
			finish(options, r, rec, about, time.Since(started))
			if !whole {
				panic(http.ErrAbortHandler)
			}
			rec.body.linger()
		}()
		if !plainPath(sentPath(r.URL)) || !core.ValidText(r.URL.Path) {
			WriteProblem(rec, r, core.NotFound("path"))
			return
		}
		next.ServeHTTP(rec, r)
	})
}

// The values are shared between answers: net/http only reads them.
var (
	nosniff     = []string{"nosniff"}
	lockedDown  = []string{"default-src 'none'; frame-ancestors 'none'"}
	stayOnHTTPS = []string{"max-age=31536000"}
)

// writeCommonHeaders sets what every answer has. With what else an answer from memory
// has they are eight, as many as a map holds without growing.
func writeCommonHeaders(h http.Header, id []string, secure bool) {
	h["X-Request-Id"] = id
	h["X-Content-Type-Options"] = nosniff
	h["Content-Security-Policy"] = lockedDown
	if secure {
		h["Strict-Transport-Security"] = stayOnHTTPS
	}
}

// WritePagePolicy sets what belongs on an answer that a browser shows as a page, beside
// what every answer has: others do not learn its address, nor get hold of its window.
func WritePagePolicy(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// sentPath returns the path with whatever was escaped in it that would change its parts.
func sentPath(u *url.URL) string {
	if u.RawPath != "" {
		return u.EscapedPath()
	}
	return u.Path // escaping it would take as long again as all of this
}

// plainPath reports whether a path has one spelling only. net/http would redirect
// the others; to refuse them leaves nothing to compare.
func plainPath(path string) bool {
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

// answerPanic answers 500 when nothing was sent yet. Otherwise it reports false: the
// connection has to break, so that nobody takes half an answer for a whole one.
func answerPanic(rec *recorder, r *http.Request, logger *zap.Logger, thrown any) (whole bool) {
	if err, ok := thrown.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return false
	}
	logger.Error("panic", zap.String("requestId", RequestID(r.Context())),
		zap.Any("panic", thrown), zap.ByteString("stack", debug.Stack()))
	if rec.status != 0 {
		return false
	}
	WriteProblem(rec, r, fmt.Errorf("panic: %v", thrown))
	return true
}

// finish writes the log line. The query stays out of it: credentials end up there. Who
// is turned away because there is too much to do has none: there are too many of them.
func finish(options Options, r *http.Request, rec *recorder, about *exchange, elapsed time.Duration) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	if options.Observe != nil {
		options.Observe(Answer{Method: r.Method, Route: r.Pattern, Status: rec.status, Bytes: rec.bytes, Elapsed: elapsed})
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
		zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.String("route", r.Pattern),
		zap.Int("status", rec.status), zap.Int64("bytes", rec.bytes), zap.Duration("elapsed", elapsed),
		zap.String("requestId", about.id[0]), zap.String("address", address),
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

// severity returns how bad an answer is. To have too much to do, or to wait for a part
// that is away, is no fault of ours; nor is anything that comes of a caller's hanging up.
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
