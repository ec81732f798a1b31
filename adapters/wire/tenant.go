package wire

import (
	"imprimatur/core"
	"imprimatur/core/access"
)

// Tenant is an organisation.
type Tenant struct {
	ID        int64         `json:"id" example:"1"`
	Name      string        `json:"name" example:"Meridian Media"`
	Actions   TenantActions `json:"actions" nullable:"false"`
	CreatedAt string        `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt string        `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// TenantInput describes a new tenant.
type TenantInput struct {
	Name string `json:"name" example:"Meridian Media"`
}

// TenantChange changes the members of a tenant that a body contains.
type TenantChange struct {
	Name *string `json:"name,omitempty" example:"Meridian Media Group"`
}

// TenantOf returns a function that shows a tenant to actor.
func TenantOf(actor core.Actor) func(core.Tenant) Tenant {
	return func(t core.Tenant) Tenant {
		actions := access.AllowedActions(actor, access.Place{Tenant: t})
		return Tenant{t.ID, t.Name, actions, core.FormatTime(t.CreatedAt), core.FormatTime(t.UpdatedAt)}
	}
}
