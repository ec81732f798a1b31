package mail

import (
	"errors"
	"net"
	"net/mail"
	"net/url"
	"strconv"
)

// Server is the SMTP server of an installation, usually a relay.
type Server struct {
	Host string
	Port string
	// TLS says when the connection is encrypted.
	TLS            TLS
	User, Password string // empty: the server asks for none
}

// TLS says when a connection is encrypted.
type TLS int

// The ways to encrypt a connection.
const (
	// StartTLS begins in clear and requires STARTTLS with a valid certificate before anything is sent.
	StartTLS TLS = iota
	// ImplicitTLS encrypts from the first byte, with a valid certificate.
	ImplicitTLS
	// Opportunistic uses STARTTLS where the server has it, with any certificate, and else sends in clear.
	Opportunistic
)

// The faults of an address of a server. They have nothing of the address, which has a password.
var (
	errServerForm = errors.New("must be smtp://<user>:<password>@<host>:<port> or smtps://…")
	errServerTLS  = errors.New("must be smtp://<user>:<password>@<host>:<port>, at most with ?tls=opportunistic")
)

// ParseServer returns the server that an address names: smtp://user:password@host:587 or smtps://…,
// whose port is 465 by default. User and password may be left out. "?tls=opportunistic" after smtp://
// allows connections without TLS.
func ParseServer(address string) (Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Opaque != "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Server{}, errServerForm // err has the address
	}
	s := Server{Host: u.Hostname(), Port: u.Port()}
	switch u.Scheme {
	case "smtp":
		if s.Port == "" {
			s.Port = "587"
		}
	case "smtps":
		s.TLS = ImplicitTLS
		if s.Port == "" {
			s.Port = "465"
		}
	default:
		return Server{}, errServerForm
	}
	if n, err := strconv.Atoi(s.Port); err != nil || n < 1 || n > 65535 {
		return Server{}, errServerForm
	}
	switch {
	case u.RawQuery == "" && !u.ForceQuery:
	case u.RawQuery == "tls=opportunistic" && u.Scheme == "smtp":
		s.TLS = Opportunistic
	default:
		return Server{}, errServerTLS
	}
	if u.User != nil {
		s.User = u.User.Username()
		s.Password, _ = u.User.Password()
		if s.User == "" || s.Password == "" {
			return Server{}, errServerForm
		}
	}
	return s, nil
}

// Address returns host:port.
func (s Server) Address() string { return net.JoinHostPort(s.Host, s.Port) }

// ParseFrom returns the sender of all mails, from "name@example.org" or "Name <name@example.org>".
func ParseFrom(text string) (mail.Address, error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return mail.Address{}, errors.New("must be an e-mail address, as imprimatur@example.org or Imprimatur <imprimatur@example.org>")
	}
	return *parsed, nil
}
