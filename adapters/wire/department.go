package wire

import (
	"imprimatur/core"
	"imprimatur/core/access"
)

// Department is a group of Projects in one tenant.
type Department struct {
	ID          int64             `json:"id" example:"1"`
	TenantID    int64             `json:"tenantId" example:"1"`
	Name        string            `json:"name" example:"Newsroom"`
	HasWorkflow bool              `json:"hasWorkflow" doc:"Whether the department has an approval workflow." example:"true"`
	Actions     DepartmentActions `json:"actions" nullable:"false"`
	CreatedAt   string            `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string            `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// DepartmentOf returns a function that shows a department to actor.
func DepartmentOf(actor core.Actor) func(core.Department) Department {
	return func(d core.Department) Department {
		actions := access.AllowedActions(actor, access.PlaceIn(d))
		return Department{d.ID, d.TenantID, d.Name, d.HasWorkflow, actions, core.FormatTime(d.CreatedAt), core.FormatTime(d.UpdatedAt)}
	}
}

// DepartmentInput describes a new department.
type DepartmentInput struct {
	Name string `json:"name" example:"Newsroom"`
}

// DepartmentChange changes the members of a department that a body contains.
type DepartmentChange struct {
	Name *string `json:"name,omitempty" example:"Newsroom and Wires"`
}
