package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// workflowStore implements ports.WorkflowStore. A workflow is a column of the Project or
// department that it governs, so that a lock of the row also keeps a workflow from being added.
type workflowStore struct{ sqldb.Conn }

// workflowRow is the JSON of a workflow column.
type workflowRow struct {
	Steps             []review.Step       `json:"steps"`
	AllowSelfApproval bool                `json:"allowSelfApproval"`
	Exempt            []string            `json:"exempt,omitempty"`
	Unpublishing      review.Unpublishing `json:"unpublishing,omitempty"`
	UpdatedAt         time.Time           `json:"updatedAt"`
}

func (s workflowStore) DepartmentWorkflow(ctx context.Context, departmentID int64) (review.Workflow, error) {
	return s.workflow(ctx, review.Workflow{DepartmentID: departmentID})
}

func (s workflowStore) ProjectWorkflow(ctx context.Context, projectID int64) (review.Workflow, error) {
	return s.workflow(ctx, review.Workflow{ProjectID: projectID})
}

// workflow returns the workflow of the scope of w.
func (s workflowStore) workflow(ctx context.Context, w review.Workflow) (review.Workflow, error) {
	table, id := scopeOf(w)
	row, err := sqldb.Single(ctx, s.Conn, "workflow", sqldb.ScanValue[sqldb.Encoded[workflowRow]],
		"SELECT workflow FROM "+table+" WHERE id = ? AND workflow IS NOT NULL", id)
	if err != nil {
		return review.Workflow{}, err
	}
	return row.V.of(w), nil
}

// of returns w with the steps and settings of the row.
func (r workflowRow) of(w review.Workflow) review.Workflow {
	w.Steps, w.AllowSelfApproval, w.Exempt, w.Unpublishing, w.UpdatedAt = r.Steps, r.AllowSelfApproval, r.Exempt, r.Unpublishing, r.UpdatedAt
	return w
}

// The locks are taken one after the other, each on the latest row. If the Project moves to
// another department meanwhile, the second lock is on the new department.
const (
	governing = "SELECT p.workflow, d.id, d.workflow FROM projects p LEFT JOIN departments d ON d.id = p.department_id WHERE p.id = ?"

	governingLocked = "SELECT p.workflow, d.id, d.workflow FROM" +
		" (SELECT workflow, department_id FROM projects WHERE id = ? FOR SHARE) p" +
		" LEFT JOIN LATERAL (SELECT id, workflow FROM departments WHERE id = p.department_id FOR SHARE) d ON TRUE"
)

func (s workflowStore) Governing(ctx context.Context, projectID int64) (review.Workflow, error) {
	text := governing
	if s.Locks() {
		text = governingLocked
	}
	w, err := sqldb.Single(ctx, s.Conn, "workflow", func(rows sqldb.Rows) (review.Workflow, error) {
		var own, ofDepartment *sqldb.Encoded[workflowRow]
		var departmentID sql.NullInt64
		err := rows.Scan(&own, &departmentID, &ofDepartment)
		switch {
		case own != nil:
			return own.V.of(review.Workflow{ProjectID: projectID}), err
		case ofDepartment != nil:
			return ofDepartment.V.of(review.Workflow{DepartmentID: departmentID.Int64}), err
		}
		return review.Workflow{}, err
	}, text, projectID)
	if err == nil && w.Steps == nil {
		err = core.NotFound("workflow")
	}
	return w, err
}

func (s workflowStore) UsingRole(ctx context.Context, customRoleID int64) ([]review.Workflow, error) {
	found, err := sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (review.Workflow, error) {
		var w review.Workflow
		var column sqldb.Encoded[workflowRow]
		err := rows.Scan(&w.ProjectID, &w.DepartmentID, &column)
		return column.V.of(w), err
	}, "SELECT 0 AS project_id, d.id AS department_id, d.workflow FROM custom_roles r JOIN departments d ON d.tenant_id = r.tenant_id"+
		" WHERE r.id = @role AND d.workflow IS NOT NULL"+
		" UNION ALL SELECT p.id, 0, p.workflow FROM custom_roles r JOIN projects p ON p.tenant_id = r.tenant_id"+
		" WHERE r.id = @role AND p.workflow IS NOT NULL ORDER BY project_id, department_id", customRoleID)
	return slices.DeleteFunc(found, func(w review.Workflow) bool { return !review.UsesRole(w.Steps, customRoleID) }), err
}

func (s workflowStore) Put(ctx context.Context, w review.Workflow) error {
	stored := workflowRow{w.Steps, w.AllowSelfApproval, w.Exempt, w.Unpublishing, w.UpdatedAt.UTC()}
	return s.set(ctx, w, "project or department", "workflow = ? WHERE id = ?", sqldb.Encode(stored))
}

func (s workflowStore) Remove(ctx context.Context, w review.Workflow) error {
	return s.set(ctx, w, "workflow", "workflow = NULL WHERE id = ? AND workflow IS NOT NULL")
}

// set changes the row of the Project or department of w, whose id is the last argument. If it does not exist, set returns not
// found; thing names the resource in the message.
func (s workflowStore) set(ctx context.Context, w review.Workflow, thing, change string, args ...any) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		table, id := scopeOf(w)
		if err := c.Must(ctx, thing, "UPDATE "+table+" SET "+change, append(args, id)...); err != nil {
			return err
		}
		event := event.Event{Type: event.WorkflowUpdated, ProjectID: w.ProjectID}
		if w.ProjectID == 0 {
			department, err := storesOf(c).Departments.Department(ctx, w.DepartmentID)
			if err != nil {
				return err
			}
			event.TenantID, event.SubjectID = department.TenantID, department.ID
		}
		c.Record(event)
		return nil
	})
}

func scopeOf(w review.Workflow) (table string, id int64) {
	if w.ProjectID != 0 {
		return "projects", w.ProjectID
	}
	return "departments", w.DepartmentID
}
