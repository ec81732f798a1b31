package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/ports"
)

// TestTransactionsOfAGroupFailAlone lets transactions wait for the writer together; every
// third one fails, by an error, a panic or the end of its context.
func TestTransactionsOfAGroupFailAlone(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		const count = 60
		var all sync.WaitGroup
		for i := range count {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				defer func() {
					if r := recover(); (r != nil) != (i%9 == 3) {
						t.Errorf("transaction %d: panic %v", i, r)
					}
				}()
				err := db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
					insertTenant(ctx, t, stores, fmt.Sprint(i))
					switch i % 9 {
					case 0:
						return errors.New("refused")
					case 3:
						panic("a fault")
					case 6:
						cancel()
					}
					return nil
				})
				if (err != nil) != (i%3 == 0) {
					t.Errorf("transaction %d: %v", i, err)
				}
			})
		}
		all.Wait()
		list := tenants(t.Context(), t, db)
		for _, tenant := range list {
			var i int
			if _, err := fmt.Sscan(tenant.Name, &i); err != nil || i%3 == 0 {
				t.Errorf("committed: %q", tenant.Name)
			}
		}
		if len(list) != count*2/3 {
			t.Errorf("%d of %d are committed", len(list), count*2/3)
		}
	})
}

// TestTransactionsWaitForOneThatRunsAlone starts transactions beside one that runs alone for longer than others wait.
func TestTransactionsWaitForOneThatRunsAlone(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		runs, ends := make(chan struct{}), time.After(4*time.Second)
		var all sync.WaitGroup
		all.Go(func() {
			if err := db.DoAlone(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				insertTenant(ctx, t, stores, "alone")
				close(runs)
				<-ends
				return nil
			}); err != nil {
				t.Errorf("the one that runs alone: %v", err)
			}
		})
		<-runs
		for i := range 5 {
			all.Go(func() {
				if err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
					insertTenant(ctx, t, stores, fmt.Sprint(i))
					return nil
				}); err != nil {
					t.Errorf("transaction %d: %v", i, err)
				}
			})
		}
		all.Wait()
		if list := tenants(t.Context(), t, db); len(list) != 6 {
			t.Errorf("%d transactions are committed", len(list))
		}
	})
}
