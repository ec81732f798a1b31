package service

import (
	"net"
	"sync"
)

// mostConnections is how many connections a listener has at once. Those beyond wait in
// the queue of the kernel, where they cost nothing: to accept them all would take memory,
// and time from those that are being served.
const mostConnections = 4000

// boundedListener accepts a connection only while there are less than so many.
type boundedListener struct {
	net.Listener
	places chan struct{} // one in it for each connection
	close  sync.Once
	closed chan struct{}
}

func newBoundedListener(l net.Listener, most int) *boundedListener {
	return &boundedListener{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place; once the listener is closed, what is still to be accepted
// needs none.
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

// release gives the place of a connection back that has been closed.
func (l *boundedListener) release() {
	select {
	case <-l.places:
	default: // it was accepted without one
	}
}

// crowded reports whether more than half the places are taken.
func (l *boundedListener) crowded() bool { return len(l.places) > cap(l.places)/2 }

// Close closes the listener; it does so once.
func (l *boundedListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}
