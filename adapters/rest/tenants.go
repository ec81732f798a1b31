package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

func (a *API) registerTenants() {
	const tag, all, one = "Tenants", "/api/tenants", "/api/tenants/{tenantId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listTenants", Tag: tag, Action: access.SignedIn,
		Title: "List tenants", About: "Returns the tenants that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Tenant], error) {
		found, err := a.Organisation.Tenants(c.Context(), c.Actor)
		return wire.ListOf(found, err, wire.TenantOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createTenant", Tag: tag, Action: access.CreateTenant, Idempotent: true,
		Title: "Add a tenant", About: "Adds an empty organisation.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.TenantInput) (wire.Tenant, error) {
		found, err := a.Organisation.CreateTenant(c.Context(), c.Actor, in.Name)
		return wire.Shown(found, err, wire.TenantOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getTenant", Tag: tag, Action: access.ViewTenant,
		Title: "Read a tenant", About: "Returns one tenant.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Tenant, error) {
		return wire.TenantOf(c.Actor)(c.Place.Tenant), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateTenant", Tag: tag, Action: access.UpdateTenant,
		Title: "Change a tenant", About: "Changes the members that the body contains.",
	}, func(c *endpoint.Call, in wire.TenantChange) (wire.Tenant, error) {
		change, err := in.Change()
		if err != nil {
			return wire.Tenant{}, err
		}
		found, err := a.Organisation.UpdateTenant(c.Context(), c.Actor, c.Place.Tenant.ID, change)
		return wire.Shown(found, err, wire.TenantOf(c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteTenant", Tag: tag, Action: access.DeleteTenant,
		Title: "Remove a tenant", About: "Only an empty tenant can be removed.", Fails: []core.Kind{core.KindConflict},
		Target: func(c *endpoint.Call) (access.Target, error) {
			// A caller that may not see the tenant must get 404, not 403.
			_, err := a.Authorizer.Authorize(c.Context(), c.Actor, access.ViewTenant, endpoint.PathTarget(c.Request))
			return endpoint.PathTarget(c.Request), err
		},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.DeleteTenant(c.Context(), c.Actor, c.ID("tenantId"))
	})
}
