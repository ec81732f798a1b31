package sqlite

// MediaSearch reads one Project's library: a table of trigrams would cost each
// upload more than it saves in libraries of the size that one file holds.
func (dialect) MediaSearch(text string) (condition string, argument any) {
	return "instr(m.search, ?) > 0", text
}
