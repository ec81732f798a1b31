package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"imprimatur/core"
)

// member is a row of entry_index as its translation group sees it.
type member struct {
	state  core.State
	entry  int64
	locale int // number
	serves uint64
	row    []any // of indexTable
}

// members returns the index rows of groups, in every state.
func (s entryStore) members(ctx context.Context, projectID int64, groups []int64) (map[int64][]member, error) {
	type grouped struct {
		member
		group int64
	}
	members := map[int64][]member{}
	for some := range slices.Chunk(groups, lockedAtOnce) {
		among, args := s.amongIDs(2, some)
		rows, err := collect(ctx, s.conn, func(rows Rows) (m grouped, err error) {
			var serves int64
			m.row = make([]any, len(indexTable.columns))
			into := append(make([]any, 0, 5+len(m.row)), &m.group, &m.state, &m.entry, &m.locale, &serves)
			for i := range m.row {
				into = append(into, &m.row[i])
			}
			err = rows.Scan(into...)
			m.serves = uint64(serves)
			return m, err
		}, "SELECT group_id, state, entry_id, locale, serves, "+strings.Join(indexTable.columns, ", ")+
			" FROM entry_index"+s.db.dialect.ByGroup()+" WHERE project_id = $1 AND group_id "+among+
			" ORDER BY entry_id, state", append([]any{projectID}, args...)...)
		if err != nil {
			return nil, err
		}
		for _, m := range rows {
			members[m.group] = append(members[m.group], m.member)
		}
	}
	return members, nil
}

// index makes all that finds the entries anew, their claims aside. known are the
// groups that may have members by now.
func (s entryStore) index(ctx context.Context, schema core.Schema, batch []change, known []int64) error {
	slices.Sort(known)
	members, err := s.members(ctx, schema.Project.ID, slices.Compact(known))
	if err != nil {
		return err
	}
	p, err := placementOf(schema.Project, batch, members)
	if err != nil {
		return err
	}
	if err := s.removeRows(ctx, indexNames, schema.Project, p.removed); err != nil {
		return err
	}
	if err := s.set(ctx, servedIndex, schema.Project, len(indexNames.columns), p.served); err != nil {
		return err
	}
	if _, err := s.add(ctx, indexTable, p.written, replaceIndex); err != nil {
		return err
	}
	if err := s.writeContent(ctx, schema, batch); err != nil {
		return err
	}
	if err := s.count(ctx, schema, p.counts); err != nil {
		return err
	}
	return s.tally(ctx, schema.Project, p.tallies)
}

var (
	indexTable = newTable("entry_index", append([]string{
		"project_id bigint", "scope bigint", "entry_id bigint",
		"collection_id bigint", "state smallint", "locale smallint", "group_id bigint", "serves bigint", "published_at bigint", "created_at bigint", "updated_at bigint", "signature bigint",
	}, slotColumns()...)...)
	// indexNames has what tells the rows of one Project apart.
	indexNames  = newTable("entry_index", "scope bigint", "entry_id bigint")
	servedIndex = newTable("entry_index", "scope bigint", "entry_id bigint", "serves bigint")
)

// indexKey is how many columns of indexTable are the key.
const indexKey = 3

func slotColumns() []string {
	columns := make([]string, len(slotNames))
	for i, name := range slotNames {
		columns[i] = name + map[byte]string{'t': " text", 'n': " double precision", 'd': " bigint"}[name[0]]
	}
	return columns
}

// replaceIndex has new rows of indexTable take the place of those of the same key.
var replaceIndex = func() string {
	var sets []string
	for _, column := range indexTable.columns[indexKey:] {
		sets = append(sets, column+" = excluded."+column)
	}
	return " ON CONFLICT (" + strings.Join(indexTable.columns[:indexKey], ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
}()

// placement is what becomes of entry_index and its counters.
type placement struct {
	project *core.Project
	written [][]any // of indexTable
	removed [][]any // of indexNames
	served  [][]any // of servedIndex: other members of the groups, which serve other locales now
	counts  counters
	tallies tallies
}

// placementOf returns what becomes of entry_index when the entries are as batch has them.
// members are the rows of their groups as they are.
func placementOf(project *core.Project, batch []change, members map[int64][]member) (placement, error) {
	p := placement{project: project, counts: counters{}, tallies: tallies{}}
	groups := map[int64][]change{}
	for _, e := range batch {
		groups[e.Group] = append(groups[e.Group], e)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if err := p.place(groups[group], members[group]); err != nil {
			return placement{}, err
		}
	}
	return p, nil
}

// place puts the entries of one group into the index, or takes them out, and corrects
// which locales the other members serve. members are the group's rows as they are, those
// of the entries among them.
func (p *placement) place(entries []change, members []member) error {
	for _, state := range []core.State{core.StatePublished, core.StateOnlyDraft, core.StateWithDraft} {
		var before, after []member
		for _, m := range members {
			if m.state == state {
				before = append(before, m)
				if indexOf(entries, m.entry) < 0 {
					after = append(after, m)
				}
			}
		}
		for _, e := range entries {
			locale := p.project.LocaleNumber(e.Locale)
			if locale < 0 {
				return fmt.Errorf("the project has no locale %q", e.Locale)
			}
			if state.Admits(e.Entry) == nil {
				continue
			}
			after = append(after, member{state: state, entry: e.ID, locale: locale})
		}
		serve(p.project, after)
		p.write(entries, before, after)
	}
	return nil
}

func indexOf(entries []change, id int64) int {
	return slices.IndexFunc(entries, func(e change) bool { return e.ID == id })
}

// write notes how the members of a group in one state come from before to after. Rows that
// are as they are to be are left alone: each is in many indexes.
func (p *placement) write(entries []change, before, after []member) {
	collection := entries[0].CollectionID
	for i := range after {
		m, was := &after[i], entryIn(before, after[i].entry)
		if e := indexOf(entries, m.entry); e >= 0 {
			m.row = indexRow(entries[e].Entry, *m, entries[e].found.slots[versionOf(m.state)])
			if was == nil || !slices.Equal(was.row, m.row) {
				p.written = append(p.written, m.row)
			}
		} else if was.serves != m.serves {
			p.served = append(p.served, append(m.name(collection), int64(m.serves)))
		}
	}
	for _, m := range before {
		if entryIn(after, m.entry) == nil {
			p.removed = append(p.removed, m.name(collection))
		}
	}
	p.counts.add(before, -1)
	p.counts.add(after, 1)
	p.tallies.add(collection, before, -1)
	p.tallies.add(collection, after, 1)
}

// entryIn returns the member that is the entry, or nil.
func entryIn(members []member, entry int64) *member {
	for i := range members {
		if members[i].entry == entry {
			return &members[i]
		}
	}
	return nil
}

// name is a row of indexNames.
func (m member) name(collectionID int64) []any {
	return []any{indexScope(collectionID, m.state, m.locale), m.entry}
}

// serve sets which locales each of the members of one group and state serves.
func serve(project *core.Project, members []member) {
	if len(members) == 0 {
		return
	}
	locales := make([]string, len(members))
	for i, m := range members {
		locales[i] = project.Locales[m.locale]
	}
	for i, mask := range project.Serves(locales) {
		members[i].serves = mask
	}
}

// indexRow is a row of indexTable.
func indexRow(e *core.Entry, m member, typed *slots) []any {
	seen := e.Row(m.state)
	row := []any{
		e.ProjectID, indexScope(e.CollectionID, m.state, m.locale), e.ID,
		e.CollectionID, int64(m.state), int64(m.locale), e.Group, int64(m.serves), milliseconds(seen.PublishedAt), milliseconds(seen.CreatedAt), milliseconds(seen.UpdatedAt), signatureOf(typed),
	}
	return append(row, typed[:]...)
}

// counters count rows by state and mask.
type counters map[counter]int64

type counter struct {
	state  core.State
	serves uint64
}

func (c counters) add(members []member, n int64) {
	for _, m := range members {
		c[counter{m.state, m.serves}] += n
	}
}

// count brings the counters up to date, always in the same order, so that two
// transactions cannot each wait for the other within it.
func (s entryStore) count(ctx context.Context, schema core.Schema, changes counters) error {
	maps.DeleteFunc(changes, func(_ counter, n int64) bool { return n == 0 })
	var rows [][]any
	for _, key := range slices.SortedFunc(maps.Keys(changes), func(a, b counter) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.serves, b.serves))
	}) {
		rows = append(rows, []any{schema.Project.ID, schema.Collection.ID, int64(key.state), int64(key.serves), changes[key]})
	}
	_, err := s.add(ctx, counterTable, rows,
		" ON CONFLICT (project_id, collection_id, state, serves) DO UPDATE SET entries = entry_counters.entries + excluded.entries")
	return err
}

var counterTable = newTable("entry_counters", "project_id bigint", "collection_id bigint", "state smallint", "serves bigint", "entries bigint")
