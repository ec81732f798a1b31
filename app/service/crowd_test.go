package service

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"imprimatur/adapters/web"
)

// TestACrowdIsTurnedAway has as many requests under way as may be; the next is turned
// away at once, an upload is not, and when they are done there is room again.
func TestACrowdIsTurnedAway(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var c crowd
	held := c.bound(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			<-release
		}
	}), web.WriteProblem)
	send := func(path, contentType string) *httptest.ResponseRecorder {
		rec, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, nil)
		r.Header.Set("Content-Type", contentType)
		held.ServeHTTP(rec, r)
		return rec
	}
	var under sync.WaitGroup
	for range mostAtOnce {
		under.Go(func() { send("/held", "application/json") })
	}
	for c.inside.Load() < mostAtOnce {
		continue
	}
	if rec := send("/", "application/json"); rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" {
		t.Errorf("one too many is answered %d", rec.Code)
	}
	if rec := send("/", "multipart/form-data; boundary=x"); rec.Code != http.StatusOK {
		t.Errorf("an upload is answered %d", rec.Code)
	}
	close(release)
	under.Wait()
	if rec := send("/", "application/json"); rec.Code != http.StatusOK || c.inside.Load() != 0 || c.refused.Load() != 1 {
		t.Errorf("afterwards %d, %d inside, %d refused", rec.Code, c.inside.Load(), c.refused.Load())
	}
}
