package identity

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// departmentStore implements ports.DepartmentStore.
type departmentStore struct{ sqldb.Conn }

// Departments is the table of departments.
var Departments = sqldb.NewTableOf("departments", "department", func(d *core.Department) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &d.ID, Fixed: true},
		{Name: "tenant_id", Kind: "bigint", Of: &d.TenantID, Fixed: true},
		{Name: "name", Kind: "text", Of: &d.Name},
		{Name: "workflow", Kind: "text"},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.UpdatedAt)},
	}
})

// selectDepartments selects departments in the form of scanDepartment. A condition follows.
var selectDepartments = "SELECT " + Departments.Read + ", workflow IS NOT NULL FROM departments WHERE "

func scanDepartment(from sqldb.Rows) (d core.Department, err error) {
	err = Departments.ScanInto(from, &d, &d.HasWorkflow)
	return d, err
}

func (s departmentStore) Departments(ctx context.Context, tenantID int64) ([]core.Department, error) {
	return sqldb.Collect(ctx, s.Conn, scanDepartment, selectDepartments+"tenant_id = ? ORDER BY id", tenantID)
}

func (s departmentStore) Department(ctx context.Context, id int64) (core.Department, error) {
	return sqldb.Single(ctx, s.Conn, Departments.Thing, scanDepartment, selectDepartments+"id = ?", id)
}

func (s departmentStore) Insert(ctx context.Context, d *core.Department) error {
	return Departments.Add(ctx, s.Conn, d, &d.ID, func() event.Event {
		return event.Event{Type: event.DepartmentCreated, TenantID: d.TenantID, SubjectID: d.ID}
	})
}

func (s departmentStore) Update(ctx context.Context, d core.Department) error {
	return s.InTenant(ctx, event.DepartmentUpdated, d.ID, tenantOfDepartment, func(ctx context.Context, c sqldb.Conn, event event.Event) error {
		return Departments.Put(ctx, c, &d, event, "id = ?", d.ID)
	})
}

func (s departmentStore) Delete(ctx context.Context, id int64) error {
	return s.InTenant(ctx, event.DepartmentDeleted, id, tenantOfDepartment, func(ctx context.Context, c sqldb.Conn, event event.Event) error {
		return Departments.Drop(ctx, c, event, "id = ?", id)
	})
}

func tenantOfDepartment(ctx context.Context, c sqldb.Conn, id int64) (tenantID int64, err error) {
	department, err := departmentStore{c}.Department(ctx, id)
	return department.TenantID, err
}
