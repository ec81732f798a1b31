package sqlite

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"imprimatur/adapters/sqlstore"
)

var _ sqlstore.EntryDialect = dialect{}

func (dialect) NextEntryID() string { return "UPDATE entry_ids SET last = last + 1 RETURNING last" }

func (dialect) LockUpdate() string { return "" }

// Among repeats the last value up to a power of two, so that few texts serve lists
// of all lengths.
func (dialect) Among(first int, values []any) (text string, args []any) {
	size := 1
	for size < len(values) {
		size *= 2
	}
	var list strings.Builder
	for i := range size {
		if i > 0 {
			list.WriteString(", ")
		}
		fmt.Fprintf(&list, "$%d", first+i)
		args = append(args, values[min(i, len(values)-1)])
	}
	return "IN (" + list.String() + ")", args
}

func (dialect) Contains(text, part string) string {
	return "instr(" + text + ", " + part + ") > 0"
}

// trigram is the shortest pattern, in code points, that the search table can look up.
const trigram = 3

// SearchPattern returns text as a phrase of FTS5, whose trigrams must follow each other.
func (dialect) SearchPattern(text string) (pattern string, ok bool) {
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`, utf8.RuneCountInString(text) >= trigram
}

func (dialect) Search(alias, pattern string) string {
	return alias + ".id IN (SELECT rowid FROM entry_texts_search WHERE entry_texts_search MATCH " + pattern + ")"
}
