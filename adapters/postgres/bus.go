package postgres

import (
	"context"
	"strings"
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
	process string
	config  *pgx.ConnConfig
	sender  *pgx.Conn // nil until it is needed
}

const (
	channel      = "imprimatur_changes"
	closeTimeout = time.Second
)

// NewBus returns the Bus of the database at url, as Open takes it, for a process by the
// name that Open had in its Options. It does not connect yet.
func NewBus(url, process string) (*Bus, error) {
	parsed, err := parse(url)
	if err != nil {
		return nil, err
	}
	config := parsed.ConnConfig
	config.RuntimeParams["application_name"] = applicationName(process) + " changes"
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return &Bus{process: process, config: config}, nil
}

// Self returns the name of the process.
func (b *Bus) Self() string { return b.process }

// Send hands message, of less than 8,000 bytes, to all who listen.
func (b *Bus) Send(ctx context.Context, message string) error {
	return b.send(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SELECT pg_notify($1, $2)", channel, message)
		return err
	})
}

// Present returns which of the named processes are connected to the server.
func (b *Bus) Present(ctx context.Context, names []string) (present []string, err error) {
	err = b.send(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT DISTINCT split_part(application_name, ' ', 2) FROM pg_stat_activity"+
			" WHERE application_name LIKE 'imprimatur %' AND split_part(application_name, ' ', 2) = ANY($1::text[])", names)
		if err != nil {
			return err
		}
		present, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return present, err
}

// send does something on the connection of the sender, which is given up when that fails.
func (b *Bus) send(ctx context.Context, do func(*pgx.Conn) error) (err error) {
	if b.sender == nil {
		if b.sender, err = pgx.ConnectConfig(ctx, b.config); err != nil {
			return err
		}
	}
	if err = do(b.sender); err != nil {
		hangUp(b.sender)
		b.sender = nil
	}
	return err
}

// applicationName is what the server calls the connections of a process.
func applicationName(process string) string { return strings.TrimSpace("imprimatur " + process) }

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
