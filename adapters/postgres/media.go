package postgres

// MediaSearch is a LIKE, which the trigram index serves where there is one.
func (dialect) MediaSearch(text string) (condition string, argument any) {
	return "m.search LIKE ?", "%" + likeEscapes.Replace(text) + "%"
}
