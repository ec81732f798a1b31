package rest

import (
	"net/http"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
)

// token is a credential for the content API of one Project.
type token struct {
	ID          int64          `json:"id" example:"1"`
	ProjectID   int64          `json:"projectId" example:"1"`
	Name        string         `json:"name" example:"Website"`
	Hint        string         `json:"hint" doc:"The last characters of the secret, to identify the token." example:"x7Qa"`
	Abilities   []core.Ability `json:"abilities" nullable:"false" doc:"Any of read, create, update and delete." example:"[\"read\"]"`
	AllowDrafts bool           `json:"allowDrafts" doc:"Whether the token may read drafts." example:"false"`
	RateLimit   *int           `json:"rateLimit" doc:"Requests per 60 s. null means the default of the service, 0 means no limit." example:"600"`
	ExpiresAt   *string        `json:"expiresAt" format:"date-time" doc:"null means never." example:"2027-01-01T00:00:00.000Z"`
	LastUsedAt  *string        `json:"lastUsedAt" format:"date-time" doc:"May be up to one minute old; null means never." example:"2026-01-02T15:04:05.000Z"`
	RevokedAt   *string        `json:"revokedAt" format:"date-time" doc:"null means not revoked." example:"2026-06-01T00:00:00.000Z"`
	CreatedBy   *int64         `json:"createdBy" doc:"The id of the user; null means that an operator command created the token." example:"3"`
	CreatedAt   string         `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	// Secret is set only in the response that creates the token.
	Secret string `json:"secret,omitempty" doc:"The bearer token. Only the response that creates the token contains it." example:"imp_0000000000000000000000000000000000000000000_000000"`
}

type tokenInput struct {
	Name        string         `json:"name" example:"Website"`
	Abilities   []core.Ability `json:"abilities" nullable:"false" minItems:"1" doc:"Any of read, create, update and delete." example:"[\"read\"]"`
	AllowDrafts bool           `json:"allowDrafts,omitempty" example:"false"`
	RateLimit   *int           `json:"rateLimit,omitempty" nullable:"true" minimum:"0" doc:"Requests per 60 s. Omitted or null means the default of the service, 0 means no limit." example:"600"`
	ExpiresAt   *time.Time     `json:"expiresAt,omitempty" nullable:"true" doc:"Omitted or null means never." example:"2027-01-01T00:00:00.000Z"`
}

type tokenChange struct {
	Name        *string             `json:"name,omitempty" example:"Website"`
	Abilities   *[]core.Ability     `json:"abilities,omitempty" minItems:"1" doc:"Replaces all abilities." example:"[\"read\",\"create\"]"`
	AllowDrafts *bool               `json:"allowDrafts,omitempty" example:"true"`
	RateLimit   optional[int]       `json:"rateLimit,omitempty" minimum:"0" doc:"null means the default of the service, 0 means no limit." example:"1200"`
	ExpiresAt   optional[time.Time] `json:"expiresAt,omitempty" doc:"null means never." example:"2028-01-01T00:00:00.000Z"`
}

func showToken(t core.Token) token {
	return token{
		ID: t.ID, ProjectID: t.ProjectID, Name: t.Name, Hint: t.Hint,
		Abilities: each(t.Abilities, func(ability core.Ability) core.Ability { return ability }), AllowDrafts: t.AllowDrafts, RateLimit: t.RateLimit,
		ExpiresAt: stamp(t.ExpiresAt), LastUsedAt: stamp(t.LastUsedAt), RevokedAt: stamp(t.RevokedAt),
		CreatedBy: idOrNull(t.CreatedBy), CreatedAt: core.FormatTime(t.CreatedAt),
	}
}

func (a *API) registerTokens() {
	const tag, all, one = "Tokens", "/api/projects/{projectId}/tokens", "/api/projects/{projectId}/tokens/{tokenId}"
	handle(a.set, operation{
		method: http.MethodGet, path: all, id: "listTokens", tag: tag, action: access.ManageTokens,
		title: "List a project's tokens", about: "Returns all tokens without their secrets, including revoked ones, ordered by id.",
	}, func(c *call, _ none) (list[token], error) {
		found, err := a.Tokens.List(c.ctx(), c.project())
		return listOf(found, showToken), err
	})
	handle(a.set, operation{
		method: http.MethodPost, path: all, id: "createToken", tag: tag, action: access.ManageTokens, idempotent: true,
		title: "Create a token", about: "This response is the only one that contains the secret.", status: http.StatusCreated,
	}, func(c *call, in tokenInput) (token, error) {
		made, secret, err := a.Tokens.Create(c.ctx(), c.actor, c.project(), access.TokenInput(in))
		shown := showToken(made)
		shown.Secret = secret
		return shown, err
	})
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getToken", tag: tag, action: access.ManageTokens,
		title: "Read a token", about: "Returns one token without its secret.",
	}, withToken(func(c *call, id int64, _ none) (token, error) {
		found, err := a.Tokens.Token(c.ctx(), c.project(), id)
		return showToken(found), err
	}))
	handle(a.set, operation{
		method: http.MethodPatch, path: one, id: "updateToken", tag: tag, action: access.ManageTokens,
		title: "Change a token", about: "Changes the members that the body contains. A revoked token cannot be changed.",
		fails: []core.Kind{core.KindConflict},
	}, withToken(func(c *call, id int64, in tokenChange) (token, error) {
		changed, err := a.Tokens.Update(c.ctx(), c.actor, c.project(), id, access.TokenChange{
			Name: in.Name, Abilities: in.Abilities, AllowDrafts: in.AllowDrafts,
			RateLimit: in.RateLimit.Optional, ExpiresAt: in.ExpiresAt.Optional,
		})
		return showToken(changed), err
	}))
	handle(a.set, operation{
		method: http.MethodDelete, path: one, id: "revokeToken", tag: tag, action: access.ManageTokens,
		title: "Revoke a token", about: "Revokes the token permanently, on all processes within one second. Repeating the request changes nothing.",
	}, withToken(func(c *call, id int64, _ none) (none, error) {
		return none{}, a.Tokens.Revoke(c.ctx(), c.actor, c.project(), id)
	}))
}

func withToken[B, A any](do func(c *call, id int64, body B) (A, error)) func(*call, B) (A, error) {
	return withID("tokenId", "token", do)
}
