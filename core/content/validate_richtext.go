package content

import (
	"encoding/json"
	"sync"

	"github.com/microcosm-cc/bluemonday"

	"imprimatur/core"
)

// richTextPolicy is what rich text may hold. It is made when first needed, as making it
// takes a large part of a start.
//
// Rich text is written by the organisation's own people, unlike what the library's
// policy is made for: links get no rel="nofollow" that the author did not write.
var richTextPolicy = sync.OnceValue(func() *bluemonday.Policy {
	policy := bluemonday.UGCPolicy()
	policy.RequireNoFollowOnLinks(false)
	policy.AllowURLSchemes("tel")
	policy.AllowAttrs("rel").Matching(bluemonday.SpaceSeparatedTokens).OnElements("a")
	return policy
})

// maxCleanings is how often rich text is cleaned until it stays as it is. Two are
// enough for all that is known: one that changes it, one that finds nothing to do.
const maxCleanings = 8

func checkRichText(f *core.Field, raw json.RawMessage) (json.RawMessage, string) {
	text, message := decodeText(raw)
	if message != "" {
		return nil, message
	}
	text, message = cleanRichText(text)
	if message != "" {
		return nil, message
	}
	return core.QuoteJSON(text), boundsFault(f, text)
}

// cleanRichText returns text with balanced elements and with nothing that
// richTextPolicy does not allow, or what is wrong with it. What it returns it returns
// unchanged when it is cleaned again, so that saving an entry again does not change it.
func cleanRichText(text string) (cleaned, message string) {
	for range maxCleanings {
		cleaned, message = balance(richTextPolicy().Sanitize(text))
		if message != "" || cleaned == text {
			return cleaned, message
		}
		text = cleaned
	}
	return "", "is not well-formed HTML"
}
