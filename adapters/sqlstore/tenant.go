package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
)

// tenantStore implements ports.TenantStore.
type tenantStore struct{ conn }

type tenantRow struct {
	bun.BaseModel `bun:"table:tenants,alias:t"`

	ID               int64 `bun:",pk,autoincrement"`
	Name             string
	NeutralMail      bool
	SecondFactorFrom instant `bun:",nullzero"`
	Assistants       bool
	CreatedAt        instant
	UpdatedAt        instant
}

func newTenantRow(t core.Tenant) *tenantRow {
	return &tenantRow{ID: t.ID, Name: t.Name, NeutralMail: t.NeutralMail, SecondFactorFrom: instant(t.SecondFactorFrom), Assistants: t.Assistants, CreatedAt: instant(t.CreatedAt), UpdatedAt: instant(t.UpdatedAt)}
}

func (r tenantRow) core() core.Tenant {
	return core.Tenant{ID: r.ID, Name: r.Name, NeutralMail: r.NeutralMail, SecondFactorFrom: time.Time(r.SecondFactorFrom), Assistants: r.Assistants, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt)}
}

func (s tenantStore) Tenants(ctx context.Context) ([]core.Tenant, error) {
	return all[tenantRow](ctx, s.conn, "tenant", ordered("id", "TRUE"))
}

func (s tenantStore) Tenant(ctx context.Context, id int64) (core.Tenant, error) {
	return one[tenantRow](ctx, s.conn, "tenant", where("id = ?", id))
}

func (s tenantStore) Insert(ctx context.Context, t *core.Tenant) error {
	r := newTenantRow(*t)
	return s.insert(ctx, newRow{r, &r.ID, &t.ID}, "tenant", func() event.Event { return event.Event{Type: event.TenantCreated, TenantID: r.ID} })
}

func (s tenantStore) Update(ctx context.Context, t core.Tenant) error {
	return s.update(ctx, newTenantRow(t), "tenant", event.Event{Type: event.TenantUpdated, TenantID: t.ID}, "name", "neutral_mail", "second_factor_from", "assistants", "updated_at")
}

func (s tenantStore) Delete(ctx context.Context, id int64) error {
	return s.remove(ctx, (*tenantRow)(nil), "tenant", event.Event{Type: event.TenantDeleted, TenantID: id}, "id = ?", id)
}
