package flat

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"imprimatur/test/postgrestest"
)

// setup runs a test on both engines with empty databases.
func setup(t *testing.T, test func(t *testing.T, e engine, empty func(t *testing.T) string)) {
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		test(t, postgresEngine{}, func(t *testing.T) string { return postgrestest.Migrated(t) })
	})
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, sqliteEngine{}, func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "flat.db") })
	})
}

// translated opens a database whose articles are all translated.
type translated struct{ engine }

// started is a program on a database with a first block.
type started struct {
	*program
	*site
	*database
}

func start(t *testing.T, e engine, url string, count int) started {
	t.Helper()
	p, stop, err := use(t.Context(), url)
	ok(t, err)
	t.Cleanup(stop)
	if whole, ok := e.(translated); ok {
		e, p.every = whole.engine, 1
	}
	s, err := p.createSite(t.Context(), count)
	ok(t, err)
	d, err := connect(t.Context(), e, url)
	ok(t, err)
	t.Cleanup(func() { ok(t, d.close()) })
	return started{p, s, d}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCopiesAreWhatTheImporterWrites compares the results of every question and the rows of
// every table between copied and imported entries.
func TestCopiesAreWhatTheImporterWrites(t *testing.T) {
	t.Parallel()
	const count, blocks = 300, 2
	setup(t, func(t *testing.T, e engine, empty func(t *testing.T) string) {
		imported, copied := start(t, e, empty(t), count), start(t, e, empty(t), count)
		for block := 1; block < blocks; block++ {
			ok(t, imported.loadBlock(t.Context(), imported.site, count, block))
		}
		ok(t, copied.grow(t.Context(), copied.site, 1, blocks))
		for _, q := range questions() {
			want, got := imported.results(t, q), copied.results(t, q)
			if !slices.Equal(got, want) {
				t.Errorf("%s:\n%q\nwant\n%q", q.name, got, want)
			}
		}
		for _, table := range copyTables {
			want, got := imported.rows(t, table), copied.rows(t, table)
			if !slices.Equal(got, want) {
				t.Errorf("the rows of %s differ", table)
			}
		}
		if want, got := imported.counts(t), copied.counts(t); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("the counters are %q, want %q", got, want)
		}
	})
}

// ids matches the values that differ between equal entries.
var ids = regexp.MustCompile(`"id":\d+,|"publishedAt":"[^"]*"`)

// results returns the total and the articles of a page, or what else a question reads.
func (s started) results(t *testing.T, q question) []string {
	t.Helper()
	if q.query.Offset != nil {
		q.query.Offset = new(int64(50))
	}
	switch {
	case q.count:
		counts, err := s.program.counts(t.Context(), s.site, q.query)
		ok(t, err)
		return []string{ids.ReplaceAllString(fmt.Sprint(counts), "")}
	case q.refers:
		q, err := s.placed(t.Context(), s.site, q)
		ok(t, err)
		page, err := s.referrers(t.Context(), s.site, q)
		ok(t, err)
		return []string{ids.ReplaceAllString(string(page.JSON), "")}
	}
	listing, err := s.listing(t.Context(), s.site, q.query)
	ok(t, err)
	total, err := listing.Total(t.Context())
	ok(t, err)
	page, err := listing.Page(t.Context())
	ok(t, err)
	found := []string{fmt.Sprint(total)}
	for _, e := range page.Entries {
		found = append(found, ids.ReplaceAllString(string(e.JSON), ""))
	}
	return found
}

// period matches the lexeme of a period of the time of a row. Its length is the second part.
var period = regexp.MustCompile(`'\.[0-9a-f]+(\.[0-9a-f]+)\.[0-9a-f]+'`)

// rows returns the sorted rows of a table without ids, times, and the values that a copy cannot
// compute: the hash of the content and the newest revision, which no question reads.
func (s started) rows(t *testing.T, table string) []string {
	t.Helper()
	name, _, _ := strings.Cut(table, " ")
	columns, err := s.columns(t.Context(), name)
	ok(t, err)
	columns = slices.DeleteFunc(columns, func(column string) bool {
		return slices.Contains([]string{"id", "entry_id", "group_id", "published_at", "created_at", "updated_at", "released_at", "moment", "ref",
			"published_hash", "revision"}, column)
	})
	all := ""
	for _, column := range columns {
		all += "coalesce(CAST(" + column + " AS text), 'none') || '|' || "
	}
	rows, err := collect(t.Context(), s.conn, "SELECT "+all+"'' AS r FROM "+table, func(rows *sql.Rows) (row string, err error) {
		err = rows.Scan(&row)
		return period.ReplaceAllString(row, "'$1'"), err
	})
	ok(t, err)
	slices.Sort(rows)
	if len(rows) == 0 {
		t.Errorf("%s is empty", table)
	}
	return rows
}

// counts returns the counts of entry_counters, each of which may be the sum of several rows.
func (s started) counts(t *testing.T) []string {
	t.Helper()
	counts, err := collect(t.Context(), s.conn, "SELECT collection_id, state, serves, sum(entries) FROM entry_counters"+
		" GROUP BY collection_id, state, serves ORDER BY collection_id, state, serves", func(rows *sql.Rows) (string, error) {
		var collection, state, serves, entries int64
		err := rows.Scan(&collection, &state, &serves, &entries)
		return fmt.Sprint(collection, state, serves, entries), err
	})
	ok(t, err)
	return counts
}

// TestReadsStayFlat counts the rows and page accesses of each question, which do not depend
// on the load of the machine. A read of every article would read as many rows; on SQLite,
// which does not count rows, it would access as many pages.
func TestReadsStayFlat(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, e engine, empty func(t *testing.T) string) {
		t.Run("half translated", func(t *testing.T) { staysFlat(t, e, empty(t), "") })
		t.Run("translated", func(t *testing.T) { staysFlat(t, translated{e}, empty(t), "fallback") })
	})
}

// staysFlat checks the questions whose name contains text.
func staysFlat(t *testing.T, e engine, url, text string) {
	const (
		count, blocks = 500, 40
		articles      = count * blocks
	)
	s := start(t, e, url, count)
	ok(t, s.grow(t.Context(), s.site, 1, blocks))
	ok(t, s.settle(t.Context()))
	for _, q := range questions() {
		if !strings.Contains(q.name, text) {
			continue
		}
		most := effort{rows: articles / 5, pages: articles / 20}
		switch q.grows {
		case bounded:
			most = effort{rows: 3 * articles / 5, pages: articles / 3}
		case deep:
			most = effort{rows: 3 * articles, pages: articles / 8}
		}
		if q.total {
			most.pages = articles / 10 // counted rows are not fetched, unless two signatures are equal
		}
		if q.count {
			most.pages = 6 * articles / 5 // the entries of a condition are fetched, while they are few
		}
		if q.grows == deep && q.query.Offset != nil {
			most.pages = 2 * articles // each row skipped under a filter is fetched
		}
		if q.query.Offset != nil {
			q.query.Offset = new(int64(articles * 3 / 4))
		}
		did, err := s.effort(t.Context(), s.program, s.site, q, 1)
		ok(t, err)
		if did.pages > most.pages || did.rows > most.rows || did.pages == 0 {
			t.Errorf("%s: %d pages and %d rows, of %d articles\n%s", q.name, did.pages, did.rows, articles, did.plan)
		}
	}
}

// TestNeighboursCostNothing reads a small collection alone, and again when many other
// collections have the same values, in its project and in others.
func TestNeighboursCostNothing(t *testing.T) {
	t.Parallel()
	const count, others = 150, 60
	setup(t, func(t *testing.T, e engine, empty func(t *testing.T) string) {
		for _, projects := range []bool{false, true} {
			s := start(t, e, empty(t), count)
			alone := s.efforts(t)
			ok(t, s.spread(t.Context(), s.program, s.site, others, projects))
			beside := s.efforts(t)
			for i, q := range questions() {
				// A plan may read all of the collection, in each of two languages and two parts of a
				// search, but no other; indexes may become one level deeper.
				most := effort{rows: alone[i].rows + 6*count, pages: 3*alone[i].pages + 3*count}
				if did := beside[i]; q.own && (did.pages > most.pages || did.rows > most.rows) {
					t.Errorf("%s: %d pages and %d rows, of %d and %d alone\n%s", q.name, did.pages, did.rows, alone[i].pages, alone[i].rows, did.plan)
				}
			}
		}
	})
}

// efforts returns the cost of each question.
func (s started) efforts(t *testing.T) []effort {
	t.Helper()
	ok(t, s.settle(t.Context()))
	var all []effort
	for _, q := range questions() {
		did, err := s.effort(t.Context(), s.program, s.site, q, 1)
		ok(t, err)
		all = append(all, did)
	}
	return all
}
