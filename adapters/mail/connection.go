package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
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
	c, err := o.encrypted(ctx, until)
	if err != nil {
		return nil, err
	}
	if state, ok := c.client.TLSConnectionState(); ok {
		c.tls = tls.VersionName(state.Version)
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
)

// encrypted opens a connection, encrypts it as the settings say, and greets the server.
func (o connector) encrypted(ctx context.Context, until time.Time) (*connection, error) {
	config := &tls.Config{ServerName: o.server.Host, RootCAs: o.roots, MinVersion: tls.VersionTLS12}
	switch o.server.TLS {
	case ImplicitTLS:
		return o.open(ctx, until, func(socket net.Conn) (*smtp.Client, error) { return smtp.NewClient(tls.Client(socket, config)), nil })
	case Opportunistic:
		c, err := o.open(ctx, until, func(socket net.Conn) (*smtp.Client, error) { return smtp.NewClient(socket), nil })
		if err != nil {
			return nil, err
		}
		if offered, _ := c.client.Extension("STARTTLS"); !offered {
			return c, nil
		}
		c.close()                        // the client can begin TLS only on a new connection
		config.InsecureSkipVerify = true //nolint:gosec // without TLS, there would be no certificate either
	case StartTLS:
	}
	return o.open(ctx, until, func(socket net.Conn) (*smtp.Client, error) {
		client, err := smtp.NewClientStartTLS(socket, config)
		if err != nil && strings.HasSuffix(err.Error(), "doesn't support STARTTLS") {
			return nil, errNoTLS
		}
		return client, err
	})
}

// open connects, begins a session with begin and greets the server.
func (o connector) open(ctx context.Context, until time.Time, begin func(net.Conn) (*smtp.Client, error)) (*connection, error) {
	dialer := net.Dialer{Deadline: until}
	conn, err := dialer.DialContext(ctx, "tcp", o.server.Address())
	if err != nil {
		return nil, err
	}
	c := &connection{socket: &bounded{Conn: conn}}
	c.socket.limit(until)
	if c.client, err = begin(c.socket); err == nil {
		err = c.client.Hello(hostname())
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
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
