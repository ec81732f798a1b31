package service

import (
	"net"
	"sync"
)

// maxConnections is how many connections a listener has at once. Others wait in the queue
// of the kernel, where they take no memory of the process.
const maxConnections = 4000

// boundedListener accepts a connection only while it has fewer than its limit. Unlike
// netutil.LimitListener it does not wrap connections, whose CloseWrite net/http needs: the
// server calls release when it has closed one.
type boundedListener struct {
	net.Listener

	places chan struct{} // holds one element for each connection
	close  sync.Once
	closed chan struct{}
}

func newBoundedListener(l net.Listener, limit int) *boundedListener {
	return &boundedListener{Listener: l, places: make(chan struct{}, limit), closed: make(chan struct{})}
}

// Accept waits for a place, unless the listener is closed.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		l.release()
	}
	return conn, err
}

// release returns the place of a closed connection.
func (l *boundedListener) release() {
	select {
	case <-l.places:
	default: // it was accepted without a place
	}
}

// halfFull reports whether more than half the places are taken.
func (l *boundedListener) halfFull() bool { return len(l.places) > cap(l.places)/2 }

// Close closes the listener and ends waiting calls of Accept.
func (l *boundedListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}
