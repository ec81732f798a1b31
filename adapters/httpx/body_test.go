package httpx_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
)

// readAll responds with the number of bytes read, or the error.
func readAll(w http.ResponseWriter, r *http.Request) {
	body := httpx.NewStream(w, r)
	n, err := io.Copy(io.Discard, body)
	if err != nil {
		httpx.WriteProblem(w, r, err)
		return
	}
	fmt.Fprint(w, n)
}

// conversation returns an in-memory connection to a server, so that time passes instantly
// in a synctest bubble.
func conversation(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	listener := httpx.Paced(&oneConn{conn: server, done: make(chan struct{})})
	s := &http.Server{Handler: handler, ReadTimeout: time.Minute}
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(func() { _ = client.Close(); _ = s.Close() })
	return client
}

// oneConn is a listener with a single connection.
type oneConn struct {
	conn net.Conn
	done chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.IPAddr{} }

func TestStreamTakesItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := conversation(t, readAll)
		const chunks = 1000
		_, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", chunks<<10)
		require.NoError(t, err)
		for range chunks { // for more than an hour
			time.Sleep(5 * time.Second)
			_, err := conn.Write(make([]byte, 1<<10))
			require.NoError(t, err)
		}
		status, body := responseOn(t, conn)
		assert.Equal(t, 200, status)
		assert.Equal(t, "1024000", body)
	})
}

// TestStreamTakesBursts checks that a sender that is fast on average may pause, like a
// proxy that forwards buffered data.
func TestStreamTakesBursts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := conversation(t, readAll)
		const bursts = 20
		_, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", bursts<<20)
		require.NoError(t, err)
		for n := range bursts {
			time.Sleep(time.Duration(40*min(n, 1)) * time.Second) // no pause before the first
			_, err := conn.Write(make([]byte, 1<<20))
			require.NoError(t, err)
		}
		status, body := responseOn(t, conn)
		assert.Equal(t, 200, status)
		assert.Equal(t, "20971520", body)
	})
}

func TestStreamEndsAfterSilence(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"silence": time.Hour, "single bytes": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := conversation(t, readAll)
				_, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n")
				require.NoError(t, err)
				go func() {
					for err := error(nil); err == nil; _, err = conn.Write([]byte("x")) {
						select {
						case <-time.After(pause):
						case <-t.Context().Done():
							return
						}
					}
				}()
				status, body := responseOn(t, conn)
				assert.Equal(t, 400, status)
				assert.Contains(t, body, "body_timeout")
			})
		})
	}
}

func TestStreamReportsBrokenBodies(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader("a"), brokenReader{}))
	readAll(rec, r)
	assert.Equal(t, 400, rec.Code)
	assert.Contains(t, rec.Body.String(), "body_broken")
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// responseOn reads the response to the one request on conn.
func responseOn(t *testing.T, conn net.Conn) (int, string) {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer res.Body.Close()
	var body bytes.Buffer
	_, err = body.ReadFrom(res.Body)
	require.NoError(t, err)
	return res.StatusCode, body.String()
}
