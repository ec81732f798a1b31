package fieldtype

import (
	"net/url"
	"unicode/utf8"
)

// maxURL is the maximum length of a URL in characters.
const maxURL = 2000

var _ = register(Type{
	Name: "url", Kind: Text, Form: "a string: an absolute URL, http or https", Control: "url", Example: `"https://example.org/news"`,
	Check: checkString(readURL), Meets: textMeets, Operand: textOperand, Decode: decodeText, Unique: true, Length: true,
})

func readURL(text string) (address, fault string) {
	if utf8.RuneCountInString(text) > maxURL {
		return "", "must have at most 2000 characters"
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", "must be an absolute URL that starts with http:// or https://"
	}
	return text, ""
}
