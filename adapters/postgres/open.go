package postgres

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"strconv"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
)

// Options tune a database. The zero value has good defaults.
type Options struct {
	// Conns is the maximum number of connections of each of the two pools. 0 means
	// pool_max_conns of the URL or, without it, four per processor, from 8 to 16: many
	// processes share a server, which accepts 100 connections by default.
	Conns int
	// Tracer observes all statements. It may be nil.
	Tracer pgx.QueryTracer
}

const (
	// readsPerConn is the number of reading requests per connection of the hot pool. A request does
	// not use its connection while it plans and encodes. With 16 clients on 8 connections, a read by
	// id takes about 6 % less processor time than with 1 (test/bench/read, Q3).
	readsPerConn = 2
	// reserve is the number of connections that writing requests leave for background
	// work, so that due content is published under overload.
	reserve        = 2
	connectTimeout = time.Second // unless the URL sets another
	idleTime       = 5 * time.Minute
	// stallTime is how long a transaction may be idle before the server ends it. This frees the
	// locks of processes that hang or whose machine is lost. A process that continues runs the
	// transaction again.
	stallTime = 2 * time.Second
	// stallTimeAlone is stallTime of a transaction that runs alone, such as a release of many entries: their texts
	// are indexed between two statements.
	stallTimeAlone = time.Minute
)

// Open returns the database at url, which is "postgres://…" or a list of key=value. It
// does not connect. The first pool is for transactions and other writes. The second is for
// reads outside a transaction. Statements stay prepared unless the URL contains
// default_query_exec_mode=cache_describe, as needed behind a pooler that assigns
// connections per transaction. One more connection polls the events.
func Open(ctx context.Context, url string, options Options) (*sqlstore.DB, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	options.Conns = options.conns(url)
	conn := config.ConnConfig
	// Behind a pooler, each transaction may use another server connection.
	pooled := conn.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
	conn.Tracer = options.Tracer
	conn.RuntimeParams["application_name"] = "imprimatur"
	// Compiling a query with many conditions takes seconds, longer than any query runs.
	conn.RuntimeParams["jit"] = "off"
	// Queries rely on the order of the parts of a UNION ALL.
	conn.RuntimeParams["max_parallel_workers_per_gather"] = "0"
	// A prepared statement is planned once, for all Projects. A custom plan would assume
	// that a Project is empty until it is analysed, and scan it for each written row.
	conn.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	// Random access is as fast as sequential access in memory and on solid-state disks.
	// With the default of 4 the planner would sort a whole collection for a deep page.
	conn.RuntimeParams["random_page_cost"] = "1.1"
	build := options.build(conn.Copy(), pooled)
	hot, err := options.hot(ctx, config)
	if err != nil {
		return nil, errors.Join(err, build.Close())
	}
	watch := options.build(conn.Copy(), pooled)
	watch.SetMaxOpenConns(1)
	return sqlstore.New(dialect{}, sqldb.Pools{
		Write: build, Read: build, Hot: hot, Watch: watch, Place: place{watch}, Reads: readsPerConn * options.Conns, Writes: max(1, options.Conns-reserve),
	}), nil
}

func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The cause may quote the URL with a password.
		return nil, core.BadRequest("database_url", "the database URL is not a valid Postgres URL")
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.DialFunc = dialer().DialContext
	return config, nil
}

func (o Options) build(config *pgx.ConnConfig, pooled bool) *sql.DB {
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(stallTime.Milliseconds(), 10)
	db := sql.OpenDB(connector{stdlib.GetConnector(*config), pooled})
	db.SetMaxOpenConns(o.Conns)
	db.SetMaxIdleConns(o.Conns)
	db.SetConnMaxIdleTime(idleTime)
	return db
}

func (o Options) hot(ctx context.Context, config *pgxpool.Config) (hotPool, error) {
	// A page looks up each entry once, so that memoization does not help.
	config.ConnConfig.RuntimeParams["enable_memoize"] = "off"
	config.MaxConns = int32(o.Conns)
	config.MaxConnIdleTime = idleTime
	config.PingTimeout = connectTimeout
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return hotPool{pool}, err
}

// hotPool runs frequent reads on pgx directly, because database/sql doubles the time for
// returning a page of rows.
type hotPool struct{ *pgxpool.Pool }

var _ sqldb.Hot = hotPool{}

// Query implements sqlstore.Hot.
func (p hotPool) Query(ctx context.Context, text string, args []any, read func(sqldb.Rows) error) error {
	rows, err := p.Pool.Query(ctx, text, args...)
	if err != nil {
		return err
	}
	return readAll(rows, read)
}

// Stats implements sqlstore.Hot.
func (p hotPool) Stats() sqldb.PoolStats {
	s := p.Stat()
	return sqldb.PoolStats{
		Max: int(s.MaxConns()), InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()), Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(),
	}
}

func (p hotPool) Close() error {
	p.Pool.Close()
	return nil
}

// Limits of the default size of a pool.
const (
	connsPerProcessor   = 4
	fewConns, manyConns = 8, 16
)

func (o Options) conns(url string) int {
	if o.Conns > 0 {
		return o.Conns
	}
	// pgxpool would return its own default for a missing number.
	if config, err := pgx.ParseConfig(url); err == nil {
		if n, err := strconv.Atoi(config.RuntimeParams["pool_max_conns"]); err == nil {
			return n
		}
	}
	return min(max(fewConns, connsPerProcessor*runtime.GOMAXPROCS(0)), manyConns)
}
