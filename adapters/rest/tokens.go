package rest

import (
	"net/http"
	"time"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

func (a *API) registerTokens() {
	const tag, all, one = "Tokens", "/api/projects/{projectId}/tokens", "/api/projects/{projectId}/tokens/{tokenId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listTokens", Tag: tag, Action: access.ManageTokens,
		Title: "List a project's tokens", About: "Returns all tokens without their secrets, including revoked ones, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Token], error) {
		found, err := a.Tokens.List(c.Context(), c.Project())
		return wire.ListOf(found, err, wire.TokenOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createToken", Tag: tag, Action: access.ManageTokens, Idempotent: true,
		Sends: wire.TokenInput{Name: "Website", Abilities: []core.Ability{core.AbilityRead}, RateLimit: new(600), ExpiresAt: new(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))},
		Title: "Create a token", About: "This response is the only one that contains the secret.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.TokenInput) (wire.Token, error) {
		made, secret, err := a.Tokens.Create(c.Context(), c.Actor, c.Project(), access.TokenInput(in))
		shown := wire.TokenOf(made)
		shown.Secret = secret
		return shown, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getToken", Tag: tag, Action: access.ManageTokens,
		Title: "Read a token", About: "Returns one token without its secret.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Token, error) {
		found, err := a.Tokens.Token(c.Context(), c.Project(), c.ID("tokenId"))
		return wire.Shown(found, err, wire.TokenOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/usage", ID: "getTokenUsage", Tag: tag, Action: access.ManageTokens,
		Title: "Count the requests of a token", About: "Returns the number of requests on each of the last days, oldest first and including today. Requests count also if they fail or exceed the rate limit of the token. " +
			"Counts may be ten seconds old, and are kept for 90 days.",
		Query: []*endpoint.QueryParam{daysParam(1, core.UsageDays)},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.TokenUsage], error) {
		days, err := daysOf(c, 1, core.UsageDays)
		if err != nil {
			return wire.List[wire.TokenUsage]{}, err
		}
		found, err := a.Tokens.Usage(c.Context(), c.Project(), c.ID("tokenId"), days)
		return wire.ListOf(found, err, wire.TokenUsageOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateToken", Tag: tag, Action: access.ManageTokens,
		Title: "Change a token", About: "Changes the members that the body contains. A revoked token cannot be changed.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.TokenChange) (wire.Token, error) {
		found, err := a.Tokens.Update(c.Context(), c.Actor, c.Project(), c.ID("tokenId"), wire.Over[access.TokenInput](in))
		return wire.Shown(found, err, wire.TokenOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "revokeToken", Tag: tag, Action: access.ManageTokens,
		Title: "Revoke a token", About: "Revokes the token permanently, on all processes within one second. Repeating the request changes nothing.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Tokens.Revoke(c.Context(), c.Actor, c.Project(), c.ID("tokenId"))
	})
}
