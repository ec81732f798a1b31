package httpx

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestCaller(t *testing.T) {
	t.Parallel()
	ours := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, test := range map[string]struct {
		proxies   []netip.Prefix
		peer      string
		forwarded []string
		want      string
	}{
		"no trusted proxies":        {nil, "10.0.0.1:5", []string{"203.0.113.9"}, "10.0.0.1:5"},
		"an untrusted proxy":        {ours, "198.51.100.7:5", []string{"203.0.113.9"}, "198.51.100.7:5"},
		"one proxy":                 {ours, "10.0.0.1:5", []string{"203.0.113.9"}, "203.0.113.9:0"},
		"two proxies":               {ours, "10.0.0.1:5", []string{"203.0.113.9, 10.0.0.2"}, "203.0.113.9:0"},
		"two header lines":          {ours, "10.0.0.1:5", []string{"203.0.113.9", "10.0.0.2"}, "203.0.113.9:0"},
		"header of the client":      {ours, "10.0.0.1:5", []string{"192.0.2.1, 203.0.113.9"}, "203.0.113.9:0"},
		"forged proxy":              {ours, "10.0.0.1:5", []string{"10.9.9.9, 203.0.113.9"}, "203.0.113.9:0"},
		"no header":                 {ours, "10.0.0.1:5", nil, "10.0.0.1:0"},
		"no address":                {ours, "10.0.0.1:5", []string{"unknown"}, "10.0.0.1:0"},
		"no address before a proxy": {ours, "10.0.0.1:5", []string{"x, 10.0.0.2"}, "10.0.0.2:0"},
		"six":                       {ours, "[fd00::1]:5", []string{"2001:db8::7"}, "[2001:db8::7]:0"},
		"IPv4 in IPv6":              {ours, "[::ffff:10.0.0.1]:5", []string{"::ffff:203.0.113.9"}, "203.0.113.9:0"},
		"only trusted proxies":      {ours, "10.0.0.1:5", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3:0"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = test.peer
		r.Header["X-Forwarded-For"] = test.forwarded
		got := r.RemoteAddr
		if peer, trusted := proxyOf(r, test.proxies); trusted {
			got = clientAddress(r.Header, peer, test.proxies)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
