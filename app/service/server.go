package service

import (
	"bytes"
	"context"
	"errors"
	stdlog "log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
)

// server is an http.Server with a limited number of connections.
type server struct {
	http     http.Server
	listener *boundedListener
	stopping atomic.Bool

	mu   sync.Mutex
	lent map[net.Conn]bool // open connections without a slot
}

func newServer(listener net.Listener, handler http.Handler, log *zap.Logger) *server {
	s := &server{lent: map[net.Conn]bool{}, listener: newBoundedListener(httpx.Paced(listener), connectionLimit(openFiles()))}
	s.http = http.Server{
		Handler:           s.closeConnections(handler),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          stdlog.New(&serverLog{log: log.Named("http")}, "", 0),
		ConnState:         s.observe,
		ConnContext:       s.context,
	}
	return s
}

// start accepts connections in the background until stop is called. It shuts the service
// down when the listener fails. Call it once.
func (s *server) start(shutdown fx.Shutdowner, log *zap.Logger) {
	go func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("listener failed", zap.Error(err))
			_ = shutdown.Shutdown(fx.ExitCode(1)) // fails only if the service is stopping
		}
	}()
}

// stop first continues to serve for delay, so that load balancers notice that /readyz
// fails and clients close their connections. Then it accepts no more connections and waits
// for the running requests, until ctx ends.
func (s *server) stop(ctx context.Context, delay time.Duration) error {
	s.stopping.Store(true)
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
	return s.http.Shutdown(ctx)
}

func (s *server) observe(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	s.mu.Lock()
	lent := s.lent[conn]
	delete(s.lent, conn)
	s.mu.Unlock()
	if !lent {
		s.listener.release()
	}
}

// context is the ConnContext of the server.
func (s *server) context(ctx context.Context, conn net.Conn) context.Context {
	return httpx.WithLend(httpx.ConnContext(ctx, conn), func() { s.lend(conn) })
}

// lend releases the slot of a connection before it closes, once.
func (s *server) lend(conn net.Conn) {
	s.mu.Lock()
	lent := s.lent[conn]
	s.lent[conn] = true
	s.mu.Unlock()
	if !lent {
		s.listener.release()
	}
}

// closeConnections sends "Connection: close" while the server is stopping, and while idle
// connections could prevent new clients from connecting.
func (s *server) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() || s.listener.crowded() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// serverLog writes the log lines of an http.Server. A failure to accept connections concerns all clients, so it
// is an error; net/http tries again up to 200 times a second, so it is logged at most every acceptInterval.
type serverLog struct {
	log *zap.Logger

	mu   sync.Mutex
	last time.Time // of the last logged failure
	left int       // failures since then
}

const acceptInterval = 10 * time.Second

// Write implements io.Writer. It takes one line.
func (l *serverLog) Write(line []byte) (int, error) {
	text := string(bytes.TrimSpace(line))
	if !bytes.Contains(line, []byte("Accept error")) {
		l.log.Info(text)
		return len(line), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.last) < acceptInterval {
		l.left++
		return len(line), nil
	}
	l.log.Error("connections cannot be accepted", zap.String("error", text), zap.Int("more", l.left))
	l.last, l.left = time.Now(), 0
	return len(line), nil
}
