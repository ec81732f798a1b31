package httpx

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unacknowledged returns how many bytes were written on conn that the other side's
// system has not taken yet: SIOCOUTQ, see tcp(7).
func unacknowledged(conn net.Conn) (bytes int) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) { bytes, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return bytes
}
