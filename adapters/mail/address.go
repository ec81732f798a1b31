package mail

import (
	"errors"
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// mailbox is an address as SMTP and headers have it: its local part is quoted where it must be, its
// domain is ASCII.
type mailbox struct {
	Name string // for people; empty: none
	Text string
	// UTF8 means that the local part is not ASCII: only servers with SMTPUTF8 (RFC 6531) take it.
	UTF8 bool
}

// newMailbox returns the mailbox of an address such as jürgen@exämple.de or "a b"@example.com.
func newMailbox(name, address string) (mailbox, error) {
	parsed, err := mail.ParseAddress(address)
	if err != nil {
		return mailbox{}, errors.New("the address is none of e-mail")
	}
	at := strings.LastIndexByte(parsed.Address, '@')
	local, domain := parsed.Address[:at], parsed.Address[at+1:]
	if !strings.HasPrefix(domain, "[") {
		if domain, err = idna.Lookup.ToASCII(domain); err != nil {
			return mailbox{}, errors.New("the domain of the address is none")
		}
	}
	text := (&mail.Address{Address: local + "@" + domain}).String()
	return mailbox{Name: oneLine(name, longestName), Text: strings.Trim(text, "<>"), UTF8: !isASCII(local)}, nil
}

// header returns the mailbox for a header.
func (m mailbox) header() string {
	if m.Name == "" {
		return "<" + m.Text + ">"
	}
	return strings.TrimSuffix((&mail.Address{Name: m.Name, Address: "a@b"}).String(), "<a@b>") + "<" + m.Text + ">"
}

// domain returns the part after the last @.
func (m mailbox) domain() string { return m.Text[strings.LastIndexByte(m.Text, '@')+1:] }

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
