package access

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// Tenants returns the tenants that actor may see, ordered by id.
func (o *Organisation) Tenants(ctx context.Context, actor core.Actor) ([]core.Tenant, error) {
	if RoleIn(actor, Place{}) == core.RoleSuperAdmin {
		return o.tenants.Tenants(ctx)
	}
	var seen []core.Tenant
	for _, id := range tenantsOf(actor) {
		tenant, err := o.tenants.Tenant(ctx, id)
		if errors.Is(err, core.ErrNotFound) {
			continue // removed a moment ago
		}
		if err != nil {
			return nil, err
		}
		seen = append(seen, tenant)
	}
	return seen, nil
}

// CreateTenant adds a tenant.
func (o *Organisation) CreateTenant(ctx context.Context, actor core.Actor, name string) (core.Tenant, error) {
	if err := checkName(name); err != nil {
		return core.Tenant{}, err
	}
	now := o.clock.Now()
	tenant := core.Tenant{Name: name, CreatedAt: now, UpdatedAt: now}
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Tenants.Insert(ctx, &tenant) })
	return tenant, err
}

// UpdateTenant changes the name of a tenant, unless name is nil.
func (o *Organisation) UpdateTenant(ctx context.Context, actor core.Actor, id int64, name *string) (tenant core.Tenant, err error) {
	err = o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if tenant, err = stores.Tenants.Tenant(ctx, id); err != nil {
			return err
		}
		if err := rename(&tenant.Name, name); err != nil {
			return err
		}
		tenant.UpdatedAt = o.clock.Now()
		return stores.Tenants.Update(ctx, tenant)
	})
	return tenant, err
}

// DeleteTenant removes an empty tenant; core.KindConflict while it has departments,
// projects or users.
func (o *Organisation) DeleteTenant(ctx context.Context, actor core.Actor, id int64) error {
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Tenants.Delete(ctx, id) })
	return conflictAs(err, "not_empty", "the tenant still has departments, projects or users")
}
