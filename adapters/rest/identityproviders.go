package rest

import (
	"cmp"
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
)

func (a *API) registerIdentityProviders() {
	const (
		tag  = "Identity providers"
		all  = "/api/tenants/{tenantId}/identity-providers"
		one  = all + "/{providerId}"
		mine = " Its mappings give only roles in the tenant that the caller may give."
	)
	conflict := []core.Kind{core.KindConflict}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listIdentityProviders", Tag: tag, Action: access.ManageProviders,
		Title: "List the identity providers of a tenant", About: "Returns all of them without their secrets, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.IdentityProvider], error) {
		found, err := a.Providers.List(c.Context(), c.Place.Tenant.ID)
		return wire.ListOf(found, err, wire.IdentityProviderOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createIdentityProvider", Tag: tag, Action: access.ManageProviders, Status: http.StatusCreated, Idempotent: true, Fails: conflict,
		Title: "Add an identity provider",
		About: "Adds a connection to an OpenID provider as a draft, through which no user can sign in. The issuer must be an https address on port 443 of a public host, unless the operator allows more (--oidc-allow), " +
			"and that of one organisation: addresses that stand for all organisations of a provider, such as `common` of Entra ID, are refused, and so are domains in which anybody can have an address. " +
			"A tenant has at most 20, otherwise the status is 409 `too_many_providers`." + mine,
	}, func(c *endpoint.Call, in wire.IdentityProviderInput) (wire.IdentityProvider, error) {
		made, err := a.Providers.Create(c.Context(), c.Actor, c.Place.Tenant.ID, in.Change())
		return wire.Shown(made, err, wire.IdentityProviderOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getIdentityProvider", Tag: tag, Action: access.ManageProviders,
		Title: "Read an identity provider", About: "Returns one identity provider without its secret.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.IdentityProvider, error) {
		found, err := a.Providers.Provider(c.Context(), c.Place.Tenant.ID, c.ID("providerId"))
		return wire.Shown(found, err, wire.IdentityProviderOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateIdentityProvider", Tag: tag, Action: access.ManageProviders, Fails: conflict,
		Title: "Change an identity provider",
		About: "Changes the members that the body contains. Only a draft to which no account is linked can have another issuer, together with its secret. One that is to be on must have been tried by the caller since its address, client or scopes last changed (`POST …/try`), otherwise the status is 409 `not_tested`." + mine,
	}, func(c *endpoint.Call, in wire.IdentityProviderChange) (wire.IdentityProvider, error) {
		found, err := a.Providers.Update(c.Context(), c.Actor, c.Place.Tenant.ID, c.ID("providerId"), in.Change())
		return wire.Shown(found, err, wire.IdentityProviderOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteIdentityProvider", Tag: tag, Action: access.ManageProviders,
		Title: "Remove an identity provider", About: "Its domains are no longer claimed. Roles that its groups have given stay, as if given by hand.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Providers.Delete(c.Context(), c.Actor, c.Place.Tenant.ID, c.ID("providerId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/domains", ID: "claimDomain", Tag: tag, Action: access.ManageProviders, Idempotent: true, Fails: conflict,
		Title: "Claim a domain for an identity provider",
		About: "A domain of e-mail addresses belongs to one identity provider of the installation. It is claimed by a TXT record of the domain, which `claims` has, or by a super admin. " +
			"The status is 409 `record_missing` without the record, `domain_taken` if it belongs to another one, and 403 for `admin` by another user. To give it up, leave it out of `domains`.",
	}, func(c *endpoint.Call, in wire.DomainClaimInput) (wire.IdentityProvider, error) {
		claimed, err := a.Providers.Claim(c.Context(), c.Actor, c.Place.Tenant.ID, c.ID("providerId"), in.Domain, cmp.Or(in.Means, account.ClaimByRecord))
		return wire.Shown(claimed, err, wire.IdentityProviderOf)
	})
}
