package replicas

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
)

// TestRollingRestart restarts the replicas one after the other behind a load balancer,
// under reads and writes: no request fails.
func TestRollingRestart(t *testing.T) {
	rounds := 1
	if *soak {
		rounds = 5
	}
	stopDelay := []string{"--stop-delay", "2s"}
	in := newInstallationWith(t, func(int) []string { return stopDelay }, "--database-url", postgrestest.New(t))
	token, _ := in.token(t, 0)
	lb := newBalancer(t, in.replicas)

	var served, written atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for n := range 4 {
		clients.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				time.Sleep(5 * time.Millisecond) // the pace of this client
				method, body, want := "GET", "", 200
				if i%10 == 0 {
					method, body, want = "POST", fmt.Sprintf(`{"fields":{"title":"%d of %d"}}`, i, n), 201
				}
				// Running requests complete after stop.
				a, err := request(context.WithoutCancel(ctx), method, lb.URL+in.pages(), body, token)
				if err != nil || a.status != want {
					t.Errorf("%s answered %d, %v: %s", method, a.status, err, a.body)
				}
				served.Add(1)
				if method == "POST" {
					written.Add(1)
				}
			}
		})
	}
	enough := func() {
		target := served.Load() + 200
		await.Until(t, "requests are served", func() bool { return served.Load() >= target })
	}
	for range rounds {
		for n, old := range in.replicas {
			enough()
			old.process.Stop(t)
			enough()
			in.replicas[n] = launch(t, append(stopDelay, in.settings...))
			lb.put(n, in.replicas[n])
		}
	}
	enough()
	stop()
	clients.Wait()
	t.Logf("%d requests served, %d of them writes", served.Load(), written.Load())
	stored := decode[struct{ Meta struct{ Total int64 } }](t, in.mustCall(t, 0, "GET",
		fmt.Sprintf("/api/projects/%d/collections/%d/content?count=true&state=with_draft", in.project, in.collection(t)), "")).Meta.Total
	if stored != written.Load() {
		t.Errorf("%d entries were written, %d are stored", written.Load(), stored)
	}
}

func (in *installation) collection(t *testing.T) int {
	t.Helper()
	list := decode[struct{ Data []struct{ ID int } }](t, in.mustCall(t, 0, "GET", fmt.Sprintf("/api/projects/%d/collections", in.project), ""))
	return list.Data[0].ID
}

// balancer forwards requests to the ready replicas in turn. If no connection is made, it
// tries the next one, as a load balancer does.
type balancer struct {
	*httptest.Server
	next     atomic.Int64
	mu       sync.Mutex
	replicas []*replica
	ready    []*replica
}

func newBalancer(t *testing.T, replicas []*replica) *balancer {
	t.Helper()
	b := &balancer{replicas: append([]*replica(nil), replicas...)}
	b.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		Transport: b,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			t.Logf("balancer: %s %s: %v", r.Method, r.URL, err)
			w.WriteHeader(http.StatusBadGateway)
		},
	})
	t.Cleanup(b.Close)
	b.check()
	checks := time.NewTicker(100 * time.Millisecond)
	done := make(chan struct{})
	var checking sync.WaitGroup
	checking.Go(func() {
		for {
			select {
			case <-checks.C:
				b.check()
			case <-done:
				return
			}
		}
	})
	t.Cleanup(func() {
		checks.Stop()
		close(done)
		checking.Wait()
	})
	return b
}

// check reads the readiness of each replica.
func (b *balancer) check() {
	b.mu.Lock()
	replicas := slices.Clone(b.replicas)
	b.mu.Unlock()
	var ready []*replica
	for _, r := range replicas {
		if a, err := request(context.Background(), "GET", r.ops+"/readyz", ""); err == nil && a.status == http.StatusOK {
			ready = append(ready, r)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = ready
}

// put replaces replica n.
func (b *balancer) put(n int, r *replica) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas[n] = r
}

func (b *balancer) pick(i int64) (*url.URL, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return nil, errors.New("no replica is ready")
	}
	return url.Parse(b.ready[i%int64(len(b.ready))].base)
}

// direct opens a connection for each request.
var direct = &http.Transport{DisableKeepAlives: true}

// RoundTrip implements http.RoundTripper.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	// The body is read first, so that it can be sent again if no connection is made.
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	first := b.next.Add(1)
	for n := range int64(3) {
		target, err := b.pick(first + n)
		if err != nil {
			return nil, err
		}
		attempt := r.Clone(r.Context())
		attempt.URL.Scheme, attempt.URL.Host = target.Scheme, target.Host
		attempt.Body = http.NoBody
		if len(body) > 0 {
			attempt.Body = io.NopCloser(bytes.NewReader(body))
		}
		resp, err := direct.RoundTrip(attempt)
		var op *net.OpError
		if errors.As(err, &op) && op.Op == "dial" {
			continue
		}
		return resp, err
	}
	return nil, errors.New("no replica accepts connections")
}
