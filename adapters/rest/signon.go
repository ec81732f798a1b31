package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/identity"
)

func (a *API) registerSignOn() {
	const (
		session = "/api/session/provider"
		own     = "/api/me/identity-providers"
		ofUser  = "/api/users/{userId}/identity-providers"
		kept    = " A cookie keeps what was begun for ten minutes: only the same browser can finish it, once."
	)
	outward := []core.Kind{core.KindConflict, core.KindGone, core.KindUnavailable}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: "/api/session/ways", ID: "lookUpSignIn", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Read how an address signs in",
		About: "Returns the identity provider of the domain of an address, and whether it lets accounts of the domain sign in with passwords and passkeys, too. The response and its time are the same whether or not an account has the address.",
	}, func(c *endpoint.Call, in wire.Email) (wire.SignInWays, error) {
		ways, err := a.SignOn.Ways(c.Context(), in.Email)
		return wire.Shown(ways, err, wire.SignInWaysOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: session, ID: "beginProviderSignIn", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Begin to sign in by an identity provider",
		About: "Returns the address of the identity provider, which sends the browser back to `/sso/<id>/callback`." + kept + " With `invitation` or `link`, the secret of a link, the sign-in also accepts " +
			"the invitation or connects the account. The status is 404 for a provider that is not on, and 409 `provider_not_offered` for an invitation that this provider cannot accept.",
		Fails: append(outward, core.KindNotFound), Headers: []string{"Set-Cookie"},
	}, func(c *endpoint.Call, in wire.ProviderSignIn) (wire.ProviderAddress, error) {
		if _, err := a.Gateway.SignIn(c.Request); err != nil {
			return wire.ProviderAddress{}, err
		}
		begun, err := a.SignOn.Begin(c.Context(), identity.Beginning(in))
		return a.sendAway(c, begun, err)
	})
	endpoint.Register[wire.ProviderReturn, wire.ProviderArrival](a.set, endpoint.Operation{
		Method: http.MethodPost, Path: session + "/finish", ID: "finishProviderSignIn", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Finish a sign-in by an identity provider",
		About: "Takes the parameters with which the provider has sent the browser back. It sets the session cookie, or says which second step must follow (`POST /api/session/second`), what a trial has shown, or that the session counts as verified. " +
			"The status is 401 `sign_in_again` unless the same browser has begun it in the last ten minutes, 401 `provider_refused` for an answer that does not say who the person is, 403 `not_linked` for a person without an account, " +
			"403 `not_of_tenant` and `account_off` for accounts that the provider does not sign in, 403 `too_many_groups` if it names more than 500 groups or leaves them out because of their number, 403 `wrong_subject` and `not_proven` if a proof is of another person or not of a new sign-in, and 409 `person_linked` or `account_linked` if one of the two is linked already.",
		Fails:   append(outward, core.KindUnauthenticated, core.KindForbidden, core.KindNotFound),
		Headers: []string{"Set-Cookie"},
	}, a.finishProviderSignIn)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: session + "/sign-out", ID: "lookUpProviderSignOut", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Read where to sign out at an identity provider",
		About: "Returns the page of an identity provider that signs the person out there, too. The status is 404 for a provider that is not on or has none.",
		Fails: []core.Kind{core.KindNotFound, core.KindUnavailable},
	}, func(c *endpoint.Call, in wire.ProviderToSignOut) (wire.ProviderSignOut, error) {
		page, err := a.SignOn.SignOutPage(c.Context(), in.ProviderID)
		return wire.ProviderSignOut(page), err
	})
	endpoint.Register[wire.ProviderLogout, endpoint.None](a.set, endpoint.Operation{
		Method: http.MethodPost, Path: "/api/oidc/{providerId}/logout", ID: "endProviderSessions", Tag: "Session", Action: endpoint.Anonymous, Status: http.StatusOK, FormEncoded: true,
		Title: "Receive a back-channel logout",
		About: "Ends all sessions of the account that is linked to the subject of a logout token of the identity provider (OpenID Connect Back-Channel Logout 1.0); with `sid` and no `sub`, the session that it has opened. " +
			"The token must be new and less than five minutes old. " +
			"The response does not depend on the account. The status is 400 `invalid_request` for any other token, which counts as a failed sign-in from the address.",
		Fails: []core.Kind{core.KindTooManyRequests},
	}, func(c *endpoint.Call, in wire.ProviderLogout) error {
		if err := a.SignOn.EndByProvider(c.Context(), identity.Client{Address: address(c.Request)}, c.ID("providerId"), in.Token); err != nil {
			return err
		}
		c.Writer.Header().Set("Cache-Control", "no-store")
		c.Writer.WriteHeader(http.StatusOK)
		return nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: session + "/link", ID: "requestProviderLink", Tag: "Session", Action: endpoint.Anonymous, Status: http.StatusAccepted,
		Title: "Ask for a link that connects an account",
		About: "Sends a link to the address if it has an active account: it connects the account to the person that then signs in at the identity provider, once, within 30 minutes. " +
			"The response and its time do not depend on the account. An address gets three mails an hour.",
	}, func(c *endpoint.Call, in wire.ProviderLinkRequest) (wire.Accepted, error) {
		if _, err := a.Gateway.SignIn(c.Request); err != nil {
			return wire.Accepted{}, err
		}
		return wire.Accepted{Accepted: true}, a.SignOn.RequestLink(c.Context(), in.ProviderID, in.Email, address(c.Request))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: "/api/tenants/{tenantId}/identity-providers/{providerId}/try", ID: "tryIdentityProvider", Tag: "Identity providers", Action: access.ManageProviders,
		Title: "Try an identity provider",
		About: "Returns the address of the identity provider. After the sign-in there, the browser shows each claim that came and what a sign-in would do. It changes nothing but that the provider counts as tried by the caller, who may then switch it on." + kept,
		Fails: []core.Kind{core.KindUnavailable}, Headers: []string{"Set-Cookie"},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.ProviderAddress, error) {
		begun, err := a.SignOn.BeginTrial(c.Context(), c.Actor, c.Place.Tenant.ID, c.ID("providerId"))
		return a.sendAway(c, begun, err)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: own, ID: "listMyIdentityProviders", Tag: "Me", Action: access.SignedIn,
		Title: "List my identity providers", About: "Returns the identity providers to which the account of the caller is linked, and those to which it can be.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.ProviderLink], error) {
		found, err := a.SignOn.Links(c.Context(), c.Actor)
		return wire.ListOf(found, err, wire.ProviderLinkOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: own + "/{providerId}", ID: "linkMyAccount", Tag: "Me", Action: access.SignedIn,
		Title: "Link my account to an identity provider",
		About: "Returns the address of the identity provider. After the sign-in there, the account is linked to the person that has signed in, and its sessions end; tokens stay." + kept +
			" It needs a fresh proof (`POST /api/session/verify`), else it answers 403 with `verify_first`. The status is 409 `account_linked` for an account that is linked.",
		Fails: []core.Kind{core.KindConflict, core.KindUnavailable}, Headers: []string{"Set-Cookie"},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.ProviderAddress, error) {
		begun, err := a.SignOn.BeginLink(c.Context(), c.Actor, c.ID("providerId"))
		return a.sendAway(c, begun, err)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: own + "/{providerId}/verify", ID: "verifyAtProvider", Tag: "Me", Action: access.SetFactors,
		Title: "Prove again who I am at an identity provider",
		About: "Returns the address of the identity provider, which asks for the sign-in even of a person that is signed in there (`max_age=0`). After it, the session counts as verified for five minutes, as after `POST /api/session/verify`, " +
			"if the person is that of the account and the provider says that the sign-in is a new one (`auth_time`)." + kept + " The status is 404 unless the provider is on and the account is linked to it, " +
			"and for an account with a second factor unless the provider asks for that itself.",
		Fails: []core.Kind{core.KindUnavailable}, Headers: []string{"Set-Cookie"},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.ProviderAddress, error) {
		begun, err := a.SignOn.BeginProof(c.Context(), c.Actor, c.ID("providerId"))
		return a.sendAway(c, begun, err)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: own + "/{providerId}", ID: "unlinkMyAccount", Tag: "Me", Action: access.SignedIn,
		Title: "Unlink my account from an identity provider",
		About: "The account is no longer linked, and its sessions end. It needs a fresh proof (`POST /api/session/verify`), else it answers 403 with `verify_first`. " +
			"The status is 409 `last_way_in` for an account that has neither a password nor a passkey, or may not sign in with them.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.SignOn.Unlink(c.Context(), c.Actor, c.ID("providerId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: ofUser, ID: "listUserIdentityProviders", Tag: "Users", Action: access.SignedIn,
		Title: "List the identity providers of an account", About: "Returns the identity providers to which an account is linked. Users have access to their own account, tenant admins to the accounts that their tenant manages, super admins to all accounts.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.UserLink], error) {
		found, err := a.Providers.UserLinks(c.Context(), c.Actor, c.ID("userId"))
		return wire.ListOf(found, err, wire.UserLinkOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: ofUser + "/{providerId}", ID: "unlinkUser", Tag: "Users", Action: access.SignedIn,
		Title: "Unlink the account of a user from an identity provider",
		About: "The account of another user is no longer linked, the roles that groups gave are gone, and its sessions end. An admin of the account's tenant with every permission of the account may do it. " +
			"The account need not have another way in: the person can be mailed a link (`POST /api/session/provider/link`).",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Providers.UnlinkUser(c.Context(), c.Actor, c.ID("userId"), c.ID("providerId"))
	})
}

// sendAway has the browser keep what was begun, and returns the address of the provider.
func (a *API) sendAway(c *endpoint.Call, begun identity.Begun, err error) (wire.ProviderAddress, error) {
	if err != nil {
		return wire.ProviderAddress{}, err
	}
	a.Cookies.SetFlow(c.Writer, begun.Flow, identity.FlowLifetime)
	return wire.ProviderAddress{URL: begun.URL}, nil
}

// finishProviderSignIn needs no page of this service: the provider sends the browser, and what was begun and its state say
// that the browser is the same.
func (a *API) finishProviderSignIn(c *endpoint.Call, in wire.ProviderReturn) error {
	previous, _ := a.Cookies.Read(c.Request)
	arrived, err := a.SignOn.Finish(c.Context(), identity.Return{
		ProviderID: in.ProviderID, Flow: a.Cookies.Flow(c.Request), State: in.State, Code: in.Code, Issuer: in.Iss, Fault: in.Error,
		Client: identity.Client{Address: address(c.Request), UserAgent: c.Request.UserAgent(), Previous: previous, Device: a.Cookies.Device(c.Request)},
	})
	if err != nil {
		return err
	}
	a.Cookies.ClearFlow(c.Writer)
	switch {
	case arrived.Trial != nil || arrived.Proof.Way != "":
	case arrived.Session == "":
		a.Cookies.SetTicket(c.Writer, arrived.Ticket, identity.TicketLifetime)
		a.Cookies.SetDevice(c.Writer, arrived.Device, identity.DeviceLifetime)
	default:
		a.setCookies(c, arrived.SignedIn)
	}
	return c.WriteJSON(wire.ProviderArrivalOf(arrived))
}
