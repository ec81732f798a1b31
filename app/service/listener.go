package service

import (
	"errors"
	"net"
	"sync"
	"time"
)

// drainingListener hands out, when it is closed, the connections that the kernel had
// already made: their clients hold them for open and have sent requests. Closing a
// plain listener resets them.
type drainingListener struct {
	*net.TCPListener
	close  sync.Once
	failed error
	closed chan struct{}
	queued []net.Conn // once closed; only Accept's one caller takes from it
}

func newDrainingListener(l *net.TCPListener) *drainingListener {
	return &drainingListener{TCPListener: l, closed: make(chan struct{})}
}

// Accept returns net.ErrClosed when the listener is closed and its queue is empty.
func (l *drainingListener) Accept() (net.Conn, error) {
	conn, err := l.AcceptTCP()
	if !errors.Is(err, net.ErrClosed) {
		return conn, err
	}
	<-l.closed
	if len(l.queued) == 0 {
		return nil, err
	}
	next := l.queued[0]
	l.queued = l.queued[1:]
	return next, nil
}

// handshake is how long a connection may take that a client has begun to make: a round
// trip between far regions.
const handshake = 100 * time.Millisecond

// Close closes the listener; connections in its queue are still to be accepted.
func (l *drainingListener) Close() error {
	l.close.Do(func() {
		refuseNew(l.TCPListener)
		time.Sleep(handshake)
		waiting := acceptQueued(l.TCPListener)
		l.failed = l.TCPListener.Close()
		l.queued = connections(waiting)
		close(l.closed)
	})
	return l.failed
}
