package sqlstore

import (
	"context"
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/query"
)

// scopesAtOnce is the number of scopes that one statement searches.
const scopesAtOnce = 300

// Worded reads the newest rows of the index of words, on all shelves, and checks the drafts of their entries.
func (s entryStore) Worded(ctx context.Context, q query.WordsQuery) (found []core.Entry, err error) {
	part := entryquery.AllWords
	if q.Titles {
		part = entryquery.TitleWords
	}
	var scopes []entryquery.WordsQuery
	var projects []int64
	for _, schema := range q.Schemas {
		projects = append(projects, schema.Project.ID)
		for _, shelf := range [...]entryindex.Shelf{entryindex.Published, entryindex.Draft, entryindex.Changes} {
			for n := range schema.Project.Locales {
				lexemes := entryindex.LexemesOf(entryindex.Scope(schema.Collection.ID, shelf, n), schema.Collection.WordsEpoch)
				scopes = append(scopes, entryquery.WordsQuery{Lexemes: lexemes, Search: q.Search, Part: part})
			}
		}
	}
	slices.Sort(projects)
	projects = slices.Compact(projects)
	for some := range slices.Chunk(scopes, scopesAtOnce) {
		entries, err := s.entries(ctx, "SELECT "+entryColumns+" FROM (SELECT w.entry_id AS of_entry FROM ("+s.DB.Dialect.NewestWords("@projects", "@pattern", "@limit")+") w) f"+
			s.DB.Dialect.ForEach("entries", "e", "e.project_id @projects AND e.id = f.of_entry"),
			sqldb.As("projects", sqldb.AmongIDs(projects)), sqldb.As("pattern", s.DB.Dialect.AnyWords(some)), sqldb.As("limit", int64(2*q.Limit))) // an entry has up to two rows
		if err != nil {
			return nil, err
		}
		found = append(found, entries...)
	}
	found = slices.DeleteFunc(found, func(e core.Entry) bool { return e.Trashed() || !q.Matches(&e) })
	slices.SortFunc(found, query.NewestMoment)
	found = slices.CompactFunc(found, func(a, b core.Entry) bool { return a.ID == b.ID })
	return found[:min(q.Limit, len(found))], nil
}
