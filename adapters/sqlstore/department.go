package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
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

	HasWorkflow bool `bun:",scanonly"`
}

func newDepartmentRow(d core.Department) *departmentRow {
	return &departmentRow{
		ID: d.ID, TenantID: d.TenantID, Name: d.Name, CreatedAt: instant(d.CreatedAt), UpdatedAt: instant(d.UpdatedAt),
	}
}

func (r departmentRow) core() core.Department {
	return core.Department{
		ID: r.ID, TenantID: r.TenantID, Name: r.Name, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt), HasWorkflow: r.HasWorkflow,
	}
}

// withWorkflow adds to the columns whether the department has a workflow.
func withWorkflow(narrow func(*bun.SelectQuery) *bun.SelectQuery) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return narrow(q).ColumnExpr("?TableColumns").ColumnExpr("d.workflow IS NOT NULL AS has_workflow")
	}
}

func (s departmentStore) Departments(ctx context.Context, tenantID int64) ([]core.Department, error) {
	return all[departmentRow](ctx, s.conn, "department", withWorkflow(ordered("id", "tenant_id = ?", tenantID)))
}

func (s departmentStore) Department(ctx context.Context, id int64) (core.Department, error) {
	return one[departmentRow](ctx, s.conn, "department", withWorkflow(where("id = ?", id)))
}

func (s departmentStore) Insert(ctx context.Context, d *core.Department) error {
	r := newDepartmentRow(*d)
	return s.insert(ctx, newRow{r, &r.ID, &d.ID}, "department", func() event.Event {
		return event.Event{Type: event.DepartmentCreated, TenantID: r.TenantID, SubjectID: r.ID}
	})
}

func (s departmentStore) Update(ctx context.Context, d core.Department) error {
	return s.inTenant(ctx, event.DepartmentUpdated, d.ID, tenantOfDepartment, func(ctx context.Context, c conn, event event.Event) error {
		return c.update(ctx, newDepartmentRow(d), "department", event, "name", "updated_at")
	})
}

func (s departmentStore) Delete(ctx context.Context, id int64) error {
	return s.inTenant(ctx, event.DepartmentDeleted, id, tenantOfDepartment, func(ctx context.Context, c conn, event event.Event) error {
		return c.remove(ctx, (*departmentRow)(nil), "department", event, "id = ?", id)
	})
}

func tenantOfDepartment(ctx context.Context, c conn, id int64) (tenantID int64, err error) {
	department, err := departmentStore{c}.Department(ctx, id)
	return department.TenantID, err
}
