package sqlstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"imprimatur/core/installation"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
)

// TestProcessesShareKeys uses the keys of a new database in several processes at once: they make one
// key. While one of them rotates, every signature is in the time of its key.
func TestProcessesShareKeys(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		key := secret.New()
		processes := make([]*signing.Keys, 4)
		for i := range processes {
			db := open(t)
			ok(t, db.Migrate(t.Context()))
			processes[i] = signing.NewKeys(db.Stores().SigningKeys, db.Stores().Clock, db, key)
		}
		var starting sync.WaitGroup
		for _, p := range processes {
			starting.Go(func() {
				if _, err := p.Document(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		starting.Wait()
		all, err := processes[0].Keys(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%d keys, %v", len(all), err)
		}

		ctx, stop := context.WithCancel(t.Context())
		used := make([]map[string][]time.Time, len(processes))
		var running sync.WaitGroup
		for i, p := range processes {
			used[i] = map[string][]time.Time{}
			running.Go(func() {
				for ctx.Err() == nil {
					time.Sleep(time.Millisecond) // the pace of this process
					_, err := p.Sign(t.Context(), func(k installation.SigningKey, at time.Time) []byte {
						used[i][k.Fingerprint] = append(used[i][k.Fingerprint], at)
						return nil
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 2 {
			_, err := processes[1].Rotate(t.Context())
			ok(t, err)
			time.Sleep(signing.Handover + 100*time.Millisecond) // both processes sign meanwhile
		}
		stop()
		running.Wait()
		all, err = processes[0].Keys(t.Context())
		ok(t, err)
		total := 0
		for _, k := range all {
			signatures := 0
			for _, of := range used {
				for _, at := range of[k.Fingerprint] {
					if signatures++; !k.Signs(at) {
						t.Errorf("signed at %v, but the key signs from %v to %v", at, k.From, k.Until)
					}
				}
			}
			if total += signatures; signatures == 0 {
				t.Errorf("the key from %v signed nothing", k.From)
			}
		}
		if len(all) != 3 || total < 10 {
			t.Errorf("%d keys made %d signatures", len(all), total)
		}
	})
}
