package replicas

import (
	"testing"
	"time"

	"imprimatur/test/postgrestest"
)

// TestPostgresAway stops the database. Every request meanwhile gets a 503 that says
// when to come again, within a second; afterwards all is well within two, and no
// process was restarted for it.
func TestPostgresAway(t *testing.T) {
	away := 3 * time.Second
	if *soak {
		away = 10 * time.Second
	}
	postgres := postgrestest.NewServer(t)
	in := settle(t, "--database-url", postgres.URL())
	token, _ := in.token(t, 0)
	for n := range in.replicas {
		if a := in.call(t, n, "GET", in.pages(), "", token); a.status != 200 {
			t.Fatalf("replica %d answered %d: %s", n, a.status, a.body)
		}
	}
	postgres.Stop(t)
	stopped := time.Now()
	for n := range in.replicas {
		// What is remembered is answered until the feed is known to be lost.
		await(t, "the database is missed", func() bool { return in.call(t, n, "GET", in.pages(), "", token).status == 503 })
	}
	if took := time.Since(stopped); took > time.Second {
		t.Errorf("missed after %s", took)
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
		await(t, "the database is found again", func() bool { return in.call(t, n, "GET", in.pages(), "", token).status == 200 })
	}
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("back after %s", took)
	}
	in.awaitFeed(t)
	in.checkStaleness(t, 1)
}
