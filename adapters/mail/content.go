package mail

import (
	_ "embed"
	"html"
	"strings"

	"imprimatur/core/notice"
	"imprimatur/ports"
)

// content is what a mail says, in the language of its user.
type content struct {
	Language string
	Subject  string
	Lead     string // what happened
	Facts    []fact
	Says     string // the heading of Comment
	Comment  []string
	Note     string // how long the link works, and what to do without it; may be empty
	Action   string // the text of the link
	Link     string // absolute
	Reason   string // why the user gets the mail
	Settings string // absolute address of the settings of notices; empty: none
	Change   string // the text of that link
}

// fact is a line of a table.
type fact struct{ Name, Value string }

// contentOf returns the content of m. base is the public address of the installation.
func contentOf(m ports.MailMessage, base string) content {
	t := textsOf(m.Language)
	if m.Letter != nil {
		return letterContent(t, m.Letter, base)
	}
	c := content{
		Language: t.language, Action: t.action(m), Link: base + m.Link, Reason: t.reason, Settings: base + "/dashboard/account", Change: t.change,
	}
	if m.Neutral {
		c.Subject = t.neutral(m)
		c.Lead = c.Subject + ". " + t.neutralLead
		return c
	}
	title, actor, project := oneLine(m.Title, longestTitle), oneLine(m.Actor, longestName), oneLine(m.Project, longestName)
	c.Subject = t.subject(m, oneLine(m.Title, longestSubject))
	c.Lead = t.lead(m, isolated(title), isolated(actor))
	add := func(name, value string) {
		if value = oneLine(value, longestTitle); value != "" {
			c.Facts = append(c.Facts, fact{name, value})
		}
	}
	add(t.project, project)
	add(t.release, m.ReleaseNumber)
	add(t.step, m.Step)
	if !m.At.IsZero() {
		add(t.by, actor)
		add(t.at, m.At.Format(t.timeFormat))
	}
	if c.Comment = lines(m.Comment, longestComment); len(c.Comment) > 0 {
		c.Says = t.heading(m, actor)
	}
	return c
}

// text returns the content as plain text.
func (c content) text() string {
	var b strings.Builder
	b.WriteString(c.Lead + "\n")
	if len(c.Facts) > 0 {
		b.WriteString("\n")
		for _, f := range c.Facts {
			b.WriteString(f.Name + ": " + f.Value + "\n")
		}
	}
	if len(c.Comment) > 0 {
		b.WriteString("\n" + c.Says + "\n")
		for _, line := range c.Comment {
			b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
		}
	}
	if c.Note != "" {
		b.WriteString("\n" + c.Note + "\n")
	}
	b.WriteString("\n" + c.Action + ":\n" + c.Link + "\n\n-- \n" + c.Reason + "\n")
	if c.Settings != "" {
		b.WriteString(c.Change + ": " + c.Settings + "\n")
	}
	return b.String()
}

//go:embed mail.html
var mailPage string

// The parts of the page that not every mail has.
const (
	factsPart = `
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:16px 0 0;font-size:15px;">{rows}
</table>`
	factPart = `
<tr><td class="soft" valign="top" style="padding:2px 16px 2px 0;color:#55524c;white-space:nowrap;">{name}</td><td class="ink" dir="auto" style="padding:2px 0;color:#1c1b19;overflow-wrap:anywhere;">{value}</td></tr>`
	commentPart = `
<p class="soft" style="margin:20px 0 6px;font-size:14px;color:#55524c;">{says}</p>
<div class="says ink" dir="auto" style="margin:0;padding:10px 14px;background:#f0efeb;border-left:3px solid #8d887e;border-radius:4px;color:#1c1b19;overflow-wrap:anywhere;">{lines}</div>`
	notePart = `
<p class="ink" style="margin:16px 0 0;color:#1c1b19;">{note}</p>`
	settingsPart = ` <a class="soft" href="{address}" style="color:#55524c;">{change}</a>`
)

// html returns the content as a page.
func (c content) html() string {
	var facts, comment, settings markup
	for _, f := range c.Facts {
		facts += fill(factPart, parts{"name": f.Name, "value": f.Value}, nil)
	}
	if facts != "" {
		facts = fill(factsPart, nil, markups{"rows": facts})
	}
	if len(c.Comment) > 0 {
		var lines markup
		for i, line := range c.Comment {
			if i > 0 {
				lines += "<br>"
			}
			lines += markup(html.EscapeString(line))
		}
		comment = fill(commentPart, parts{"says": c.Says}, markups{"lines": lines})
	}
	if c.Note != "" {
		comment = fill(notePart, parts{"note": c.Note}, nil)
	}
	if c.Settings != "" {
		settings = fill(settingsPart, parts{"address": c.Settings, "change": c.Change}, nil)
	}
	return string(fill(mailPage, parts{
		"language": c.Language, "subject": c.Subject, "lead": c.Lead, "link": c.Link, "action": c.Action, "reason": c.Reason,
	}, markups{"facts": facts, "comment": comment, "settings": settings}))
}

// aboutRequest reports whether the page of m is a review.
func aboutRequest(m ports.MailMessage) bool {
	return m.Thread != "" && m.Kind != notice.WebhookOff && m.Kind != notice.Account && m.Kind != notice.Delegation
}
