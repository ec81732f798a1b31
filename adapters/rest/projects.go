package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

func (a *API) registerProjects() {
	const tag, ofTenant, one = "Projects", "/api/tenants/{tenantId}/projects", "/api/projects/{projectId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects", ID: "listProjects", Tag: tag, Action: access.SignedIn,
		Title: "List projects", About: "Returns the Projects of all tenants that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Project], error) {
		found, err := a.Organisation.Projects(c.Context(), c.Actor)
		return wire.ListOf(found, err, wire.ProjectOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: ofTenant, ID: "listTenantProjects", Tag: tag, Action: access.ViewTenant,
		Title: "List a tenant's projects", About: "Returns the Projects that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Project], error) {
		found, err := a.Organisation.TenantProjects(c.Context(), c.Actor, c.Place.Tenant.ID)
		return wire.ListOf(found, err, wire.ProjectOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: ofTenant, ID: "createProject", Tag: tag, Action: access.CreateProject, Idempotent: true,
		Title: "Add a project", About: "Adds an empty Project with a new UUID.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.ProjectInput) (wire.Project, error) {
		found, err := a.Organisation.CreateProject(c.Context(), c.Actor, c.Place.Tenant.ID, access.ProjectInput(in))
		return wire.Shown(found, err, wire.ProjectOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getProject", Tag: tag, Action: access.ViewProject,
		Title: "Read a project", About: "Returns one Project.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Project, error) {
		return wire.ProjectOf(c.Actor)(c.Project()), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateProject", Tag: tag, Action: access.UpdateProject,
		Title: "Change a project",
		About: "Changes the members that the body contains. Locales can be added but not removed, because content refers to them. " +
			"While the workflow or an open request of the Project uses a custom role of its department, the department cannot change: the status is 409 `in_use`, and the problem lists them. " + aboutGoverned,
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.ProjectChange) (wire.Project, error) {
		found, err := a.Organisation.UpdateProject(c.Context(), c.Actor, c.Project(), in.Acknowledge, wire.Over[core.Project](in))
		return wire.Shown(found, err, wire.ProjectOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteProject", Tag: tag, Action: access.DeleteProject,
		Title: "Remove a project", About: "Also removes all its content.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.DeleteProject(c.Context(), c.Actor, c.Project())
	})
}
