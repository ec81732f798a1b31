package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/secret"
)

func (a *API) registerMe() {
	const tag, sessions, own = "Me", "/api/me/sessions", "/api/me/settings"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: sessions, ID: "listMySessions", Tag: tag, Action: access.SignedIn,
		Title: "List my sessions", About: "Returns the sessions of the caller that have not expired, the newest first.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.UserSession], error) {
		current := secret.Hash(a.sessionID(c))
		found, err := a.Sessions.List(c.Context(), c.Actor)
		return wire.ListOf(found, err, func(s account.Session) wire.UserSession { return wire.UserSessionOf(s, current) })
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: sessions, ID: "endMyOtherSessions", Tag: tag, Action: access.SignedIn,
		Title: "End my other sessions", About: "Ends all sessions of the caller except the current one.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Sessions.EndOthers(c.Context(), c.Actor, a.sessionID(c))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: sessions + "/{sessionId}", ID: "endMySession", Tag: tag, Action: access.SignedIn,
		Title: "End one of my sessions", About: "Ends a session of the caller immediately, which may be the current one.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Sessions.End(c.Context(), c.Actor, c.ID("sessionId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: own, ID: "getMySettings", Tag: tag, Action: access.SignedIn,
		Title: "Read my settings", About: "Returns how the caller wants to see the dashboard.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Settings, error) {
		return wire.SettingsOf(c.Actor.User.Settings), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: own, ID: "updateMySettings", Tag: tag, Action: access.SignedIn,
		Title: "Change my settings", About: "Changes the members that the body contains.",
	}, func(c *endpoint.Call, in wire.SettingsChange) (wire.Settings, error) {
		found, err := a.Users.UpdateSettings(c.Context(), c.Actor, in.Change())
		return wire.Shown(found, err, wire.SettingsOf)
	})
}

// sessionID returns the secret id of the caller's session.
func (a *API) sessionID(c *endpoint.Call) string {
	id, _ := a.Cookies.Read(c.Request)
	return id
}
