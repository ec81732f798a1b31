package mail_test

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/mail"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

func write(t *testing.T, m ports.MailMessage) mail.Written {
	t.Helper()
	written, err := writer(t).Write(m, time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	return written
}

// parse returns the headers and the two texts of a message.
func parse(t *testing.T, message []byte) (header netmail.Header, parts []string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(string(message), "\r\n"), "\r\n") {
		require.NotContains(t, line, "\r")
		require.NotContains(t, line, "\n")
		require.LessOrEqual(t, len(line), 998)
	}
	read, err := netmail.ReadMessage(strings.NewReader(string(message)))
	require.NoError(t, err)
	_, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	require.NoError(t, err)
	all := multipart.NewReader(read.Body, params["boundary"])
	for {
		part, err := all.NextRawPart()
		if errors.Is(err, io.EOF) {
			return read.Header, parts
		}
		require.NoError(t, err)
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		require.NoError(t, err)
		parts = append(parts, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
}

func TestHeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	plain, _ := parse(t, write(t, to("ada@example.org")).Bytes)
	for _, evil := range []string{
		"x\r\nBcc: eve@example.org", "x\nBcc: eve@example.org\n\nbody", "x\rBcc: eve@example.org", "x\x00y", "x\u2028Bcc: eve@example.org", "x\u2029y", "x\u0085y", "\u202egnp.exe", "x\u2066y\u2069",
		"=?utf-8?b?eA0KQmNjOiBldmVAZXhhbXBsZS5vcmc=?=", `"><eve@example.org>, "`, strings.Repeat("ü", 3000), strings.Repeat("a", 3000), "\xff\xfe", "a\x1b[31mb", "--=_x\r\n\r\nbody", "\r\n.\r\nMAIL FROM:<x@y>",
	} {
		m := to("ada@example.org")
		m.Name, m.Title, m.Project, m.Step, m.Actor, m.Comment, m.ReleaseNumber = evil, evil, evil, evil, evil, evil, evil
		for _, kind := range notice.Kinds() {
			m.Kind = kind
			written := write(t, m)
			header, parts := parse(t, written.Bytes)
			require.Len(t, parts, 2, "%q", evil)
			for name := range header {
				require.Contains(t, plain, name, "%q", evil)
				require.Len(t, header[name], 1, "%q", evil)
			}
			subject, err := (&mime.WordDecoder{}).DecodeHeader(header.Get("Subject"))
			require.NoError(t, err)
			require.Equal(t, written.Subject, subject)
			list, err := header.AddressList("To")
			require.NoError(t, err, "%q", evil)
			require.Len(t, list, 1)
			require.Equal(t, "ada@example.org", list[0].Address)
			for _, text := range []string{subject, list[0].Name} {
				require.False(t, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }), "%q", text)
			}
			require.LessOrEqual(t, len([]rune(subject)), 200)
			require.False(t, strings.ContainsFunc(parts[0], func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }), "%q", evil)
			require.NotContains(t, parts[1], "<eve")
		}
	}
}

func TestContentOfAMail(t *testing.T) {
	t.Parallel()
	m := to("ada@example.org")
	m.Comment = "Please be quick:\r\n\r\n<b>today</b>"
	written := write(t, m)
	_, parts := parse(t, written.Bytes)
	require.Equal(t, []string{written.Text, written.HTML}, parts)
	require.Equal(t, "Your review: Ceasefire", written.Subject)
	require.Equal(t, `“Ceasefire” waits for your review.

Project: World Desk
Release: CR-2026-0001
Step: Legal

Emil Santos says
> Please be quick:
>
> <b>today</b>

Open the review:
https://cms.example.org/dashboard/review/1/2/3

-- 
Imprimatur sends you this because it concerns you.
Choose what you get by e-mail: https://cms.example.org/dashboard/account
`, written.Text)
	require.Contains(t, written.HTML, "&lt;b&gt;today&lt;/b&gt;")
	require.Equal(t, 2, strings.Count(written.HTML, "href="))
	for _, foreign := range []string{"<img", "src=", "url(", "<script", "<form"} {
		require.NotContains(t, written.HTML, foreign)
	}
}

// The heading of what was written names who wrote it, if that is who acted.
func TestHeadingsOfComments(t *testing.T) {
	t.Parallel()
	for kind, want := range map[notice.Kind][2]string{
		notice.Comment:       {"Emil Santos says", "Emil Santos schreibt"},
		notice.Mention:       {"Emil Santos says", "Emil Santos schreibt"},
		notice.Delegation:    {"Emil Santos says", "Emil Santos schreibt"},
		notice.Resolved:      {"Comment", "Kommentar"},
		notice.Unreachable:   {"Why", "Warum"},
		notice.ReleaseFailed: {"Why", "Warum"},
	} {
		for i, language := range []string{"en", "de"} {
			m := to("ada@example.org")
			m.Kind, m.Language = kind, language
			require.Contains(t, write(t, m).Text, "\n"+want[i]+"\n> ", kind)
		}
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	first, _ := parse(t, write(t, to("ada@example.org")).Bytes)
	again, _ := parse(t, write(t, to("ada@example.org")).Bytes)
	m := to("ada@example.org")
	m.ID, m.Kind = 8, notice.Published
	later, _ := parse(t, write(t, m).Bytes)
	m.Thread = "1/5"
	other, _ := parse(t, write(t, m).Bytes)
	m.Thread = ""
	alone, _ := parse(t, write(t, m).Bytes)
	require.Equal(t, first, again)
	require.NotEqual(t, first["Message-Id"], later["Message-Id"])
	require.Equal(t, first["References"], later["References"])
	require.Equal(t, first["References"], first["In-Reply-To"])
	require.NotEqual(t, first["References"], other["References"])
	require.Empty(t, alone["References"])
	require.Regexp(t, `^<[a-z0-9.]+@example\.org>$`, first.Get("Message-ID"))
	require.Equal(t, "Tue, 03 Mar 2026 12:00:00 +0000", first.Get("Date"))
}

func TestEveryKindInEveryLanguage(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, language := range []string{"en", "de"} {
		for _, kind := range notice.Kinds() {
			for _, neutral := range []bool{false, true} {
				m := to("ada@example.org")
				m.Language, m.Kind, m.Neutral, m.Event = language, kind, neutral, event.MemberUpdated
				for range 2 {
					written := write(t, m)
					require.NotContains(t, written.Subject+written.Text, "{")
					require.NotContains(t, written.Subject+written.Text, "%!")
					require.Contains(t, written.HTML, `<html lang="`+language+`">`)
					require.Contains(t, written.Text, "https://cms.example.org/dashboard/review/1/2/3")
					if neutral {
						for _, word := range []string{"Ceasefire", "World Desk", "CR-2026", "Legal", "Emil", "quick"} {
							require.NotContains(t, string(written.Bytes)+written.Text+written.HTML, word)
						}
					}
					seen[written.Subject] = true
					m.Actor, m.Title = "", ""
				}
			}
		}
	}
	require.Len(t, seen, 2*(16*3+2))
}

// Mails about an account say in the subject what happened, and in the text who did it and when.
func TestMailsAboutAnAccount(t *testing.T) {
	t.Parallel()
	m := to("ada@example.org")
	m.Title, m.Project, m.ReleaseNumber, m.Step, m.Comment = "", "", "", "", ""
	m.Kind, m.Event, m.Link, m.Actor = notice.Account, event.FactorRemoved, "/dashboard/account", "Dina Adler"
	m.At = time.Date(2026, 3, 3, 13, 5, 0, 0, time.FixedZone("CET", 3600))
	written := write(t, m)
	require.Equal(t, "A second factor was removed from your account", written.Subject)
	require.Contains(t, written.Text, "Dina Adler has removed a second factor from your account.")
	require.Contains(t, written.Text, "By: Dina Adler\nWhen: 3 March 2026, 13:05 CET\n")
	m.Actor = ""
	written = write(t, m)
	require.Contains(t, written.Text, "A second factor was removed from your account. If it was not you")
	require.Contains(t, written.Text, "\n\nWhen: 3 March 2026, 13:05 CET\n")
	m.Language, m.Actor = "de", "Dina Adler"
	written = write(t, m)
	require.Equal(t, "Ein zweiter Faktor Ihres Kontos wurde entfernt", written.Subject)
	require.Contains(t, written.Text, "Von: Dina Adler\nWann: 03.03.2026, 13:05 CET\n")

	for _, language := range []string{"en", "de"} {
		subjects := map[string]bool{}
		for _, kind := range event.Types() {
			if notice.OfType(kind) == notice.Account {
				m.Language, m.Event = language, kind
				subjects[write(t, m).Subject] = true
			}
		}
		require.Len(t, subjects, 16, "each has a subject of its own")
	}
}

// Mails about a role say which, where and who gave or took it.
func TestMailsAboutARole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language    string
		event       event.Type
		role, actor string
		subject     string
		lead        string
	}{
		{"en", event.MemberUpdated, "editor", "Ada", "You are now Editor of the project Blog", "Ada made you Editor of the project Blog."},
		{"en", event.MemberUpdated, "tenant_admin", "", "You are now Admin of the organisation Blog", "You are now Admin of the organisation Blog."},
		{"en", event.MemberRemoved, "admin", "Ada", "You are no longer Admin of the project Blog", "Ada took a role from you: Admin of the project Blog."},
		{"en", event.RoleGiven, "Legal {who}", "Ada", "Your new role: “Legal {who}” of the department Blog", "Ada gave you the role “Legal {who}” of the department Blog."},
		{"en", event.RoleGiven, "editor", "Ada", "Your new role: “editor” of the department Blog", "Ada gave you the role “editor” of the department Blog."},
		{"en", event.RoleTaken, "Legal", "", "No longer your role: “Legal” of the department Blog", "The role “Legal” of the department Blog has been taken from you."},
		{"de", event.MemberUpdated, "viewer", "Ada", "Neue Rolle: Betrachter des Projekts Blog", "Ada hat Ihnen eine Rolle gegeben: Betrachter des Projekts Blog."},
		{"de", event.MemberRemoved, "department_admin", "", "Entzogene Rolle: Administrator der Abteilung Blog", "Ihnen wurde eine Rolle entzogen: Administrator der Abteilung Blog."},
		{"de", event.RoleTaken, "Recht", "Ada", "Entzogene Rolle: „Recht“ der Abteilung Blog", "Ada hat Ihnen eine Rolle entzogen: „Recht“ der Abteilung Blog."},
	} {
		m := to("ada@example.org")
		m.Kind, m.Language, m.Event, m.Role, m.Place, m.Actor = notice.Account, c.language, c.event, c.role, "Blog", c.actor
		written := write(t, m)
		require.Equal(t, c.subject, written.Subject)
		require.Contains(t, written.Text, c.lead+"\n")
	}
}

// TestMailsHaveNothingOfDrafts lists all that a mail can contain. Of these, only the title is from a
// draft.
func TestMailsHaveNothingOfDrafts(t *testing.T) {
	t.Parallel()
	var names []string
	for field := range reflect.TypeFor[ports.MailMessage]().Fields() {
		names = append(names, field.Name)
	}
	require.Equal(t, []string{
		"ID", "Name", "Address", "Language", "Kind", "Event", "Reminder", "Link", "Letter", "Thread", "Neutral",
		"Title", "Project", "ReleaseNumber", "Step", "Actor", "Comment", "Role", "Place", "OffReason", "At",
	}, names)
}

func TestTitlesFromTheRightReorderNothing(t *testing.T) {
	t.Parallel()
	m := to("ada@example.org")
	m.Kind, m.Title = notice.YourTurn, "عنوان English"
	require.Contains(t, write(t, m).Text, "\u2068عنوان English\u2069")
	m.Title = "English"
	require.NotContains(t, write(t, m).Text, "\u2068")
}
