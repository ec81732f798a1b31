package identity

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// tenantStore implements ports.TenantStore.
type tenantStore struct{ sqldb.Conn }

// Tenants is the table of Tenants.
var Tenants = sqldb.NewTableOf("tenants", "tenant", func(t *core.Tenant) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &t.ID, Fixed: true},
		{Name: "name", Kind: "text", Of: &t.Name},
		{Name: "neutral_mail", Kind: "boolean", Of: &t.NeutralMail},
		{Name: "second_factor_from", Kind: "bigint", Of: (*sqldb.Instant)(&t.SecondFactorFrom)},
		{Name: "assistants", Kind: "boolean", Of: &t.Assistants},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&t.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&t.UpdatedAt)},
	}
})

func (s tenantStore) Tenants(ctx context.Context) ([]core.Tenant, error) {
	return Tenants.All(ctx, s.Conn, " ORDER BY id")
}

func (s tenantStore) Tenant(ctx context.Context, id int64) (core.Tenant, error) {
	return Tenants.One(ctx, s.Conn, " WHERE id = ?", id)
}

func (s tenantStore) Insert(ctx context.Context, t *core.Tenant) error {
	return Tenants.Add(ctx, s.Conn, t, &t.ID, func() event.Event { return event.Event{Type: event.TenantCreated, TenantID: t.ID} })
}

func (s tenantStore) Update(ctx context.Context, t core.Tenant) error {
	return Tenants.Put(ctx, s.Conn, &t, event.Event{Type: event.TenantUpdated, TenantID: t.ID}, "id = ?", t.ID)
}

func (s tenantStore) Delete(ctx context.Context, id int64) error {
	return Tenants.Drop(ctx, s.Conn, event.Event{Type: event.TenantDeleted, TenantID: id}, "id = ?", id)
}
