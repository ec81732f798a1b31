package entryquery

// Syntax renders SQL that differs between the engines. The plan decides how a statement is
// executed. A Syntax renders it so that the engine's own planner follows the plan.
//
// Both engines have the functions document_text, document_number, document_time, document_has and
// text_key.
type Syntax interface {
	Lists
	Scans
	Texts
	Versions
	Words
}

// Lists renders conditions on lists of values and of rows.
type Lists interface {
	// Among returns the part of a condition "expression is one of values" that follows the
	// expression, and its arguments, numbered from $first. values has two or more elements:
	// all string, all int64 or all float64.
	Among(first int, values []any) (text string, args []any)
	// AmongRows returns the condition that column is one of the ids of a SELECT. The SELECT
	// returns few ids, so that the engine should look up each of them.
	AmongRows(column, ids string) string
	// ForEach returns the end of a FROM clause. For each row of the tables before it, and in
	// their order, it reads the rows of table that meet condition. The condition may use
	// columns of all tables.
	ForEach(table, alias, condition string) string
	// ForEachOrNone is ForEach with a row of nulls where no row of table meets condition.
	ForEachOrNone(table, alias, condition string) string
	// Integers returns a FROM clause with the alias s: its rows have values, all int64, in the column value. arg is the
	// argument $place.
	Integers(place int, values []any) (text string, arg any)
	// Contains returns the condition that text contains part exactly.
	Contains(text, part string) string
}

// Scans makes the engine's planner follow the plan.
type Scans interface {
	// By returns the index hint that follows a table and its alias. index is the name of an
	// index or [PrimaryKey]. The hint is empty on engines with statistics.
	By(index string) string
	// OneByOne returns the end of a SELECT under EXISTS that the engine must not turn into a
	// join.
	OneByOne() string
	// LimitWhen makes a SELECT with the limit read no rows unless condition is true. The
	// condition has no columns. where belongs into the WHERE clause; limited replaces limit.
	LimitWhen(condition, limit string) (where, limited string)
	// LimitScans reports whether each SELECT of a UNION ALL of ordered scans should have the
	// order and the limit of the whole.
	LimitScans() bool
}

// Texts renders the search in texts.
type Texts interface {
	// SearchPattern returns the argument of Search for a text in its caseless form.
	SearchPattern(text string) string
	// Search returns a FROM clause that reads the searchable rows t of entry_texts whose texts
	// match pattern, an argument placeholder, and whose Project meets a condition. ofProject is
	// the condition without the column: "= $1". The engine may ignore it.
	Search(ofProject, pattern string) string
}

// Versions renders comparisons of the draft with the published version.
type Versions interface {
	// OtherFields returns the condition that the draft and the published version of the row e of
	// entries differ in a field that is not one of removed, names joined by commas.
	OtherFields(removed string) string
	// Reworded returns the condition that the sealed media item of that id differs from the row
	// of media with the alias item, which is null if the library does not have the item.
	Reworded(sealed, id, item string) string
}

// Words renders searches for words in entry_words. scope and pattern are expressions: the scope of a row,
// and the result of WordsPattern.
type Words interface {
	// WordsPattern returns the argument of a search.
	WordsPattern(q WordsQuery) string
	// WordsFound returns a SELECT of entry_id and moment of the rows that the index of words finds, in
	// any order.
	WordsFound(scope, pattern string) string
	// NewestPeriods returns a SELECT of one row: the periods of the newest rows of the scope, null if it has
	// few rows or no buckets. It is only called if WordsSorted returns false.
	NewestPeriods(scope string) string
	// WordsNewest returns a SELECT of those rows of WordsFound that are of the periods in a table.
	WordsNewest(periods, pattern string) string
	// WordsInOrder returns a SELECT of entry_id and moment, the latest moment first and then the greatest
	// id, after the position moment and id unless these are empty. The rows are found one by one.
	WordsInOrder(scope, pattern, moment, id string) string
	// WordsAmong is WordsInOrder for the rows whose entry_id a SELECT of few ids returns.
	WordsAmong(ids, scope, pattern, moment, id string) string
	// WordsSorted reports whether the index of words has that order, so that WordsInOrder reads no other
	// rows.
	WordsSorted() bool
	// HasWords returns the condition that the row of an entry has the words. atOnce is that of the
	// condition HasWords.
	HasWords(id, scope, pattern string, atOnce bool) string
}
