package access

import (
	"context"

	"imprimatur/core"
)

// TenantInput describes a new tenant.
type TenantInput struct {
	Name string
}

// TenantChange changes the members of a tenant that are not nil.
type TenantChange struct {
	Name *string
}

// Tenants returns the tenants that actor may see, ordered by id.
func (o *Organisation) Tenants(ctx context.Context, actor core.Actor) ([]core.Tenant, error) {
	return nil, nil
}

// CreateTenant adds a tenant.
func (o *Organisation) CreateTenant(ctx context.Context, in TenantInput) (core.Tenant, error) {
	return core.Tenant{}, nil
}

// UpdateTenant changes a tenant.
func (o *Organisation) UpdateTenant(ctx context.Context, id int64, change TenantChange) (core.Tenant, error) {
	return core.Tenant{}, nil
}

// DeleteTenant removes an empty tenant; core.KindConflict while it has departments,
// projects or users.
func (o *Organisation) DeleteTenant(ctx context.Context, id int64) error { return nil }
