package wire

import (
	"imprimatur/core"
	"imprimatur/core/access"
)

// Tenant is an organisation.
type Tenant struct {
	ID          int64         `json:"id" example:"1"`
	Name        string        `json:"name" example:"Meridian Media"`
	MailContent string        `json:"mailContent" enum:"full,none" doc:"What e-mails to users say: what they are about, or only that something happened, with the link." example:"full"`
	Actions     TenantActions `json:"actions" nullable:"false"`
	CreatedAt   string        `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string        `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// TenantInput describes a new tenant.
type TenantInput struct {
	Name string `json:"name" example:"Meridian Media"`
}

// TenantChange changes the members of a tenant that a body contains.
type TenantChange struct {
	Name        *string `json:"name,omitempty" example:"Meridian Media Group"`
	MailContent *string `json:"mailContent,omitempty" enum:"full,none" doc:"What e-mails to users say: what they are about, or only that something happened, with the link." example:"none"`
}

// TenantOf returns a function that shows a tenant to actor.
func TenantOf(actor core.Actor) func(core.Tenant) Tenant {
	return func(t core.Tenant) Tenant {
		actions := access.AllowedActions(actor, access.Place{Tenant: t})
		content := access.MailFull
		if t.NeutralMail {
			content = access.MailNone
		}
		return Tenant{t.ID, t.Name, content, actions, core.FormatTime(t.CreatedAt), core.FormatTime(t.UpdatedAt)}
	}
}
