package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Bus carries short messages between the processes that use one database, by LISTEN
// and NOTIFY. It has two connections of its own, one for each direction: a pooler
// between us and the server that swallows notifications is found out when nothing
// comes back. Messages are sent outside the transactions that they tell of, because
// commits with a NOTIFY in them wait for each other.
//
// Send and Close are for one goroutine, Listen for another.
type Bus struct {
	config *pgx.ConnConfig
	sender *pgx.Conn // nil until it is needed
}

const (
	channel      = "imprimatur_changes"
	closeTimeout = time.Second
)

// NewBus returns the Bus of the database at url, as Open takes it. It does not
// connect yet.
func NewBus(url string) (*Bus, error) {
	parsed, err := parse(url)
	if err != nil {
		return nil, err
	}
	config := parsed.ConnConfig
	config.RuntimeParams["application_name"] = "imprimatur changes"
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return &Bus{config: config}, nil
}

// Send hands message, of less than 8,000 bytes, to all who listen.
func (b *Bus) Send(ctx context.Context, message string) (err error) {
	if b.sender == nil {
		if b.sender, err = pgx.ConnectConfig(ctx, b.config); err != nil {
			return err
		}
	}
	if _, err = b.sender.Exec(ctx, "SELECT pg_notify($1, $2)", channel, message); err != nil {
		hangUp(b.sender)
		b.sender = nil
	}
	return err
}

// Listen calls received with each message, until ctx ends or the connection is lost.
func (b *Bus) Listen(ctx context.Context, received func(message string)) error {
	conn, err := pgx.ConnectConfig(ctx, b.config)
	if err != nil {
		return err
	}
	defer hangUp(conn)
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		received(notification.Payload)
	}
}

// Close ends the connection that Send used.
func (b *Bus) Close() error {
	if b.sender != nil {
		hangUp(b.sender)
	}
	return nil
}

// hangUp closes a connection, broken or not.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = conn.Close(ctx) // there is nobody left to tell
}
