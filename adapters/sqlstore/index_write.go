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
}

// members returns the index rows of a group, in every state.
func (s entryStore) members(ctx context.Context, projectID, group int64) ([]member, error) {
	return collect(ctx, s.conn, func(rows Rows) (m member, err error) {
		var serves int64
		err = rows.Scan(&m.state, &m.entry, &m.locale, &serves)
		m.serves = uint64(serves)
		return m, err
	}, "SELECT state, entry_id, locale, serves FROM entry_index WHERE project_id = $1 AND group_id = $2 ORDER BY entry_id, state", projectID, group)
}

// place puts e into the index, or takes it out, and with it corrects which locales
// the other members of its group serve, and the counters. members are the group's
// rows as they are, e's own among them.
func (s entryStore) place(ctx context.Context, schema core.Schema, e *core.Entry, found content, members []member) error {
	locale := schema.Project.LocaleNumber(e.Locale)
	if locale < 0 {
		return fmt.Errorf("the project has no locale %q", e.Locale)
	}
	counts := counters{}
	var added []any
	for _, state := range []core.State{core.StatePublished, core.StateOnlyDraft, core.StateWithDraft} {
		before, after := stateMembers(members, state, e.ID)
		admitted := state.Admits(e) != nil
		if admitted {
			after = append(after, member{state: state, entry: e.ID, locale: locale})
		}
		if len(before) == 0 && !admitted {
			continue
		}
		serve(schema.Project, after)
		counts.add(before, -1)
		counts.add(after, 1)
		if admitted {
			row := after[len(after)-1]
			added = append(added, indexRow(e, row, found.slots[versionOf(state)])...)
			after = after[:len(after)-1]
		} else if err := s.removeRow(ctx, e, before, locale, state); err != nil {
			return err
		}
		if err := s.serveAnew(ctx, e, before, after); err != nil {
			return err
		}
	}
	if len(added) > 0 {
		if _, err := s.exec(ctx, upsertRows[len(added)/len(indexColumns)], added...); err != nil {
			return err
		}
	}
	return s.count(ctx, e, counts)
}

// stateMembers returns the members in state, and those but e.
func stateMembers(members []member, state core.State, entry int64) (all, others []member) {
	for _, m := range members {
		if m.state != state {
			continue
		}
		all = append(all, m)
		if m.entry != entry {
			others = append(others, m)
		}
	}
	return all, others
}

// serve sets which locales each of the members of one group and state serves.
func serve(project *core.Project, members []member) {
	locales := make([]string, len(members))
	for i, m := range members {
		locales[i] = project.Locales[m.locale]
	}
	for i, mask := range project.Serves(locales) {
		members[i].serves = mask
	}
}

// serveAnew writes the masks of the other members that are not what they were.
func (s entryStore) serveAnew(ctx context.Context, e *core.Entry, before, others []member) error {
	for _, m := range others {
		if slices.Contains(before, m) {
			continue
		}
		if _, err := s.exec(ctx, "UPDATE entry_index SET serves = $1 WHERE project_id = $2 AND scope = $3 AND entry_id = $4",
			int64(m.serves), e.ProjectID, indexScope(e.CollectionID, m.state, m.locale), m.entry); err != nil {
			return err
		}
	}
	return nil
}

// removeRow takes e's row in state out of the index, when there is one.
func (s entryStore) removeRow(ctx context.Context, e *core.Entry, before []member, locale int, state core.State) error {
	if !slices.ContainsFunc(before, func(m member) bool { return m.entry == e.ID }) {
		return nil
	}
	_, err := s.exec(ctx, "DELETE FROM entry_index WHERE project_id = $1 AND scope = $2 AND entry_id = $3",
		e.ProjectID, indexScope(e.CollectionID, state, locale), e.ID)
	return err
}

// indexColumns are the columns of entry_index, in the order of indexRow.
var indexColumns = append([]string{
	"project_id", "scope", "entry_id",
	"collection_id", "state", "locale", "group_id", "serves", "published_at", "created_at", "updated_at", "signature",
}, slotNames[:]...)

// indexKey is how many of them are the key.
const indexKey = 3

// upsertRows are the statements that write one or two rows.
var upsertRows = [...]string{1: upsertRow(1), 2: upsertRow(2)}

func upsertRow(rows int) string {
	set := make([]string, 0, len(indexColumns))
	for _, column := range indexColumns[indexKey:] {
		set = append(set, column+" = excluded."+column)
	}
	return "INSERT INTO entry_index (" + strings.Join(indexColumns, ", ") + ") VALUES " + placeholders(rows, len(indexColumns)) +
		" ON CONFLICT (" + strings.Join(indexColumns[:indexKey], ", ") + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// placeholders returns "($1, $2), ($3, $4)".
func placeholders(rows, columns int) string {
	var text strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			text.WriteString("(")
		case i%columns == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "$%d", i+1)
	}
	return text.String() + ")"
}

func indexRow(e *core.Entry, m member, typed *slots) []any {
	seen := e.Row(m.state)
	row := []any{
		e.ProjectID, indexScope(e.CollectionID, m.state, m.locale), e.ID,
		e.CollectionID, int64(m.state), int64(m.locale), e.Group, int64(m.serves), instant(seen.PublishedAt), instant(seen.CreatedAt), instant(seen.UpdatedAt), signatureOf(typed),
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
func (s entryStore) count(ctx context.Context, e *core.Entry, changes counters) error {
	maps.DeleteFunc(changes, func(_ counter, n int64) bool { return n == 0 })
	if len(changes) == 0 {
		return nil
	}
	var args []any
	for _, key := range slices.SortedFunc(maps.Keys(changes), func(a, b counter) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.serves, b.serves))
	}) {
		args = append(args, e.ProjectID, e.CollectionID, int64(key.state), int64(key.serves), changes[key])
	}
	_, err := s.exec(ctx, "INSERT INTO entry_counters (project_id, collection_id, state, serves, entries) VALUES "+placeholders(len(changes), 5)+
		" ON CONFLICT (project_id, collection_id, state, serves) DO UPDATE SET entries = entry_counters.entries + excluded.entries", args...)
	return err
}

// removeContent takes e's values and texts out.
func (s entryStore) removeContent(ctx context.Context, e *core.Entry) error {
	for _, table := range []string{"entry_values", "entry_texts"} {
		if _, err := s.exec(ctx, "DELETE FROM "+table+" WHERE project_id = $1 AND collection_id = $2 AND entry_id = $3",
			e.ProjectID, e.CollectionID, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// addContent writes e's values and texts.
func (s entryStore) addContent(ctx context.Context, e *core.Entry, found content) error {
	values := make([][]any, 0, len(found.values))
	for key, held := range found.values {
		row := []any{e.ProjectID, e.CollectionID, e.ID, int64(key.field), int64(held), nil, nil, nil}
		switch key.kind {
		case core.ValueText:
			row[5] = key.value.Text
		case core.ValueReference:
			row[7] = int64(key.value.Num)
		default:
			row[6] = key.value.Num
		}
		values = append(values, row)
	}
	if err := s.addRows(ctx, "entry_values (project_id, collection_id, entry_id, field_id, versions, text, num, ref)", values); err != nil {
		return err
	}
	texts := make([][]any, 0, len(found.texts))
	for key, held := range found.texts {
		texts = append(texts, []any{e.ProjectID, e.CollectionID, e.ID, int64(key.field), int64(held), key.searchable, key.text})
	}
	return s.addRows(ctx, "entry_texts (project_id, collection_id, entry_id, field_id, versions, searchable, text)", texts)
}

// rowsAtOnce bounds the arguments of one INSERT.
const rowsAtOnce = 1000

func (s entryStore) addRows(ctx context.Context, into string, rows [][]any) error {
	for chunk := range slices.Chunk(rows, rowsAtOnce) {
		if _, err := s.exec(ctx, "INSERT INTO "+into+" VALUES "+placeholders(len(chunk), len(chunk[0])), slices.Concat(chunk...)...); err != nil {
			return err
		}
	}
	return nil
}
