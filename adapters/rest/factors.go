package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

func (a *API) registerFactors() {
	const tag, totp, codes = "Me", "/api/me/totp", "/api/me/recovery-codes"
	const afterProof = " It needs a fresh proof (`POST /api/session/verify`), else it answers 403 with `verify_first`"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/me/factors", ID: "listMyFactors", Tag: tag, Action: access.SetFactors,
		Title: "List my second factors", About: "Returns which second factors the caller has.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Factors, error) {
		found, err := a.Factors.Own(c.Context(), c.Actor)
		return wire.Shown(found, err, wire.FactorsOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: totp, ID: "setUpApp", Tag: tag, Action: access.SetFactors, Status: http.StatusCreated,
		Title: "Set up an authenticator app",
		About: "Returns the secret of a new authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). It becomes a second factor when a code of it is confirmed; until then, another call replaces it." +
			afterProof + " unless the caller has signed in in the last five minutes.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.App, error) {
		app, err := a.Apps.SetUp(c.Context(), c.Actor)
		if err != nil {
			return wire.App{}, err
		}
		return wire.AppOf(app)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: totp + "/confirm", ID: "confirmApp", Tag: tag, Action: access.SetFactors,
		Title: "Confirm an authenticator app",
		About: "Makes the authenticator app a second factor, given a code that it shows, and returns ten recovery codes, each for one sign-in without the app. They are shown once, and replace earlier ones.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.AppCode) (wire.RecoveryCodes, error) {
		fresh, err := a.Apps.Confirm(c.Context(), c.Actor, in.Code)
		return wire.RecoveryCodes{Codes: fresh}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: totp, ID: "removeApp", Tag: tag, Action: access.SetFactors,
		Title: "Remove my authenticator app", About: "Removes the authenticator app, and with the last second factor the recovery codes." + afterProof + ".",
		Fails: []core.Kind{core.KindNotFound},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Factors.RemoveApp(c.Context(), c.Actor)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: codes, ID: "renewRecoveryCodes", Tag: tag, Action: access.SetFactors,
		Title: "Make new recovery codes", About: "Returns ten recovery codes, which replace earlier ones. They are shown once." + afterProof + " unless the caller has signed in in the last five minutes.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.RecoveryCodes, error) {
		fresh, err := a.Factors.RenewCodes(c.Context(), c.Actor)
		return wire.RecoveryCodes{Codes: fresh}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: "/api/users/{userId}/factors", ID: "resetFactors", Tag: "Users", Action: access.SignedIn,
		Title: "Remove the second factors of a user",
		About: "Removes all second factors of another user, who has lost them, and ends all sessions of the account. An admin of the account's tenant with every permission of the account may do it, and whoever may give every role that the user has.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Factors.Reset(c.Context(), c.Actor, c.ID("userId"))
	})
}
