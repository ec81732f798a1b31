package redis

import (
	"errors"
	"time"

	"github.com/redis/rueidis"
)

// Client is a connection to a Redis server. It connects and reconnects in the background.
type Client struct {
	rueidis.Client
}

const (
	dialTimeout = time.Second
	// A connection without a response for this long is closed and opened again.
	responseTimeout = 2 * time.Second
	keepAlive       = time.Second
)

// Open returns a Client of the server at url, which is a redis://, rediss:// or unix://
// URL as rueidis.ParseURL accepts it. Clusters are not supported. Open returns no error
// when the server is unreachable.
func Open(url string) (*Client, error) {
	options, err := rueidis.ParseURL(url)
	if err != nil {
		return nil, errors.New("is not a valid Redis URL") // the cause may quote a password
	}
	// One pipelined connection serves all requests. A failed command is not retried: the
	// limiter then decides locally.
	options.ForceSingleClient = true
	options.PipelineMultiplex = -1
	options.DisableRetry = true
	options.DisableCache = true
	options.ClientName = "imprimatur"
	options.Dialer.Timeout = dialTimeout
	options.Dialer.KeepAlive = keepAlive
	options.ConnWriteTimeout = responseTimeout
	client, _ := rueidis.NewClient(options) // an unreachable server is no error: the client reconnects
	if client == nil {
		return nil, errors.New("names a Sentinel that is unreachable")
	}
	return &Client{client}, nil
}
