package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/words"
)

// indexChecker implements ports.IndexChecker. It computes the rows that a write of the entry
// would store; a difference is a row that a write would change.
type indexChecker struct{ entryStore }

// CheckEntries locks the entries, so that all tables show the same version of them.
func (s indexChecker) CheckEntries(
	ctx context.Context, schema core.Schema, after int64, limit int,
) (last int64, found []core.Difference, err error) {
	if !s.Inside() {
		return 0, nil, errors.New("sqlstore: CheckEntries outside a transaction")
	}
	batch, last, err := s.lockedBatch(ctx, schema, after, limit)
	if err != nil || last == 0 {
		return 0, nil, s.DB.Fault(err, "entry")
	}
	is, err := s.indexed(ctx, schema, batch, groupsOf(batch), nil)
	if err == nil {
		found, err = checkIndex(schema, batch, is)
	}
	if err != nil {
		return 0, nil, s.DB.Fault(err, "entry")
	}
	found = slices.Concat(found, checkContent(schema, batch, is), checkWords(schema, batch, is), checkClaims(schema, batch, is))
	for i := range found {
		found[i].CollectionID = schema.Collection.ID
	}
	slices.SortStableFunc(found, func(a, b core.Difference) int { return cmp.Compare(a.Entry, b.Entry) })
	return last, found, nil
}

const (
	noRow  = "none"
	oneRow = "one"
)

// checkIndex compares entry_index with the rows expected.
func checkIndex(schema core.Schema, batch []change, is indexed) (found []core.Difference, err error) {
	stored := map[rowName]entryindex.Member{}
	for _, group := range is.members {
		for _, m := range group {
			stored[rowName{m.Shelf, m.Locale, m.Entry}] = m
		}
	}
	p, err := placementOf(schema.Project, batch, is.members)
	if err != nil {
		return nil, err
	}
	differs := func(m entryindex.Member, expected, actual string) {
		found = append(found, core.Difference{Entry: m.Entry, What: "index row (" + shelfNames[m.Shelf] + ")", Expected: expected, Found: actual})
	}
	for _, m := range p.Written {
		is := stored[rowName{m.Shelf, m.Locale, m.Entry}]
		if expected, actual := differingColumns(schema, m.Row, is.Row); expected != "" {
			differs(m, expected, actual)
		}
	}
	for _, m := range p.Removed {
		differs(m, noRow, oneRow)
	}
	settled := schema.Project.SettledBits()
	for _, m := range p.Masked {
		expected, actual := masksOf(m, settled), masksOf(stored[rowName{m.Shelf, m.Locale, m.Entry}], settled)
		if expected != actual {
			differs(m, expected, actual)
		}
	}
	return found, nil
}

// rowName identifies a row of entry_index in its collection.
type rowName struct {
	shelf  entryindex.Shelf
	locale int
	entry  int64
}

// shelfNames are the names of the shelves in reports.
var shelfNames = map[entryindex.Shelf]string{entryindex.Published: "published", entryindex.Draft: "draft", entryindex.Changes: "changes"}

// masksOf describes the bits of a row that no back-fill has to change.
func masksOf(m entryindex.Member, settled uint64) string {
	return fmt.Sprint("serves ", m.Serves&settled, ", as a draft ", m.ServesDraft&settled)
}

// differingColumns returns the columns in which a stored row of indexTable differs from the
// expected row, and their stored values. stored is nil if the row is missing. Both results are
// empty if the rows are equal. Slots without a field or with an unfinished back-fill may have
// any value, and the expected signature is computed from the stored values of these slots. So may
// the bits of masks that a back-fill has to change.
func differingColumns(schema core.Schema, expected, stored []any) (want, is string) {
	if stored == nil {
		return oneRow, noRow
	}
	c := schema.Collection
	expected = slices.Clone(expected)
	for _, column := range []string{entryindex.Serves, entryindex.ServesDraft} {
		at := slices.Index(indexTable.Columns, column)
		if settled := int64(schema.Project.SettledBits()); expected[at].(int64)&settled == stored[at].(int64)&settled { //nolint:errcheck,forcetypeassert // as Columns has them
			expected[at] = stored[at]
		}
	}
	first := len(indexTable.Columns) - len(entryindex.SlotNames)
	typed := (*entryindex.Slots)(expected[first:])
	for place, name := range entryindex.SlotNames {
		ready := func(f *core.Field) bool {
			return f.Slot == name && f.SlotReady && (f.Kind() != fieldtype.Text || settledForms(c))
		}
		if !slices.ContainsFunc(c.Fields, ready) && !slices.ContainsFunc(c.Leaves, ready) {
			typed[place] = stored[first+place]
		}
	}
	expected[slices.Index(indexTable.Columns, "signature")] = entryindex.SignatureOf(typed)
	var wants, has []string
	for i, column := range indexTable.Columns {
		if expected[i] != stored[i] {
			wants, has = append(wants, shownColumn(column, expected[i])), append(has, shownColumn(column, stored[i]))
		}
	}
	return strings.Join(wants, ", "), strings.Join(has, ", ")
}

func shownColumn(column string, value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%s %.80q", column, text)
	}
	return fmt.Sprintf("%s %v", column, value)
}

// checkContent compares entry_values and entry_texts with the rows expected.
func checkContent(schema core.Schema, batch []change, is indexed) []core.Difference {
	values, texts := contentRows(schema.Project, batch)
	normalise, unsettled := normaliseSearchable(schema.Collection), unsettled(schema.Collection)
	values = slices.DeleteFunc(values, func(r valueRow) bool { return unsettled(r.field) })
	texts = slices.DeleteFunc(texts, func(r textRow) bool { return unsettled(r.field) })
	is.values = slices.DeleteFunc(slices.Clone(is.values), func(r valueRow) bool { return unsettled(r.field) })
	is.texts = slices.DeleteFunc(slices.Clone(is.texts), func(r textRow) bool { return unsettled(r.field) })
	found := differingRows(is.values, values, func(r valueRow) core.Difference {
		return core.Difference{Entry: r.entry, What: "value " + shownValue(r) + place(schema, r.field, r.held, r.locale)}
	})
	return append(found, differingRows(normalise(is.texts), normalise(texts), func(r textRow) core.Difference {
		return core.Difference{Entry: r.entry, What: fmt.Sprintf("text %.80q (searchable %t)", r.text, r.searchable) + place(schema, r.field, r.held, r.locale)}
	})...)
}

// settledForms reports whether all entries are indexed by the program's version of the words package: no
// back-fill has to begin or to end.
func settledForms(c *core.Collection) bool { return c.FormsReady && c.Forms == words.Version }

// unsettled returns a function that reports whether the rows of a field may differ because a back-fill
// has not begun or not ended: those of texts, items and leaves, and those of former leaves after a change of
// components.
func unsettled(c *core.Collection) func(field int64) bool {
	filling := map[int64]bool{}
	known := map[int64]bool{}
	for _, f := range slices.Concat(c.Fields, c.Removed) {
		for _, id := range []int64{int64(f.ID), int64(entryindex.Inner(f))} {
			known[id], filling[id] = true, (f.Structured() || f.Kind() == fieldtype.Text) && !settledForms(c)
		}
	}
	for _, f := range c.Leaves {
		known[int64(f.ID)], filling[int64(f.ID)] = true, !f.SlotReady || !settledForms(c)
	}
	return func(field int64) bool { return filling[field] || !known[field] && !c.FormsReady }
}

// normaliseSearchable returns a function that clears the searchable flag of texts whose field
// is not searchable or has an unfinished back-fill: the flag may have either value there.
func normaliseSearchable(c *core.Collection) func([]textRow) []textRow {
	ready := map[int64]bool{}
	for _, f := range c.Fields {
		ready[int64(f.ID)] = c.SearchIndexed(f) && f.SearchReady
	}
	for _, f := range c.Leaves {
		ready[int64(f.ID)] = f.SearchReady
	}
	return func(rows []textRow) []textRow {
		for i := range rows {
			rows[i].searchable = rows[i].searchable && ready[rows[i].field]
		}
		return rows
	}
}

// differingRows returns the rows that are missing in stored, and those that are only in stored.
func differingRows[T comparable](stored, wanted []T, describe func(T) core.Difference) (found []core.Difference) {
	compare := func(rows, others []T, expected, actual string) {
		known := map[T]bool{}
		for _, r := range others {
			known[r] = true
		}
		for _, r := range rows {
			if !known[r] {
				d := describe(r)
				d.Expected, d.Found = expected, actual
				found = append(found, d)
			}
		}
	}
	compare(wanted, stored, oneRow, noRow)
	compare(stored, wanted, noRow, oneRow)
	return found
}

func shownValue(r valueRow) string {
	switch {
	case r.text.Valid:
		text := r.text.String
		if _, whole, keyed := strings.Cut(text, words.Separator); keyed { // a key ends with its text
			text = whole
		}
		return fmt.Sprintf("%.80q", text)
	case r.num.Valid:
		return fmt.Sprint(r.num.Float64)
	default:
		return fmt.Sprint("id ", r.ref.Int64)
	}
}

// place describes the field, the locale and the versions of a value or a text.
func place(schema core.Schema, field, held, locale int64) string {
	where := fmt.Sprint("field ", field)
	for _, f := range slices.Concat(schema.Collection.Fields, schema.Collection.Removed, schema.Collection.Leaves) {
		switch field {
		case int64(f.ID):
			where = f.Name
		case int64(entryindex.Inner(f)):
			where = "a link in " + f.Name
		}
	}
	if locale >= 0 && locale < int64(len(schema.Project.Locales)) {
		where += ", " + schema.Project.Locales[locale]
	} else {
		where += fmt.Sprint(", locale ", locale)
	}
	return " of " + where + map[int64]string{int64(entryindex.InPublished): ", published", int64(entryindex.InDraft): ", draft",
		int64(entryindex.InPublished | entryindex.InDraft): ", both versions"}[held]
}

// checkClaims compares entry_claims with the rows expected. It ignores claims of fields that
// are no longer unique.
func checkClaims(schema core.Schema, batch []change, is indexed) (found []core.Difference) {
	unique := map[int]string{}
	for _, f := range schema.Collection.Fields {
		if f.Unique {
			unique[f.ID] = f.Name
		}
	}
	wanted, given := claimChanges(batch, is.claims)
	for _, c := range wanted {
		found = append(found, core.Difference{Entry: c.entry, What: "claim of a value of " + unique[c.Field], Expected: oneRow, Found: noRow})
	}
	for _, c := range given {
		if name := unique[c.Field]; name != "" {
			found = append(found, core.Difference{Entry: c.entry, What: "claim of a value of " + name, Expected: noRow, Found: oneRow})
		}
	}
	return found
}

// entryTables are the tables with rows of entries. A row r matches an entry e if their ids are
// equal and the condition in the value holds.
var entryTables = map[string]string{
	"entry_index":  "e.collection_id = r.collection_id AND e.group_id = r.group_id",
	"entry_values": "e.collection_id = r.collection_id",
	"entry_texts":  "e.collection_id = r.collection_id",
	"entry_words":  "e.collection_id = r.collection_id",
	"entry_claims": "e.collection_id = r.collection_id AND e.locale = r.locale",
}

// noEntry returns the condition that a row r has no matching entry.
func noEntry(match string) string {
	return "NOT EXISTS (SELECT 1 FROM entries e WHERE e.project_id = r.project_id AND e.id = r.entry_id AND " + match + ")"
}

func (s indexChecker) CheckStrays(ctx context.Context, projectID int64, report func(core.Difference)) error {
	for table, match := range entryTables {
		if err := s.Each(ctx, func(rows sqldb.Rows) error {
			d := core.Difference{What: "rows of " + table + " without a matching entry", Expected: noRow}
			var n int64
			if err := rows.Scan(&d.CollectionID, &d.Entry, &n); err != nil {
				return err
			}
			d.Found = fmt.Sprint(n)
			report(d)
			return nil
		}, "SELECT r.collection_id, r.entry_id, count(*) FROM "+table+" r WHERE r.project_id = @project AND "+noEntry(match)+kept("r")+
			" GROUP BY r.collection_id, r.entry_id ORDER BY r.collection_id, r.entry_id", projectID); err != nil {
			return err
		}
	}
	return nil
}

func (s indexChecker) RepairStrays(ctx context.Context, projectID int64) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		for table, match := range entryTables {
			if _, err := s.Exec(ctx, "DELETE FROM "+table+" AS r WHERE r.project_id = @project AND "+noEntry(match), projectID); err != nil {
				return err
			}
		}
		return nil
	})
}
