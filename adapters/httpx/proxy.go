package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// caller returns who sent r, as "host:port". Whoever connects to us is believed about
// who connected to them when they are a proxy of ours, and so on back through
// X-Forwarded-For: the caller is the last one whose word nobody vouches for. What
// callers themselves write into the header stands before that, and is not read.
func caller(r *http.Request, proxies []netip.Prefix) string {
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
