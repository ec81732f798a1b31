package e2e

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestNoFilesLeft takes all file descriptors from the program: the operations port answers, and the log says
// what is wrong, once.
func TestNoFilesLeft(t *testing.T) {
	t.Parallel()
	p, base, ops := serve(t, databases(t)["SQLite"])
	const left = 4
	p.LimitFiles(t, uint64(p.Files(t)+left))
	for range 10 * left {
		conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(t.Context(), "tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	p.Await(t, "the fault", func() bool { return strings.Contains(p.Output(), "connections cannot be accepted") })
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/livez"} {
		response, err := client.Get(ops + path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_ = response.Body.Close()
		if response.StatusCode != 200 {
			t.Errorf("%s answered %d", path, response.StatusCode)
		}
	}
	found := lines(t, p.Output(), "connections cannot be accepted")
	if len(found) != 1 || found[0]["level"] != "error" || !strings.Contains(found[0]["error"].(string), "too many open files") {
		t.Errorf("logged %v", found)
	}
}
