package sqlstore

import (
	"fmt"
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// wordsRow is a row of entry_words, without its words.
type wordsRow struct {
	entry, scope, moment, hash int64
}

func (r wordsRow) owner() int64 { return r.entry }

// row is a row of wordsTable without its words.
func (r wordsRow) row(schema core.Schema) []any {
	return []any{schema.Project.ID, schema.Collection.ID, r.entry, r.scope, r.moment, r.hash}
}

var wordsTable = contentTable[wordsRow]{
	Table: sqldb.NewTable("entry_words",
		"project_id bigint", "collection_id bigint", "entry_id bigint", "scope bigint", "moment bigint", "hash bigint", "words text"),
	names:   sqldb.NewTable("entry_words", "collection_id bigint", "entry_id bigint"),
	selects: "c.entry_id, c.scope, c.moment, c.hash",
	scan: sqldb.Into(func(r *wordsRow) []any {
		return []any{&r.entry, &r.scope, &r.moment, &r.hash}
	}),
}

// wordsOf returns the rows that the documents of the entries need, and the words of each row.
func wordsOf(schema core.Schema, batch []change) (rows []wordsRow, words map[wordsRow]*core.Words) {
	words = make(map[wordsRow]*core.Words, len(batch))
	for i := range batch {
		e := &batch[i]
		for _, found := range entryindex.WordsRows(&e.Change, schema.Collection, schema.Project.LocaleNumber(e.Locale)) {
			row := wordsRow{e.ID, entryindex.Scope(schema.Collection.ID, found.Shelf, found.Locale), found.Moment, found.Hash}
			rows, words[row] = append(rows, row), found.Words
		}
	}
	return rows, words
}

// words returns the statements that write the rows of entry_words that differ.
func (s entryStore) words(schema core.Schema, batch []change, before indexed) []sqldb.Statement {
	into := wordsTable.Table
	into.Name = s.DB.Dialect.AddedWords()
	wanted, words := wordsOf(schema, batch)
	differ, stale := differing(before.words, wanted)
	var rows [][]any
	for _, r := range wanted {
		if differ[r.owner()] {
			lexemes := entryindex.LexemesOf(r.scope, schema.Collection.WordsEpoch)
			rows = append(rows, append(r.row(schema), s.DB.Dialect.Lexemes(lexemes, r.scope, r.moment, words[r])))
		}
	}
	return slices.Concat(
		s.Removed(wordsTable.names, schema.Project, ofEntries(schema, stale)),
		sqldb.Added(into, rows, ""),
	)
}

// checkWords compares entry_words with the rows expected.
func checkWords(schema core.Schema, batch []change, is indexed) []core.Difference {
	if !settledForms(schema.Collection) {
		return nil
	}
	wanted, _ := wordsOf(schema, batch)
	return differingRows(is.words, wanted, func(r wordsRow) core.Difference {
		shelf, locale := entryindex.Shelf(r.scope/entryindex.ScopesPerShelf%(entryindex.ScopesPerCollection/entryindex.ScopesPerShelf)), r.scope%entryindex.ScopesPerShelf
		return core.Difference{Entry: r.entry, What: fmt.Sprintf("words (%s, locale %d, moment %d, hash %x)", shelfNames[shelf], locale, r.moment, uint64(r.hash))}
	})
}
