package httpx

import (
	"errors"
	"net"
	"os"
	"time"
)

const (
	// patience is how long the other side may stand still before it has moved a byte.
	patience = 10 * time.Second
	// Of each patience that passes, the other side must on average have sent or taken at
	// least so many bytes.
	freshBytes = 1 << 10
	takenBytes = 64 << 10
	// longestPause is how long the other side may stand still, however much it moved
	// before.
	longestSilence = time.Minute      // of a body
	longestPause   = 10 * time.Minute // of an answer: proxies and kernels buffer megabytes
)

// pace is an account of time: bytes that move pay it in, waiting for them draws from it.
// It holds the other side to a rate on average, because buffers between the two sides
// make each byte come late or early.
type pace struct {
	left    time.Duration // may still be waited
	most    time.Duration // bounds left
	perByte time.Duration
	unpaid  int // bytes still to move that pay nothing in: a reader's system takes some by itself
}

// newPace returns a pace of so many bytes each start, which is also what it begins with.
func newPace(bytes int, start, most time.Duration) pace {
	return pace{left: start, most: most, perByte: start / time.Duration(bytes)}
}

// moved accounts for bytes that were waited for. The result is false when the other side
// is too slow.
func (p *pace) moved(bytes int, waited time.Duration) bool {
	unpaid := min(bytes, p.unpaid)
	p.unpaid -= unpaid
	p.left = min(p.left+time.Duration(bytes-unpaid)*p.perByte, p.most) - waited
	return p.left > 0
}

// Paced returns a listener whose connections serve every reader that takes at least
// 64 KiB in 10 s on average, and reset the others. It takes the place of
// http.Server.WriteTimeout.
//
// What counts is what the reader's system has acknowledged, where the system tells (on
// Linux). A deadline on each write alone would not do: with megabytes in the kernel's
// buffer a steady reader of 100 kB/s lets no write through for more than 10 s, and a
// silent one takes megabytes at once.
func Paced(listener net.Listener) net.Listener {
	return pacedListener{listener, newPace(takenBytes, patience, longestPause)}
}

type pacedListener struct {
	net.Listener
	pace pace
}

func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	paced := &pacedConn{Conn: conn, pace: l.pace, tick: l.pace.left / 10}
	paced.pace.unpaid = takenBytes
	return paced, nil
}

// pacedConn is for one goroutine to write on at a time, as net/http does.
type pacedConn struct {
	net.Conn
	pace pace
	tick time.Duration // how often a write that waits is looked at

	// Since pace was last asked:
	waited  time.Duration
	written int
	queued  int // when it was asked: written before and not acknowledged by then
}

// Write writes all of b unless the reader is too slow, which is os.ErrDeadlineExceeded.
func (c *pacedConn) Write(b []byte) (n int, err error) {
	for {
		began := time.Now()
		if err := c.SetWriteDeadline(began.Add(c.tick)); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(b[n:])
		n += m
		c.written += m
		c.waited += time.Since(began)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if !c.keepsPace() {
			c.discard()
			return n, err
		}
	}
}

func (c *pacedConn) keepsPace() bool {
	queued := unacknowledged(c.Conn)
	taken := c.queued + c.written - queued
	waited := c.waited
	c.queued, c.written, c.waited = queued, 0, 0
	return c.pace.moved(taken, waited)
}

// discard has Close drop what the kernel still holds for a reader that does not take it.
func (c *pacedConn) discard() {
	if conn, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = conn.SetLinger(0) // the connection may be closed already
	}
}

// CloseWrite lets net/http end its side first, so that the last answer is read.
func (c *pacedConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}
