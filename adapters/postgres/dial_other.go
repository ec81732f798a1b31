//go:build !linux

package postgres

import (
	"syscall"
	"time"
)

// giveUpAfter returns nil. On other systems only keep-alive packets detect lost connections.
func giveUpAfter(time.Duration) func(network, address string, socket syscall.RawConn) error {
	return nil
}
