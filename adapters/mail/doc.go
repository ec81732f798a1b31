// Package mail writes the e-mails about notices and sends them through an SMTP server.
//
//	ports.MailMessage ─▶ Writer: texts, HTML, headers ─▶ Sender: SMTP ─▶ relay
//
// A Writer makes the same bytes for the same message, so that a mail that is sent again after a crash
// has the same Message-ID. A Sender keeps a few connections to the server and uses them again.
package mail
