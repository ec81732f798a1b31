package postgres

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
)

// Options tune a database. The zero value is good.
type Options struct {
	// Conns is how many connections each of the two pools may hold. 0 means pool_max_conns of
	// the URL, or else four per processor that this process may use, 8 to 16: a server allows 100
	// connections by default, for all processes.
	Conns int
	// Tracer receives every statement that is sent; nil: none.
	Tracer pgx.QueryTracer
}

const (
	// reserve is how many connections writing requests leave to background work:
	// due publications go out under overload, too.
	reserve        = 2
	connectTimeout = time.Second // unless the URL says otherwise
	idleTime       = 5 * time.Minute
	// stallTime is how long a transaction may be idle before the server ends it, which frees the
	// locks of a process that hangs or whose machine is gone.
	stallTime = 2 * time.Second
)

// Open returns the database at url, "postgres://…" or a list of key=value. It does
// not connect yet. There are two pools: one for what bun builds, whose texts are
// all different, and one for the hot reads, which stay prepared unless the URL says
// default_query_exec_mode=cache_describe: behind a pooler that lends a connection for each
// transaction. One more connection follows the events.
func Open(ctx context.Context, url string, options Options) (*sqlstore.DB, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	options.Conns = options.conns(url)
	conn := config.ConnConfig
	pooled := conn.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
	conn.Tracer = options.Tracer
	conn.RuntimeParams["application_name"] = "imprimatur"
	// To compile a query with many conditions takes seconds; no query runs that long.
	conn.RuntimeParams["jit"] = "off"
	// Queries rely on the parts of a UNION ALL coming one after the other.
	conn.RuntimeParams["max_parallel_workers_per_gather"] = "0"
	// A prepared statement is planned once, for any Project. A plan for one Project would expect
	// it to be empty until it is analysed, and read all of it for each row that is written.
	conn.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	// Pages are read along indexes, from memory or solid state disks. With the default, the
	// planner would sort a whole collection for a deep page.
	conn.RuntimeParams["random_page_cost"] = "1.1"
	build := options.build(conn.Copy())
	hot, err := options.hot(ctx, config)
	if err != nil {
		return nil, errors.Join(err, build.Close())
	}
	watch := options.build(conn.Copy())
	watch.SetMaxOpenConns(1)
	return sqlstore.New(dialect{pooled}, sqlstore.Pools{
		Write: build, Read: build, Hot: hot, Watch: watch, Reads: options.Conns, Writes: max(1, options.Conns-reserve),
	}), nil
}

func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The cause is left out: it may quote the URL, and a password with it.
		return nil, core.BadRequest("database_url", "the database URL is not a valid Postgres URL")
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.DialFunc = dialer().DialContext
	return config, nil
}

func (o Options) build(config *pgx.ConnConfig) *sql.DB {
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(stallTime.Milliseconds(), 10)
	db := sql.OpenDB(connector{stdlib.GetConnector(*config)})
	db.SetMaxOpenConns(o.Conns)
	db.SetMaxIdleConns(o.Conns)
	db.SetConnMaxIdleTime(idleTime)
	return db
}

func (o Options) hot(ctx context.Context, config *pgxpool.Config) (hotPool, error) {
	// A page looks up each of its entries once, so that a cache of them is useless.
	config.ConnConfig.RuntimeParams["enable_memoize"] = "off"
	config.MaxConns = int32(o.Conns)
	config.MaxConnIdleTime = idleTime
	config.PingTimeout = connectTimeout
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return hotPool{pool}, err
}

// hotPool runs the hot reads on the driver itself: with database/sql in between, reading a page
// of rows takes twice as long.
type hotPool struct{ *pgxpool.Pool }

var _ sqlstore.Hot = hotPool{}

func (p hotPool) Query(ctx context.Context, text string, args ...any) (sqlstore.Rows, error) {
	rows, err := p.Pool.Query(ctx, text, args...)
	return hotRows{rows}, err
}

func (p hotPool) Close() error {
	p.Pool.Close()
	return nil
}

type hotRows struct{ pgx.Rows }

func (r hotRows) Close() error {
	r.Rows.Close()
	return r.Err()
}

// Bounds of the connections of a pool that has no configured number.
const (
	connsPerProcessor   = 4
	fewConns, manyConns = 8, 16
)

func (o Options) conns(url string) int {
	if o.Conns > 0 {
		return o.Conns
	}
	// The parsed pool has a number in any case.
	if said, err := pgx.ParseConfig(url); err == nil {
		if n, err := strconv.Atoi(said.RuntimeParams["pool_max_conns"]); err == nil {
			return n
		}
	}
	return min(max(fewConns, connsPerProcessor*runtime.GOMAXPROCS(0)), manyConns)
}
