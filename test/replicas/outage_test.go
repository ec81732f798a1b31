package replicas

import (
	"testing"
	"time"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
)

// TestPostgresDown stops the database. Every request then receives a 503 with Retry-After.
// When the database is back, all replicas work without a restart. The times that
// operations.md promises, a second to notice and two to recover, are checked with -soak:
// they need a machine that does nothing else.
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
		await.Until(t, "the outage is detected", func() bool { return in.call(t, n, "GET", in.pages(), "", token).status == 503 })
	}
	checkTook(t, "the detection", time.Since(stopped), time.Second)
	for ; time.Since(stopped) < away; time.Sleep(50 * time.Millisecond) { // clients go on asking
		for n := range in.replicas {
			for method, body := range map[string]string{"GET": "", "POST": `{"fields":{"title":"x"}}`} {
				a := in.call(t, n, method, in.pages(), body, token)
				if a.status != 503 || a.header.Get("Retry-After") == "" {
					t.Errorf("%s on replica %d answered %d with %v: %s", method, n, a.status, a.header, a.body)
				}
				checkTook(t, method, a.took, time.Second)
			}
			if a, err := request(t.Context(), "GET", in.replicas[n].ops+"/readyz", ""); err != nil || a.status != 503 {
				t.Errorf("replica %d is ready without a database: %d, %v", n, a.status, err)
			}
		}
	}
	postgres.Start(t)
	started := time.Now()
	for n := range in.replicas {
		await.Until(t, "the database is detected again", func() bool { return in.call(t, n, "GET", in.pages(), "", token).status == 200 })
	}
	checkTook(t, "the recovery", time.Since(started), 2*time.Second)
	in.awaitFeed(t)
	in.checkStaleness(t, 1)
}

// checkTook compares a time with its limit in a soak.
func checkTook(t *testing.T, what string, took, limit time.Duration) {
	t.Helper()
	if *soak && took > limit {
		t.Errorf("%s took %s, want at most %s", what, took, limit)
	}
}
