package mail_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/mail"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// relay is an SMTP server that keeps what it takes.
type relay struct {
	*smtp.Server
	port  string
	roots *x509.CertPool

	mu       sync.Mutex
	sessions int
	commands []string // envelopes
	mails    []string
	refuse   map[string]*smtp.SMTPError // by the beginning of a recipient
}

// startRelay starts a relay. change sets it up: without TLSConfig, it has no TLS.
func startRelay(t *testing.T, implicit bool, change func(*relay)) *relay {
	t.Helper()
	r := &relay{refuse: map[string]*smtp.SMTPError{}}
	r.Server = smtp.NewServer(r)
	r.Domain, r.EnableSMTPUTF8 = "relay.example", true
	r.TLSConfig, r.roots = certificate(t)
	if change != nil {
		change(r)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, r.port, _ = net.SplitHostPort(l.Addr().String())
	if implicit {
		l = tls.NewListener(l, r.TLSConfig)
	}
	go func() { _ = r.Serve(l) }()
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func (r *relay) NewSession(*smtp.Conn) (smtp.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions++
	return &session{relay: r}, nil
}

func (r *relay) note(command string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands = append(r.commands, command)
}

type session struct{ relay *relay }

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (*session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "ada" || password != "s3cret/word" {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "wrong credentials"}
		}
		return nil
	}), nil
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	if o.UTF8 {
		from += " UTF8"
	}
	s.relay.note("from " + from)
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	for beginning, refusal := range s.relay.refuse {
		if strings.HasPrefix(to, beginning) {
			return refusal
		}
	}
	s.relay.note("to " + to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	all, err := io.ReadAll(r)
	s.relay.mu.Lock()
	defer s.relay.mu.Unlock()
	s.relay.mails = append(s.relay.mails, string(all))
	return err
}

func (*session) Reset() {}

func (*session) Logout() error { return nil }

// certificate returns a certificate of 127.0.0.1 and its authority.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, roots
}

// sender returns a Sender with the address of a server, in which "relay" stands for host and port.
func sender(t *testing.T, address, port string, roots *x509.CertPool) *mail.Sender {
	t.Helper()
	server, err := mail.ParseServer(strings.ReplaceAll(address, "relay", "127.0.0.1:"+port))
	require.NoError(t, err)
	s := mail.NewSender(server, writer(t), roots)
	t.Cleanup(s.Close)
	return s
}

func writer(t *testing.T) *mail.Writer {
	t.Helper()
	w, err := mail.NewWriter(netmail.Address{Name: "Imprimatur", Address: "noreply@example.org"}, "https://cms.example.org")
	require.NoError(t, err)
	return w
}

func to(address string) ports.MailMessage {
	return ports.MailMessage{
		ID: 7, Name: "Ada Okafor", Address: address, Kind: notice.YourTurn, Event: event.RequestSubmitted, Link: "/dashboard/review/1/2/3", Thread: "1/4",
		Title: "Ceasefire", Project: "World Desk", ReleaseNumber: "CR-2026-0001", Step: "Legal", Actor: "Emil Santos", Comment: "Please be quick.",
	}
}

func TestMailsShareAConnection(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{"STARTTLS": "smtp://ada:s3cret%2Fword@relay", "implicit": "smtps://ada:s3cret%2Fword@relay"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRelay(t, name == "implicit", nil)
			s := sender(t, address, r.port, r.roots)
			for range 3 {
				require.Equal(t, ports.MailAnswer{}, s.Send(t.Context(), to("ada@example.org")))
			}
			written, err := writer(t).Write(to("ada@example.org"), time.Now())
			require.NoError(t, err)
			encrypted, answer := s.Deliver(t.Context(), written)
			require.Equal(t, "TLS 1.3", encrypted)
			require.Empty(t, answer)
			require.Len(t, r.mails, 4)
			require.Equal(t, []string{"from noreply@example.org", "to ada@example.org"}, r.commands[:2])
			require.LessOrEqual(t, r.sessions, 2) // one before TLS
			require.Contains(t, r.mails[0], "Auto-Submitted: auto-generated\r\n")
		})
	}
}

// The text of a reply is optional (RFC 5321, 4.2).
func TestRepliesWithoutText(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{"clear": "smtp://relay?tls=opportunistic", "STARTTLS": "smtp://relay", "implicit": "smtps://relay"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startTerse(t, name)
			s := sender(t, address, r.port, r.roots)
			for range 3 {
				require.Equal(t, ports.MailAnswer{}, s.Send(t.Context(), to("ada@example.org")))
			}
			require.Equal(t, ports.MailAnswer{Fault: "the server answered 550", Final: true}, s.Send(t.Context(), to("gone@example.org")))
			require.EqualValues(t, 3, r.mails.Load())
		})
	}
}

// terse is an SMTP server whose replies have no text.
type terse struct {
	port   string
	config *tls.Config
	roots  *x509.CertPool
	mails  atomic.Int32
}

func startTerse(t *testing.T, encryption string) *terse {
	t.Helper()
	r := &terse{}
	r.config, r.roots = certificate(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	_, r.port, _ = net.SplitHostPort(l.Addr().String())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if encryption == "implicit" {
				conn = tls.Server(conn, r.config)
			}
			go r.serve(conn, encryption == "STARTTLS")
		}
	}()
	return r
}

// serve answers the commands of a session until it ends.
func (r *terse) serve(conn net.Conn, offersTLS bool) {
	defer func() { _ = conn.Close() }()
	lines := bufio.NewScanner(conn)
	reply := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	reply("220")
	for lines.Scan() {
		switch command, _, _ := strings.Cut(lines.Text(), " "); {
		case command == "EHLO" && offersTLS:
			reply("250-\r\n250-STARTTLS\r\n250")
		case command == "STARTTLS":
			reply("220")
			conn, offersTLS = tls.Server(conn, r.config), false
			lines = bufio.NewScanner(conn)
		case command == "DATA":
			reply("354")
			for lines.Scan() && lines.Text() != "." {
			}
			r.mails.Add(1)
			reply("250")
		case strings.HasPrefix(lines.Text(), "RCPT TO:<gone"):
			reply("550")
		default:
			reply("250")
		}
	}
}

func TestOneRecipientIsRefused(t *testing.T) {
	t.Parallel()
	r := startRelay(t, false, func(r *relay) {
		r.refuse["gone"] = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		r.refuse["busy"] = &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 7, 0}, Message: "too many for this mailbox"}
		r.refuse["full"] = &smtp.SMTPError{Code: 452, EnhancedCode: smtp.EnhancedCode{4, 2, 2}, Message: "mailbox full"}
	})
	s := sender(t, "smtp://relay", r.port, r.roots)
	require.Empty(t, s.Send(t.Context(), to("one@example.org")))
	require.Equal(t, ports.MailAnswer{Fault: "the server answered 550 5.1.1 no such user", Final: true}, s.Send(t.Context(), to("gone@example.org")))
	require.Equal(t, ports.MailAnswer{Fault: "the server answered 452 4.2.2 mailbox full"}, s.Send(t.Context(), to("full@example.org")))
	require.Equal(t, ports.MailAnswer{Fault: "the server answered 421 4.7.0 too many for this mailbox"}, s.Send(t.Context(), to("busy@example.org")))
	require.Empty(t, s.Send(t.Context(), to("three@example.org")))
	require.Len(t, r.mails, 2)
	require.LessOrEqual(t, r.sessions, 4) // one connection is two sessions: before and after STARTTLS
}

func TestServersThatAreNotTrusted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address string
		clear   bool // the server has no TLS
		trusted bool
		fault   string // empty: the mail is sent
	}{
		"no STARTTLS":                      {"smtp://relay", true, true, "the server offers no STARTTLS, and the connection must be encrypted: nothing was sent"},
		"unknown authority":                {"smtp://relay", false, false, "the certificate of the server is not valid: x509: certificate signed by unknown authority"},
		"wrong password":                   {"smtp://ada:other@relay", false, true, "the server answered 535 5.7.8 wrong credentials"},
		"opportunistic":                    {"smtp://relay?tls=opportunistic", true, true, ""},
		"opportunistic, unknown authority": {"smtp://ada:s3cret%2Fword@relay?tls=opportunistic", false, false, ""},
		"password without TLS":             {"smtp://ada:s3cret%2Fword@relay?tls=opportunistic", true, true, "the server offers no TLS: the password is not sent in clear"},
		"no TLS where it is implicit":      {"smtps://relay", true, true, "the server does not speak TLS there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRelay(t, false, func(r *relay) {
				if c.clear {
					r.TLSConfig, r.AllowInsecureAuth = nil, true
				}
			})
			roots := x509.NewCertPool()
			if c.trusted {
				roots = r.roots
			}
			answer := sender(t, c.address, r.port, roots).Send(t.Context(), to("ada@example.org"))
			require.Equal(t, c.fault, answer.Fault)
			require.Equal(t, c.fault != "", answer.Down)
			require.False(t, answer.Final)
			require.Equal(t, c.fault == "", len(r.mails) == 1)
			if c.fault != "" {
				require.Empty(t, r.commands)
			}
		})
	}
}

func TestServersThatHang(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for name, address := range map[string]string{"clear": "smtp://relay", "TLS": "smtps://relay"} {
		s := sender(t, address, port, nil)
		s.SetTimeout(50 * time.Millisecond)
		require.Equal(t, ports.MailAnswer{Fault: "no answer within 15 s", Down: true}, s.Send(t.Context(), to("ada@example.org")), name)
	}
	gone := sender(t, "smtp://relay", "1", nil)
	require.Equal(t, ports.MailAnswer{Fault: "the server refuses connections", Down: true}, gone.Send(t.Context(), to("ada@example.org")))
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		envelope string
		utf8     bool
	}{
		`"a b"@example.com`:       {`"a b"@example.com`, false},
		`"a\"b"@example.com`:      {`"a\"b"@example.com`, false},
		"o'neil@example.com":      {"o'neil@example.com", false},
		"info@exämple.de":         {"info@xn--exmple-cua.de", false},
		"jürgen@exämple.de":       {"jürgen@xn--exmple-cua.de", true},
		"почта@пример.example":    {"почта@xn--e1afmkfd.example", true},
		"a@xn--exmple-cua.de":     {"a@xn--exmple-cua.de", false},
		`"<x>,y"@example.com`:     {`"<x>,y"@example.com`, false},
		`"a@b"@sub.example.co.uk`: {`"a@b"@sub.example.co.uk`, false},
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			written, err := writer(t).Write(to(address), time.Now())
			require.NoError(t, err)
			require.Equal(t, []any{want.envelope, want.utf8}, []any{written.To, written.UTF8})
			read, err := netmail.ReadMessage(strings.NewReader(string(written.Bytes)))
			require.NoError(t, err)
			list, err := read.Header.AddressList("To")
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.Equal(t, []any{"Ada Okafor", "<" + want.envelope + ">"}, []any{list[0].Name, (&netmail.Address{Address: list[0].Address}).String()})

			r := startRelay(t, false, func(r *relay) { r.EnableSMTPUTF8 = want.utf8 })
			require.Empty(t, sender(t, "smtp://relay", r.port, r.roots).Send(t.Context(), to(address)))
			require.Len(t, r.mails, 1)
			if !want.utf8 {
				return
			}
			old := startRelay(t, false, func(r *relay) { r.EnableSMTPUTF8 = false })
			answer := sender(t, "smtp://relay", old.port, old.roots).Send(t.Context(), to(address))
			require.Equal(t, ports.MailAnswer{Fault: "the server takes no addresses with characters outside ASCII (SMTPUTF8)", Final: true}, answer)
			require.Empty(t, old.commands)
		})
	}
	answer := sender(t, "smtp://relay", "1", nil).Send(t.Context(), to("a@b\r\nRCPT TO:<x@y>"))
	require.Equal(t, ports.MailAnswer{Fault: "the address is none of e-mail", Final: true}, answer)
}
