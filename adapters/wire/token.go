package wire

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
)

// Token is a credential for the content API of one Project.
type Token struct {
	ID           int64          `json:"id" example:"1"`
	ProjectID    int64          `json:"projectId" example:"1"`
	Name         string         `json:"name" example:"Website"`
	Hint         string         `json:"hint" doc:"The last characters of the secret, to identify the token." example:"x7Qa"`
	Abilities    []core.Ability `json:"abilities" nullable:"false" doc:"Any of read, create, update and delete." example:"[\"read\"]"`
	AllowDrafts  bool           `json:"allowDrafts" doc:"Whether the token may read drafts." example:"false"`
	AllowHistory bool           `json:"allowHistory" doc:"Whether the token may read what was public at earlier times." example:"false"`
	AllowSchema  string         `json:"allowSchema,omitempty" doc:"Which changes of the definitions the token may make: change or destructive. Omitted means none."`
	RateLimit    *int           `json:"rateLimit" doc:"Requests per 60 s. null means the default of the service, 0 means no limit." example:"600"`
	ExpiresAt    *string        `json:"expiresAt" format:"date-time" doc:"null means never." example:"2027-01-01T00:00:00.000Z"`
	LastUsedAt   *string        `json:"lastUsedAt" format:"date-time" doc:"May be up to one minute old; null means never." example:"2026-01-02T15:04:05.000Z"`
	RevokedAt    *string        `json:"revokedAt" format:"date-time" doc:"null means not revoked." example:"2026-06-01T00:00:00.000Z"`
	Off          bool           `json:"off,omitempty" doc:"Whether the token is not accepted since the installation was restored from a backup, until an operator decides."`
	CreatedBy    *int64         `json:"createdBy" doc:"The id of the user; null means that an operator command created the token." example:"3"`
	CreatedAt    string         `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	// Secret is set only in the response that creates the token.
	Secret string `json:"secret,omitempty" doc:"The bearer token. Only the response that creates the token contains it." example:"imp_0000000000000000000000000000000000000000000_000000"`
}

// TokenOf returns t for a response, without its secret.
func TokenOf(t core.Token) Token {
	return Token{
		ID: t.ID, ProjectID: t.ProjectID, Name: t.Name, Hint: t.Hint,
		Abilities: append([]core.Ability{}, t.Abilities...), AllowDrafts: t.AllowDrafts, AllowHistory: t.AllowHistory, AllowSchema: string(t.AllowSchema), RateLimit: t.RateLimit,
		ExpiresAt: TimeOrNull(t.ExpiresAt), LastUsedAt: TimeOrNull(t.LastUsedAt), RevokedAt: TimeOrNull(t.RevokedAt), Off: t.Off,
		CreatedBy: core.NullIfZero(t.CreatedBy), CreatedAt: core.FormatTime(t.CreatedAt),
	}
}

// TokenUsage is the number of requests of a token on a day.
type TokenUsage struct {
	Day    string `json:"day" format:"date" doc:"The day in UTC." example:"2026-01-02"`
	Reads  int64  `json:"reads" doc:"Requests that need the ability read, GraphQL included." example:"18250"`
	Writes int64  `json:"writes" doc:"Other requests." example:"12"`
}

// TokenUsageOf returns u for a response.
func TokenUsageOf(u core.TokenUsage) TokenUsage { return TokenUsage{DayText(u.Day), u.Reads, u.Writes} }

// TokenInput describes a new token.
type TokenInput struct {
	Name         string            `json:"name" example:"Website"`
	Abilities    []core.Ability    `json:"abilities" nullable:"false" minItems:"1" doc:"Any of read, create, update and delete." example:"[\"read\"]"`
	AllowDrafts  bool              `json:"allowDrafts,omitempty" example:"false"`
	AllowHistory bool              `json:"allowHistory,omitempty" example:"false"`
	AllowSchema  core.SchemaAccess `json:"allowSchema,omitempty" enum:"change,destructive"`
	RateLimit    *int              `json:"rateLimit,omitempty" nullable:"true" minimum:"0" maximum:"1000000" doc:"Requests per 60 s. Omitted or null means the default of the service, 0 means no limit." example:"600"`
	ExpiresAt    *time.Time        `json:"expiresAt,omitempty" nullable:"true" doc:"Omitted or null means never." example:"2027-01-01T00:00:00.000Z"`
}

// TransformSchema implements huma.SchemaTransformer.
func (TokenInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"allowSchema": "Which changes of the definitions of the Project, as a file, the token may make: change means those that remove no values and need no acknowledgement, destructive means all. " +
			"Omitted means none. The token needs the ability read and expiresAt within 90 days, and is valid only while its creator is an admin of the Project. Immutable.",
	})
}

// TokenChange changes the members of a token that a body contains.
type TokenChange struct {
	Name         *string             `json:"name,omitempty" example:"Website"`
	Abilities    *[]core.Ability     `json:"abilities,omitempty" minItems:"1" doc:"Replaces all abilities." example:"[\"read\",\"create\"]"`
	AllowDrafts  *bool               `json:"allowDrafts,omitempty" example:"true"`
	AllowHistory *bool               `json:"allowHistory,omitempty" example:"true"`
	RateLimit    Optional[int]       `json:"rateLimit,omitempty" minimum:"0" maximum:"1000000" doc:"null means the default of the service, 0 means no limit." example:"1200"`
	ExpiresAt    Optional[time.Time] `json:"expiresAt,omitempty" doc:"null means never." example:"2028-01-01T00:00:00.000Z"`
}
