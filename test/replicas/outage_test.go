package replicas

import (
	"testing"
	"time"

	"imprimatur/test/postgrestest"
)

// TestPostgresDown stops the database. Every request then receives a 503 with Retry-After
// within a second. Two seconds after the database is back, all replicas work without a
// restart.
func TestPostgresDown(t *testing.T) {
	away := 3 * time.Second
	if *soak {
		away = 10 * time.Second
	}
	postgres := postgrestest.NewServer(t)
	in := newInstallation(t, "--database-url", postgres.URL())
	token, _ := in.token(t, 0)
	for n := range in.replicas {
		if a := in.call(t, n, "GET", in.pages(), "", token); a.status != 200 {
			t.Fatalf("replica %d answered %d: %s", n, a.status, a.body)
		}
	}
	postgres.Stop(t)
	stopped := time.Now()
	for n := range in.replicas {
		// Cached responses are sent until the feed is known to be lost.
		await(t, "the outage is detected", func() bool { return in.call(t, n, "GET", in.pages(), "", token).status == 503 })
	}
	if took := time.Since(stopped); took > time.Second {
		t.Errorf("detected after %s", took)
	}
	for ; time.Since(stopped) < away; time.Sleep(50 * time.Millisecond) {
		for n := range in.replicas {
			for method, body := range map[string]string{"GET": "", "POST": `{"fields":{"title":"x"}}`} {
				a := in.call(t, n, method, in.pages(), body, token)
				if a.status != 503 || a.header.Get("Retry-After") == "" || a.took > time.Second {
					t.Errorf("%s on replica %d answered %d after %s with %v: %s", method, n, a.status, a.took, a.header, a.body)
				}
			}
			if a, err := request(t.Context(), "GET", in.replicas[n].ops+"/readyz", ""); err != nil || a.status != 503 {
				t.Errorf("replica %d is ready without a database: %d, %v", n, a.status, err)
			}
		}
	}
	postgres.Start(t)
	started := time.Now()
	for n := range in.replicas {
		await(t, "the database is detected again", func() bool { return in.call(t, n, "GET", in.pages(), "", token).status == 200 })
	}
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("recovered after %s", took)
	}
	in.awaitFeed(t)
	in.checkStaleness(t, 1)
}
