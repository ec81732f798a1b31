//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package command

import (
	"errors"
	"os"
	"syscall"
)

// lock locks file for this process until it is closed. It returns errLocked, without waiting,
// when another process holds the lock.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
