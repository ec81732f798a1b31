package wire

import (
	"imprimatur/core"
	"imprimatur/core/access"
)

// Assistant is a program that drafts and proposes content for a user.
type Assistant struct {
	ID        int64   `json:"id" example:"3"`
	Name      string  `json:"name" example:"Claude"`
	Hint      string  `json:"hint" doc:"The last characters of the token." example:"x7Qb"`
	Projects  []int64 `json:"projects" nullable:"false" doc:"The ids of the projects that it may use." example:"[1]"`
	Drafts    bool    `json:"drafts" doc:"Whether it reads and writes drafts, submits for review and comments, not only reads what is public." example:"true"`
	CreatedAt string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ExpiresAt string  `json:"expiresAt" format:"date-time" example:"2026-02-01T15:04:05.000Z"`
}

// NewAssistant is an assistant with its secret.
type NewAssistant struct {
	Assistant

	Secret string `json:"secret" doc:"The bearer token. Only this response contains it." example:"ima_0000000000000000000000000000000000000000000_000000"`
}

// AssistantInput describes a new assistant.
type AssistantInput struct {
	Name      string  `json:"name" doc:"At most 60 characters. Records show it beside the name of the user." example:"Claude"`
	Projects  []int64 `json:"projects" nullable:"false" minItems:"1" maxItems:"100" doc:"The ids of the projects that it may use. The caller needs a role in each, and their tenants must admit assistants." example:"[1]"`
	ExpiresIn int     `json:"expiresIn" minimum:"1" maximum:"90" doc:"For how many days its token is valid." example:"30"`
	Drafts    bool    `json:"drafts,omitempty" doc:"Whether it reads and writes drafts, submits for review and comments, not only reads what is public." example:"true"`
}

// Input returns the input of the use case.
func (in AssistantInput) Input() access.AssistantInput {
	return access.AssistantInput{Name: in.Name, ProjectIDs: in.Projects, ExpiresIn: in.ExpiresIn, Drafts: in.Drafts}
}

// AssistantOf shows an assistant.
func AssistantOf(a core.Assistant) Assistant {
	return Assistant{a.ID, a.Name, a.Hint, a.ProjectIDs, a.Drafts, core.FormatTime(a.CreatedAt), core.FormatTime(a.ExpiresAt)}
}
