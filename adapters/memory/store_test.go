package memory_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/ports"
)

// The port contracts are tested in test/contract. These tests cover what only this adapter
// guarantees: readers never wait, so that a use case may read during its own transaction.

func TestReadersSeeWhatWasCommitted(t *testing.T) {
	t.Parallel()
	store, tenant := setup(t)
	err := store.Do(t.Context(), core.SystemActor, func(ctx context.Context, inside ports.Stores) error {
		changed := tenant
		changed.Name = "changed"
		if err := inside.Tenants.Update(ctx, changed); err != nil {
			return err
		}
		expectName(t, inside, tenant.ID, "changed")
		expectName(t, store.Stores(), tenant.ID, tenant.Name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expectName(t, store.Stores(), tenant.ID, "changed")
}

func TestManyGoroutinesShareATransaction(t *testing.T) {
	t.Parallel()
	store, _ := setup(t)
	err := store.Do(t.Context(), core.SystemActor, func(ctx context.Context, inside ports.Stores) error {
		var together sync.WaitGroup
		errs := make([]error, 16)
		for i := range errs {
			together.Go(func() { errs[i] = inside.Tenants.Insert(ctx, newTenant("one of many")) })
		}
		together.Wait()
		return errors.Join(errs...)
	})
	if err != nil {
		t.Fatal(err)
	}
	tenants, err := store.Stores().Tenants.Tenants(t.Context())
	if err != nil || len(tenants) != 17 {
		t.Fatalf("got %d tenants, %v; want 17", len(tenants), err)
	}
}

func TestAnEndedContextChangesNothing(t *testing.T) {
	t.Parallel()
	store, tenant := setup(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tenant.Name = "changed"
	for name, err := range map[string]error{
		"write": store.Stores().Tenants.Update(ended, tenant),
		"read":  func() error { _, err := store.Stores().Tenants.Tenant(ended, tenant.ID); return err }(),
		"tx":    store.Do(ended, core.SystemActor, func(context.Context, ports.Stores) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
	}
	expectName(t, store.Stores(), tenant.ID, "Meridian")
}

func TestRollbackKeepsFailedSignIns(t *testing.T) {
	t.Parallel()
	store, _ := setup(t)
	now := time.Now()
	add := func(stores ports.Stores) {
		if _, err := stores.SignIns.Add(t.Context(), "key", now, now.Add(time.Hour)); err != nil {
			t.Error(err)
		}
	}
	add(store.Stores())
	rollback := errors.New("rollback")
	err := store.Do(t.Context(), core.SystemActor, func(_ context.Context, inside ports.Stores) error {
		add(inside)
		return rollback
	})
	if !errors.Is(err, rollback) {
		t.Fatal(err)
	}
	failed, err := store.Stores().SignIns.FailedSignIns(t.Context(), []string{"key"}, now)
	if err != nil || len(failed) != 1 || failed[0].Count != 1 {
		t.Fatalf("got %v, %v; want one failed sign-in", failed, err)
	}
}

func setup(t *testing.T) (*memory.Store, core.Tenant) {
	t.Helper()
	store, tenant := memory.New(), newTenant("Meridian")
	if err := store.Stores().Tenants.Insert(t.Context(), tenant); err != nil {
		t.Fatal(err)
	}
	return store, *tenant
}

func newTenant(name string) *core.Tenant {
	now := time.Now()
	return &core.Tenant{Name: name, CreatedAt: now, UpdatedAt: now}
}

func expectName(t *testing.T, stores ports.Stores, id int64, want string) {
	t.Helper()
	got, err := stores.Tenants.Tenant(t.Context(), id)
	if err != nil || got.Name != want {
		t.Errorf("got %q, %v; want %q", got.Name, err, want)
	}
}
