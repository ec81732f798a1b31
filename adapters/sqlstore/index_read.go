package sqlstore

import (
	"context"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// indexed contains the stored index rows and claims of entries.
type indexed struct {
	claims  map[int64]map[entryindex.Claim]struct{} // by entry
	members map[int64][]entryindex.Member           // by group, on every shelf
	values  []valueRow
	texts   []textRow
	words   []wordsRow
}

// indexed reads the claims, values and texts of the entries of a batch that are not fresh, and the
// rows of entry_index of groups, and then runs last, in one round trip.
func (s entryStore) indexed(ctx context.Context, schema core.Schema, batch []change, groups []int64, last []sqldb.Statement) (indexed, error) {
	var claims []claimed
	var members []groupMember
	var found indexed
	var older []int64
	for _, e := range batch {
		if !e.fresh {
			older = append(older, e.ID)
		}
	}
	_, err := s.Run(ctx, s.readClaims(&claims, schema, older), s.readMembers(&members, schema, groups),
		valueTable.read(s, &found.values, schema, older), textTable.read(s, &found.texts, schema, older),
		wordsTable.read(s, &found.words, schema, older), last)
	found.claims, found.members = map[int64]map[entryindex.Claim]struct{}{}, map[int64][]entryindex.Member{}
	for _, c := range claims {
		if found.claims[c.entry] == nil {
			found.claims[c.entry] = map[entryindex.Claim]struct{}{}
		}
		found.claims[c.entry][c.Claim] = struct{}{}
	}
	for _, m := range members {
		found.members[m.group] = append(found.members[m.group], m.Member)
	}
	return found, s.DB.Fault(err, "entry")
}

// readClaims returns the statements that read the claims of entries.
func (s entryStore) readClaims(all *[]claimed, schema core.Schema, entries []int64) (statements []sqldb.Statement) {
	for some := range slices.Chunk(entries, lockedAtOnce) {
		statements = append(statements, sqldb.Reading(s.Conn, all, func(rows sqldb.Rows) (c claimed, err error) {
			err = scanClaim(rows, &c.Claim, &c.entry)
			return c, err
		}, "SELECT field_id, hash, entry_id FROM entry_claims WHERE project_id = @project AND entry_id ?", schema.Project.ID, sqldb.AmongIDs(some)))
	}
	return statements
}

// groupMember is an index row with its group.
type groupMember struct {
	entryindex.Member
	group int64
}

// readMembers returns the statements that read the index rows of groups.
func (s entryStore) readMembers(all *[]groupMember, schema core.Schema, groups []int64) (statements []sqldb.Statement) {
	groups = slices.Compact(slices.Sorted(slices.Values(groups)))
	for some := range slices.Chunk(groups, lockedAtOnce) {
		statements = append(statements, sqldb.Reading(s.Conn, all, scanMember,
			"SELECT group_id, shelf, entry_id, locale, serves, serves_draft, "+strings.Join(indexTable.Columns, ", ")+
				" FROM entry_index"+s.DB.Dialect.By(groupIndex)+" WHERE project_id = @project AND group_id ?"+
				" ORDER BY entry_id, shelf", schema.Project.ID, sqldb.AmongIDs(some)))
	}
	return statements
}

func scanMember(rows sqldb.Rows) (m groupMember, err error) {
	var serves, servesDraft int64
	m.Row = make([]any, len(indexTable.Columns))
	into := append(make([]any, 0, 6+len(m.Row)), &m.group, &m.Shelf, &m.Entry, &m.Locale, &serves, &servesDraft)
	for i := range m.Row {
		into = append(into, &m.Row[i])
	}
	err = rows.Scan(into...)
	for i, v := range m.Row {
		if n, ok := v.(int16); ok { // pgx returns the type of the column
			m.Row[i] = int64(n)
		}
	}
	m.Serves, m.ServesDraft = uint64(serves), uint64(servesDraft)
	return m, err
}
