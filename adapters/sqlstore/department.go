package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// departmentStore implements ports.DepartmentStore.
type departmentStore struct{ conn }

type departmentRow struct {
	bun.BaseModel `bun:"table:departments,alias:d"`

	ID        int64 `bun:",pk,autoincrement"`
	TenantID  int64
	Name      string
	CreatedAt instant
	UpdatedAt instant
}

func newDepartmentRow(d core.Department) *departmentRow {
	return &departmentRow{
		ID: d.ID, TenantID: d.TenantID, Name: d.Name, CreatedAt: instant(d.CreatedAt), UpdatedAt: instant(d.UpdatedAt),
	}
}

func (r departmentRow) core() core.Department {
	return core.Department{
		ID: r.ID, TenantID: r.TenantID, Name: r.Name, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

func (s departmentStore) Departments(ctx context.Context, tenantID int64) ([]core.Department, error) {
	return all[departmentRow](ctx, s.conn, "department", ordered("id", "tenant_id = ?", tenantID))
}

func (s departmentStore) Department(ctx context.Context, id int64) (core.Department, error) {
	return one[departmentRow](ctx, s.conn, "department", where("id = ?", id))
}

func (s departmentStore) Insert(ctx context.Context, d *core.Department) error {
	r := newDepartmentRow(*d)
	return s.insert(ctx, r, &r.ID, &d.ID, "department", func() core.Event {
		return core.Event{Type: core.EventDepartmentCreated, TenantID: r.TenantID, SubjectID: r.ID}
	})
}

func (s departmentStore) Update(ctx context.Context, d core.Department) error {
	return s.recorded(ctx, d.ID, core.EventDepartmentUpdated, func(ctx context.Context, s departmentStore, event core.Event) error {
		return s.update(ctx, newDepartmentRow(d), "department", event, "name", "updated_at")
	})
}

func (s departmentStore) Delete(ctx context.Context, id int64) error {
	return s.recorded(ctx, id, core.EventDepartmentDeleted, func(ctx context.Context, s departmentStore, event core.Event) error {
		return s.remove(ctx, (*departmentRow)(nil), "department", event, "id = ?", id)
	})
}

// recorded runs do in a transaction, with an event of the type about the department.
func (s departmentStore) recorded(
	ctx context.Context, id int64, kind core.EventType, do func(ctx context.Context, s departmentStore, event core.Event) error,
) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		s := departmentStore{c}
		department, err := s.Department(ctx, id)
		if err != nil {
			return err
		}
		return do(ctx, s, core.Event{Type: kind, TenantID: department.TenantID, SubjectID: id})
	})
}
