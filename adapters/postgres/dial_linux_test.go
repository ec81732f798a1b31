package postgres

import (
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestConnectionsHaveTimeouts checks the socket options of a connection. A test with a lost
// connection would need a network that it can interrupt.
func TestConnectionsHaveTimeouts(t *testing.T) {
	t.Parallel()
	server, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	config, err := parse("postgres://imprimatur@" + server.Addr().String() + "/imprimatur")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := config.ConnConfig.DialFunc(t.Context(), "tcp", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for name, option := range map[string]struct{ number, most int }{
		"user timeout, ms":       {unix.TCP_USER_TIMEOUT, 10_000},
		"keep-alive idle, s":     {syscall.TCP_KEEPIDLE, 10},
		"keep-alive interval, s": {syscall.TCP_KEEPINTVL, 2},
	} {
		if got := socketOption(t, conn, option.number); got < 1 || got > option.most {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func socketOption(t *testing.T, conn net.Conn, number int) (value int) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) {
		value, failed = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, number)
	}); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return value
}
