package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
)

// Allowed is what a Client may reach besides public addresses. The zero value is nothing.
type Allowed struct {
	networks []netip.Prefix
	hosts    map[string]bool // host:port, in lower case
}

// ParseAllowed parses rules, each a network as 10.0.0.0/8 or a host:port. A host can be a name,
// which may resolve to any address, or an IP address.
func ParseAllowed(rules []string) (Allowed, error) {
	a := Allowed{hosts: map[string]bool{}}
	for _, rule := range rules {
		rule = strings.TrimSpace(rule)
		if network, err := netip.ParsePrefix(rule); err == nil {
			a.networks = append(a.networks, network.Masked())
			continue
		}
		host, port, err := net.SplitHostPort(rule)
		if err != nil || !isHost(host) || !isPort(port) {
			return Allowed{}, fmt.Errorf("%q is no network as 10.0.0.0/8 and no host:port", rule)
		}
		a.hosts[strings.ToLower(net.JoinHostPort(host, port))] = true
	}
	return a, nil
}

// isHost reports whether host is an IP address or can be a name: letters of any script, digits, hyphens
// and underscores between dots.
func isHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if label == "" || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}) {
			return false
		}
	}
	return true
}

// isPort reports whether port is a number from 1 to 65535 as URLs have it.
func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == port
}

// host reports whether the host:port is allowed by its name.
func (a Allowed) host(hostPort string) bool { return a.hosts[strings.ToLower(hostPort)] }

// address reports whether a network contains ip.
func (a Allowed) address(ip netip.Addr) bool {
	for _, network := range a.networks {
		if network.Contains(ip) {
			return true
		}
	}
	return false
}
