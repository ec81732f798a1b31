package postgres

import (
	"net"
	"time"
)

// lossTime is how long a server may acknowledge nothing before a connection to it counts as lost.
// A server whose network is gone sends no final message; without this limit the system would go
// on sending for a quarter of an hour. It does not limit the time of a statement.
const lossTime = 5 * time.Second

// dialer makes connections whose loss is noticed after lossTime.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: lossTime / 2, Interval: lossTime / 5, Count: 3},
		Control:         giveUpAfter(lossTime),
	}
}
