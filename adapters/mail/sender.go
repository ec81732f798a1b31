package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/emersion/go-smtp"

	"imprimatur/ports"
)

// Sender is a ports.MailSender that sends through an SMTP server. It is safe for concurrent use; each
// call of Send uses a connection of its own.
type Sender struct {
	writer *Writer
	opens  connector
	now    func() time.Time
	// timeout is the time limit of an attempt.
	timeout time.Duration

	mu   sync.Mutex
	idle []*connection
}

// NewSender returns a Sender. roots are the authorities of the server's certificate; nil: those of the
// system.
func NewSender(server Server, writer *Writer, roots *x509.CertPool) *Sender {
	return &Sender{writer: writer, opens: connector{server, roots}, now: time.Now, timeout: timeout}
}

// Send implements ports.MailSender.
func (s *Sender) Send(ctx context.Context, m ports.MailMessage) ports.MailAnswer {
	written, err := s.writer.Write(m, s.now())
	if err != nil {
		return ports.MailAnswer{Fault: err.Error(), Final: true}
	}
	_, answer := s.Deliver(ctx, written)
	return answer
}

// Deliver sends a written mail, and returns the version of TLS that encrypted it; "": none did.
func (s *Sender) Deliver(ctx context.Context, mail Written) (encrypted string, answer ports.MailAnswer) {
	until := s.now().Add(s.timeout)
	if c := s.takeIdle(); c != nil {
		c.socket.limit(until)
		if begin(c, mail) == nil { // otherwise the server has ended the session
			return c.tls, s.deliver(c, mail)
		}
		c.close()
	}
	c, err := s.opens.connect(ctx, until)
	if err != nil {
		return "", ports.MailAnswer{Fault: faultOf(err), Down: true}
	}
	if err := begin(c, mail); err != nil {
		c.close()
		text := faultOf(err)
		if _, answered := errors.AsType[*smtp.SMTPError](err); answered {
			text = "the sender was refused: " + text
		}
		return c.tls, ports.MailAnswer{Fault: text, Down: true}
	}
	return c.tls, s.deliver(c, mail)
}

// begin sends the command MAIL, unless the server cannot take a mail to such an address.
func begin(c *connection, mail Written) error {
	if mail.UTF8 && !takesUTF8(c) {
		return nil
	}
	return c.client.Mail(mail.From, &smtp.MailOptions{UTF8: mail.UTF8})
}

func takesUTF8(c *connection) bool {
	offered, _ := c.client.Extension("SMTPUTF8")
	return offered
}

// Close closes the idle connections.
func (s *Sender) Close() {
	for c := s.takeIdle(); c != nil; c = s.takeIdle() {
		c.socket.limit(s.now().Add(time.Second))
		_ = c.client.Quit() // only a courtesy
		c.close()
	}
}

// takeIdle removes an idle connection that the server may still have open; nil: none.
func (s *Sender) takeIdle() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.idle) > 0 {
		c := s.idle[len(s.idle)-1]
		s.idle = s.idle[:len(s.idle)-1]
		if s.now().Sub(c.usedAt) < longestIdle {
			return c
		}
		c.close()
	}
	return nil
}

// keep makes c idle, or closes it after its last mail.
func (s *Sender) keep(c *connection) {
	if c.mails++; c.mails >= mostMails {
		_ = c.client.Quit() // only a courtesy
		c.close()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.usedAt = s.now()
	s.idle = append(s.idle, c)
}

// deliver sends a mail that has begun through c. Afterwards c is idle or closed. What fails from here
// on may be the recipient's fault, also when the server ends the session: it says nothing about others.
func (s *Sender) deliver(c *connection, mail Written) ports.MailAnswer {
	if mail.UTF8 && !takesUTF8(c) {
		s.keep(c)
		return ports.MailAnswer{Fault: "the server takes no addresses with characters outside ASCII (SMTPUTF8)", Final: true}
	}
	err := c.client.Rcpt(mail.To, nil)
	if err == nil {
		err = data(c.client, mail.Bytes)
	}
	if err == nil {
		s.keep(c)
		return ports.MailAnswer{}
	}
	refused, answered := errors.AsType[*smtp.SMTPError](err)
	if answered && refused.Code != closing && c.client.Reset() == nil {
		s.keep(c)
	} else {
		c.close()
	}
	return ports.MailAnswer{Fault: faultOf(err), Final: answered && refused.Code/100 == 5}
}

// closing is the answer of a server that ends the session (RFC 5321, 4.2.2).
const closing = 421

func data(client *smtp.Client, message []byte) error {
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(message); err != nil {
		return err
	}
	return w.Close()
}

// faultOf says in words for operators why a mail was not sent. It has no password.
func faultOf(err error) string {
	var unknown *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var late net.Error
	if refused, ok := errors.AsType[*smtp.SMTPError](err); ok {
		text := fmt.Sprintf("the server answered %d", refused.Code)
		if e := refused.EnhancedCode; e[0] > 0 {
			text += fmt.Sprintf(" %d.%d.%d", e[0], e[1], e[2])
		}
		return strings.TrimSpace(text + " " + oneLine(refused.Message, longestTitle))
	}
	switch own, isOwn := errors.AsType[fault](err); {
	case isOwn:
		return own.Error()
	case errors.As(err, &unknown):
		return "the name of the server is not known"
	case errors.As(err, &certificate):
		return "the certificate of the server is not valid: " + oneLine(certificate.Err.Error(), longestTitle)
	case errors.As(err, &record):
		return "the server does not speak TLS there"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the server refuses connections"
	case errors.As(err, &late) && late.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "no answer within 15 s"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the server closed the connection"
	default:
		return "the connection failed: " + oneLine(err.Error(), longestTitle)
	}
}
