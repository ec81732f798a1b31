package rest

import (
	"net/http"
	"slices"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
)

func (a *API) registerPasskeys() {
	const tag, path = "Me", "/api/me/passkeys"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: path, ID: "listMyPasskeys", Tag: tag, Action: access.SetFactors,
		Title: "List my passkeys", About: "Returns the passkeys of the caller, in the order of their creation.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Passkey], error) {
		found, err := a.Passkeys.List(c.Context(), c.Actor)
		return wire.ListOf(found, err, wire.PasskeyOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path, ID: "beginPasskey", Tag: tag, Action: access.SetFactors,
		Title: "Begin to add a passkey",
		About: "Returns the options with which a browser creates a passkey (`navigator.credentials.create`). The passkey signs in alone, or is the second step of a sign-in. " +
			"A user can have 20. It needs a fresh proof (`POST /api/session/verify`), else it answers 403 with `verify_first`, unless the caller has signed in in the last five minutes.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.PasskeyCreationOptions, error) {
		made, err := a.Passkeys.Create(c.Context(), c.Actor)
		return wire.PasskeyCreationOptionsOf(made, a.PasskeyAlgorithms), err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path + "/finish", ID: "finishPasskey", Tag: tag, Action: access.SetFactors, Status: http.StatusCreated,
		Title: "Add a passkey", About: "Adds the passkey that a browser has created, on a page of this service, with options of the last five minutes.",
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.NewPasskey) (wire.Passkey, error) {
		added, err := a.Passkeys.Add(c.Context(), c.Actor, in.Credential, in.Name)
		return wire.Shown(added, err, wire.PasskeyOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: path + "/{passkeyId}", ID: "renamePasskey", Tag: tag, Action: access.SetFactors, Permit: a.ownPasskey,
		Title: "Rename a passkey", About: "Changes the name of a passkey of the caller.",
	}, func(c *endpoint.Call, in wire.PasskeyName) (wire.Passkey, error) {
		renamed, err := a.Passkeys.Rename(c.Context(), c.Actor, c.ID("passkeyId"), in.Name)
		return wire.Shown(renamed, err, wire.PasskeyOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: path + "/{passkeyId}", ID: "removePasskey", Tag: tag, Action: access.SetFactors,
		Title: "Remove a passkey",
		About: "Removes a passkey of the caller, and with the last second factor the recovery codes. It needs a fresh proof (`POST /api/session/verify`), else it answers 403 with `verify_first`.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Passkeys.Remove(c.Context(), c.Actor, c.ID("passkeyId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: "/api/session/passkey", ID: "requestPasskey", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Begin to use a passkey",
		About: "Returns the options with which a browser asks for a passkey (`navigator.credentials.get`). Its answer is the member `passkey` of `POST /api/session`, `POST /api/session/second` and `POST /api/session/verify`.",
		Fails: []core.Kind{core.KindConflict},
	}, func(*endpoint.Call, endpoint.None) (wire.PasskeyRequestOptions, error) {
		asked, err := a.Passkeys.Request()
		return wire.PasskeyRequestOptionsOf(asked), err
	})
}

// ownPasskey returns core.ErrNotFound unless the passkey of the path is one of the caller.
func (a *API) ownPasskey(c *endpoint.Call) error {
	own, err := a.Passkeys.List(c.Context(), c.Actor)
	if id := c.ID("passkeyId"); err == nil && !slices.ContainsFunc(own, func(p account.Passkey) bool { return p.ID == id }) {
		err = core.NotFound("passkey")
	}
	return err
}
