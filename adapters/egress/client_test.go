package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"imprimatur/core"
)

func client(t *testing.T, rules ...string) *Client {
	t.Helper()
	allowed, err := ParseAllowed(rules)
	require.NoError(t, err)
	return New(allowed)
}

func TestCheckRefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	c := client(t)
	for _, host := range []string{
		"169.254.169.254", "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1",
		"192.0.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:93.184.216.34]", "[::7f00:1]", "[64:ff9b::7f00:1]",
		"[64:ff9b::5db8:d822]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001::1]", "[fe80::1]", "[fe80::1%25eth0]",
		"[fc00::1]", "[fd12::1]", "[ff02::1]", "[2001:db8::1]", "0x7f000001", "2130706433", "0177.0.0.1", "127.1", "1.2.3.0x4", "127.0.0.1.",
		"１２７.０.０.１", "127。0。0。1", "①②⑦.0.0.1", "localhost", "localhost.", "LOCALHOST",
		"foo.localhost", "printer.local", "metadata.google.internal", "ip6-localhost",
	} {
		_, err := c.Check("https://" + host + "/a.png")
		assert.ErrorIs(t, err, ErrNotPublic, host)
	}
	for _, address := range []string{"http://example.org/", "https://example.org:8443/", "https://93.184.216.34:80/", "http://93.184.216.34/"} {
		_, err := c.Check(address)
		assert.ErrorIs(t, err, ErrNotPublic, address)
	}
	for _, address := range []string{"", "/a.png", "//example.org/a.png", "ftp://example.org/", "file:///etc/passwd",
		"https://", "https:///a", "https://user:secret@example.org/", "gopher://127.0.0.1", "https://exa mple.org/", "data:image/png,x"} {
		_, err := c.Check(address)
		assert.ErrorIs(t, err, ErrNoAddress, address)
	}
	for _, address := range []string{"https://example.org", "https://example.org:443/a?b#c", "HTTPS://EXAMPLE.ORG/", "https://93.184.216.34/", "https://[2606:2800:220:1::1]/"} {
		_, err := c.Check(address)
		assert.NoError(t, err, address)
	}
}

func TestAllowedRules(t *testing.T) {
	t.Parallel()
	c := client(t, "10.0.0.0/8", "hooks.internal:8080", "[fd12::1]:9000", "192.168.0.0/16")
	for _, address := range []string{"http://10.1.2.3:81/", "https://10.1.2.3/", "http://HOOKS.internal:8080/x",
		"https://hooks.internal:8080/", "http://[fd12::1]:9000/", "http://name.internal/", "https://192.168.1.1:8443"} {
		_, err := c.Check(address)
		assert.NoError(t, err, address)
	}
	for _, address := range []string{"http://127.0.0.1/", "http://[fd12::1]:9001/", "https://[fd12::2]/", "http://93.184.216.34/"} {
		_, err := c.Check(address)
		assert.ErrorIs(t, err, ErrNotPublic, address)
	}
	for _, rule := range []string{"localhost", "10.0.0.0/40", ":80", "host:", "", "host:0", "host:080", "host:http", "host:99999", "host:80/path",
		"*.internal:80", "10.0.0.0/8;host:80", "a b:80", "user@host:80", "a..b:80"} {
		_, err := ParseAllowed([]string{rule})
		assert.Error(t, err, rule)
	}
}

// server counts its requests.
func server(t *testing.T, answer http.HandlerFunc) (s *httptest.Server, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s, requests
}

// names returns a resolver that answers the n-th question for a name with the n-th address, and
// later ones with the last.
func names(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 512)
		for asked := 0; ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				ip := netip.MustParseAddr(addresses[min(asked, len(addresses)-1)]).As4()
				asked++
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: ip}}}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestNamesAreCheckedWhenDialled(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "100.64.0.1", "0.0.0.0"} {
		c := client(t)
		c.resolver = names(t, address)
		_, _, err := NewFetcher(c).Fetch(t.Context(), "https://rebound.example/a.png")
		requireFault(t, err, "url", ErrNotPublic.Error())
		require.ErrorIs(t, c.CheckNow(t.Context(), "https://inside.example/"), ErrNotPublic)
	}
	require.NoError(t, client(t).CheckNow(t.Context(), "https://93.184.216.34/"))
	require.NoError(t, client(t).CheckNow(t.Context(), "https://nowhere.invalid/"))
	require.NoError(t, client(t, "127.0.0.0/8", "::1/128").CheckNow(t.Context(), "http://localhost:81/"))
	require.ErrorIs(t, client(t).CheckNow(t.Context(), "https://localhost/"), ErrNotPublic)
	_, _, err := NewFetcher(client(t)).Fetch(t.Context(), "https://localhost/a.png")
	requireFault(t, err, "url", ErrNotPublic.Error())
}

// A name that first resolves to an allowed address and then to another one reaches only the first.
func TestReboundNames(t *testing.T) {
	t.Parallel()
	s, requests := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := client(t, "127.0.0.1/32")
	c.resolver = names(t, "127.0.0.1", "127.0.0.2")
	_, file, err := NewFetcher(c).Fetch(t.Context(), "http://rebound.example:"+port+"/")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	_, _, err = NewFetcher(c).Fetch(t.Context(), "http://rebound.example:"+port+"/")
	requireFault(t, err, "url", ErrNotPublic.Error())
	require.EqualValues(t, 1, requests.Load())
}

// A name that resolves to a public address when it is set, and to a private one later, is not reached.
func TestNamesThatBecomePrivate(t *testing.T) {
	t.Parallel()
	for _, later := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1"} {
		c := client(t)
		c.resolver = names(t, "93.184.216.34", later)
		require.NoError(t, c.CheckNow(t.Context(), "https://rebound.example/hook"))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://rebound.example/hook", strings.NewReader("{}"))
		require.NoError(t, err)
		_, err = c.Do(request) //nolint:bodyclose // there is none
		require.ErrorIs(t, err, ErrNotPublic, later)
	}
}

func requireFault(t *testing.T, err error, location, message string) {
	t.Helper()
	var fault *core.Error
	require.True(t, errors.As(err, &fault), "%v", err)
	require.Equal(t, core.KindInvalid, fault.Kind)
	require.Equal(t, location, fault.Fields[0].Location)
	require.Contains(t, fault.Fields[0].Message, message)
}

func TestFetch(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9") // has no effect
	inside, reached := server(t, func(http.ResponseWriter, *http.Request) {})
	s, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, inside.URL, http.StatusFound)
		case "/missing":
			http.NotFound(w, r)
		case "/named":
			w.Header().Set("Content-Disposition", `attachment; filename="b.png"`)
		case "/cut":
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("x"))
		default:
			_, _ = w.Write([]byte("bytes"))
		}
	})
	f := NewFetcher(client(t, strings.TrimPrefix(s.URL, "http://")))
	name, file, err := f.Fetch(t.Context(), s.URL+"/pictures/a%20b.png?size=1")
	require.NoError(t, err)
	require.Equal(t, "a b.png", name)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Equal(t, "bytes", string(content))
	name, file, err = f.Fetch(t.Context(), s.URL+"/named")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, "b.png", name)
	for path, fault := range map[string]string{"/redirect": "redirects to another address", "/missing": "status 404"} {
		_, _, err = f.Fetch(t.Context(), s.URL+path)
		requireFault(t, err, "url", fault)
	}
	require.Zero(t, reached.Load())
	_, file, err = f.Fetch(t.Context(), s.URL+"/cut")
	require.NoError(t, err)
	_, err = io.ReadAll(file)
	requireFault(t, err, "url", "stops in the middle")
	s.Close()
	_, _, err = f.Fetch(t.Context(), s.URL)
	requireFault(t, err, "url", "does not answer")
}

// A context limits the whole request, also one with a body that never ends.
func TestFetchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond) // a slow server
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	_, file, err := NewFetcher(client(t, "127.0.0.1/32")).Fetch(ctx, s.URL)
	require.NoError(t, err)
	_, err = io.ReadFull(file, make([]byte, 10))
	require.NoError(t, err)
	cancel()
	_, err = io.Copy(io.Discard, file)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPlain(t *testing.T) {
	t.Parallel()
	c := New(Allowed{}, WithPlain())
	for _, address := range []string{"http://example.org/", "http://example.org:80/a", "https://example.org/", "http://93.184.216.34/"} {
		_, err := c.Check(address)
		assert.NoError(t, err, address)
	}
	for _, address := range []string{"http://example.org:443/", "https://example.org:80/", "http://127.0.0.1/", "http://localhost/", "http://10.0.0.1/", "http://example.org:8080/"} {
		_, err := c.Check(address)
		assert.ErrorIs(t, err, ErrNotPublic, address)
	}
	c.resolver = names(t, "169.254.169.254")
	_, _, err := NewFetcher(c).Fetch(t.Context(), "http://rebound.example/a.png")
	requireFault(t, err, "url", ErrNotPublicPlain.Error())
}

func TestFollowing(t *testing.T) {
	t.Parallel()
	s, requests := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/private":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case "/user":
			http.Redirect(w, r, "http://a:b@"+r.Host+"/5", http.StatusFound)
		case "/5":
			_, _ = w.Write([]byte("x"))
		default: // "/0" leads to "/1", and "/loop" to itself
			next := r.URL.Path
			if len(next) == 2 {
				next = "/" + string(next[1]+1)
			}
			http.Redirect(w, r, next, http.StatusMovedPermanently)
		}
	})
	f := NewFetcher(client(t, "127.0.0.1/32")).Following(5)
	_, file, err := f.Fetch(t.Context(), s.URL+"/0")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.EqualValues(t, 6, requests.Load())
	for path, message := range map[string]string{"/loop": "redirects more than 5 times", "/private": ErrNotPublic.Error(), "/user": ErrNoAddress.Error()} {
		_, _, err := f.Fetch(t.Context(), s.URL+path)
		requireFault(t, err, "url", message)
	}
}
