package wire

import (
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
)

// Tenant is an organisation.
type Tenant struct {
	ID                  int64                    `json:"id" example:"1"`
	Name                string                   `json:"name" example:"Meridian Media"`
	MailContent         string                   `json:"mailContent" enum:"full,none" doc:"What e-mails to users say: what they are about, or only that something happened, with the link." example:"full"`
	RequireSecondFactor OrNull[SecondFactorRule] `json:"requireSecondFactor" doc:"From when on users with a role in the tenant, and its accounts, need a second factor; null: never."`
	Assistants          bool                     `json:"assistants" doc:"Whether users may let assistants draft and propose content in the projects of the tenant." example:"false"`
	Actions             TenantActions            `json:"actions" nullable:"false"`
	CreatedAt           string                   `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt           string                   `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// TenantInput describes a new tenant.
type TenantInput struct {
	Name string `json:"name" example:"Meridian Media"`
}

// TenantChange changes the members of a tenant that a body contains.
type TenantChange struct {
	Name                *string                    `json:"name,omitempty" example:"Meridian Media Group"`
	MailContent         *string                    `json:"mailContent,omitempty" enum:"full,none" doc:"What e-mails to users say: what they are about, or only that something happened, with the link." example:"none"`
	RequireSecondFactor Optional[SecondFactorRule] `json:"requireSecondFactor,omitzero" doc:"From when on users with a role in the tenant, and its accounts, need a second factor; null: never."`
	Assistants          *bool                      `json:"assistants,omitempty" doc:"Whether users may let assistants draft and propose content. false also refuses those that exist." example:"true"`
}

// SecondFactorRule is from when on users of a tenant need a second factor.
type SecondFactorRule struct {
	From string `json:"from" doc:"A time, or a date: its beginning in UTC." example:"2026-09-01T00:00:00.000Z"`
}

// Change returns the change, or the faults of its values.
func (c TenantChange) Change() (access.TenantChange, error) {
	change := access.TenantChange{Name: c.Name, MailContent: c.MailContent, Assistants: c.Assistants}
	rule := c.RequireSecondFactor
	if change.SecondFactorFrom.Given = rule.Given; rule.Value == nil {
		return change, nil
	}
	from, err := time.Parse(time.RFC3339, rule.Value.From)
	if err != nil {
		from, err = time.Parse(time.DateOnly, rule.Value.From)
	}
	if err != nil || from.UTC().Year() < 1970 || from.UTC().Year() > 9999 {
		return change, core.Invalid(core.FieldError{
			Location: "requireSecondFactor.from", Message: "must be a time like 2026-09-01T00:00:00Z or a date like 2026-09-01", Value: core.Clip(rule.Value.From),
		})
	}
	change.SecondFactorFrom.Value = &from
	return change, nil
}

// TenantOf returns a function that shows a tenant to actor.
func TenantOf(actor core.Actor) func(core.Tenant) Tenant {
	return func(t core.Tenant) Tenant {
		actions := access.AllowedActions(actor, access.Place{Tenant: t})
		content := access.MailFull
		if t.NeutralMail {
			content = access.MailNone
		}
		var rule OrNull[SecondFactorRule]
		if !t.SecondFactorFrom.IsZero() {
			rule.Value = &SecondFactorRule{core.FormatTime(t.SecondFactorFrom)}
		}
		return Tenant{t.ID, t.Name, content, rule, t.Assistants, actions, core.FormatTime(t.CreatedAt), core.FormatTime(t.UpdatedAt)}
	}
}
