package mail

import (
	"context"
	_ "embed"
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
var mailboxPage string

// The parts of the pages.
const (
	refreshPart = `
<meta http-equiv="refresh" content="5">`
	listPart = `<p>The demo sends no e-mail. What it would send is here, the newest first.</p>
<ol>{mails}
</ol>`
	nonePart = `
<li>No e-mail yet. Send an entry to review: its reviewers get one.</li>`
	itemPart = `
<li><a href="{path}">{subject}</a><span>to {name} &lt;{to}&gt;, {at} UTC</span></li>`
	shownPart = `<p>to {name} &lt;{to}&gt;, {at} UTC · <a href="{list}">All e-mails</a></p>
<iframe title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="{html}"></iframe>
<h2>As plain text</h2>
<pre>{text}</pre>`
)

// Register adds the pages to a router.
func (b *Mailbox) Register(handle func(pattern string, handler http.Handler)) {
	handle("GET "+MailboxPath, http.HandlerFunc(b.list))
	handle("GET "+MailboxPath+"/{number}", http.HandlerFunc(b.show))
}

func (b *Mailbox) list(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	mails := slices.Clone(b.mails)
	b.mu.Unlock()
	writeList(w, http.StatusOK, mails)
}

// writeList writes the page of mails, the newest first.
func writeList(w http.ResponseWriter, status int, mails []kept) {
	var items markup
	for _, m := range slices.Backward(mails) {
		items += fill(itemPart, m.parts(), nil)
	}
	if items == "" {
		items = nonePart
	}
	body := fill(listPart, nil, markups{"mails": items})
	writePage(w, status, fill(mailboxPage, parts{"title": "E-mails of the demo"}, markups{"refresh": refreshPart, "body": body}))
}

// parts returns the texts of the pages.
func (k kept) parts() parts {
	return parts{
		"path": MailboxPath + "/" + strconv.Itoa(k.Number), "list": MailboxPath, "subject": k.Subject, "name": k.Name, "to": k.To, "at": k.At.Format(time.TimeOnly),
		"text": k.Text, "html": strings.Replace(k.HTML, "<head>", `<head><base target="_blank">`, 1), // so that links leave the frame
	}
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
		writeList(w, http.StatusNotFound, nil)
		return
	}
	body := fill(shownPart, found.parts(), nil)
	writePage(w, http.StatusOK, fill(mailboxPage, parts{"title": found.Subject}, markups{"refresh": "", "body": body}))
}

func writePage(w http.ResponseWriter, status int, page markup) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page)) // fails only if the browser is gone
}
