package sqlstore

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/words"
)

// upkeep contains the statements that update the index rows and claims of entries.
type upkeep struct {
	wanted     []claimed // the claims that the statements take insert
	give, take []sqldb.Statement
	index      []sqldb.Statement
	counters   []sqldb.Statement // to run last: transactions wait for each other at the counters
}

// upkeep returns the statements that update the index rows and claims of the entries and of their
// groups, from before.
func (s entryStore) upkeep(schema core.Schema, batch []change, before indexed) (u upkeep, err error) {
	p, err := placementOf(schema.Project, batch, before.members)
	if err != nil {
		return u, err
	}
	wanted, released := claimChanges(batch, before.claims)
	u.wanted = wanted
	u.give, u.take = s.claim(schema, wanted, released)
	u.index = slices.Concat(s.place(schema, p, batch), s.content(schema, batch, before), s.words(schema, batch, before), s.mixed(schema.Collection))
	u.counters = slices.Concat(s.count(schema, p.Counts), s.bucket(schema, p.Buckets))
	return u, nil
}

// mixed returns the statement that clears the Forms of a collection whose index has texts of another
// version than those that this process writes.
func (s entryStore) mixed(c *core.Collection) []sqldb.Statement {
	if c.Forms == words.Version || c.Forms == "" {
		return nil
	}
	return []sqldb.Statement{s.Statement(
		"UPDATE collections SET forms = '', forms_ready = false, version = version + 1 WHERE project_id = @project AND id = ? AND forms = ?",
		c.ProjectID, c.ID, c.Forms,
	)}
}

// placementOf returns the changes of entry_index that the entries in batch need. members are the
// stored rows of their groups.
func placementOf(project *core.Project, batch []change, members map[int64][]entryindex.Member) (p entryindex.Placement, err error) {
	groups := map[int64][]entryindex.Change{}
	for _, e := range batch {
		groups[e.Group] = append(groups[e.Group], e.Change)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if err := p.Place(project, groups[group], members[group]); err != nil {
			return p, err
		}
	}
	return p, nil
}

// place returns the statements that apply p to entry_index. Rows of fresh entries need no
// ON CONFLICT clause: they have no stored rows.
func (s entryStore) place(schema core.Schema, p entryindex.Placement, batch []change) []sqldb.Statement {
	removed := sqldb.Mapped(p.Removed, func(m entryindex.Member) []any { return rowKey(schema, m) })
	masked := sqldb.Mapped(p.Masked, func(m entryindex.Member) []any {
		return append(rowKey(schema, m), int64(m.Serves), int64(m.ServesDraft))
	})
	fresh := map[int64]bool{}
	for _, e := range batch {
		if e.fresh {
			fresh[e.ID] = true
		}
	}
	var created, written [][]any
	for _, m := range p.Written {
		if fresh[m.Entry] {
			created = append(created, m.Row)
		} else {
			written = append(written, m.Row)
		}
	}
	return slices.Concat(
		s.Removed(indexNames, schema.Project, removed),
		s.Changed(indexMasks, schema.Project, len(indexNames.Columns), masked),
		sqldb.Added(indexTable, written, replaceIndex),
		sqldb.Added(indexTable, created, ""),
	)
}

var (
	indexTable = sqldb.NewTable("entry_index", entryindex.Columns...)
	// indexNames identify a row within a Project.
	indexNames = sqldb.NewTable("entry_index", "scope bigint", "entry_id bigint")
	indexMasks = sqldb.NewTable("entry_index", "scope bigint", "entry_id bigint", "serves bigint", "serves_draft bigint")
)

// rowKey is a row of indexNames.
func rowKey(schema core.Schema, m entryindex.Member) []any {
	return []any{entryindex.Scope(schema.Collection.ID, m.Shelf, m.Locale), m.Entry}
}

// replaceIndex replaces rows of indexTable by new rows with the same key.
var replaceIndex = func() string {
	var sets []string
	for _, column := range indexTable.Columns[entryindex.Key:] {
		sets = append(sets, column+" = excluded."+column)
	}
	return " ON CONFLICT (" + strings.Join(indexTable.Columns[:entryindex.Key], ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
}()

// stripe is the last key column of entry_counters and entry_buckets where concurrent transactions
// change a count in different rows, whose sum is the count.
func stripe(c sqldb.Conn) string {
	if c.DB.Pools.OneWriter {
		return ""
	}
	return ", stripe"
}

// count returns the statements that update the counters. All transactions update them in the
// same order, which prevents deadlocks.
func (s entryStore) count(schema core.Schema, changes map[entryindex.Counter]int64) []sqldb.Statement {
	maps.DeleteFunc(changes, func(_ entryindex.Counter, n int64) bool { return n == 0 })
	var rows [][]any
	for _, key := range slices.SortedFunc(maps.Keys(changes), func(a, b entryindex.Counter) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Serves, b.Serves))
	}) {
		rows = append(rows, []any{schema.Project.ID, schema.Collection.ID, int64(key.State), int64(key.Serves), changes[key]})
	}
	return sqldb.Added(counterTable, rows,
		" ON CONFLICT (project_id, collection_id, state, serves"+stripe(s.Conn)+") DO UPDATE SET entries = entry_counters.entries + excluded.entries")
}

var counterTable = sqldb.NewTable("entry_counters", "project_id bigint", "collection_id bigint", "state smallint", "serves bigint", "entries bigint")

// bucket returns the statements that update the buckets, in one order as count does.
func (s entryStore) bucket(schema core.Schema, changes map[entryindex.Bucket]int64) []sqldb.Statement {
	maps.DeleteFunc(changes, func(_ entryindex.Bucket, n int64) bool { return n == 0 })
	var rows [][]any
	for _, key := range slices.SortedFunc(maps.Keys(changes), entryindex.Bucket.Compare) {
		rows = append(rows, []any{schema.Project.ID, key.Scope, int64(key.Place), key.Bucket, int64(key.Serves), changes[key]})
	}
	return sqldb.Added(bucketTable, rows,
		" ON CONFLICT (project_id, scope, place, bucket, serves"+stripe(s.Conn)+") DO UPDATE SET entries = entry_buckets.entries + excluded.entries")
}

var bucketTable = sqldb.NewTable("entry_buckets", "project_id bigint", "scope bigint", "place smallint", "bucket bigint", "serves bigint", "entries integer")

// Recounts returns the statements that insert the counters and buckets of rows of entry_index
// that are not counted yet. where is a condition on the rows.
func Recounts(where string) []string {
	var statements []string
	for _, state := range entryindex.States {
		statements = append(statements, "INSERT INTO entry_counters (project_id, collection_id, state, serves, entries) "+selectCounters(state, where))
	}
	return append(statements, "INSERT INTO entry_buckets ("+strings.Join(bucketTable.Columns, ", ")+") "+entryindex.BucketRows(where))
}

// selectCounters selects the counters of one state from the rows that they count.
func selectCounters(state core.State, where string) string {
	mask := entryindex.MaskOf(state)
	return "SELECT project_id, collection_id, " + sqldb.Number(int64(state)) + " AS state, " + mask + " AS serves, count(*) AS entries" +
		" FROM entry_index WHERE " + where + onShelf("entry_index", state) + " AND " + mask + " <> 0 GROUP BY project_id, collection_id, " + mask
}
