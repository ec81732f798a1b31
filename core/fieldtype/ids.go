package fieldtype

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// uniqueIDs returns sanitised rich text in which no id occurs twice, and how many ids it changed.
// The first element keeps its id, because that is where links lead; of the others the second gets
// "<id>-2".
func uniqueIDs(text string) (unique string, changed int) {
	if !strings.Contains(text, ` id="`) {
		return text, 0
	}
	times, repeated := map[string]int{}, false
	eachID(text, func(id *string) bool {
		times[*id]++
		repeated = repeated || times[*id] > 1
		return false
	})
	if !repeated {
		return text, 0
	}
	seen, next := map[string]bool{}, map[string]int{}
	unique = eachID(text, func(id *string) bool {
		if !seen[*id] {
			seen[*id] = true
			return false
		}
		base := *id
		for n := max(next[base], 2); ; n++ {
			if *id = base + "-" + strconv.Itoa(n); times[*id] == 0 {
				next[base] = n + 1
				break
			}
		}
		times[*id], seen[*id] = 1, true
		changed++
		return true
	})
	return unique, changed
}

// eachID calls edit with the id of each element that has one, and returns the edited text. edit
// reports whether it changed the id.
func eachID(text string, edit func(id *string) bool) string {
	return editTags(text, func(tag *html.Token) (changed, kept bool) {
		for i, a := range tag.Attr {
			if a.Key == "id" && a.Val != "" {
				return edit(&tag.Attr[i].Val), true
			}
		}
		return false, true
	})
}
