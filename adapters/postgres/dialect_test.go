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

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code string
		want sqldb.Fault
	}{
		{"23505", sqldb.FaultUnique},
		{"23503", sqldb.FaultReference}, // no such parent, or it is in use
		{"23001", sqldb.FaultReference},
		{"40001", sqldb.FaultRetry},
		{"40P01", sqldb.FaultRetry},
		{"25P03", sqldb.FaultRetry}, // idle in a transaction
		{"08006", sqldb.FaultUnavailable},
		{"25006", sqldb.FaultUnavailable}, // read only: a standby
		{"53100", sqldb.FaultUnavailable}, // disk full
		{"53300", sqldb.FaultUnavailable}, // too many connections
		{"55P03", sqldb.FaultUnavailable}, // lock not available
		{"57014", sqldb.FaultUnavailable}, // statement timeout
		{"57P01", sqldb.FaultUnavailable}, // admin shutdown
		{"57P03", sqldb.FaultUnavailable}, // starting up
		{"58030", sqldb.FaultUnavailable}, // input or output error
		{"23502", sqldb.FaultOther},       // not null
		{"42P01", sqldb.FaultOther},       // no such table
		{"22021", sqldb.FaultOther},       // not a text
	} {
		err := fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: c.code})
		if got := (dialect{}).Fault(err); got != c.want {
			t.Errorf("%s: fault %d, want %d", c.code, got, c.want)
		}
	}
	for _, err := range []error{nil, errors.New("other"), sql.ErrNoRows} {
		if got := (dialect{}).Fault(err); got != sqldb.FaultOther {
			t.Errorf("%v: fault %d", err, got)
		}
	}
	for _, c := range []struct {
		err  error
		want sqldb.Fault
	}{
		// If the server is killed, connections end without an error message, possibly in the middle
		// of a response.
		{io.ErrUnexpectedEOF, sqldb.FaultUnavailable},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, sqldb.FaultUnavailable},
		// The statement was not sent.
		{&net.OpError{Op: "write", Err: syscall.EPIPE}, sqldb.FaultRetry},
		{driver.ErrBadConn, sqldb.FaultRetry},
	} {
		if got := (dialect{}).Fault(fmt.Errorf("wrapped: %w", c.err)); got != c.want {
			t.Errorf("%v: fault %d, want %d", c.err, got, c.want)
		}
	}
}
