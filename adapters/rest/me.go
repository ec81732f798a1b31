package rest

import (
	"cmp"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

// userSession is one sign-in of the caller.
type userSession struct {
	ID        int64  `json:"id" doc:"The id of the session, which is not the secret in the cookie." example:"17"`
	CreatedAt string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ExpiresAt string `json:"expiresAt" format:"date-time" example:"2026-01-03T03:04:05.000Z"`
	Address   string `json:"address" doc:"The IP address that signed in; empty for sessions from before it was recorded." example:"192.0.2.44"`
	UserAgent string `json:"userAgent" doc:"The program that signed in, at most 200 bytes of its User-Agent." example:"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"`
	Current   bool   `json:"current" doc:"Whether this request belongs to the session." example:"true"`
}

// settings are the caller's settings of the dashboard.
type settings struct {
	Language orNull[language] `json:"language" doc:"null means that of the browser."`
	TimeZone *string          `json:"timeZone" doc:"IANA name; null means that of the browser." example:"Europe/Berlin"`
	Theme    string           `json:"theme" enum:"system,light,dark" example:"dark"`
}

type settingsChange struct {
	Language endpoint.Optional[language] `json:"language,omitempty" doc:"null means that of the browser." example:"de"`
	TimeZone endpoint.Optional[string]   `json:"timeZone,omitempty" doc:"IANA name; null means that of the browser." example:"Europe/Berlin"`
	Theme    *string                     `json:"theme,omitempty" enum:"system,light,dark" example:"dark"`
}

// language is the tag of a language of the dashboard.
type language string

// Schema implements huma.SchemaProvider.
func (language) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"en", "de"}, Examples: []any{"de"}}
}

func showSettings(s core.Settings) settings {
	shown := settings{TimeZone: core.NullIfZero(s.TimeZone), Theme: cmp.Or(s.Theme, "system")}
	if s.Language != "" {
		shown.Language.value = new(language(s.Language))
	}
	return shown
}

func (a *API) registerMe() {
	const tag, sessions, own = "Me", "/api/me/sessions", "/api/me/settings"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: sessions, ID: "listMySessions", Tag: tag, Action: access.SignedIn,
		Title: "List my sessions", About: "Returns the sessions of the caller that have not expired, the newest first.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[userSession], error) {
		current := access.HashSecret(a.sessionID(c))
		return endpoint.ListOf(func(s core.Session) userSession {
			return userSession{s.ID, core.FormatTime(s.CreatedAt), core.FormatTime(s.ExpiresAt), s.Address, s.UserAgent, s.Hash == current}
		})(a.Sessions.List(c.Context(), c.Actor))
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
	}, func(c *endpoint.Call, _ endpoint.None) (settings, error) {
		return showSettings(c.Actor.User.Settings), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: own, ID: "updateMySettings", Tag: tag, Action: access.SignedIn,
		Title: "Change my settings", About: "Changes the members that the body contains.",
	}, func(c *endpoint.Call, in settingsChange) (settings, error) {
		change := access.SettingsChange{TimeZone: in.TimeZone.Optional, Theme: in.Theme}
		change.Language.Given = in.Language.Given
		if in.Language.Value != nil {
			change.Language.Value = new(string(*in.Language.Value))
		}
		return endpoint.Shown(showSettings)(a.Users.UpdateSettings(c.Context(), c.Actor, change))
	})
}

// sessionID returns the secret id of the caller's session.
func (a *API) sessionID(c *endpoint.Call) string {
	id, _ := a.Cookies.Read(c.Request)
	return id
}
