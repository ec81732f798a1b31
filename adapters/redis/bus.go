package redis

import (
	"context"

	"github.com/redis/rueidis"
)

// Bus carries messages between the processes that use one Redis, by PUBLISH and
// SUBSCRIBE.
type Bus struct{ client *Client }

// NewBus returns the Bus of client, which stays open when it is closed.
func NewBus(client *Client) *Bus { return &Bus{client} }

// Send hands message to all who listen.
func (b *Bus) Send(ctx context.Context, message string) error {
	return b.client.Do(ctx, b.client.B().Publish().Channel(b.client.channel("changes")).Message(message).Build()).Error()
}

// Listen calls received with each message, until ctx ends or the connection is lost.
func (b *Bus) Listen(ctx context.Context, received func(message string)) error {
	subscribe := b.client.B().Subscribe().Channel(b.client.channel("changes")).Build()
	return b.client.Receive(ctx, subscribe, func(m rueidis.PubSubMessage) { received(m.Message) })
}

// Close leaves the client open.
func (*Bus) Close() error { return nil }
