package fieldtype

import (
	"regexp"
	"slices"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

var _ = register(Type{
	Name: "richtext", Kind: Text, Form: "a string of sanitised HTML", Control: "richtext", Example: `"<p>Second week.</p>"`,
	Check: checkString(cleanRichText), Meets: textMeets, Operand: textOperand, Decode: decodeText, Blank: blankHTML, Searched: plainText, Worded: wordedText, Length: true, LongText: true,
	References: richTextReferences, HasIDs: hasIDs, EditLinks: editRichText, Removed: removedMarkup, Pictures: richTextPictures,
})

// richTextPolicy defines the HTML that rich text may contain. It is built on first use, because
// building it would take a large part of the start-up time.
//
// The policy of the library is for text from untrusted authors. Members of the organisation write
// rich text, so a link gets rel="nofollow" only if the author wrote it, and an attribute that
// browsers only show or compare may have any value.
var richTextPolicy = sync.OnceValue(func() *bluemonday.Policy {
	policy := bluemonday.UGCPolicy()
	policy.RequireNoFollowOnLinks(false)
	policy.AllowURLSchemes("tel", "sms", "geo", "webcal")
	policy.AllowElements("kbd", "address")
	policy.AllowNoAttrs().OnElements("a", "bdo", "img")
	policy.AllowAttrs("id", "lang", "title").Globally()
	policy.AllowAttrs("dir").Matching(regexp.MustCompile(`(?i)^(ltr|rtl|auto)$`)).Globally()
	policy.AllowAttrs("alt").OnElements("img", "area")
	policy.AllowAttrs("name").OnElements("a")
	policy.AllowAttrs("rel").Matching(bluemonday.SpaceSeparatedTokens).OnElements("a")
	policy.AllowAttrs("class").Matching(regexp.MustCompile(`^language-\S+$`)).OnElements("code")
	policy.AllowAttrs("datetime").OnElements("time", "del", "ins")
	policy.AllowAttrs("cite").OnElements("del", "ins")
	policy.AllowAttrs("start").Matching(integer).OnElements("ol")
	policy.AllowAttrs("value").Matching(integer).OnElements("li")
	policy.AllowAttrs("reversed").Matching(regexp.MustCompile(`(?i)^(reversed)?$`)).OnElements("ol")
	policy.AllowAttrs("abbr", "headers").OnElements("td", "th")
	policy.AllowAttrs("summary").OnElements("table")
	policy.AllowAttrs(blankLink).Matching(regexp.MustCompile(`^#?$`)).OnElements("a", "area")
	policy.AllowAttrs(mediaAttribute).Matching(digits).OnElements("img", "a", "area")
	policy.AllowAttrs(entryAttribute).Matching(digits).OnElements("a", "area")
	return policy
})

var integer = regexp.MustCompile(`^-?[0-9]{1,9}$`)

// digits is the form of an id in an attribute. Ids without a target are faults of the write.
var digits = regexp.MustCompile(`^[0-9]{1,20}$`)

// maxCleanings is the maximum number of passes until the text no longer changes. All known inputs
// need at most two: one that changes the text, and one that finds nothing to change.
const maxCleanings = 8

// cleanRichText returns text with balanced elements and without anything that richTextPolicy does
// not allow, or a fault. A second call with the result returns it unchanged, so that saving an
// entry again does not change it.
func cleanRichText(text string) (cleaned, fault string) {
	cleaned, _, fault = repairRichText(text)
	return cleaned, fault
}

// repairRichText is cleanRichText. repaired has the names of the elements and attributes that it
// changed in place of removing them.
func repairRichText(text string) (cleaned string, repaired []string, fault string) {
	written := text
	text = blocksOf(text)
	for pass := range maxCleanings {
		hidden := text
		if pass == 0 || hasBlankLink(text) {
			var changed []string
			hidden, changed = tidyAttributes(text)
			repaired = append(repaired, changed...)
		}
		var moved []string
		cleaned, moved, fault = balance(showBlankLinks(richTextPolicy().Sanitize(hidden)))
		repaired = append(repaired, moved...)
		if fault == "" {
			cleaned, fault = settleLinks(cleaned)
		}
		if fault != "" {
			return "", nil, fault
		}
		var renamed int
		cleaned, renamed = uniqueIDs(cleaned)
		repaired = append(repaired, slices.Repeat([]string{"id"}, renamed)...)
		if cleaned == text {
			return cleaned, repaired, pictureFault(written, cleaned)
		}
		text = cleaned
	}
	return "", nil, "is not well-formed HTML"
}
