package postgres

import (
	"context"
	"database/sql"
	"errors"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/jackc/pgx/v5/pgconn"
)

// place is named by the system identifier of the server, its timeline, and the OIDs of the database and of a
// table, of which each restore of a dump changes at least one, and a restore of the server the timeline.
type place struct{ pool *sql.DB }

// selectPlace returns no row on a standby, which is read-only.
const selectPlace = "SELECT s.system_identifier || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || d.oid || '/' || 'installation'::regclass::oid" +
	" FROM pg_control_system() s, pg_database d WHERE d.datname = current_database() AND NOT pg_is_in_recovery()"

// Here implements sqlstore.Place. The place is unknown if the role may not read its name.
func (p place) Here(ctx context.Context) (n sqldb.Note, known bool, err error) {
	err = p.pool.QueryRowContext(ctx, selectPlace).Scan(&n.Name)
	fault, ok := errors.AsType[*pgconn.PgError](err)
	if errors.Is(err, sql.ErrNoRows) || ok && fault.Code == "42501" {
		return n, false, nil
	}
	return n, err == nil, err
}

// Settle implements sqlstore.Place.
func (p place) Settle(ctx context.Context) (string, error) {
	n, _, err := p.Here(ctx)
	return n.Name, err
}

// Note implements sqlstore.Place. Nothing needs to be noted.
func (place) Note(sqldb.Note) error { return nil }
