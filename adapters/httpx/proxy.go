package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxyOf returns the address of the peer, and whether it is a trusted proxy.
func proxyOf(r *http.Request, proxies []netip.Prefix) (peer netip.Addr, trusted bool) {
	if len(proxies) == 0 {
		return netip.Addr{}, false
	}
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	return address.Addr(), err == nil && within(proxies, address.Addr())
}

// clientAddress returns the address of the client of a trusted proxy as "host:port". It reads
// X-Forwarded-For from the last entry backwards up to the first address that is not a trusted
// proxy. Earlier entries can be forged by the client and are ignored.
func clientAddress(header http.Header, proxy netip.Addr, proxies []netip.Prefix) string {
	address := proxy
	hops := strings.Split(strings.Join(header["X-Forwarded-For"], ","), ",")
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
