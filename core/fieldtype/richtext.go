package fieldtype

import (
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

var _ = register(Type{
	Name: "richtext", Kind: Text, Form: "a string of sanitised HTML", Control: "richtext", Example: `"<p>Second week.</p>"`,
	Check: checkString(cleanRichText), Meets: textMeets, Operand: textOperand, Decode: decodeText, Searched: plainText, Length: true, LongText: true,
})

// richTextPolicy is what rich text may hold. It is built on first use, because building it
// takes a good part of a start.
//
// The library's policy is made for text by strangers. Rich text is written by members of
// the organisation: links get no rel="nofollow" that the author did not write.
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

// cleanRichText returns text with balanced elements and with nothing that
// richTextPolicy does not allow, or what is wrong with it. What it returns it returns
// unchanged when it is cleaned again, so that saving an entry again does not change it.
func cleanRichText(text string) (cleaned, fault string) {
	for range maxCleanings {
		cleaned, fault = balance(richTextPolicy().Sanitize(text))
		if fault != "" || cleaned == text {
			return cleaned, fault
		}
		text = cleaned
	}
	return "", "is not well-formed HTML"
}
