package sqlite

// MediaSearch reads all media of the Project. At the size of a SQLite database, a trigram table
// costs uploads more than it saves searches.
func (dialect) MediaSearch(text string) (condition string, argument any) {
	return "instr(m.search, ?) > 0", text
}
