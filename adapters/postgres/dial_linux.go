package postgres

import (
	"errors"
	"strings"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not have.
const tcpUserTimeout = 18

// giveUpAfter returns a socket option for net.Dialer.Control: the system closes a connection if
// sent data is not acknowledged within timeout.
func giveUpAfter(timeout time.Duration) func(network, address string, socket syscall.RawConn) error {
	return func(network, _ string, socket syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var failed error
		err := socket.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(timeout.Milliseconds()))
		})
		return errors.Join(err, failed)
	}
}
