package service

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/sqlstore/admission"
)

// TestACrowdIsTurnedAway has as many requests under way as may be; the next is turned
// away at once, an upload is not, and when they are done there is room again.
func TestACrowdIsTurnedAway(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	c := newCrowd(admission.New(1), admission.New(1))
	held := c.bound(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			<-release
		}
	}), httpx.WriteProblem, c.byMethod)
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

// TestReadsInVainAreTurnedAwayAtOnce has more reads come to the database than wait there;
// most of the next do not get that far, writes do, and the log has one line for all.
func TestReadsInVainAreTurnedAwayAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := admission.New(0)
		c := newCrowd(reads, admission.New(1))
		reached := map[string]int{}
		handler := c.bound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			reached[r.Method]++
			if r.Method == http.MethodGet {
				if err := reads.Enter(admission.WithVisit(r.Context())); err != nil {
					httpx.WriteProblem(w, r, err)
				}
			}
		}), httpx.WriteProblem, c.byMethod)
		ctx, cancel := context.WithCancel(t.Context())
		for !reads.Full() {
			go func() { _ = reads.Enter(admission.WithVisit(ctx)) }()
			synctest.Wait()
		}
		for range 1000 {
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
			if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" {
				t.Fatalf("answered %d", rec.Code)
			}
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))
		}
		atOnce := c.refused.Load()
		if reached[http.MethodGet] > 500 || int64(reached[http.MethodGet])+atOnce != 1000 || reached[http.MethodPost] != 1000 {
			t.Errorf("reached %v, turned away %d", reached, atOnce)
		}
		sink, logs := observer.New(zapcore.InfoLevel)
		tell := c.tell(zap.New(sink))
		for range 2 {
			if err := tell(ctx); err != nil {
				t.Error(err)
			}
		}
		if lines := logs.TakeAll(); len(lines) != 1 || lines[0].ContextMap()["atOnce"] != atOnce ||
			lines[0].ContextMap()["beforeTheDatabase"] != int64(reached[http.MethodGet]) {
			t.Errorf("logged %v", lines)
		}
		cancel()
	})
}
