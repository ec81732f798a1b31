package httpx_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// dial connects to a server of the wrapped handler.
func dial(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	server := httptest.NewServer(httpx.Wrap(handler, httpx.Options{Logger: zap.NewNop()}))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// A client that sends everything before it reads must receive the response, not a
// connection reset: if the length is known in advance, if the limit is exceeded while
// reading, and if the body is not read.
func TestRefusalIsRead(t *testing.T) {
	t.Parallel()
	const size = 64 << 20
	readAtMost := func(limit int64) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, err := httpx.ReadBody(w, r, limit)
			httpx.WriteProblem(w, r, err)
		}
	}
	lengths := func(conn net.Conn) (io.Writer, error) {
		_, err := fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n", size)
		return conn, err
	}
	chunks := func(conn net.Conn) (io.Writer, error) {
		_, err := io.WriteString(conn, "Transfer-Encoding: chunked\r\n\r\n")
		return httputil.NewChunkedWriter(conn), err
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		body    func(net.Conn) (io.Writer, error)
		status  int
	}{
		"too long by Content-Length": {readAtMost(1 << 20), lengths, 413},
		"too long, chunked":          {readAtMost(1 << 20), chunks, 413},
		"not read": {
			func(w http.ResponseWriter, r *http.Request) { httpx.WriteProblem(w, r, core.Unauthenticated()) }, lengths, 401,
		},
		"read partially": {
			func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.CopyN(io.Discard, httpx.NewStream(w, r), 1<<20)
				httpx.WriteProblem(w, r, core.NotFound("path"))
			}, chunks, 404,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, c.handler)
			_, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\n")
			require.NoError(t, err)
			body, err := c.body(conn)
			require.NoError(t, err)
			_, err = io.Copy(body, io.LimitReader(zeros{}, size))
			require.NoError(t, err)
			if chunked, ok := body.(io.Closer); ok && body != io.Writer(conn) {
				require.NoError(t, chunked.Close())
				_, err = io.WriteString(conn, "\r\n")
				require.NoError(t, err)
			}
			status, _ := responseOn(t, conn)
			assert.Equal(t, c.status, status)
			_, err = conn.Read(make([]byte, 1))
			assert.Error(t, err, "the connection is not used again")
		})
	}
}

// A client with Expect: 100-continue is not asked to send a body that the handler does not
// read.
func TestRefusalBeforeTheBody(t *testing.T) {
	t.Parallel()
	conn := dial(t, func(w http.ResponseWriter, r *http.Request) { httpx.WriteProblem(w, r, core.Unauthenticated()) })
	_, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
	require.NoError(t, err)
	status, _ := responseOn(t, conn)
	assert.Equal(t, 401, status)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
