package words

import "unicode"

// trigram is the length of the shortest word, in letters and digits, that the trigram indexes
// of all engines find.
const trigram = 3

// Indexable reports whether a trigram index finds a part of a text in its caseless form: whether the
// part has three letters or digits in a row.
func Indexable(text string) bool {
	word := 0
	for _, r := range text {
		word++
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			word = 0
		}
		if word >= trigram {
			return true
		}
	}
	return false
}
