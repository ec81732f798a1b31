package conformance

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/program"
)

// TestModelContextProtocol runs the official conformance suite of the Model Context Protocol against /mcp. The suite
// cannot send a credential: a proxy adds that of the assistant of the demo, and is the service at another address.
func TestModelContextProtocol(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	service, err := url.Parse(facts.BaseURL)
	require.NoError(t, err)
	var own string
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		host := r.In.Host
		r.SetURL(service)
		r.Out.Header.Set("Authorization", "Bearer "+facts.Assistant)
		if r.In.Header.Get("Origin") == "http://"+own {
			r.Out.Header.Set("Origin", facts.BaseURL)
		} else {
			r.Out.Host = host
		}
	}})
	t.Cleanup(proxy.Close)
	own = proxy.Listener.Addr().String()
	t.Log(node(t, "deno", "run", "--allow-all", "--no-remote", "node_modules/@modelcontextprotocol/conformance/dist/index.js",
		"server", "--url", proxy.URL+"/mcp", "--suite", "all", "--expected-failures", "mcp-expected.yml", "--output-dir", t.TempDir()))
}
