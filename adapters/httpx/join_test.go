package httpx

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// dialJoined returns a connection to a server of handler that is set up as in the program.
func dialJoined(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	server := httptest.NewUnstartedServer(Wrap(handler, Options{Logger: zap.NewNop()}))
	server.Listener = Paced(server.Listener)
	server.Config.ConnContext = ConnContext
	server.Start()
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestResponsesArriveAtOnce reads each response with one call: the kernel has all of a
// response that was written with one system call, and in most cases only the first 4 KB of
// one that was written with two.
func TestResponsesArriveAtOnce(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), 15<<10)
	conn := dialJoined(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // the client checks it
	})
	room := make([]byte, 1<<20)
	for range 200 {
		_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		n, err := conn.Read(room)
		require.NoError(t, err)
		require.Greater(t, n, len(body), "header and body")
	}
}

// TestJoinedResponsesAreWhole sends bodies that are slightly shorter or longer than the buffer of
// net/http, in one write and in several, on one connection.
func TestJoinedResponsesAreWhole(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("abcdefghij"), 30000)
	conn := dialJoined(t, func(w http.ResponseWriter, r *http.Request) {
		size, piece := r.Header.Get("Size"), r.Header.Get("Piece")
		n, _ := strconv.Atoi(size)
		most, _ := strconv.Atoi(piece)
		if r.URL.Path == "/known" {
			w.Header().Set("Content-Length", size)
		}
		for some := range slices.Chunk(text[:n], most) {
			_, _ = w.Write(some) // the client checks it
		}
	})
	reader := bufio.NewReader(conn)
	for _, size := range []int{0, 1, 2047, 2048, 2049, 3500, 3700, 3800, 3900, 4000, 4095, 4096, 4097, 7900, 8191, 8192, 8193, 12287, 20000, 300000} {
		for _, path := range []string{"/known", "/chunked"} {
			for _, piece := range []int{1 << 20, 4096, 1000} {
				_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nSize: %d\r\nPiece: %d\r\n\r\n", path, size, piece)
				require.NoError(t, err)
				response, err := http.ReadResponse(reader, nil)
				require.NoError(t, err)
				read, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				require.True(t, bytes.Equal(text[:size], read), "%d bytes, %s, in pieces of %d", size, path, piece)
			}
		}
	}
}

// failingOnce is a connection whose first write fails.
type failingOnce struct {
	net.Conn
	failed  bool
	written bytes.Buffer
}

func (c *failingOnce) SetWriteDeadline(time.Time) error { return nil }

func (c *failingOnce) Write(b []byte) (int, error) {
	if !c.failed {
		c.failed = true
		return 0, io.ErrClosedPipe
	}
	return c.written.Write(b)
}

// TestNothingFollowsALostStart loses the start of a response after net/http has written it. The
// rest of the response must not reach the client.
func TestNothingFollowsALostStart(t *testing.T) {
	t.Parallel()
	client := &failingOnce{}
	conn := &pacedConn{Conn: client}
	conn.beginJoin()
	n, err := conn.Write([]byte("start"))
	require.NoError(t, err)
	require.Equal(t, 5, n)
	require.ErrorIs(t, conn.endJoin(), io.ErrClosedPipe)
	_, err = conn.Write([]byte("rest"))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.Empty(t, client.written.String())
}
