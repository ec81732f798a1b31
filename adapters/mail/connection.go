package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/textproto"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

const (
	// timeout is the time limit of one attempt, with a new connection.
	timeout = 15 * time.Second
	// longestIdle is how long a connection may wait for its next mail: servers close idle ones.
	longestIdle = 20 * time.Second
	// mostMails is the number of mails of one connection: many servers allow 100.
	mostMails = 50
)

// connection is an open session with the server, ready for a mail.
type connection struct {
	client *smtp.Client
	socket *bounded
	tls    string // the version; empty: not encrypted
	mails  int
	usedAt time.Time
}

// bounded is a connection whose deadlines end with the attempt.
type bounded struct {
	net.Conn
	until time.Time
}

// SetDeadline implements net.Conn.
func (b *bounded) SetDeadline(t time.Time) error {
	if t.IsZero() || t.After(b.until) {
		t = b.until
	}
	return b.Conn.SetDeadline(t)
}

// limit sets the end of the attempt.
func (b *bounded) limit(until time.Time) {
	b.until = until
	_ = b.Conn.SetDeadline(until) // fails for a closed connection, which the next command reports
}

func (c *connection) close() { _ = c.socket.Close() } // nothing is lost by it

// connector opens sessions with a server.
type connector struct {
	server Server
	roots  *x509.CertPool // nil: those of the system
}

// connect opens a session: TLS, greeting, authentication.
func (o connector) connect(ctx context.Context, until time.Time) (*connection, error) {
	c, err := o.greeted(ctx, until)
	if err != nil {
		return nil, err
	}
	if err := o.authenticate(c); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// fault is an error in words for operators.
type fault string

func (f fault) Error() string { return string(f) }

// The faults of servers that cannot do what the settings require.
const (
	errNoTLS    fault = "the server offers no STARTTLS, and the connection must be encrypted: nothing was sent"
	errClear    fault = "the server offers no TLS: the password is not sent in clear"
	errNoMethod fault = "the server offers neither AUTH PLAIN nor AUTH LOGIN"
	errInjected fault = "the server sent more than its answer before the connection was encrypted: nothing was sent"
)

// greeted opens a connection, encrypts it as the settings say, and greets the server.
func (o connector) greeted(ctx context.Context, until time.Time) (*connection, error) {
	dialer := net.Dialer{Deadline: until}
	conn, err := dialer.DialContext(ctx, "tcp", o.server.Address())
	if err != nil {
		return nil, err
	}
	c := &connection{socket: &bounded{Conn: conn}}
	c.socket.limit(until)
	if err := o.greet(ctx, c); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (o connector) greet(ctx context.Context, c *connection) error {
	config := &tls.Config{ServerName: o.server.Host, RootCAs: o.roots, MinVersion: tls.VersionTLS12}
	session := &replies{Conn: c.socket}
	encrypted := o.server.TLS == ImplicitTLS
	if !encrypted {
		offered, err := startTLS(session)
		switch {
		case err != nil:
			return err
		case !offered && o.server.TLS == StartTLS:
			return errNoTLS
		}
		encrypted = offered
		config.InsecureSkipVerify = o.server.TLS == Opportunistic //nolint:gosec // without TLS, there would be no certificate either
	}
	if encrypted {
		secured := tls.Client(c.socket, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return err
		}
		c.tls = tls.VersionName(secured.ConnectionState().Version)
		session = &replies{Conn: secured}
	}
	if o.server.TLS != ImplicitTLS {
		session.pending = []byte("220 \r\n") // startTLS has read the greeting of the server
	}
	c.client = smtp.NewClient(session)
	return c.client.Hello(hostname())
}

// startTLS reads the greeting of the server and sends STARTTLS if the server offers it. Package smtp
// does that too, but reads the replies after it without replies.
func startTLS(session *replies) (offered bool, err error) {
	text := textproto.NewConn(session)
	command := func(code int, format string, arguments ...any) (string, error) {
		if format != "" {
			if err := text.PrintfLine(format, arguments...); err != nil {
				return "", err
			}
		}
		_, message, err := text.ReadResponse(code)
		if refused, ok := errors.AsType[*textproto.Error](err); ok {
			return "", &smtp.SMTPError{Code: refused.Code, Message: refused.Msg}
		}
		return message, err
	}
	if _, err := command(220, ""); err != nil {
		return false, err
	}
	extensions, err := command(250, "EHLO %s", hostname())
	if _, refused := errors.AsType[*smtp.SMTPError](err); refused {
		return false, nil // it has no extensions
	}
	if err != nil || !slices.Contains(strings.Split(strings.ToUpper(extensions), "\n"), "STARTTLS") {
		return false, err
	}
	if _, err := command(220, "STARTTLS"); err != nil {
		return false, err
	}
	if text.R.Buffered() > 0 || len(session.pending) > 0 {
		return false, errInjected
	}
	return true, nil
}

var hostnames = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)

// hostname returns the name with which this process greets servers.
func hostname() string {
	name, err := os.Hostname()
	if err != nil || !hostnames.MatchString(name) {
		return "localhost"
	}
	return name
}

// authenticate signs in if the settings have a user.
func (o connector) authenticate(c *connection) error {
	if o.server.User == "" {
		return nil
	}
	_, offered := c.client.Extension("AUTH")
	mechanisms := strings.Fields(strings.ToUpper(offered))
	switch {
	case c.tls == "":
		return errClear
	case slices.Contains(mechanisms, sasl.Plain):
		return c.client.Auth(sasl.NewPlainClient("", o.server.User, o.server.Password))
	case slices.Contains(mechanisms, sasl.Login):
		return c.client.Auth(sasl.NewLoginClient(o.server.User, o.server.Password))
	default:
		return errNoMethod
	}
}
