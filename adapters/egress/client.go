package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"
)

// The reasons why a Client does not connect to an address. Each is a phrase that follows its name.
var (
	ErrNoAddress = errors.New("must be an https address")
	ErrNotPublic = errors.New("must be an https address on port 443 of a public host")
	// ErrNotPublicPlain is the fault of a Client WithPlain, which returns ErrNotPublic.
	ErrNotPublicPlain = errors.New("must be an http address on port 80 or an https address on port 443 of a public host")
)

// Limits of one request. The caller limits the time of the whole request by its context.
const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 15 * time.Second
	maxHeader     = 64 << 10
)

const (
	httpPort  = 80
	httpsPort = 443
)

// Client sends requests to public addresses and to allowed ones. It is safe for concurrent use.
type Client struct {
	allowed  Allowed
	guard    *ssrf.Guardian
	resolver *net.Resolver // nil: the default one
	http     *http.Client
	insecure *ssrf.Guardian // of http; nil: only allowed addresses
}

// Option configures a Client.
type Option func(*Client)

// WithPlain lets a Client also reach public hosts by http, on port 80.
func WithPlain() Option {
	return func(c *Client) { c.insecure = ssrf.New(ssrf.WithPorts(httpPort)) }
}

// New returns a Client that may also reach what allowed has.
func New(allowed Allowed, options ...Option) *Client {
	c := &Client{allowed: allowed, guard: ssrf.New(ssrf.WithPorts(httpsPort))}
	for _, option := range options {
		option(c)
	}
	c.http = &http.Client{
		Transport:     schemes{"https": c.transport(c.secure), "http": c.transport(c.plain)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Check returns the URL of an address, or ErrNoAddress or ErrNotPublic if requests to it cannot
// succeed. It does not resolve names: Do checks what they resolve to.
func (c *Client) Check(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return nil, ErrNoAddress
	}
	port := portOf(u)
	public := u.Scheme == "https" && port == strconv.Itoa(httpsPort) ||
		c.insecure != nil && u.Scheme == "http" && port == strconv.Itoa(httpPort)
	name := lookedUp(u.Hostname())
	ip, err := netip.ParseAddr(name)
	switch {
	case c.allowed.host(net.JoinHostPort(u.Hostname(), port)):
		return u, nil
	case err == nil && c.allowed.address(ip):
		return u, nil
	case err == nil && public && ip.Zone() == "" && c.guard.SafeAddr(ip) == nil:
		return u, nil
	case err != nil && !endsInNumber(name) && (public && !isInside(name) || len(c.allowed.networks) > 0):
		return u, nil
	}
	return nil, ErrNotPublic
}

// lookedUp returns a host as resolvers see it: a name in lower case, with the characters replaced that
// stand for dots, letters or digits.
func lookedUp(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	name, err := hostNames.ToASCII(host)
	if err != nil {
		return "" // which endsInNumber refuses
	}
	return name
}

var hostNames = idna.New(idna.MapForLookup(), idna.StrictDomainName(false))

// isInside reports whether no public host has such a name.
func isInside(name string) bool {
	name = strings.TrimSuffix(name, ".")
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "localhost", "local", "internal", "lan", "intranet", "ip6-localhost", "ip6-loopback":
		return true
	}
	return false
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"https": "443", "http": "80"}[u.Scheme]
}

// CheckNow is Check, and also returns ErrNotPublic if the host is a name that has an address now to
// which Do would not connect. A name without addresses passes, because it can get some later.
func (c *Client) CheckNow(ctx context.Context, address string) error {
	u, err := c.Check(address)
	if err != nil || c.allowed.host(net.JoinHostPort(u.Hostname(), portOf(u))) {
		return err
	}
	resolver := c.resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	found, _ := resolver.LookupNetIP(ctx, "ip", u.Hostname())
	port, _ := strconv.ParseUint(portOf(u), 10, 16)
	may := map[string]func(netip.AddrPort) bool{"https": c.secure, "http": c.plain}[u.Scheme]
	for _, ip := range found {
		if !may(netip.AddrPortFrom(ip.Unmap(), uint16(port))) {
			return ErrNotPublic
		}
	}
	return nil
}

// endsInNumber reports whether a resolver may read host as an IPv4 address, such as 0x7f000001 or
// 127.1.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || last == ""
}

// Do sends a request whose URL is a result of Check. It returns responses with a redirect as they
// are. The error wraps ErrNotPublic if the host has an address that Check would refuse.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	if _, err := c.Check(r.URL.String()); err != nil {
		return nil, err
	}
	return c.http.Do(r)
}

// Public reports whether an address of a connection is public. What a response from another address
// says stays inside.
func (c *Client) Public(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && c.guard.SafeAddr(tcp.AddrPort().Addr().Unmap()) == nil
}

// secure checks an address for a connection with HTTPS.
func (c *Client) secure(to netip.AddrPort) bool {
	return c.allowed.address(to.Addr()) || c.guard.SafeAddrPort(to) == nil
}

// plain checks an address for a connection with HTTP.
func (c *Client) plain(to netip.AddrPort) bool {
	return c.allowed.address(to.Addr()) || c.insecure != nil && c.insecure.SafeAddrPort(to) == nil
}

// transport returns a transport that connects to allowed hosts, and to the addresses for which may
// returns true.
func (c *Client) transport(may func(netip.AddrPort) bool) *http.Transport {
	control := func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !may(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())) {
			return ErrNotPublic
		}
		return nil
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, hostPort string) (net.Conn, error) {
			dialer := net.Dialer{Timeout: dialTimeout, Resolver: c.resolver}
			if !c.allowed.host(hostPort) {
				dialer.Control = control
			}
			return dialer.DialContext(ctx, network, hostPort)
		},
		TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: headerTimeout, MaxResponseHeaderBytes: maxHeader,
		DisableKeepAlives: true, DisableCompression: true, ForceAttemptHTTP2: true,
	}
}

// schemes has a transport for each scheme.
type schemes map[string]http.RoundTripper

// RoundTrip implements http.RoundTripper.
func (s schemes) RoundTrip(r *http.Request) (*http.Response, error) {
	return s[r.URL.Scheme].RoundTrip(r)
}
