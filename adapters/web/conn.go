package web

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// conn is a connection that sends in one piece what net/http writes in two: the header
// with the first of a body in its buffer of 4 KB, and the rest. One system call, and one
// wake of the caller, are a third of what an answer from memory costs.
//
// Writing, like all of net/http's, is for one goroutine at a time.
type conn struct {
	*net.TCPConn

	end  *byte   // of what is being written, nil when nothing is to be held
	held *[]byte // what came before it
	both [2][]byte
}

// Gather returns a listener whose TCP connections send large answers in one piece, when
// the server also has ConnContext. All else is as with listener.
func Gather(listener net.Listener) net.Listener { return gathering{listener} }

type gathering struct{ net.Listener }

func (g gathering) Accept() (net.Conn, error) {
	accepted, err := g.Listener.Accept()
	if tcp, ok := accepted.(*net.TCPConn); ok && err == nil {
		return &conn{TCPConn: tcp}, nil
	}
	return accepted, err
}

type connKey struct{}

// ConnContext is for http.Server: Wrap finds the connection by it.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// connOf returns the connection that r alone is answered on, nil when it is not of Gather.
func connOf(r *http.Request) *conn {
	if r.ProtoMajor != 1 {
		return nil
	}
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}

var heldPool = sync.Pool{New: func() any { return new(make([]byte, 0, 4<<10)) }}

// holdUntil keeps what is written from now on until the end of b itself is, or release.
func (c *conn) holdUntil(b []byte) {
	if c != nil && len(b) > 0 {
		c.end = &b[len(b)-1]
	}
}

// holds reports whether anything is held.
func (c *conn) holds() bool { return c != nil && c.held != nil }

// Write sends p, behind what is held, or holds it. What is held is copied: the buffer it
// comes from is net/http's.
func (c *conn) Write(p []byte) (int, error) {
	switch {
	case c.end == nil || len(p) == 0:
		return c.TCPConn.Write(p)
	case &p[len(p)-1] == c.end:
		return c.sendWith(p)
	case c.held == nil:
		c.held = heldPool.Get().(*[]byte)
	}
	*c.held = append(*c.held, p...)
	return len(p), nil
}

// release sends what is still held, and holds nothing more.
func (c *conn) release() error {
	if c == nil || c.end == nil {
		return nil
	}
	_, err := c.sendWith(nil)
	return err
}

// sendWith sends what is held and then p, of which it returns how much went.
func (c *conn) sendWith(p []byte) (int, error) {
	c.end = nil
	if c.held == nil {
		if len(p) == 0 {
			return 0, nil
		}
		return c.TCPConn.Write(p)
	}
	before := len(*c.held)
	c.both = [2][]byte{*c.held, p}
	buffers := net.Buffers(c.both[:])
	n, err := buffers.WriteTo(c.TCPConn)
	c.both = [2][]byte{}
	*c.held = (*c.held)[:0]
	heldPool.Put(c.held)
	c.held = nil
	return max(int(n)-before, 0), err
}
