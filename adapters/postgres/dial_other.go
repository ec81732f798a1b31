//go:build !linux

package postgres

import (
	"syscall"
	"time"
)

// Elsewhere only the idle are looked after.
func giveUpAfter(time.Duration) func(network, address string, socket syscall.RawConn) error {
	return nil
}
