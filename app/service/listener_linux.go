package service

import (
	"math"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// refuseNew makes the kernel refuse who connects from now on, as if the listener were
// closed: it is bound to a network interface that there is not. Connections that are
// being made are made. Where it is not permitted, those that come while it is being
// closed are reset.
func refuseNew(l *net.TCPListener) {
	raw, err := l.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(listener uintptr) {
		_ = unix.SetsockoptInt(int(listener), unix.SOL_SOCKET, unix.SO_BINDTOIFINDEX, math.MaxInt32)
	})
}

// acceptQueued accepts what waits in the listener's queue, without waiting for more,
// and returns the sockets.
func acceptQueued(l *net.TCPListener) (sockets []int) {
	raw, err := l.SyscallConn()
	if err != nil {
		return nil
	}
	// Control fails on a closed listener only, whose queue is gone.
	_ = raw.Control(func(listener uintptr) {
		for {
			socket, _, err := syscall.Accept4(int(listener), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
			if err != nil {
				return // EAGAIN: the queue is empty
			}
			sockets = append(sockets, socket)
		}
	})
	return sockets
}

// connections makes connections of sockets.
func connections(sockets []int) []net.Conn {
	var conns []net.Conn
	for _, socket := range sockets {
		file := os.NewFile(uintptr(socket), "tcp")
		if conn, err := net.FileConn(file); err == nil {
			conns = append(conns, conn)
		}
		_ = file.Close() // FileConn has made a copy
	}
	return conns
}
