package sqlstore

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/event"
)

// tenantStore implements ports.TenantStore.
type tenantStore struct{ conn }

var tenants = rowsOf("tenants", "tenant", func(t *core.Tenant) []member {
	return []member{
		{name: "id", kind: "bigint", of: &t.ID, fixed: true},
		{name: "name", kind: "text", of: &t.Name},
		{name: "neutral_mail", kind: "boolean", of: &t.NeutralMail},
		{name: "second_factor_from", kind: "bigint", of: (*instant)(&t.SecondFactorFrom)},
		{name: "assistants", kind: "boolean", of: &t.Assistants},
		{name: "created_at", kind: "bigint", of: (*instant)(&t.CreatedAt), fixed: true},
		{name: "updated_at", kind: "bigint", of: (*instant)(&t.UpdatedAt)},
	}
})

func (s tenantStore) Tenants(ctx context.Context) ([]core.Tenant, error) {
	return tenants.all(ctx, s.conn, " ORDER BY id")
}

func (s tenantStore) Tenant(ctx context.Context, id int64) (core.Tenant, error) {
	return tenants.one(ctx, s.conn, " WHERE id = ?", id)
}

func (s tenantStore) Insert(ctx context.Context, t *core.Tenant) error {
	return tenants.add(ctx, s.conn, t, &t.ID, func() event.Event { return event.Event{Type: event.TenantCreated, TenantID: t.ID} })
}

func (s tenantStore) Update(ctx context.Context, t core.Tenant) error {
	return tenants.put(ctx, s.conn, &t, event.Event{Type: event.TenantUpdated, TenantID: t.ID}, "id = ?", t.ID)
}

func (s tenantStore) Delete(ctx context.Context, id int64) error {
	return tenants.drop(ctx, s.conn, event.Event{Type: event.TenantDeleted, TenantID: id}, "id = ?", id)
}
