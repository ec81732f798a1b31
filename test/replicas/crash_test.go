package replicas

import (
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
	"imprimatur/test/redistest"
)

// TestCrash kills a replica while it revokes tokens that the others have cached. Committed
// revocations hold everywhere a second later, and the others keep using their caches.
func TestCrash(t *testing.T) {
	rounds := 1
	if *soak {
		rounds = 15
	}
	for name, settings := range map[string]func(t *testing.T) []string{
		"SQLite": func(t *testing.T) []string {
			return []string{"--database-url", "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db")}
		},
		"Postgres":  func(t *testing.T) []string { return []string{"--database-url", postgrestest.New(t)} },
		"PgBouncer": func(t *testing.T) []string { return []string{"--database-url", pooled(t)} },
		"Redis": func(t *testing.T) []string {
			return []string{"--database-url", postgrestest.New(t), "--redis-url", redistest.New(t).URL()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInstallation(t, settings(t)...)
			for range rounds {
				in.awaitFeed(t)
				in.crash(t)
				survivors := installation{replicas: in.replicas[:2]}
				if live := survivors.sum(t, "imprimatur_change_feed_live"); live != 2 {
					t.Errorf("after the crash %v of 2 replicas use their caches", live)
				}
				in.replicas[2] = launch(t, in.settings)
			}
		})
	}
}

// crash kills the last replica while it revokes tokens.
func (in *installation) crash(t *testing.T) {
	t.Helper()
	const tokens = 12
	var secrets, paths [tokens]string
	for i := range tokens {
		secrets[i], paths[i] = in.token(t, 0)
		for n := range in.replicas {
			await.Until(t, "the token is accepted", func() bool { return in.call(t, n, "GET", in.pages(), "", secrets[i]).status == 200 })
		}
	}
	var revoking sync.WaitGroup
	var first sync.Once
	answered := make(chan struct{})
	for i := range tokens {
		revoking.Go(func() {
			// The response may be lost.
			_, _ = request(t.Context(), "DELETE", in.replicas[2].base+paths[i], "", append(in.root, "Origin: "+in.replicas[2].base)...)
			first.Do(func() { close(answered) })
		})
	}
	<-answered
	time.Sleep(rand.N(10 * time.Millisecond)) // the kill is at any moment of the revocations
	in.replicas[2].process.Kill(t)
	killed := time.Now()
	revoking.Wait()
	time.Sleep(time.Until(killed.Add(freshness))) // for so long others may accept a revoked token
	revoked := 0
	for i := range tokens {
		want := 200
		if decode[struct{ RevokedAt *string }](t, in.mustCall(t, 0, "GET", paths[i], "")).RevokedAt != nil {
			want = 401
			revoked++
		}
		for n := range 2 {
			if a := in.call(t, n, "GET", in.pages(), "", secrets[i]); a.status != want {
				t.Errorf("a second after the crash replica %d answered %d, want %d", n, a.status, want)
			}
		}
	}
	t.Logf("%d of %d tokens were revoked before the crash", revoked, tokens)
}
