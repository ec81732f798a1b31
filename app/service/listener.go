package service

import (
	"math/rand/v2"
	"net"
	"sync"
)

// The limits of open connections of a listener. More connections wait in the accept queue of the
// kernel, without memory and files of the process.
const (
	maxConnections = 4000
	minConnections = 16
	otherFiles     = 128 // databases, listeners, other files of the process
)

// connectionLimit returns the limit for a process that may have that many files open: a request can need a
// file, or a connection to another server, beside its own connection.
func connectionLimit(files uint64) int {
	if files >= 2*maxConnections+otherFiles {
		return maxConnections
	}
	return max(minConnections, (int(files)-otherFiles)/2) //nolint:gosec // it is small
}

// boundedListener accepts connections while fewer than the limit are open. Unlike
// netutil.LimitListener it does not wrap connections, because net/http needs their
// CloseWrite. The server calls release for each closed connection.
type boundedListener struct {
	net.Listener

	slots  chan struct{} // one element per open connection
	close  sync.Once
	closed chan struct{}
}

func newBoundedListener(l net.Listener, limit int) *boundedListener {
	return &boundedListener{Listener: l, slots: make(chan struct{}, limit), closed: make(chan struct{})}
}

// Accept waits for a free slot or for Close.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		l.release()
	}
	return conn, err
}

// release frees the slot of a closed connection.
func (l *boundedListener) release() {
	select {
	case <-l.slots:
	default: // accepted during Close, without a slot
	}
}

// crowded reports whether a connection should be closed after its response: never while at most
// half of the slots are in use, always when all are, and at random in between. If it closed every
// connection above half, each request of an overload would need a new connection.
func (l *boundedListener) crowded() bool {
	half := cap(l.slots) / 2
	return len(l.slots)-half > rand.N(cap(l.slots)-half) //nolint:gosec // no secret
}

// Close closes the listener and ends waiting calls of Accept.
func (l *boundedListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}
