package postgres

import (
	"net"
	"time"
)

// lossTime is how long a server may say nothing at all, not even that it has what it was
// sent, before a connection to it counts as lost. A server that is gone with its network
// takes no leave, and without this the system would go on sending for a quarter of an
// hour. A statement may take as long as it likes.
const lossTime = 5 * time.Second

// dialer makes connections that are found out when they are lost.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: lossTime / 2, Interval: lossTime / 5, Count: 3},
		Control:         giveUpAfter(lossTime),
	}
}
