package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
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
		if err != nil || host == "" || port == "" {
			return Allowed{}, fmt.Errorf("%q is no network as 10.0.0.0/8 and no host:port", rule)
		}
		a.hosts[strings.ToLower(net.JoinHostPort(host, port))] = true
	}
	return a, nil
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
