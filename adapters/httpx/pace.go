package httpx

import (
	"errors"
	"net"
	"os"
	"time"
)

const (
	// patience is how long a client may pause before it has transferred a byte.
	patience = 10 * time.Second
	// In each period of patience, the client must on average send freshBytes or receive
	// takenBytes.
	freshBytes = 1 << 10
	takenBytes = 64 << 10
	// longestSilence and longestPause are how long a client may pause after it
	// transferred data at a higher rate.
	longestSilence = time.Minute      // of a request body
	longestPause   = 10 * time.Minute // of a response: proxies and kernels buffer megabytes
)

// pace enforces an average transfer rate. Transferred bytes add to the time credit,
// waiting uses it up. It limits the average because buffers between client and server
// delay or advance single bytes.
type pace struct {
	left    time.Duration // time credit
	most    time.Duration // upper limit of left
	perByte time.Duration
	unpaid  int // bytes that add no credit: the kernel of the client receives some before the client reads
}

// newPace returns a pace of the given bytes per start. The initial credit is start, the
// maximum is most.
func newPace(bytes int, start, most time.Duration) pace {
	return pace{left: start, most: most, perByte: start / time.Duration(bytes)}
}

// moved records transferred bytes and the time spent waiting for them. It returns false
// when the client is too slow.
func (p *pace) moved(bytes int, waited time.Duration) bool {
	unpaid := min(bytes, p.unpaid)
	p.unpaid -= unpaid
	p.left = min(p.left+time.Duration(bytes-unpaid)*p.perByte, p.most) - waited
	return p.left > 0
}

// Paced returns a listener whose connections serve clients that receive at least 64 KiB
// in 10 s on average, and reset all others. It replaces http.Server.WriteTimeout.
//
// On Linux, only bytes that the kernel of the client has acknowledged count. A deadline
// on each write would not be enough: with megabytes in the send buffer, a steady client
// of 100 kB/s lets no write complete for more than 10 s, and a stalled client accepts
// megabytes at once.
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

// pacedConn supports one writing goroutine at a time, as net/http uses it.
type pacedConn struct {
	net.Conn
	pace pace
	tick time.Duration // interval of the checks during a blocked write

	// Since the last check of pace:
	waited  time.Duration
	written int
	queued  int // unacknowledged bytes at the last check
}

// Write writes all of b. It returns os.ErrDeadlineExceeded when the client is too slow.
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

// discard makes Close drop the data that the kernel still holds for a stalled client.
func (c *pacedConn) discard() {
	if conn, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = conn.SetLinger(0) // the connection may be closed already
	}
}

// CloseWrite allows net/http to close its side first, so that the client can read the
// last response.
func (c *pacedConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}
