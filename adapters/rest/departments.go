package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

func (a *API) registerDepartments() {
	const tag, all, one = "Departments", "/api/tenants/{tenantId}/departments", "/api/departments/{departmentId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listDepartments", Tag: tag, Action: access.ViewTenant,
		Title: "List a tenant's departments", About: "Returns the departments that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Department], error) {
		found, err := a.Organisation.Departments(c.Context(), c.Actor, c.Place.Tenant.ID)
		return wire.ListOf(found, err, wire.DepartmentOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createDepartment", Tag: tag, Action: access.CreateDepartment, Idempotent: true,
		Title: "Add a department", About: "Adds an empty department.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.DepartmentInput) (wire.Department, error) {
		found, err := a.Organisation.CreateDepartment(c.Context(), c.Actor, c.Place.Tenant.ID, in.Name)
		return wire.Shown(found, err, wire.DepartmentOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getDepartment", Tag: tag, Action: access.ViewDepartment,
		Title: "Read a department", About: "Returns one department.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Department, error) {
		return wire.DepartmentOf(c.Actor)(c.Place.Department), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateDepartment", Tag: tag, Action: access.UpdateDepartment,
		Title: "Change a department", About: "Changes the members that the body contains.",
	}, func(c *endpoint.Call, in wire.DepartmentChange) (wire.Department, error) {
		found, err := a.Organisation.UpdateDepartment(c.Context(), c.Actor, c.Place.Department.ID, in.Name)
		return wire.Shown(found, err, wire.DepartmentOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteDepartment", Tag: tag, Action: access.DeleteDepartment,
		Title: "Remove a department", About: "Also removes the roles of its members and its custom roles. Only a department without Projects can be removed.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.DeleteDepartment(c.Context(), c.Actor, c.Place.Department.ID)
	})
}
