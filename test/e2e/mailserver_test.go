package e2e

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// mailServer is an SMTP server that keeps all mails.
type mailServer struct {
	address string
	mu      sync.Mutex
	mails   []string // as they came
}

func startMailServer(t *testing.T) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &mailServer{address: l.Addr().String()}
	server := smtp.NewServer(s)
	server.Domain = "localhost"
	go func() { _ = server.Serve(l) }() // ends with Close
	t.Cleanup(func() { _ = server.Close() })
	return s
}

// settings are those with which the program sends mails to s.
func (s *mailServer) settings() []string {
	return []string{"--smtp-url", "smtp://" + s.address + "?tls=opportunistic", "--mail-from", "imprimatur@example.org"}
}

// text returns all mails, without the line breaks that their encoding adds.
func (s *mailServer) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(strings.Join(s.mails, "\n"), "=\r\n", "")
}

// NewSession implements smtp.Backend.
func (s *mailServer) NewSession(*smtp.Conn) (smtp.Session, error) { return mailSession{s}, nil }

type mailSession struct{ server *mailServer }

func (mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (mailSession) Reset()                               {}
func (mailSession) Logout() error                        { return nil }

func (m mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	m.server.mu.Lock()
	defer m.server.mu.Unlock()
	m.server.mails = append(m.server.mails, string(text))
	return err
}
