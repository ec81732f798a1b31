// Package address says which texts are e-mail addresses and URLs: in fields of entries, in accounts and
// in settings.
package address

import (
	"net/mail"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"

	"imprimatur/core/words"
)

// MaxEmail is the maximum length of an e-mail address in bytes, the limit of SMTP (RFC 5321, 4.5.3.1.3).
const MaxEmail = 254

// Email reports whether text is an e-mail address that can be sent to from elsewhere: its domain is a
// name with at least two labels, in any script. Its local part is quoted only where it must be.
func Email(text string) bool {
	parsed, err := mail.ParseAddress(text)
	if err != nil || len(text) > MaxEmail || (&mail.Address{Address: parsed.Address}).String() != "<"+text+">" {
		return false
	}
	if strings.ContainsFunc(strings.ReplaceAll(text, " ", ""), words.Invisible) { // spaces are in the quotes
		return false
	}
	domain, err := idna.Lookup.ToASCII(text[strings.LastIndexByte(text, '@')+1:])
	return err == nil && strings.Contains(domain, ".") && named(domain)
}

// WebURL reports whether text is an absolute URL of http or https that browsers open, without spaces
// and characters that show nothing or change the direction of writing.
func WebURL(text string) bool {
	_, ok := parse(text)
	return ok
}

// WebOrigin reports whether text is an origin of http or https as browsers write it.
func WebOrigin(text string) bool {
	href, ok := parse(text)
	return ok && href == text+"/" && !strings.Contains(text, "@")
}

// parse returns the form in which browsers write a URL.
func parse(text string) (href string, ok bool) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") || strings.HasPrefix(rest, "/") || strings.ContainsFunc(text, words.Invisible) {
		return "", false
	}
	parsed, err := whatwg.Parse(text)
	if err != nil || !named(strings.TrimSuffix(parsed.Hostname(), ".")) {
		return "", false
	}
	return parsed.Href(false), true
}

// named reports whether a host has no empty label.
func named(host string) bool {
	return host != "" && !strings.Contains("."+host+".", "..")
}
