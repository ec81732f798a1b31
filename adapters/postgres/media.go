package postgres

// MediaSearch is a LIKE, which the trigram index serves if it exists.
func (dialect) MediaSearch(text string) (condition string, argument any) {
	return "m.search LIKE ?", "%" + likeEscapes.Replace(text) + "%"
}
