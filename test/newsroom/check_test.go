package newsroom_test

import (
	"database/sql"
	"strings"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/test/newsroom"
)

// damages maps statements that make tables differ from the documents to the reported
// difference. $1 is the project. A count may have several rows, each of which is changed.
var damages = map[string]struct{ statement, finds string }{
	"a missing index row":      {"DELETE FROM entry_index WHERE project_id = $1 AND shelf = 0 AND entry_id = (SELECT min(id) FROM entries WHERE project_id = $1)", "index row (published): expected one, found none"},
	"a wrong slot":             {"UPDATE entry_index SET t1 = 'elsewhere' WHERE project_id = $1 AND shelf = 0 AND entry_id = (SELECT min(id) FROM entries WHERE project_id = $1)", `found t1 "elsewhere"`},
	"a wrong locale mask":      {"UPDATE entry_index SET serves = 0 WHERE project_id = $1 AND shelf = 0", "serves 0"},
	"an index row too many":    {"UPDATE entries SET trashed_at = 5 WHERE project_id = $1 AND id = (SELECT min(id) FROM entries WHERE project_id = $1)", "index row (published): expected none, found one"},
	"a missing value":          {"DELETE FROM entry_values WHERE project_id = $1", `value "x" of tags, en, both versions: expected one, found none`},
	"a wrong version":          {"UPDATE entry_values SET versions = 1 WHERE project_id = $1", `value "x" of tags, en, published: expected none, found one`},
	"a missing text":           {"DELETE FROM entry_texts WHERE project_id = $1", `text "title 1"`},
	"a missing claim":          {"DELETE FROM entry_claims WHERE project_id = $1", "claim of a value of code: expected one, found none"},
	"a claim of another entry": {"UPDATE entry_claims SET entry_id = (SELECT min(id) FROM entries WHERE project_id = $1) WHERE project_id = $1", "claim of a value of code: expected none, found one"},
	"a wrong counter":          {"UPDATE entry_counters SET entries = entries + 7 WHERE project_id = $1 AND state = 0", "counter (published, serves 3): expected 3, found "},
	"a missing counter":        {"DELETE FROM entry_counters WHERE project_id = $1", "counter (with draft, serves 3): expected 3, found 0"},
	"a wrong bucket":           {"UPDATE entry_buckets SET entries = entries + 1 WHERE project_id = $1 AND place = 0", "of entry_id (serves 3): expected 3, found "},
	"rows of no entry":         {"DELETE FROM entries WHERE project_id = $1 AND id = (SELECT max(id) FROM entries WHERE project_id = $1)", "rows of entry_index without a matching entry: expected none, found 1"},
	"rows of another group":    {"UPDATE entry_index SET group_id = group_id + 1000000 WHERE project_id = $1", "index row (published): expected one, found none"},
	"claims of another locale": {"UPDATE entry_claims SET locale = 'de' WHERE project_id = $1", "rows of entry_claims without a matching entry"},
}

func TestCheckFindsAndRepairsDamage(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			writer := tx.(*sqlstore.DB).Writer() //nolint:errcheck,forcetypeassert // both engines are a sqlstore.DB
			for name, damage := range damages {
				t.Run(name, func(t *testing.T) {
					checkDamage(t, newsroom.New(t, stores, tx, systemclock.New()), writer, damage.statement, damage.finds)
				})
			}
		})
	}
}

func checkDamage(t *testing.T, w *newsroom.Fixture, db *sql.DB, statement, finds string) {
	t.Helper()
	for _, n := range []string{"1", "2", "3"} {
		w.Create(newsroom.Article("title "+n, newsroom.Published(true), newsroom.Field("code", n), func(wr *core.EntryWrite) { wr.Fields.Raw["tags"] = []byte(`["x"]`) }))
	}
	w.Check()
	if _, err := db.ExecContext(t.Context(), statement, w.Project.ID); err != nil {
		t.Fatal(err)
	}
	var lines []string
	collect := func(collection string, d core.Difference) { lines = append(lines, collection+": "+d.String()) }
	report, err := w.Checker.Check(t.Context(), w.Project, false, collect)
	w.OK(err)
	if report.Found == 0 || report.Left != report.Found || int64(len(lines)) != report.Found || !strings.Contains(strings.Join(lines, "\n"), finds) {
		t.Errorf("check reported %+v:\n%s\nwant %q", report, strings.Join(lines, "\n"), finds)
	}
	report, err = w.Checker.Check(t.Context(), w.Project, true, collect)
	w.OK(err)
	if report.Found == 0 || report.Left != 0 {
		t.Errorf("a repair left %+v", report)
	}
	w.Check()
	w.CheckLists(w.Articles.ID)
}
