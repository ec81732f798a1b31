package fieldtype

import "imprimatur/core/address"

// maxURL is the maximum length of a URL in bytes. An index stores it whole.
const maxURL = 2000

var _ = register(Type{
	Name: "url", Kind: Text, Form: "a string: an absolute URL, http or https", Control: "url", Example: `"https://example.org/news"`,
	Check: checkString(readURL), Meets: textMeets, Operand: textOperand, Decode: decodeText, MaxBytes: maxURL, Unique: true, Length: true, Unordered: true,
})

func readURL(text string) (stored, fault string) {
	if len(text) > maxURL {
		return "", shorter(text, maxURL)
	}
	if !address.WebURL(text) {
		return "", "must be an absolute URL that starts with http:// or https://"
	}
	return text, ""
}
