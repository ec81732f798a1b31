package memory_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/ports"
)

// Tests use the memory adapter in place of a database. A transaction takes effect whole, with its
// events, or not at all.
func Example() {
	ctx, store := context.Background(), memory.New()
	add := func(name string, result error) error {
		return store.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			now := time.Now()
			if err := stores.Tenants.Insert(ctx, &core.Tenant{Name: name, CreatedAt: now, UpdatedAt: now}); err != nil {
				return err
			}
			return result
		})
	}
	fmt.Println(add("Meridian", nil), add("Elsewhere", errors.New("no power")))

	tenants, _ := store.Stores().Tenants.Tenants(ctx)
	for _, tenant := range tenants {
		fmt.Println(tenant.ID, tenant.Name)
	}
	events, _ := store.Stores().Events.Events(ctx, ports.EventQuery{Limit: 10})
	for _, event := range events {
		fmt.Println(event.Type, event.Actor.Kind)
	}
	// Output:
	// <nil> no power
	// 1 Meridian
	// tenant.created system
}
