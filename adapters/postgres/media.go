package postgres

// MediaSearch uses LIKE, which the trigram index supports.
func (dialect) MediaSearch(text string) (condition string, argument any) {
	return "m.search LIKE ?", "%" + likeEscapes.Replace(text) + "%"
}
