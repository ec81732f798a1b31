package service

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
)

// reservedFiles is the number of file descriptors that a reservedListener has in reserve.
const reservedFiles = 8

// reservedListener has file descriptors in reserve, so that it accepts connections while the process has no
// other ones left: then operators need it most.
type reservedListener struct {
	net.Listener

	mu    sync.Mutex
	spare []*os.File
}

func newReservedListener(l net.Listener) *reservedListener {
	r := &reservedListener{Listener: l}
	r.fill()
	return r
}

// Accept uses the reserve if it must, and fills it again before it waits for the next connection.
func (r *reservedListener) Accept() (net.Conn, error) {
	r.fill()
	for {
		conn, err := r.Listener.Accept()
		if !outOfFiles(err) || !r.free() {
			return conn, err
		}
	}
}

// fill opens files until the reserve is full or no more can be opened.
func (r *reservedListener) fill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.spare) < reservedFiles {
		file, err := os.Open(os.DevNull)
		if err != nil {
			return
		}
		r.spare = append(r.spare, file)
	}
}

// free closes one file of the reserve. It returns false if there is none.
func (r *reservedListener) free() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.spare) == 0 {
		return false
	}
	last := len(r.spare) - 1
	_ = r.spare[last].Close() // it was only read
	r.spare = r.spare[:last]
	return true
}

// Close closes the listener and the reserve.
func (r *reservedListener) Close() error {
	for r.free() {
	}
	return r.Listener.Close()
}

// outOfFiles reports whether err says that the process or the machine can open no more files.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
