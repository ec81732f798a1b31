package mail

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"imprimatur/ports"
)

// MailboxPath is the path of the pages of a Mailbox.
const MailboxPath = "/demo/mail"

// mostKept is the number of mails that a Mailbox keeps.
const mostKept = 200

// Mailbox is a ports.MailSender for demonstrations: it writes mails as a Sender does, keeps the latest
// 200 in memory and shows them as pages below MailboxPath.
type Mailbox struct {
	writer *Writer

	mu     sync.Mutex
	mails  []kept // the newest last
	number int
}

// kept is a mail of a Mailbox.
type kept struct {
	Written
	Number int
	At     time.Time
	Name   string // of the receiver
}

// NewMailbox returns an empty Mailbox.
func NewMailbox(writer *Writer) *Mailbox { return &Mailbox{writer: writer} }

// Send implements ports.MailSender.
func (b *Mailbox) Send(_ context.Context, m ports.MailMessage) ports.MailAnswer {
	now := time.Now()
	written, err := b.writer.Write(m, now)
	if err != nil {
		return ports.MailAnswer{Fault: err.Error(), Final: true}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.number++
	b.mails = append(b.mails, kept{written, b.number, now.UTC(), oneLine(m.Name, longestName)})
	b.mails = b.mails[max(len(b.mails)-mostKept, 0):]
	return ports.MailAnswer{}
}

//go:embed mailbox.html
var mailboxPages string

var mailboxTemplates = template.Must(template.New("mailbox").Parse(mailboxPages))

// Register adds the pages to a router.
func (b *Mailbox) Register(handle func(pattern string, handler http.Handler)) {
	handle("GET "+MailboxPath, http.HandlerFunc(b.list))
	handle("GET "+MailboxPath+"/{number}", http.HandlerFunc(b.show))
}

func (b *Mailbox) list(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	mails := slices.Clone(b.mails)
	b.mu.Unlock()
	slices.Reverse(mails)
	render(w, http.StatusOK, "list", mails)
}

func (b *Mailbox) show(w http.ResponseWriter, r *http.Request) {
	number, _ := strconv.Atoi(r.PathValue("number"))
	b.mu.Lock()
	i := slices.IndexFunc(b.mails, func(m kept) bool { return m.Number == number })
	var found kept
	if i >= 0 {
		found = b.mails[i]
	}
	b.mu.Unlock()
	if i < 0 {
		render(w, http.StatusNotFound, "list", []kept(nil))
		return
	}
	// Links leave the frame.
	found.HTML = strings.Replace(found.HTML, "<head>", `<head><base target="_blank">`, 1)
	render(w, http.StatusOK, "mail", found)
}

func render(w http.ResponseWriter, status int, name string, data any) {
	var page bytes.Buffer
	if err := mailboxTemplates.ExecuteTemplate(&page, name, data); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // fails only if the browser is gone
}
