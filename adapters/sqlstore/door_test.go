package sqlstore_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/ports"
)

// TestWritesAreTurnedAway has requests hold all places there are for transactions.
// Others are turned away; what is on nobody's behalf, and what reads, goes on.
func TestWritesAreTurnedAway(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		places := db.Load().Writes.Places
		release := make(chan struct{})
		var holders sync.WaitGroup
		for range places {
			holders.Go(func() {
				_ = db.Do(sqlstore.WithRequest(t.Context()), core.SystemActor, func(context.Context, ports.Stores) error {
					<-release
					return nil
				})
			})
		}
		for db.Load().Writes.Inside < places {
			runtime.Gosched()
		}
		ctx := sqlstore.WithRequest(t.Context())
		wantBusy(t, db.Do(ctx, core.SystemActor, func(context.Context, ports.Stores) error { return nil }))
		if _, err := db.Stores().Tenants.Tenants(ctx); err != nil {
			t.Errorf("who only reads: %v", err)
		}
		close(release)
		holders.Wait()
		ok(t, db.Do(ctx, core.SystemActor, func(context.Context, ports.Stores) error { return nil }))
		if load := db.Load(); load.Writes.Inside != 0 || load.Writes.Refused != 1 || load.Reads.Inside != 0 {
			t.Errorf("in the end %+v", load)
		}
	})
}

func TestReadsAreTurnedAway(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		release := db.HoldReads(t.Context())
		ctx := sqlstore.WithRequest(t.Context())
		_, built := db.Stores().Tenants.Tenants(ctx)
		wantBusy(t, built)
		_, _, hot := db.Stores().Publications.NextDue(ctx)
		wantBusy(t, hot)
		if err := db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			_, _, err := stores.Publications.NextDue(ctx)
			return errors.Join(err, stores.Tenants.Insert(ctx, &core.Tenant{Name: "Acme", CreatedAt: someTime, UpdatedAt: someTime}))
		}); err != nil {
			t.Errorf("who reads in a transaction: %v", err)
		}
		if _, err := db.Stores().Tenants.Tenants(t.Context()); err != nil {
			t.Errorf("what is on nobody's behalf: %v", err)
		}
		release()
		_, built = db.Stores().Tenants.Tenants(ctx)
		_, _, hot = db.Stores().Publications.NextDue(ctx)
		ok(t, errors.Join(built, hot))
		if load := db.Load(); load.Reads.Inside != 0 || load.Reads.Waiting != 0 || load.Writes.Inside != 0 {
			t.Errorf("in the end %+v", load)
		}
	})
}

// TestOnlyWhoReadsTakesMemory holds that who waits at the gate holds none of what rows are
// read into: hundreds may wait, each for hundreds of rows.
func TestOnlyWhoReadsTakesMemory(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		var buffer core.RowBuffer
		sel := newest(newArticles(t, db), "en")
		sel.Into = &buffer
		release := db.HoldReads(t.Context())
		_, err := db.Stores().Entries.List(sqlstore.WithRequest(t.Context()), sel)
		wantBusy(t, err)
		if buffer != (core.RowBuffer{}) {
			t.Error("who was turned away has taken memory")
		}
		release()
		_, err = db.Stores().Entries.List(sqlstore.WithRequest(t.Context()), sel)
		ok(t, err)
		if buffer == (core.RowBuffer{}) {
			t.Error("who has read has taken none")
		}
	})
}

// TestRequestsAboundAndAllIsLeft has far more requests than places read and write, some
// of which hang up.
func TestRequestsAboundAndAllIsLeft(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		var requests sync.WaitGroup
		for i := range 60 {
			requests.Go(func() {
				ctx, cancel := context.WithCancel(sqlstore.WithRequest(t.Context()))
				defer cancel()
				if i%5 == 0 {
					go cancel()
				}
				_, list := db.Stores().Tenants.Tenants(ctx)
				_, _, hot := db.Stores().Publications.NextDue(ctx)
				write := db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
					return stores.Tenants.Insert(ctx, &core.Tenant{Name: "Acme", CreatedAt: someTime, UpdatedAt: someTime})
				})
				for _, err := range []error{list, hot, write} {
					if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, core.ErrUnavailable) {
						t.Error(err)
					}
				}
			})
		}
		requests.Wait()
		if load := db.Load(); load.Reads.Inside+load.Reads.Waiting+load.Writes.Inside+load.Writes.Waiting != 0 {
			t.Errorf("in the end %+v", load)
		}
	})
}

func wantBusy(t *testing.T, err error) {
	t.Helper()
	var known *core.Error
	if !errors.As(err, &known) || known.Kind != core.KindUnavailable || known.Code != "busy" || known.RetryAfter <= 0 {
		t.Errorf("not turned away: %v", err)
	}
}
