package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

// department is a group of Projects in one tenant.
type department struct {
	ID        int64             `json:"id" example:"1"`
	TenantID  int64             `json:"tenantId" example:"1"`
	Name      string            `json:"name" example:"Newsroom"`
	Actions   departmentActions `json:"actions" nullable:"false"`
	CreatedAt string            `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt string            `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

type departmentInput struct {
	Name string `json:"name" example:"Newsroom"`
}

type departmentChange struct {
	Name *string `json:"name,omitempty" example:"Newsroom and Wires"`
}

// showDepartment returns a function that shows a department to actor.
func showDepartment(actor core.Actor) func(core.Department) department {
	return func(d core.Department) department {
		actions := access.AllowedActions(actor, access.PlaceIn(d))
		return department{d.ID, d.TenantID, d.Name, actions, core.FormatTime(d.CreatedAt), core.FormatTime(d.UpdatedAt)}
	}
}

func (a *API) registerDepartments() {
	const tag, all, one = "Departments", "/api/tenants/{tenantId}/departments", "/api/departments/{departmentId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listDepartments", Tag: tag, Action: access.ViewTenant,
		Title: "List a tenant's departments", About: "Returns the departments that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[department], error) {
		return endpoint.ListOf(showDepartment(c.Actor))(a.Organisation.Departments(c.Context(), c.Actor, c.Place.Tenant.ID))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createDepartment", Tag: tag, Action: access.CreateDepartment, Idempotent: true,
		Title: "Add a department", About: "Adds an empty department.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in departmentInput) (department, error) {
		return endpoint.Shown(showDepartment(c.Actor))(
			a.Organisation.CreateDepartment(c.Context(), c.Actor, c.Place.Tenant.ID, in.Name))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getDepartment", Tag: tag, Action: access.ViewDepartment,
		Title: "Read a department", About: "Returns one department.",
	}, func(c *endpoint.Call, _ endpoint.None) (department, error) {
		return showDepartment(c.Actor)(c.Place.Department), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateDepartment", Tag: tag, Action: access.UpdateDepartment,
		Title: "Change a department", About: "Changes the members that the body contains.",
	}, func(c *endpoint.Call, in departmentChange) (department, error) {
		return endpoint.Shown(showDepartment(c.Actor))(
			a.Organisation.UpdateDepartment(c.Context(), c.Actor, c.Place.Department.ID, in.Name))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteDepartment", Tag: tag, Action: access.DeleteDepartment,
		Title: "Remove a department", About: "Also removes the roles of its members and its custom roles. Only a department without Projects can be removed.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.DeleteDepartment(c.Context(), c.Actor, c.Place.Department.ID)
	})
}
