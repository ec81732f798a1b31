package postgres

import (
	"errors"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// giveUpAfter returns a socket option for net.Dialer.Control: the system closes a connection if
// sent data is not acknowledged within timeout.
func giveUpAfter(timeout time.Duration) func(network, address string, socket syscall.RawConn) error {
	return func(network, _ string, socket syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var failed error
		err := socket.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(timeout.Milliseconds()))
		})
		return errors.Join(err, failed)
	}
}
