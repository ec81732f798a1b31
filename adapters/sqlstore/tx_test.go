package sqlstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/ports"
)

func TestDoRollsBackOnFailure(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			insertTenant(ctx, t, stores, "never")
			return refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("Do returned %v", err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a panic was swallowed")
				}
			}()
			_ = db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				insertTenant(ctx, t, stores, "never")
				panic("a fault")
			})
		}()
		ctx, cancel := context.WithCancel(t.Context())
		err = db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			insertTenant(ctx, t, stores, "never")
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("committed after its context was cancelled: %v", err)
		}
		if list := tenants(t.Context(), t, db); len(list) != 0 {
			t.Errorf("left behind: %v", list)
		}
	})
}

func TestDoSeesItsOwnWritesAndOthersDoNot(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			tenant := insertTenant(ctx, t, stores, "Meridian")
			if _, err := stores.Tenants.Tenant(ctx, tenant.ID); err != nil {
				t.Errorf("inside: %v", err)
			}
			if list := tenants(ctx, t, db); len(list) != 0 {
				t.Errorf("outside: %v", list)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if list := tenants(t.Context(), t, db); len(list) != 1 {
			t.Errorf("after: %v", list)
		}
	})
}

func TestDoIsNotNested(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, _ ports.Stores) error {
			return db.Do(ctx, core.SystemActor, func(context.Context, ports.Stores) error { return nil })
		})
		if core.KindOf(err) != core.KindInternal || err == nil {
			t.Errorf("nesting returned %v", err)
		}
	})
}

// TestDoRetriesAfterADeadlock runs two transactions that change the same two rows in opposite
// order.
func TestDoRetriesAfterADeadlock(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		a, b := insertTenant(t.Context(), t, db.Stores(), "a"), insertTenant(t.Context(), t, db.Stores(), "b")
		errs := make([]error, 2)
		var group sync.WaitGroup
		for i, pair := range [][2]core.Tenant{{a, b}, {b, a}} {
			group.Go(func() {
				errs[i] = db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
					if err := stores.Tenants.Update(ctx, pair[0]); err != nil {
						return err
					}
					time.Sleep(50 * time.Millisecond) // long enough for the other to change its first
					return stores.Tenants.Update(ctx, pair[1])
				})
			})
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	})
}

// TestDoPreventsWriteSkew demotes two super admins at the same time. Each transaction does so only
// if another super admin remains.
func TestDoPreventsWriteSkew(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		a, b := insertUser(t, db.Stores(), "a@example.org"), insertUser(t, db.Stores(), "b@example.org")
		a.SuperAdmin, b.SuperAdmin = true, true
		ok(t, errors.Join(db.Stores().Users.Update(t.Context(), a), db.Stores().Users.Update(t.Context(), b)))
		var group sync.WaitGroup
		for _, leaving := range []core.User{a, b} {
			group.Go(func() {
				err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
					users, err := stores.Users.Users(ctx, 0, 0, 10)
					if err != nil || superAdmins(users) < 2 {
						return err
					}
					time.Sleep(50 * time.Millisecond) // long enough for the other to read, too
					leaving.SuperAdmin = false
					return stores.Users.Update(ctx, leaving)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		users, err := db.Stores().Users.Users(t.Context(), 0, 0, 10)
		if left := superAdmins(users); left != 1 || err != nil {
			t.Errorf("%d super admins are left, %v", left, err)
		}
	})
}

func superAdmins(users []core.User) (n int) {
	for _, u := range users {
		if u.SuperAdmin {
			n++
		}
	}
	return n
}

// TestDoTimesOut occupies all connections that can write.
func TestDoTimesOut(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		release := make(chan struct{})
		var holders, held sync.WaitGroup
		for range 4 {
			held.Add(1)
			holders.Go(func() {
				first := sync.OnceFunc(held.Done)
				defer first() // on an engine with one writer, the others time out
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				timeout := time.AfterFunc(time.Second, cancel)
				_ = db.Do(ctx, core.SystemActor, func(context.Context, ports.Stores) error {
					timeout.Stop()
					first()
					<-release
					return nil
				})
			})
		}
		held.Wait()
		err := db.Do(t.Context(), core.SystemActor, func(context.Context, ports.Stores) error { return nil })
		if !errors.Is(err, core.ErrUnavailable) {
			t.Error(err)
		}
		var known *core.Error
		if !errors.As(err, &known) || known.RetryAfter <= 0 {
			t.Errorf("no Retry-After: %v", err)
		}
		close(release)
		holders.Wait()
	})
}

func insertTenant(ctx context.Context, t *testing.T, stores ports.Stores, name string) core.Tenant {
	t.Helper()
	tenant := core.Tenant{Name: name, CreatedAt: someTime, UpdatedAt: someTime}
	if err := stores.Tenants.Insert(ctx, &tenant); err != nil {
		t.Error(err)
	}
	return tenant
}

func tenants(ctx context.Context, t *testing.T, db *sqlstore.DB) []core.Tenant {
	t.Helper()
	list, err := db.Stores().Tenants.Tenants(ctx)
	if err != nil {
		t.Error(err)
	}
	return list
}
