package service

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"imprimatur/adapters/web"
)

// server is an http.Server that loses no request when it stops. http.Server.Shutdown
// alone drops what was sent just before: connections that nobody had accepted, and
// requests that nobody had read.
type server struct {
	http     http.Server
	listener *boundedListener
	stopping atomic.Bool
	served   chan struct{} // closed when the last connection has been accepted

	mutex sync.Mutex
	busy  map[net.Conn]struct{} // connections that a request is under way on, or may be
}

// drainInterval is how often a stop looks whether requests are still under way.
const drainInterval = 5 * time.Millisecond

func newServer(listener net.Listener, handler http.Handler, log *zap.Logger) *server {
	s := &server{listener: newBoundedListener(web.Gather(listener), mostConnections), served: make(chan struct{}), busy: map[net.Conn]struct{}{}}
	s.http = http.Server{
		Handler:           s.sayingGoodbye(handler),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      requestTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          zap.NewStdLog(log.Named("http")),
		ConnState:         s.observe,
		ConnContext:       web.ConnContext,
	}
	return s
}

// serve, called once, answers until stop; the error is of a listener that failed before.
func (s *server) serve() error {
	defer close(s.served)
	err := s.http.Serve(s.listener)
	if s.stopping.Load() && (errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed)) {
		return nil
	}
	return err
}

// stop goes on for delay, in which load balancers see that it is to end. Then it takes
// no more connections, answers every request that was sent, and closes the connections
// that are left idle. It gives up when ctx ends.
func (s *server) stop(ctx context.Context, delay time.Duration) error {
	s.stopping.Store(true)
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
	closed := s.listener.Close()
	select {
	case <-s.served:
	case <-ctx.Done():
	}
	for s.underWay() && ctx.Err() == nil {
		time.Sleep(drainInterval)
	}
	if err := s.http.Shutdown(ctx); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return closed
}

func (s *server) underWay() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.busy) > 0
}

func (s *server) observe(conn net.Conn, state http.ConnState) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch state {
	case http.StateNew, http.StateActive:
		s.busy[conn] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(s.busy, conn)
		s.listener.release()
	default:
		delete(s.busy, conn)
	}
}

// sayingGoodbye tells clients to send no more on their connection, once the server is
// stopping, and while there are so many that idle ones would keep others out.
func (s *server) sayingGoodbye(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() || s.listener.crowded() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
