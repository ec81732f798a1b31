package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

// tenant is an organisation.
type tenant struct {
	ID        int64         `json:"id" example:"1"`
	Name      string        `json:"name" example:"Meridian Media"`
	Actions   tenantActions `json:"actions" nullable:"false"`
	CreatedAt string        `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt string        `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

type tenantInput struct {
	Name string `json:"name" example:"Meridian Media"`
}

type tenantChange struct {
	Name *string `json:"name,omitempty" example:"Meridian Media Group"`
}

// showTenant returns a function that shows a tenant to actor.
func showTenant(actor core.Actor) func(core.Tenant) tenant {
	return func(t core.Tenant) tenant {
		actions := access.AllowedActions(actor, access.Place{Tenant: t})
		return tenant{t.ID, t.Name, actions, core.FormatTime(t.CreatedAt), core.FormatTime(t.UpdatedAt)}
	}
}

func (a *API) registerTenants() {
	const tag, all, one = "Tenants", "/api/tenants", "/api/tenants/{tenantId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listTenants", Tag: tag, Action: access.SignedIn,
		Title: "List tenants", About: "Returns the tenants that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[tenant], error) {
		return endpoint.ListOf(showTenant(c.Actor))(a.Organisation.Tenants(c.Context(), c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createTenant", Tag: tag, Action: access.CreateTenant, Idempotent: true,
		Title: "Add a tenant", About: "Adds an empty organisation.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in tenantInput) (tenant, error) {
		return endpoint.Shown(showTenant(c.Actor))(a.Organisation.CreateTenant(c.Context(), c.Actor, in.Name))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getTenant", Tag: tag, Action: access.ViewTenant,
		Title: "Read a tenant", About: "Returns one tenant.",
	}, func(c *endpoint.Call, _ endpoint.None) (tenant, error) {
		return showTenant(c.Actor)(c.Place.Tenant), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateTenant", Tag: tag, Action: access.UpdateTenant,
		Title: "Change a tenant", About: "Changes the members that the body contains.",
	}, func(c *endpoint.Call, in tenantChange) (tenant, error) {
		return endpoint.Shown(showTenant(c.Actor))(a.Organisation.UpdateTenant(c.Context(), c.Actor, c.Place.Tenant.ID, in.Name))
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
