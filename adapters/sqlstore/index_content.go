package sqlstore

import (
	"database/sql"
	"slices"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
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

// contentTable is entry_values or entry_texts, with rows R.
type contentTable[R contentRow] struct {
	sqldb.Table
	names   sqldb.Table // the columns that select the rows of an entry within a Project
	selects string
	scan    func(sqldb.Rows) (R, error) // scans selects
}

// contentRow is a row of a contentTable, within its collection.
type contentRow interface {
	comparable
	// row is the whole row.
	row(schema core.Schema) []any
	// owner is the id of the entry.
	owner() int64
}

func (r valueRow) owner() int64 { return r.entry }
func (r textRow) owner() int64  { return r.entry }

var (
	valueTable = contentTable[valueRow]{
		Table: sqldb.NewTable("entry_values",
			"project_id bigint", "collection_id bigint", "entry_id bigint", "field_id bigint", "versions smallint", "text text", "num double precision", "ref bigint", "locale smallint"),
		names:   sqldb.NewTable("entry_values", "collection_id bigint", "entry_id bigint"),
		selects: "c.entry_id, c.field_id, c.versions, c.locale, c.text, c.num, c.ref",
		scan: sqldb.Into(func(r *valueRow) []any {
			return []any{&r.entry, &r.field, &r.held, &r.locale, &r.text, &r.num, &r.ref}
		}),
	}
	textTable = contentTable[textRow]{
		Table: sqldb.NewTable("entry_texts",
			"project_id bigint", "collection_id bigint", "entry_id bigint", "field_id bigint", "versions smallint", "searchable boolean", "text text", "folded text", "locale smallint"),
		names:   sqldb.NewTable("entry_texts", "collection_id bigint", "entry_id bigint"),
		selects: "c.entry_id, c.field_id, c.versions, c.locale, c.searchable, c.text, c.folded",
		scan: sqldb.Into(func(r *textRow) []any {
			return []any{&r.entry, &r.field, &r.held, &r.locale, &r.searchable, &r.text, &r.folded}
		}),
	}
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
func (s entryStore) content(schema core.Schema, batch []change, before indexed) []sqldb.Statement {
	values, texts := contentRows(schema.Project, batch)
	return slices.Concat(
		valueTable.replace(s, schema, before.values, values),
		textTable.replace(s, schema, before.texts, texts),
	)
}

// contentRows returns the rows that the documents of the entries need.
func contentRows(project *core.Project, batch []change) (values []valueRow, texts []textRow) {
	for _, e := range batch {
		locale := int64(project.LocaleNumber(e.Locale))
		for key, held := range e.Found.Values {
			row := valueRow{entry: e.ID, field: int64(key.Field), held: int64(held), locale: locale}
			switch key.Kind {
			case fieldtype.Text:
				row.text = sql.NullString{String: key.Value.Text, Valid: true}
			case fieldtype.Reference:
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
func ofEntries(schema core.Schema, entries []int64) [][]any {
	return sqldb.Mapped(entries, func(id int64) []any { return []any{schema.Collection.ID, id} })
}

// replace returns the statements that replace the stored rows, kept, by wanted, for each entry whose
// rows differ.
func (t contentTable[R]) replace(s entryStore, schema core.Schema, kept, wanted []R) []sqldb.Statement {
	differ, stale := differing(kept, wanted)
	var rows [][]any
	for _, r := range wanted {
		if differ[r.owner()] {
			rows = append(rows, r.row(schema))
		}
	}
	return slices.Concat(s.Removed(t.names, schema.Project, ofEntries(schema, stale)), sqldb.Added(t.Table, rows, ""))
}

// read returns the statements that read the rows of entries.
func (t contentTable[R]) read(s entryStore, all *[]R, schema core.Schema, entries []int64) (statements []sqldb.Statement) {
	for some := range sqldb.Chunks(ofEntries(schema, entries), len(t.names.Columns)) {
		statements = append(statements, sqldb.Reading(s.Conn, all, t.scan, "SELECT "+t.selects+" FROM (?) AS v"+
			s.DB.Dialect.ForEach(t.Name, "c", "c.project_id = @project AND c.collection_id = v.column1 AND c.entry_id = v.column2"),
			sqldb.RowList{Types: t.names.Types, Rows: some}, schema.Project.ID))
	}
	return statements
}

// differing returns the entries whose rows in kept and wanted differ. stale lists those of them
// that have rows in kept, in ascending order.
func differing[R contentRow](kept, wanted []R) (differ map[int64]bool, stale []int64) {
	differ = map[int64]bool{}
	has := make(map[R]bool, len(kept))
	for _, r := range kept {
		has[r] = true
	}
	for _, r := range wanted {
		if has[r] {
			delete(has, r)
		} else {
			differ[r.owner()] = true
		}
	}
	for r := range has {
		differ[r.owner()] = true
	}
	for _, r := range kept {
		if differ[r.owner()] {
			stale = append(stale, r.owner())
		}
	}
	slices.Sort(stale)
	return differ, slices.Compact(stale)
}
