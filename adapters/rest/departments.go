package rest

import (
	"net/http"

	"imprimatur/core"
	"imprimatur/core/access"
)

// department is a group of Projects in one tenant.
type department struct {
	ID        int64  `json:"id" example:"1"`
	TenantID  int64  `json:"tenantId" example:"1"`
	Name      string `json:"name" example:"Newsroom"`
	CreatedAt string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt string `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

type departmentInput struct {
	Name string `json:"name" example:"Newsroom"`
}

type departmentChange struct {
	Name *string `json:"name,omitempty" example:"Newsroom and Wires"`
}

func showDepartment(d core.Department) department {
	return department{d.ID, d.TenantID, d.Name, core.FormatTime(d.CreatedAt), core.FormatTime(d.UpdatedAt)}
}

func (a *API) registerDepartments() {
	const tag, all, one = "Departments", "/api/tenants/{tenantId}/departments", "/api/departments/{departmentId}"
	handle(a.set, operation{
		method: http.MethodGet, path: all, id: "listDepartments", tag: tag, action: access.ViewTenant,
		title: "List a tenant's departments", about: "Returns the departments that the caller may see, ordered by id.",
	}, func(c *call, _ none) (list[department], error) {
		found, err := a.Organisation.Departments(c.ctx(), c.actor, c.place.Tenant.ID)
		return listOf(found, showDepartment), err
	})
	handle(a.set, operation{
		method: http.MethodPost, path: all, id: "createDepartment", tag: tag, action: access.CreateDepartment, idempotent: true,
		title: "Add a department", about: "Adds an empty department.", status: http.StatusCreated,
	}, func(c *call, in departmentInput) (department, error) {
		made, err := a.Organisation.CreateDepartment(c.ctx(), c.actor, c.place.Tenant.ID, access.DepartmentInput(in))
		return showDepartment(made), err
	})
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getDepartment", tag: tag, action: access.ViewDepartment,
		title: "Read a department", about: "Returns one department.",
	}, func(c *call, _ none) (department, error) { return showDepartment(c.place.Department), nil })
	handle(a.set, operation{
		method: http.MethodPatch, path: one, id: "updateDepartment", tag: tag, action: access.UpdateDepartment,
		title: "Change a department", about: "Changes the members that the body contains.",
	}, func(c *call, in departmentChange) (department, error) {
		changed, err := a.Organisation.UpdateDepartment(c.ctx(), c.actor, c.place.Department.ID, access.DepartmentChange(in))
		return showDepartment(changed), err
	})
	handle(a.set, operation{
		method: http.MethodDelete, path: one, id: "deleteDepartment", tag: tag, action: access.DeleteDepartment,
		title: "Remove a department", about: "Also removes the roles of its members and its custom roles. Only a department without Projects can be removed.",
		fails: []core.Kind{core.KindConflict},
	}, func(c *call, _ none) (none, error) {
		return none{}, a.Organisation.DeleteDepartment(c.ctx(), c.actor, c.place.Department.ID)
	})
}
