package rest

import (
	"net/http"

	"imprimatur/core"
	"imprimatur/core/access"
)

// tenant is an organisation.
type tenant struct {
	ID        int64  `json:"id" example:"1"`
	Name      string `json:"name" example:"Meridian Media"`
	CreatedAt string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt string `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

type tenantInput struct {
	Name string `json:"name" example:"Meridian Media"`
}

type tenantChange struct {
	Name *string `json:"name,omitempty" example:"Meridian Media Group"`
}

func showTenant(t core.Tenant) tenant {
	return tenant{t.ID, t.Name, core.FormatTime(t.CreatedAt), core.FormatTime(t.UpdatedAt)}
}

func (a *API) registerTenants() {
	const tag, all, one = "Tenants", "/api/tenants", "/api/tenants/{tenantId}"
	handle(a.set, operation{
		method: http.MethodGet, path: all, id: "listTenants", tag: tag, action: access.SignedIn,
		title: "List tenants", about: "Returns the tenants that the caller may see, ordered by id.",
	}, func(c *call, _ none) (list[tenant], error) {
		found, err := a.Organisation.Tenants(c.ctx(), c.actor)
		return listOf(found, showTenant), err
	})
	handle(a.set, operation{
		method: http.MethodPost, path: all, id: "createTenant", tag: tag, action: access.CreateTenant, idempotent: true,
		title: "Add a tenant", about: "Adds an empty organisation.", status: http.StatusCreated,
	}, func(c *call, in tenantInput) (tenant, error) {
		made, err := a.Organisation.CreateTenant(c.ctx(), c.actor, access.TenantInput(in))
		return showTenant(made), err
	})
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getTenant", tag: tag, action: access.ViewTenant,
		title: "Read a tenant", about: "Returns one tenant.",
	}, func(c *call, _ none) (tenant, error) { return showTenant(c.place.Tenant), nil })
	handle(a.set, operation{
		method: http.MethodPatch, path: one, id: "updateTenant", tag: tag, action: access.UpdateTenant,
		title: "Change a tenant", about: "Changes the members that the body contains.",
	}, func(c *call, in tenantChange) (tenant, error) {
		changed, err := a.Organisation.UpdateTenant(c.ctx(), c.actor, c.place.Tenant.ID, access.TenantChange(in))
		return showTenant(changed), err
	})
	handle(a.set, operation{
		method: http.MethodDelete, path: one, id: "deleteTenant", tag: tag, action: access.DeleteTenant,
		title: "Remove a tenant", about: "Only an empty tenant can be removed.", fails: []core.Kind{core.KindConflict},
		target: func(c *call) (access.Target, error) {
			// A caller that may not see the tenant must get 404, not 403.
			_, err := a.Authorizer.Authorize(c.ctx(), c.actor, access.ViewTenant, pathTarget(c.r))
			return pathTarget(c.r), err
		},
	}, func(c *call, _ none) (none, error) {
		id, err := c.id("tenantId", "tenant")
		if err != nil {
			return none{}, err
		}
		return none{}, a.Organisation.DeleteTenant(c.ctx(), c.actor, id)
	})
}
