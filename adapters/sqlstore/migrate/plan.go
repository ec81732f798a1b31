package migrate

import (
	"context"
	"database/sql"
)

// Plan is a missing migration: what it executes and what it keeps waiting.
type Plan struct {
	Name, Text string
	// Concurrent is set if the migration runs outside a transaction and blocks no writes.
	Concurrent bool
	// WholeDatabase is set if other writes wait for the migration, whatever their table is.
	WholeDatabase bool
	// Locks are those that other statements wait for while the migration runs.
	Locks []Lock
}

// Lock is a lock of a table that existed before the migration.
type Lock struct {
	Table, Mode string
	Blocks      string // "reads and writes" or "writes"
}

// Plan returns the missing migrations. To find their locks it executes them in one transaction, which
// it rolls back.
func (m *Migrator) Plan(ctx context.Context) ([]Plan, error) {
	tx, err := m.Engine.BeginMigration(ctx, m.Write)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing is kept in any case
	status, err := m.status(ctx, tx)
	if err != nil {
		return nil, err
	}
	tables, err := texts(ctx, tx, m.Engine.Tables())
	if err != nil {
		return nil, err
	}
	r := rehearsal{tx: tx, locks: m.Engine.Locks(), existed: map[string]bool{}, held: map[Lock]bool{}}
	for _, table := range tables {
		r.existed[table] = true
	}
	var plans []Plan
	for _, s := range status {
		if s.Applied {
			continue
		}
		next, err := m.script(s.Name)
		if err != nil {
			return nil, err
		}
		p, err := r.plan(ctx, next)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// rehearsal executes migrations in a transaction that is rolled back.
type rehearsal struct {
	tx      *sql.Tx
	locks   string          // Engine.Locks
	existed map[string]bool // tables before the first migration
	held    map[Lock]bool   // locks of the migrations before
}

// plan executes s, unless it is concurrent, and returns the locks that it adds.
func (r *rehearsal) plan(ctx context.Context, s script) (Plan, error) {
	p := Plan{Name: s.name, Text: s.text, Concurrent: s.index != ""}
	if p.Concurrent {
		return p, nil
	}
	p.WholeDatabase = r.locks == ""
	if _, err := r.tx.ExecContext(ctx, s.text); err != nil || p.WholeDatabase {
		return p, err
	}
	rows, err := r.tx.QueryContext(ctx, r.locks)
	if err != nil {
		return Plan{}, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		var l Lock
		if err := rows.Scan(&l.Table, &l.Mode, &l.Blocks); err != nil {
			return Plan{}, err
		}
		if r.existed[l.Table] && !r.held[l] {
			r.held[l] = true
			p.Locks = append(p.Locks, l)
		}
	}
	return p, rows.Err()
}
