package sqlstore

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/event"
)

// departmentStore implements ports.DepartmentStore.
type departmentStore struct{ conn }

var departments = rowsOf("departments", "department", func(d *core.Department) []member {
	return []member{
		{name: "id", kind: "bigint", of: &d.ID, fixed: true},
		{name: "tenant_id", kind: "bigint", of: &d.TenantID, fixed: true},
		{name: "name", kind: "text", of: &d.Name},
		{name: "workflow", kind: "text"},
		{name: "created_at", kind: "bigint", of: (*instant)(&d.CreatedAt), fixed: true},
		{name: "updated_at", kind: "bigint", of: (*instant)(&d.UpdatedAt)},
	}
})

// selectDepartments selects departments in the form of scanDepartment. A condition follows.
var selectDepartments = "SELECT " + departments.read + ", workflow IS NOT NULL FROM departments WHERE "

func scanDepartment(from Rows) (d core.Department, err error) {
	err = departments.scanInto(from, &d, &d.HasWorkflow)
	return d, err
}

func (s departmentStore) Departments(ctx context.Context, tenantID int64) ([]core.Department, error) {
	return collect(ctx, s.conn, scanDepartment, selectDepartments+"tenant_id = ? ORDER BY id", tenantID)
}

func (s departmentStore) Department(ctx context.Context, id int64) (core.Department, error) {
	return single(ctx, s.conn, departments.thing, scanDepartment, selectDepartments+"id = ?", id)
}

func (s departmentStore) Insert(ctx context.Context, d *core.Department) error {
	return departments.add(ctx, s.conn, d, &d.ID, func() event.Event {
		return event.Event{Type: event.DepartmentCreated, TenantID: d.TenantID, SubjectID: d.ID}
	})
}

func (s departmentStore) Update(ctx context.Context, d core.Department) error {
	return s.inTenant(ctx, event.DepartmentUpdated, d.ID, tenantOfDepartment, func(ctx context.Context, c conn, event event.Event) error {
		return departments.put(ctx, c, &d, event, "id = ?", d.ID)
	})
}

func (s departmentStore) Delete(ctx context.Context, id int64) error {
	return s.inTenant(ctx, event.DepartmentDeleted, id, tenantOfDepartment, func(ctx context.Context, c conn, event event.Event) error {
		return departments.drop(ctx, c, event, "id = ?", id)
	})
}

func tenantOfDepartment(ctx context.Context, c conn, id int64) (tenantID int64, err error) {
	department, err := departmentStore{c}.Department(ctx, id)
	return department.TenantID, err
}
