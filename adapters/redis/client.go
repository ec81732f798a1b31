// Package redis keeps what the processes of one installation share in Redis: budgets.
// Nothing depends on it being there.
package redis

import (
	"errors"
	"time"

	"github.com/redis/rueidis"
)

// Client is a connection to a Redis server, made and kept in the background.
type Client struct {
	rueidis.Client
}

const (
	dialTimeout = time.Second
	// A server that does not answer for this long is given up and dialled anew.
	answerTimeout = 2 * time.Second
	keepAlive     = time.Second
)

// Open returns a Client of the server at url: redis://, rediss:// or unix://, as
// rueidis.ParseURL takes it; not of a cluster. It is no fault when that server is
// away; it may come later.
func Open(url string) (*Client, error) {
	options, err := rueidis.ParseURL(url)
	if err != nil {
		return nil, errors.New("is not a valid Redis URL") // the cause may quote a password
	}
	// One pipelined connection serves every request, and a request that fails is
	// decided without Redis rather than tried again.
	options.ForceSingleClient = true
	options.PipelineMultiplex = -1
	options.DisableRetry = true
	options.DisableCache = true
	options.ClientName = "imprimatur"
	options.Dialer.Timeout = dialTimeout
	options.Dialer.KeepAlive = keepAlive
	options.ConnWriteTimeout = answerTimeout
	client, _ := rueidis.NewClient(options) // what is away at first is dialled again
	if client == nil {
		return nil, errors.New("names a Sentinel that does not answer")
	}
	return &Client{client}, nil
}
