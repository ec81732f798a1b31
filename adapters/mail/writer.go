package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"mime/quotedprintable"
	"net/mail"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"imprimatur/ports"
)

// Writer writes e-mails. It is safe for concurrent use.
type Writer struct {
	from mailbox
	base string // the public address of the installation, without a slash at its end
}

// NewWriter returns a Writer of mails from an address, with links below base, the public address of the
// installation.
func NewWriter(from mail.Address, base string) (*Writer, error) {
	box, err := newMailbox(from.Name, (&mail.Address{Address: from.Address}).String())
	return &Writer{from: box, base: strings.TrimSuffix(base, "/")}, err
}

// Written is an e-mail that is ready to be sent.
type Written struct {
	From, To string // of the envelope
	UTF8     bool   // only servers with SMTPUTF8 take it
	Subject  string
	Text     string // with "\n" between lines
	HTML     string
	Bytes    []byte // the whole message (RFC 5322)
}

// Write writes m. The error says why no mail can have its address.
func (w *Writer) Write(m ports.MailMessage, now time.Time) (Written, error) {
	to, err := newMailbox(m.Name, m.Address)
	if err != nil {
		return Written{}, err
	}
	content := contentOf(m, w.base)
	out := Written{From: w.from.Text, To: to.Text, UTF8: to.UTF8 || w.from.UTF8, Subject: content.Subject, Text: content.text()}
	out.HTML = content.html()
	headers := [][2]string{
		{"From", w.from.header()}, {"To", to.header()}, {"Subject", encoded(content.Subject)}, {"Date", now.UTC().Format(time.RFC1123Z)},
		{"Message-ID", w.messageID("mail", strconv.FormatInt(m.ID, 10))},
	}
	if m.Thread != "" {
		root := w.messageID("thread", m.Thread)
		headers = append(headers, [2]string{"In-Reply-To", root}, [2]string{"References", root})
	}
	headers = append(
		headers, [2]string{"Auto-Submitted", "auto-generated"}, [2]string{"X-Auto-Response-Suppress", "All"}, [2]string{"Content-Language", content.Language},
	)
	out.Bytes = assemble(headers, out.Text, out.HTML)
	return out, nil
}

// Test writes a mail that says that e-mail works, to an address. It is in English.
func (w *Writer) Test(to mail.Address, now time.Time) (Written, error) {
	box, err := newMailbox(to.Name, (&mail.Address{Address: to.Address}).String())
	if err != nil {
		return Written{}, err
	}
	content := content{
		Language: "en", Subject: "Test mail from Imprimatur", Lead: "This installation of Imprimatur can send e-mail.",
		Link: w.base, Action: "Open Imprimatur", Reason: "An operator has sent this test.",
	}
	out := Written{From: w.from.Text, To: box.Text, UTF8: box.UTF8 || w.from.UTF8, Subject: content.Subject, Text: content.text()}
	out.HTML = content.html()
	out.Bytes = assemble([][2]string{
		{"From", w.from.header()}, {"To", box.header()}, {"Subject", encoded(content.Subject)}, {"Date", now.UTC().Format(time.RFC1123Z)},
		{"Message-ID", w.messageID("test", strconv.FormatInt(now.UnixNano(), 10))}, {"Auto-Submitted", "auto-generated"},
	}, out.Text, out.HTML)
	return out, nil
}

// messageID returns an id that is unique among installations, as far as their public addresses are.
func (w *Writer) messageID(kind, key string) string {
	sum := sha256.Sum256([]byte(w.base + "\n" + kind + "\n" + key))
	return "<" + kind + "." + hex.EncodeToString(sum[:12]) + "@" + w.from.domain() + ">"
}

// assemble returns the bytes of a message with two alternatives.
func assemble(headers [][2]string, text, html string) []byte {
	sum := sha256.Sum256([]byte(text + html))
	boundary := "=_" + hex.EncodeToString(sum[:16]) // "=_" is in no quoted-printable text
	var b bytes.Buffer
	for _, h := range headers {
		b.WriteString(folded(h[0] + ": " + h[1]))
	}
	fmt.Fprintf(&b, "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"%s\"\r\n\r\n", boundary)
	for _, part := range [][2]string{{"plain", text}, {"html", html}} {
		fmt.Fprintf(&b, "--%s\r\nContent-Type: text/%s; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", boundary, part[0])
		q := quotedprintable.NewWriter(&b)
		_, _ = q.Write([]byte(part[1])) // a Buffer takes all
		_ = q.Close()
		b.WriteString("\r\n")
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.Bytes()
}

// lineLength is the length at which headers are folded (RFC 5322, 2.1.1).
const lineLength = 76

// folded returns a header in lines of at most lineLength, as far as it has spaces.
func folded(header string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Split(header, " ") {
		switch {
		case i == 0:
		case i > 1 && length+1+len(word) > lineLength:
			b.WriteString("\r\n ")
			length = 1
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String() + "\r\n"
}

// encoded returns text for a header: as it is if it is plain, otherwise in encoded words (RFC 2047) of
// at most 75 characters, without parts of characters.
func encoded(text string) string {
	if isASCII(text) && !strings.Contains(text, "=?") {
		return text
	}
	const most = 45 // bytes of a word: 60 in base64
	var words []string
	for text != "" {
		end := 0
		for end < len(text) {
			_, size := utf8.DecodeRuneInString(text[end:])
			if end+size > most {
				break
			}
			end += size
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:end]))+"?=")
		text = text[end:]
	}
	return strings.Join(words, " ")
}
