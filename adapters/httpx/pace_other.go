//go:build !linux

package httpx

import "net"

// unacknowledged returns 0, because the number is unknown on this system: bytes in the
// send buffer count as received. A stalled client therefore keeps its connection for
// longer than on Linux.
func unacknowledged(net.Conn) int { return 0 }
