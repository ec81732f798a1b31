package fieldtype

import (
	"net/url"
)

// maxURL is the maximum length of a URL in bytes. An index stores it whole.
const maxURL = 2000

var _ = register(Type{
	Name: "url", Kind: Text, Form: "a string: an absolute URL, http or https", Control: "url", Example: `"https://example.org/news"`,
	Check: checkString(readURL), Meets: textMeets, Operand: textOperand, Decode: decodeText, MaxBytes: maxURL, Unique: true, Length: true, Unordered: true,
})

func readURL(text string) (address, fault string) {
	if len(text) > maxURL {
		return "", "must have at most 2000 bytes"
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", "must be an absolute URL that starts with http:// or https://"
	}
	return text, ""
}
