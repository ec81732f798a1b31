package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"imprimatur/adapters/sqlite"
	"imprimatur/core"
	"imprimatur/ports"
)

// TestOverload holds the database lock and sends more writes than may run and queue: the
// excess is refused, reads succeed, and writes succeed again afterwards.
func TestOverload(t *testing.T) {
	t.Parallel()
	s := newSite(t, "SQLite")
	db, err := sqlite.Open(t.Context(), fileOf(s.database), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const body = `{"fields":{"title":"one more"}}`
	path, token := s.fill("{pages}"), "Authorization: Bearer "+s.tokens["full"]
	if err := db.Do(t.Context(), core.SystemActor, func(context.Context, ports.Stores) error {
		const requests = 300
		responses := make(chan response, requests)
		var sending sync.WaitGroup
		for range requests {
			sending.Go(func() { responses <- call(t, http.MethodPost, s.base+path, body, token) })
		}
		first := <-responses
		if got := decode[struct{ Code, Detail string }](t, first); first.status != http.StatusServiceUnavailable ||
			got.Code != "busy" || got.Detail != "server overloaded, retry later" || first.header.Get("Retry-After") == "" {
			t.Errorf("excess write: status %d: %s", first.status, first.body)
		}
		if a := s.send(t, "read", http.MethodGet, "{pages}?limit=3", ""); a.status != http.StatusOK {
			t.Errorf("read: status %d: %s", a.status, a.body)
		}
		sending.Wait()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if a := s.send(t, "full", http.MethodPost, "{pages}", body); a.status != http.StatusCreated {
		t.Errorf("write afterwards: status %d: %s", a.status, a.body)
	}
	if refused := s.metric(t, `imprimatur_http_requests_refused_total{what="write"}`); refused == 0 {
		t.Error("the metric of refused writes is 0")
	}
}
