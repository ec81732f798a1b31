package service

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
)

// server is an http.Server of a bounded number of connections.
type server struct {
	http     http.Server
	listener *boundedListener
	stopping atomic.Bool
}

func newServer(listener net.Listener, handler http.Handler, log *zap.Logger) *server {
	s := &server{listener: newBoundedListener(httpx.Paced(listener), maxConnections)}
	s.http = http.Server{
		Handler:           s.closeConnections(handler),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          zap.NewStdLog(log.Named("http")),
		ConnState:         s.observe,
	}
	return s
}

// serve, called once, answers until stop; the error is of a listener that failed before.
func (s *server) serve() error {
	err := s.http.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// stop goes on for delay, in which load balancers see by /readyz that they are to send
// no more, and clients are asked to close their connections. Then it takes no more
// connections and answers the requests that are under way. It gives up when ctx ends.
func (s *server) stop(ctx context.Context, delay time.Duration) error {
	s.stopping.Store(true)
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
	return s.http.Shutdown(ctx)
}

func (s *server) observe(_ net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		s.listener.release()
	}
}

// closeConnections sends "Connection: close" while the server is stopping, and while so
// many connections are open that idle ones would keep out new clients.
func (s *server) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() || s.listener.halfFull() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
