package postgres

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"imprimatur/adapters/sqlstore"
)

func TestFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code string
		want sqlstore.Fault
	}{
		{"23505", sqlstore.FaultUnique},
		{"23503", sqlstore.FaultReference}, // no such parent, or it is in use
		{"23001", sqlstore.FaultReference},
		{"40001", sqlstore.FaultRetry},
		{"40P01", sqlstore.FaultRetry},
		{"25P03", sqlstore.FaultRetry}, // idle in a transaction
		{"08006", sqlstore.FaultUnavailable},
		{"25006", sqlstore.FaultUnavailable}, // read only: a standby
		{"53100", sqlstore.FaultUnavailable}, // disk full
		{"53300", sqlstore.FaultUnavailable}, // too many connections
		{"55P03", sqlstore.FaultUnavailable}, // lock not available
		{"57014", sqlstore.FaultUnavailable}, // statement timeout
		{"57P01", sqlstore.FaultUnavailable}, // admin shutdown
		{"57P03", sqlstore.FaultUnavailable}, // starting up
		{"58030", sqlstore.FaultUnavailable}, // input or output error
		{"23502", sqlstore.FaultOther},       // not null
		{"42P01", sqlstore.FaultOther},       // no such table
		{"22021", sqlstore.FaultOther},       // not a text
	} {
		err := fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: c.code})
		if got := (dialect{}).Fault(err); got != c.want {
			t.Errorf("%s: fault %d, want %d", c.code, got, c.want)
		}
	}
	for _, err := range []error{nil, errors.New("other"), sql.ErrNoRows} {
		if got := (dialect{}).Fault(err); got != sqlstore.FaultOther {
			t.Errorf("%v: fault %d", err, got)
		}
	}
	for _, c := range []struct {
		err  error
		want sqlstore.Fault
	}{
		// If the server is killed, connections end without an error message, possibly in the middle
		// of a response.
		{io.ErrUnexpectedEOF, sqlstore.FaultUnavailable},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, sqlstore.FaultUnavailable},
		// The statement was not sent.
		{&net.OpError{Op: "write", Err: syscall.EPIPE}, sqlstore.FaultRetry},
		{driver.ErrBadConn, sqlstore.FaultRetry},
	} {
		if got := (dialect{}).Fault(fmt.Errorf("wrapped: %w", c.err)); got != c.want {
			t.Errorf("%v: fault %d, want %d", c.err, got, c.want)
		}
	}
}
