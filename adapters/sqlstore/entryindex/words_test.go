package entryindex

import (
	"testing"

	"imprimatur/core"
	"imprimatur/core/words"
)

// TestHashesOfWords gives one row different lexemes in every way. A row whose hash is equal is not written
// again, also by a back-fill for another version of words.
func TestHashesOfWords(t *testing.T) {
	t.Parallel()
	of := func(all, title string) *core.Words {
		var w core.Words
		w.All.Add(all)
		w.Title.Add(title)
		return &w
	}
	scope := LexemesOf(7, 0)
	hash := hashOf(words.Version, scope, of("old harbour", "old"))
	if hash != hashOf(words.Version, scope, of("Old harbour!", "OLD")) {
		t.Error("equal tokens have different hashes")
	}
	for name, other := range map[string]int64{
		"version of words": hashOf("0 older", scope, of("old harbour", "old")),
		"scope":            hashOf(words.Version, LexemesOf(8, 0), of("old harbour", "old")),
		"epoch":            hashOf(words.Version, LexemesOf(7, 1), of("old harbour", "old")),
		"token":            hashOf(words.Version, scope, of("old harbours", "old")),
		"order":            hashOf(words.Version, scope, of("harbour old", "old")),
		"title":            hashOf(words.Version, scope, of("old harbour", "harbour")),
		"longer title":     hashOf(words.Version, scope, of("old", "harbour old")),
	} {
		if other == hash {
			t.Errorf("another %s has the same hash", name)
		}
	}
}
