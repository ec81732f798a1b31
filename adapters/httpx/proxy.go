package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns the address of the client as "host:port". When the peer is a trusted proxy,
// it reads X-Forwarded-For from the last entry backwards up to the first address that is not a
// trusted proxy. Earlier entries can be forged by the client and are ignored.
func clientAddress(r *http.Request, proxies []netip.Prefix) string {
	if len(proxies) == 0 {
		return r.RemoteAddr
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !within(proxies, peer.Addr()) {
		return r.RemoteAddr
	}
	address := peer.Addr()
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for _, hop := range slices.Backward(hops) {
		before, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		address = before
		if !within(proxies, address) {
			break
		}
	}
	return net.JoinHostPort(address.Unmap().WithZone("").String(), "0")
}

func within(networks []netip.Prefix, address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(address) })
}
