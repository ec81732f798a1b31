package httpx

import (
	"bytes"
	"context"
	"net"
	"net/http"
)

// longestStart is the size in bytes of the buffer of net/http.
const longestStart = 4 << 10

// beginJoin makes the connection keep the start of a response until the rest follows or
// endJoin is called. net/http writes a response of more than 4 KB in two: its full buffer,
// then the rest of the body. With one system call instead of two a cached page of 15 kB is
// served 1.2 times as fast (the table in app/docs/data-model.md; to measure it again,
// remove the call).
func (c *pacedConn) beginJoin() {
	if c != nil {
		c.joining = true
	}
}

// endJoin writes the start that is still kept.
func (c *pacedConn) endJoin() error {
	if c == nil {
		return nil
	}
	c.joining = false
	if c.start == nil {
		return nil
	}
	_, err := c.writeAfterStart(nil)
	return err
}

// keep keeps a copy of b if it can be the start of a response.
func (c *pacedConn) keep(b []byte) bool {
	if !c.joining || c.start != nil || len(b) > longestStart {
		return false
	}
	c.start = bytes.Clone(b)
	return true
}

// writeAfterStart writes the start that is kept, if any, and b. n counts bytes of b.
func (c *pacedConn) writeAfterStart(b []byte) (n int, err error) {
	if c.start == nil {
		return c.send(net.Buffers{b})
	}
	kept := c.start
	c.start = nil
	n, err = c.send(net.Buffers{kept, b})
	return max(n-len(kept), 0), err
}

type connKey struct{}

// ConnContext is the ConnContext of an http.Server on a Paced listener. With it, Wrap
// writes a response that a handler writes at once with one system call.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// connOf returns the connection of a request, or nil without ConnContext.
func connOf(r *http.Request) *pacedConn {
	conn, _ := r.Context().Value(connKey{}).(*pacedConn)
	return conn
}
