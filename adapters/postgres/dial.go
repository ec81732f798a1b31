package postgres

import (
	"net"
	"time"
)

// lossTime is the time without any packet from the server, acknowledgements included, after
// which a connection counts as lost. By default, Linux retransmits for about 15 minutes if the
// server or its network fails. lossTime does not limit the duration of statements.
const lossTime = 5 * time.Second

// dialer returns a dialer whose connections fail within about lossTime of the loss of the server.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: lossTime / 2, Interval: lossTime / 5, Count: 3},
		Control:         giveUpAfter(lossTime),
	}
}
