package flat

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	driver "modernc.org/sqlite"
)

// sqliteEngine implements engine for SQLite, with files in dir.
type sqliteEngine struct{ dir string }

func (e sqliteEngine) create(context.Context) (string, error) {
	file, err := os.CreateTemp(e.dir, "flat-*.db")
	if err != nil {
		return "", err
	}
	return "sqlite:" + file.Name(), file.Close()
}

// clone requires that the last connection has removed the WAL.
func (e sqliteEngine) clone(ctx context.Context, address string) (string, error) {
	made, err := e.create(ctx)
	if err != nil {
		return "", err
	}
	from, err := os.Open(fileOf(address))
	if err != nil {
		return "", err
	}
	defer from.Close() //nolint:errcheck // only read
	to, err := os.Create(fileOf(made))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	return made, errors.Join(err, to.Close())
}

func (sqliteEngine) drop(_ context.Context, address string) error { return os.Remove(fileOf(address)) }

func fileOf(address string) string { return strings.TrimPrefix(address, "sqlite:") }

// open does not memory-map the file, unlike the program, because mapped reads are not counted.
func (sqliteEngine) open(address string) (*sql.DB, []string, error) {
	options := url.Values{"_pragma": {"busy_timeout(5000)", "temp_store(MEMORY)", "cache_size(-1000000)", "synchronous(OFF)"}}
	pool, err := sql.Open("sqlite", "file:"+fileOf(address)+"?"+options.Encode())
	return pool, nil, err
}

func (sqliteEngine) processes() []int { return nil }

// hold returns nil, because SQLite has no automatic maintenance.
func (sqliteEngine) hold() []string { return nil }

func (sqliteEngine) settle() []string { return []string{"PRAGMA wal_checkpoint(TRUNCATE)"} }

func (sqliteEngine) columns(table string) string {
	return "SELECT name FROM pragma_table_info('" + table + "') ORDER BY cid"
}

// indexes omits the index that copying uses.
func (sqliteEngine) indexes() string {
	return "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%' AND tbl_name IN ('" + strings.Join(copyTables, "', '") + "')" +
		" AND name <> 'entry_values_entry'"
}

func (sqliteEngine) keepIDs() string {
	return "UPDATE entry_ids SET last = (SELECT max(id) FROM entries)"
}

func (sqliteEngine) date(milliseconds string) string {
	return "date(" + milliseconds + " / 1000, 'unixepoch')"
}

// readWords keeps the lexemes of each row, joined by spaces: the index has no texts. The table stays
// until the connection ends.
func (sqliteEngine) readWords() []string {
	return []string{
		"CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexemes USING fts5vocab (main, entry_words_search, instance)",
		"DROP TABLE IF EXISTS temp.words_of",
		"CREATE TEMPORARY TABLE words_of (id bigint PRIMARY KEY, words text)",
		"INSERT INTO words_of SELECT doc, group_concat(term, ' ' ORDER BY offset) FROM temp.lexemes GROUP BY doc",
	}
}

func (sqliteEngine) words() (into, joined, words string) {
	// The id of a row of the index, see the schema.
	const id = "(s.moment - 2147483648) * 4294967296 + s.entry_id * 2 + (s.scope / 64 % 4 = 2)"
	return "entry_words_added", " JOIN words_of w ON w.id = " + id,
		"CASE WHEN l.was IS NULL THEN w.words ELSE ltrim(replace(' ' || w.words, ' ' || l.was, ' ' || l.becomes)) END"
}

func (sqliteEngine) sizes() string {
	table := "CASE WHEN s.tbl_name LIKE 'entry_texts_search%' THEN 'entry_texts' WHEN s.tbl_name LIKE 'entry_words_search%' THEN 'entry_words' ELSE s.tbl_name END"
	rows := "s.type = 'table' AND s.tbl_name NOT LIKE 'entry_texts_search%' AND s.tbl_name NOT LIKE 'entry_words_search%'"
	return "SELECT " + table + ", sum(CASE WHEN " + rows + " THEN d.pgsize ELSE 0 END), sum(CASE WHEN " + rows + " THEN 0 ELSE d.pgsize END)" +
		" FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE AND " + table + " IN ('" + strings.Join(copyTables, "', '") + "') GROUP BY 1 ORDER BY 1"
}

func (sqliteEngine) explain(ctx context.Context, conn *sql.Conn, runs int, text string, args []any) (effort, error) {
	statement, err := conn.PrepareContext(ctx, text)
	if err != nil {
		return effort{}, err
	}
	defer statement.Close() //nolint:errcheck // read completely
	if err := drain(ctx, statement, args); err != nil {
		return effort{}, err
	}
	before, err := pageAccesses(conn)
	if err != nil {
		return effort{}, err
	}
	var took []float64
	for begun := time.Now(); another(len(took), runs, begun); {
		start := time.Now()
		if err := drain(ctx, statement, args); err != nil {
			return effort{}, err
		}
		took = append(took, milliseconds(time.Since(start)))
	}
	after, err := pageAccesses(conn)
	if err != nil {
		return effort{}, err
	}
	plan, err := sqlitePlan(ctx, conn, text, args)
	return effort{milliseconds: median(took), pages: (after - before) / len(took), plan: plan}, err
}

func sqlitePlan(ctx context.Context, conn *sql.Conn, text string, args []any) (string, error) {
	rows, err := conn.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is checked
	var plan strings.Builder
	depth := map[int]int{}
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return "", err
		}
		depth[id] = depth[parent] + 1
		fmt.Fprintf(&plan, "%s%s\n", strings.Repeat("  ", depth[parent]), detail)
	}
	return plan.String(), rows.Err()
}

// drain runs a statement and reads its rows.
func drain(ctx context.Context, statement *sql.Stmt, args []any) error {
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is checked
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	into := make([]any, len(columns))
	for i := range into {
		into[i] = new(sql.RawBytes)
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// pageAccesses returns the page accesses of a connection so far, cached or not.
func pageAccesses(conn *sql.Conn) (total int, err error) {
	err = conn.Raw(func(c any) error {
		status, ok := c.(driver.DBStatus)
		if !ok {
			return fmt.Errorf("%T has no page counters", c)
		}
		for _, op := range []driver.DBStatusOp{driver.DBStatusCacheHit, driver.DBStatusCacheMiss} {
			n, _, err := status.Status(op, false)
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	})
	return total, err
}
