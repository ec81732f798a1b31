package postgres

import (
	"context"
	"database/sql"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
)

// Options tune a database. The zero value is good.
type Options struct {
	// Conns is how many connections each of the two pools may hold; 0 is four per
	// processor, at least 8.
	Conns int
}

const (
	connectTimeout = time.Second // unless the URL says otherwise
	idleTime       = 5 * time.Minute
)

// Open returns the database at url, "postgres://…" or a list of key=value. It does
// not connect yet. There are two pools: one for what bun builds, whose texts are
// all different, and one for the hot reads, which stay prepared.
func Open(_ context.Context, url string, options Options) (*sqlstore.DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The cause is left out: it may quote the URL, and a password with it.
		return nil, core.BadRequest("database_url", "the database URL is not a valid Postgres URL")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	config.RuntimeParams["application_name"] = "imprimatur"
	// To compile a query takes seconds where it has many conditions; no query of ours
	// runs that long.
	config.RuntimeParams["jit"] = "off"
	// Queries rely on the parts of a UNION ALL coming one after the other.
	config.RuntimeParams["max_parallel_workers_per_gather"] = "0"
	build := options.pool(config, func(c *pgx.ConnConfig) {
		c.DefaultQueryExecMode = pgx.QueryExecModeExec
	})
	hot := options.pool(config, func(c *pgx.ConnConfig) {
		c.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	})
	return sqlstore.New(dialect{}, sqlstore.Pools{Write: build, Read: build, Hot: hot}), nil
}

func (o Options) pool(config *pgx.ConnConfig, change func(*pgx.ConnConfig)) *sql.DB {
	config = config.Copy()
	change(config)
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(o.conns())
	db.SetMaxIdleConns(o.conns())
	db.SetConnMaxIdleTime(idleTime)
	return db
}

func (o Options) conns() int {
	if o.Conns > 0 {
		return o.Conns
	}
	return max(8, 4*runtime.NumCPU())
}
