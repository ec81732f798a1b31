// Package address says which texts are e-mail addresses and URLs: in fields of entries, in accounts and
// in settings.
package address

import (
	"net/mail"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"imprimatur/core/words"
)

// MaxEmail is the maximum length of an e-mail address in bytes, the limit of SMTP (RFC 5321, 4.5.3.1.3).
const MaxEmail = 254

// maxLocal is the maximum length of the part of an e-mail address before the @ in bytes (RFC 5321, 4.5.3.1.1).
const maxLocal = 64

// Email reports whether text is an e-mail address that can be sent to from elsewhere: its domain is a
// name with at least two labels, in any script. Its local part is quoted only where it must be, and has at
// most 64 bytes.
func Email(text string) bool {
	parsed, err := mail.ParseAddress(text)
	if err != nil || len(text) > MaxEmail || (&mail.Address{Address: parsed.Address}).String() != "<"+text+">" {
		return false
	}
	if strings.ContainsFunc(strings.ReplaceAll(text, " ", ""), words.Invisible) { // spaces are in the quotes
		return false
	}
	local, host, _ := cutLast(text)
	domain, err := idna.Lookup.ToASCII(host)
	return err == nil && len(local) <= maxLocal && strings.Contains(domain, ".") && named(domain)
}

// Mailbox returns the form in which an e-mail address is stored and compared: in lower case, with its domain in
// Unicode. Two addresses of one mailbox have the same form. It returns a text that is no address in lower case.
func Mailbox(text string) string {
	text = norm.NFC.String(strings.ToLower(text))
	local, domain, found := cutLast(text)
	shown, err := idna.Lookup.ToUnicode(domain)
	if !found || err != nil {
		return text
	}
	return local + "@" + shown
}

func cutLast(email string) (local, domain string, found bool) {
	at := strings.LastIndexByte(email, '@')
	if at < 0 {
		return "", "", false
	}
	return email[:at], email[at+1:], true
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
