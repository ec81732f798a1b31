package sqlstore

import (
	"database/sql"
	"slices"

	"imprimatur/core"
)

// valueRow is a row of entry_values, within its collection.
type valueRow struct {
	entry, field, held int64
	text               sql.NullString
	num                sql.NullFloat64
	ref                sql.NullInt64
	locale             int64
}

// textRow is a row of entry_texts, within its collection.
type textRow struct {
	entry, field, held int64
	searchable         bool
	text               string
	folded             sql.NullString
	locale             int64
}

var (
	valueTable = newTable("entry_values",
		"project_id bigint", "collection_id bigint", "entry_id bigint", "field_id bigint", "versions smallint", "text text", "num double precision", "ref bigint", "locale smallint")
	textTable = newTable("entry_texts",
		"project_id bigint", "collection_id bigint", "entry_id bigint", "field_id bigint", "versions smallint", "searchable boolean", "text text", "folded text", "locale smallint")

	// These columns select the rows of an entry within a Project.
	valuesOfEntry = newTable("entry_values", "collection_id bigint", "entry_id bigint")
	textsOfEntry  = newTable("entry_texts", "collection_id bigint", "entry_id bigint")
)

// row is a row of valueTable.
func (r valueRow) row(schema core.Schema) []any {
	row := []any{schema.Project.ID, schema.Collection.ID, r.entry, r.field, r.held, nil, nil, nil, r.locale}
	switch {
	case r.text.Valid:
		row[5] = r.text.String
	case r.num.Valid:
		row[6] = r.num.Float64
	default:
		row[7] = r.ref.Int64
	}
	return row
}

// row is a row of textTable.
func (r textRow) row(schema core.Schema) []any {
	return []any{schema.Project.ID, schema.Collection.ID, r.entry, r.field, r.held, r.searchable, r.text, nullText(r.folded), r.locale}
}

// nullText returns a text as an argument.
func nullText(text sql.NullString) any {
	if !text.Valid {
		return nil
	}
	return text.String
}

// content returns the statements that write the values and texts of the entries. It skips entries
// whose rows do not differ: most writes change few of them, and indexing a text costs more than
// reading it.
func (s entryStore) content(schema core.Schema, batch []change, before indexed) []Statement {
	values, texts := contentRows(schema.Project, batch)
	return slices.Concat(
		rewritten(s, schema, valueTable, valuesOfEntry, before.values, values, func(r valueRow) int64 { return r.entry }),
		rewritten(s, schema, textTable, textsOfEntry, before.texts, texts, func(r textRow) int64 { return r.entry }),
	)
}

// contentRows returns the rows that the documents of the entries need.
func contentRows(project *core.Project, batch []change) (values []valueRow, texts []textRow) {
	for _, e := range batch {
		locale := int64(project.LocaleNumber(e.Locale))
		for key, held := range e.Found.Values {
			row := valueRow{entry: e.ID, field: int64(key.Field), held: int64(held), locale: locale}
			switch key.Kind {
			case core.ValueText:
				row.text = sql.NullString{String: key.Value.Text, Valid: true}
			case core.ValueReference:
				row.ref = sql.NullInt64{Int64: int64(key.Value.Num), Valid: true}
			default:
				row.num = sql.NullFloat64{Float64: key.Value.Num, Valid: true}
			}
			values = append(values, row)
		}
		for key, held := range e.Found.Texts {
			texts = append(texts, textRow{e.ID, int64(key.Field), int64(held), key.Searchable, key.Text, key.Folded, locale})
		}
	}
	return values, texts
}

// ofEntries returns a row (collection, entry) for each entry.
func (t table) ofEntries(schema core.Schema, entries []int64) [][]any {
	return mapped(entries, func(id int64) []any { return []any{schema.Collection.ID, id} })
}

// rewritten returns the statements that replace the stored rows, kept, by wanted, for each entry
// whose rows differ.
func rewritten[T interface {
	comparable
	row(schema core.Schema) []any
}](s entryStore, schema core.Schema, t, names table, kept, wanted []T, entry func(T) int64) []Statement {
	differ, stale := differing(kept, wanted, entry)
	var rows [][]any
	for _, r := range wanted {
		if differ[entry(r)] {
			rows = append(rows, r.row(schema))
		}
	}
	return slices.Concat(s.removed(names, schema.Project, names.ofEntries(schema, stale)), s.added(t, rows, ""))
}

// differing returns the entries whose rows in kept and wanted differ. stale lists those of them
// that have rows in kept, in ascending order.
func differing[T comparable](kept, wanted []T, entry func(T) int64) (differ map[int64]bool, stale []int64) {
	differ = map[int64]bool{}
	has := make(map[T]bool, len(kept))
	for _, r := range kept {
		has[r] = true
	}
	for _, r := range wanted {
		if has[r] {
			delete(has, r)
		} else {
			differ[entry(r)] = true
		}
	}
	for r := range has {
		differ[entry(r)] = true
	}
	for _, r := range kept {
		if differ[entry(r)] {
			stale = append(stale, entry(r))
		}
	}
	slices.Sort(stale)
	return differ, slices.Compact(stale)
}
