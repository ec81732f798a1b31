package entryquery

// Syntax is what the engines write their own way. The plan decides how a statement goes;
// a Syntax writes it so that its engine goes that way.
//
// Both engines have the functions document_text, document_number, document_time,
// document_has, document_lists and document_between.
type Syntax interface {
	// By follows a table, and its alias, that is to be read by the index of that name; "" is
	// the primary key. It is empty where the engine has statistics to find that out by.
	By(index string) string
	// Among returns what follows an expression to say that it is one of values, two or more,
	// all string, int64 or float64, with the arguments for it, the first of which is $first.
	Among(first int, values []any) (text string, args []any)
	// AmongRows returns a condition that column is one of the ids that a SELECT gives: few
	// enough to look up each.
	AmongRows(column, ids string) string
	// OneByOne ends a SELECT under EXISTS that each outer row is put to by itself.
	OneByOne() string
	// ForEach is what follows FROM to read, for each row of outer in its order, the rows of
	// table, with its alias, that meet a condition on both.
	ForEach(outer, table, alias, condition string) string
	// LimitWhen makes a SELECT, given a condition without columns and its limit, do no work
	// unless the condition holds: where goes into its WHERE, limited replaces the limit.
	LimitWhen(condition, limit string) (where, limited string)
	// Merge returns the first rows of several SELECTs of the same columns together, in
	// order and as many as limit says. orders says in which order each is read.
	Merge(selects, orders []string, order, limit string) string
	// Contains returns a condition that text contains part to the letter.
	Contains(text, part string) string
	// SearchPattern returns the argument of Search for a folded text.
	SearchPattern(text string) string
	// Search is what follows FROM to read, as t, the searchable rows of entry_texts of the
	// Project whose texts contain what pattern stands for; both are arguments.
	Search(project, pattern string) string
}
