package rest

import (
	"net/http"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
)

// token opens the content API of one Project.
type token struct {
	ID          int64          `json:"id" example:"1"`
	ProjectID   int64          `json:"projectId" example:"1"`
	Name        string         `json:"name" example:"Website"`
	Hint        string         `json:"hint" doc:"The secret's last characters, to tell tokens apart." example:"x7Qa"`
	Abilities   []core.Ability `json:"abilities" nullable:"false" doc:"Any of read, create, update and delete." example:"[\"read\"]"`
	AllowDrafts bool           `json:"allowDrafts" doc:"Whether lists may ask for drafts." example:"false"`
	RateLimit   *int           `json:"rateLimit" doc:"Requests per 60 s; null: the service's default, 0: no limit." example:"600"`
	ExpiresAt   *string        `json:"expiresAt" format:"date-time" doc:"null: never." example:"2027-01-01T00:00:00.000Z"`
	LastUsedAt  *string        `json:"lastUsedAt" format:"date-time" doc:"At most a minute behind; null: never." example:"2026-01-02T15:04:05.000Z"`
	RevokedAt   *string        `json:"revokedAt" format:"date-time" doc:"null: not revoked." example:"2026-06-01T00:00:00.000Z"`
	CreatedBy   *int64         `json:"createdBy" doc:"The user's id; null: made by a command." example:"3"`
	CreatedAt   string         `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	// Secret is empty but in the answer that made the token.
	Secret string `json:"secret,omitempty" doc:"What goes after Bearer. Only the answer that makes the token has it." example:"imp_0000000000000000000000000000000000000000000_000000"`
}

type tokenInput struct {
	Name        string         `json:"name" example:"Website"`
	Abilities   []core.Ability `json:"abilities" nullable:"false" minItems:"1" doc:"Any of read, create, update and delete." example:"[\"read\"]"`
	AllowDrafts bool           `json:"allowDrafts,omitempty" example:"false"`
	RateLimit   *int           `json:"rateLimit,omitempty" nullable:"true" minimum:"0" doc:"Requests per 60 s; left out or null: the service's default, 0: no limit." example:"600"`
	ExpiresAt   *time.Time     `json:"expiresAt,omitempty" nullable:"true" doc:"Left out or null: never." example:"2027-01-01T00:00:00.000Z"`
}

type tokenChange struct {
	Name        *string             `json:"name,omitempty" example:"Website"`
	Abilities   *[]core.Ability     `json:"abilities,omitempty" minItems:"1" doc:"Replaces all abilities." example:"[\"read\",\"create\"]"`
	AllowDrafts *bool               `json:"allowDrafts,omitempty" example:"true"`
	RateLimit   optional[int]       `json:"rateLimit,omitempty" minimum:"0" doc:"null: the service's default, 0: no limit." example:"1200"`
	ExpiresAt   optional[time.Time] `json:"expiresAt,omitempty" doc:"null: never." example:"2028-01-01T00:00:00.000Z"`
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
	handle(a, operation{
		method: http.MethodGet, path: all, id: "listTokens", tag: tag, action: access.ManageTokens,
		title: "List a project's tokens", about: "Revoked ones included, ordered by id, without their secrets.",
	}, func(c *call, _ none) (list[token], error) {
		found, err := a.Tokens.List(c.ctx(), c.project())
		return listOf(found, showToken), err
	})
	handle(a, operation{
		method: http.MethodPost, path: all, id: "createToken", tag: tag, action: access.ManageTokens, idempotent: true,
		title: "Make a token", about: "The answer is the only one that ever shows the secret.", status: http.StatusCreated,
	}, func(c *call, in tokenInput) (token, error) {
		made, secret, err := a.Tokens.Create(c.ctx(), c.actor, c.project(), access.TokenInput(in))
		shown := showToken(made)
		shown.Secret = secret
		return shown, err
	})
	handle(a, operation{
		method: http.MethodGet, path: one, id: "getToken", tag: tag, action: access.ManageTokens,
		title: "Read a token", about: "One token, without its secret.",
	}, withToken(func(c *call, id int64, _ none) (token, error) {
		found, err := a.Tokens.Token(c.ctx(), c.project(), id)
		return showToken(found), err
	}))
	handle(a, operation{
		method: http.MethodPatch, path: one, id: "updateToken", tag: tag, action: access.ManageTokens,
		title: "Change a token", about: "Changes the members that the body names. A revoked token stays as it is.",
		fails: []core.Kind{core.KindConflict},
	}, withToken(func(c *call, id int64, in tokenChange) (token, error) {
		changed, err := a.Tokens.Update(c.ctx(), c.actor, c.project(), id, access.TokenChange{
			Name: in.Name, Abilities: in.Abilities, AllowDrafts: in.AllowDrafts,
			RateLimit: in.RateLimit.Optional, ExpiresAt: in.ExpiresAt.Optional,
		})
		return showToken(changed), err
	}))
	handle(a, operation{
		method: http.MethodDelete, path: one, id: "revokeToken", tag: tag, action: access.ManageTokens,
		title: "Revoke a token", about: "For ever, everywhere within a second. Again changes nothing.",
	}, withToken(func(c *call, id int64, _ none) (none, error) {
		return none{}, a.Tokens.Revoke(c.ctx(), c.actor, c.project(), id)
	}))
}

func withToken[B, A any](do func(c *call, id int64, body B) (A, error)) func(*call, B) (A, error) {
	return withID("tokenId", "token", do)
}
