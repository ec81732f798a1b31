package httpx

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hurry is the factor by which tests with real sockets run faster: times are shorter and
// rates higher, with the same kernel buffers.
const hurry = 20

// fileBytes is the size of a response larger than the kernel's buffers.
const fileBytes = 19 << 20

// download serves a response of fileBytes on a paced listener, and returns its address and
// the result of writing it.
func download(t *testing.T) (address string, served <-chan error) {
	t.Helper()
	outcome := make(chan error, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.Copy(w, bytes.NewReader(make([]byte, fileBytes)))
		outcome <- err
	}))
	server.Listener = pacedListener{server.Listener, newPace(minReceived, pacePeriod/hurry, maxReceivePause/hurry)}
	server.Start()
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), outcome
}

// request sends a request and returns the connection.
func request(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	return conn
}

// take reads everything at an average rate in bytes per second.
func take(conn io.Reader, rate int) (taken int, err error) {
	piece := make([]byte, 64<<10)
	for began := time.Now(); ; {
		n, err := conn.Read(piece)
		if taken += n; err != nil {
			return taken, err
		}
		due := time.Duration(float64(taken) / float64(rate) * float64(time.Second))
		time.Sleep(due - time.Since(began)) // a slow client
	}
}

// proxy forwards data from address to one connection. It reads until its buffer is full,
// and continues when half of it is sent.
func proxy(t *testing.T, address string, buffered int) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		server, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		defer server.Close()
		go func() { _, _ = io.Copy(server, client) }()
		half := buffered / 2
		buffers := make(chan []byte, 2) // each of half the size
		go func() {
			defer close(buffers)
			for {
				part := make([]byte, half)
				n, err := io.ReadFull(server, part)
				buffers <- part[:n]
				if err != nil {
					return
				}
			}
		}()
		for part := range buffers {
			if _, err := client.Write(part); err != nil {
				return
			}
		}
	}()
	return listener.Addr().String()
}

func TestSteadyReadersAreServed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rate     int
		buffered int // buffer of a proxy, 0 for none
	}{
		"100 kB/s":                       {rate: 100_000},
		"400 kB/s":                       {rate: 400_000},
		"100 kB/s behind a proxy":        {rate: 100_000, buffered: 64 << 10},
		"200 kB/s behind a large buffer": {rate: 200_000, buffered: 8 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, served := download(t)
			if c.buffered > 0 {
				address = proxy(t, address, c.buffered)
			}
			taken, err := take(request(t, address), c.rate*hurry)
			assert.Equal(t, io.EOF, err)
			assert.Greater(t, taken, fileBytes)
			assert.NoError(t, <-served)
		})
	}
}

// TestSilentReadersAreReset checks that the connection of a client that reads nothing is
// reset and its pending data dropped.
func TestSilentReadersAreReset(t *testing.T) {
	t.Parallel()
	address, served := download(t)
	conn := request(t, address)
	assert.Error(t, <-served)
	taken, err := take(conn, 1<<30)
	assert.NotEqual(t, io.EOF, err)
	assert.Less(t, taken, fileBytes)
}

// TestPacedConnectionsCloseWrite checks that net/http can close the write side only.
func TestPacedConnectionsCloseWrite(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	paced := Paced(listener)
	t.Cleanup(func() { _ = paced.Close() })
	client, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	server, err := paced.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	require.NoError(t, server.(interface{ CloseWrite() error }).CloseWrite())
	_, err = client.Read(make([]byte, 1))
	assert.Equal(t, io.EOF, err)
}
