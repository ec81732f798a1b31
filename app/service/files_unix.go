//go:build unix

package service

import (
	"math"
	"syscall"
)

// openFiles returns how many files the process may have open at once.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur) //nolint:unconvert,nolintlint // it is signed on some systems
}
