package rest

import (
	"net/http"
	"time"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

// Token is a credential for the content API of one Project. It is exported because it is embedded.
type Token struct {
	ID           int64          `json:"id" example:"1"`
	ProjectID    int64          `json:"projectId" example:"1"`
	Name         string         `json:"name" example:"Website"`
	Hint         string         `json:"hint" doc:"The last characters of the secret, to identify the token." example:"x7Qa"`
	Abilities    []core.Ability `json:"abilities" nullable:"false" doc:"Any of read, create, update and delete." example:"[\"read\"]"`
	AllowDrafts  bool           `json:"allowDrafts" doc:"Whether the token may read drafts." example:"false"`
	AllowHistory bool           `json:"allowHistory" doc:"Whether the token may read what was public at earlier times." example:"false"`
	RateLimit    *int           `json:"rateLimit" doc:"Requests per 60 s. null means the default of the service, 0 means no limit." example:"600"`
	ExpiresAt    *string        `json:"expiresAt" format:"date-time" doc:"null means never." example:"2027-01-01T00:00:00.000Z"`
	LastUsedAt   *string        `json:"lastUsedAt" format:"date-time" doc:"May be up to one minute old; null means never." example:"2026-01-02T15:04:05.000Z"`
	RevokedAt    *string        `json:"revokedAt" format:"date-time" doc:"null means not revoked." example:"2026-06-01T00:00:00.000Z"`
	CreatedBy    *int64         `json:"createdBy" doc:"The id of the user; null means that an operator command created the token." example:"3"`
	CreatedAt    string         `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	// Secret is set only in the response that creates the token.
	Secret string `json:"secret,omitempty" doc:"The bearer token. Only the response that creates the token contains it." example:"imp_0000000000000000000000000000000000000000000_000000"`
}

// tokenUsage is the number of requests of a token on a day.
type tokenUsage struct {
	Day    string `json:"day" format:"date" doc:"The day in UTC." example:"2026-01-02"`
	Reads  int64  `json:"reads" doc:"Requests that need the ability read, GraphQL included." example:"18250"`
	Writes int64  `json:"writes" doc:"Other requests." example:"12"`
}

type tokenChange struct {
	Name         *string                      `json:"name,omitempty" example:"Website"`
	Abilities    *[]core.Ability              `json:"abilities,omitempty" minItems:"1" doc:"Replaces all abilities." example:"[\"read\",\"create\"]"`
	AllowDrafts  *bool                        `json:"allowDrafts,omitempty" example:"true"`
	AllowHistory *bool                        `json:"allowHistory,omitempty" example:"true"`
	RateLimit    endpoint.Optional[int]       `json:"rateLimit,omitempty" minimum:"0" maximum:"1000000" doc:"null means the default of the service, 0 means no limit." example:"1200"`
	ExpiresAt    endpoint.Optional[time.Time] `json:"expiresAt,omitempty" doc:"null means never." example:"2028-01-01T00:00:00.000Z"`
}

func showToken(t core.Token) Token {
	return Token{
		ID: t.ID, ProjectID: t.ProjectID, Name: t.Name, Hint: t.Hint,
		Abilities: endpoint.Each(t.Abilities, func(ability core.Ability) core.Ability { return ability }), AllowDrafts: t.AllowDrafts, AllowHistory: t.AllowHistory, RateLimit: t.RateLimit,
		ExpiresAt: endpoint.TimeOrNull(t.ExpiresAt), LastUsedAt: endpoint.TimeOrNull(t.LastUsedAt), RevokedAt: endpoint.TimeOrNull(t.RevokedAt),
		CreatedBy: core.NullIfZero(t.CreatedBy), CreatedAt: core.FormatTime(t.CreatedAt),
	}
}

func showUsage(u core.TokenUsage) tokenUsage { return tokenUsage{dayText(u.Day), u.Reads, u.Writes} }

func (a *API) registerTokens() {
	const tag, all, one = "Tokens", "/api/projects/{projectId}/tokens", "/api/projects/{projectId}/tokens/{tokenId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listTokens", Tag: tag, Action: access.ManageTokens,
		Title: "List a project's tokens", About: "Returns all tokens without their secrets, including revoked ones, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[Token], error) {
		return endpoint.ListOf(showToken)(a.Tokens.List(c.Context(), c.Project()))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createToken", Tag: tag, Action: access.ManageTokens, Idempotent: true,
		Title: "Create a token", About: "This response is the only one that contains the secret.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in access.TokenInput) (Token, error) {
		made, secret, err := a.Tokens.Create(c.Context(), c.Actor, c.Project(), in)
		shown := showToken(made)
		shown.Secret = secret
		return shown, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getToken", Tag: tag, Action: access.ManageTokens,
		Title: "Read a token", About: "Returns one token without its secret.",
	}, func(c *endpoint.Call, _ endpoint.None) (Token, error) {
		return endpoint.Shown(showToken)(a.Tokens.Token(c.Context(), c.Project(), c.ID("tokenId")))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/usage", ID: "getTokenUsage", Tag: tag, Action: access.ManageTokens,
		Title: "Count the requests of a token", About: "Returns the number of requests on each of the last days, oldest first and including today. Requests count also if they fail or exceed the rate limit of the token. " +
			"Counts may be ten seconds old, and are kept for 90 days.",
		Query: []*endpoint.QueryParam{daysParam(1, core.UsageDays)},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[tokenUsage], error) {
		days, err := daysOf(c, 1, core.UsageDays)
		if err != nil {
			return endpoint.List[tokenUsage]{}, err
		}
		return endpoint.ListOf(showUsage)(a.Tokens.Usage(c.Context(), c.Project(), c.ID("tokenId"), days))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateToken", Tag: tag, Action: access.ManageTokens,
		Title: "Change a token", About: "Changes the members that the body contains. A revoked token cannot be changed.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in tokenChange) (Token, error) {
		return endpoint.Shown(showToken)(a.Tokens.Update(c.Context(), c.Actor, c.Project(), c.ID("tokenId"), access.TokenChange{
			Name: in.Name, Abilities: in.Abilities, AllowDrafts: in.AllowDrafts, AllowHistory: in.AllowHistory,
			RateLimit: in.RateLimit.Optional, ExpiresAt: in.ExpiresAt.Optional,
		}))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "revokeToken", Tag: tag, Action: access.ManageTokens,
		Title: "Revoke a token", About: "Revokes the token permanently, on all processes within one second. Repeating the request changes nothing.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Tokens.Revoke(c.Context(), c.Actor, c.Project(), c.ID("tokenId"))
	})
}
