package fieldtype

import (
	"encoding/json"
	"net/url"
	"unicode/utf8"

	"imprimatur/core/canonical"
)

// maxURL is how many characters a URL has at most.
const maxURL = 2000

var _ = register(Type{
	Name: "url", Kind: Text, Form: "a string: an absolute URL, http or https", Control: "url", Example: `"https://example.org/news"`,
	Check: checkURL, Meets: textMeets, Operand: textOperand, Decode: decodeText, Unique: true, Length: true,
})

func checkURL(raw json.RawMessage) (json.RawMessage, string) {
	text, fault := readString(raw)
	switch {
	case fault != "":
		return nil, fault
	case utf8.RuneCountInString(text) > maxURL:
		return nil, "must have at most 2000 characters"
	case !isWebAddress(text):
		return nil, "must be an absolute URL that starts with http:// or https://"
	}
	return canonical.Quote(text), ""
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}
