//go:build unix

package web

import (
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pair returns a connection of Gather and its other end.
func pair(t *testing.T) (*conn, *net.TCPConn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gathered := Gather(listener)
	defer gathered.Close()
	other, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	accepted, err := gathered.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, other.Close()); assert.NoError(t, accepted.Close()) })
	return accepted.(*conn), other.(*net.TCPConn)
}

// arrived returns what has come in by now, without waiting.
func arrived(t *testing.T, c *net.TCPConn) string {
	t.Helper()
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	buffer := make([]byte, 64<<10)
	n := 0
	require.NoError(t, raw.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), buffer) // nothing there is an error, too
		return true
	}))
	return string(buffer[:max(n, 0)])
}

func TestConnHoldsUntilTheEnd(t *testing.T) {
	t.Parallel()
	c, other := pair(t)
	body := []byte(strings.Repeat("body ", 2000))
	for _, pieces := range [][]int{{0}, {100}, {5000}, {100, 5000}} {
		c.holdUntil(body)
		header := []byte("header ")
		write(t, c, header)
		copy(header, "its writer has other use for it")
		from := 0
		for _, to := range pieces {
			write(t, c, append([]byte{}, body[from:to]...))
			from = to
			assert.Empty(t, arrived(t, other))
		}
		write(t, c, body[from:])
		got := make([]byte, len("header ")+len(body))
		_, err := io.ReadFull(other, got)
		require.NoError(t, err)
		assert.Equal(t, "header "+string(body), string(got))
		assert.False(t, c.holds())
		require.NoError(t, c.release())
	}
}

func TestConnReleases(t *testing.T) {
	t.Parallel()
	c, other := pair(t)
	send := func(text string) {
		write(t, c, []byte(text))
		got := make([]byte, len(text))
		_, err := io.ReadFull(other, got)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
	send("held by nothing")
	c.holdUntil([]byte("never written"))
	write(t, c, []byte("held"))
	assert.Empty(t, arrived(t, other))
	require.NoError(t, c.release())
	got := make([]byte, len("held"))
	_, err := io.ReadFull(other, got)
	require.NoError(t, err)
	assert.Equal(t, "held", string(got))
	send("and nothing again")
	var none *conn
	none.holdUntil([]byte("of another listener"))
	assert.False(t, none.holds())
	assert.NoError(t, none.release())
}

func write(t *testing.T, c *conn, b []byte) {
	t.Helper()
	n, err := c.Write(b)
	require.NoError(t, err)
	require.Len(t, b, n)
}
