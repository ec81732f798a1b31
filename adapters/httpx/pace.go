package httpx

import (
	"errors"
	"net"
	"os"
	"time"
)

const (
	// pacePeriod is the time limit for the first byte, and the period of the minimum
	// rates: in each, the client must on average send minSent or receive minReceived.
	pacePeriod  = 10 * time.Second
	minSent     = 1 << 10  // bytes of a request body
	minReceived = 64 << 10 // bytes of a response
	// A client that transferred data at a higher rate may pause for longer.
	maxSendPause    = time.Minute
	maxReceivePause = 10 * time.Minute // proxies and kernels buffer megabytes
)

// pace enforces a minimum average transfer rate. Transferred bytes add to a credit of
// time, waiting uses it up. The average counts because buffers between client and server
// delay or advance single bytes.
type pace struct {
	credit    time.Duration
	maxCredit time.Duration
	perByte   time.Duration
	uncounted int // bytes without credit: the kernel of the client receives some before the client reads
}

// newPace returns a pace of the given bytes per start. The initial credit is start, the
// maximum is most.
func newPace(bytes int, start, most time.Duration) pace {
	return pace{credit: start, maxCredit: most, perByte: start / time.Duration(bytes)}
}

// record adds transferred bytes and the time spent waiting for them. It returns false
// when the client is too slow.
func (p *pace) record(bytes int, waited time.Duration) bool {
	uncounted := min(bytes, p.uncounted)
	p.uncounted -= uncounted
	p.credit = min(p.credit+time.Duration(bytes-uncounted)*p.perByte, p.maxCredit) - waited
	return p.credit > 0
}

// Paced returns a listener whose connections serve clients that receive at least 64 KiB
// in 10 s on average, and reset all others. It replaces http.Server.WriteTimeout.
//
// On Linux, only bytes that the kernel of the client has acknowledged count. A deadline
// on each write would not be enough: with megabytes in the send buffer, a steady client
// of 100 kB/s lets no write complete for more than 10 s, and a stalled client accepts
// megabytes at once.
func Paced(listener net.Listener) net.Listener {
	return pacedListener{listener, newPace(minReceived, pacePeriod, maxReceivePause)}
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
	paced := &pacedConn{Conn: conn, pace: l.pace, tick: l.pace.credit / 10}
	paced.pace.uncounted = minReceived
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

	joining bool
	start   []byte // kept by keep; may be nil
	broken  error  // of the first write that failed
}

// Write writes all of b, or keeps it between beginJoin and endJoin. It returns
// os.ErrDeadlineExceeded when the client is too slow. After an error it writes nothing more:
// net/http does not receive an error of endJoin, and its next write would leave a gap in the
// response.
func (c *pacedConn) Write(b []byte) (n int, err error) {
	if c.keep(b) {
		return len(b), nil
	}
	return c.writeAfterStart(b)
}

// send writes all parts.
func (c *pacedConn) send(parts net.Buffers) (n int, err error) {
	if c.broken != nil {
		return 0, c.broken
	}
	defer func() { c.broken = err }()
	for {
		began := time.Now()
		if err := c.SetWriteDeadline(began.Add(c.tick)); err != nil {
			return n, err
		}
		m, err := parts.WriteTo(c.Conn)
		n += int(m)
		c.written += int(m)
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
	received := c.queued + c.written - queued
	waited := c.waited
	c.queued, c.written, c.waited = queued, 0, 0
	return c.pace.record(received, waited)
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
