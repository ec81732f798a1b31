package rest

import (
	"net"
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/identity"
)

// checkCredentials returns a KindInvalid error for missing members. A request that fails this check
// does not count as a failed sign-in.
func checkCredentials(c wire.Credentials) error {
	var missing core.Faults
	if c.Email == "" {
		missing.Add("email", nil, "is required")
	}
	if c.Password == "" {
		missing.Add("password", nil, "is required")
	}
	return missing.Err()
}

func (a *API) registerSession() {
	const path = "/api/session"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path, ID: "signIn", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Sign in",
		About: "Returns the user and sets the session cookie. Every sign-in creates a new session id. " +
			"A session expires after twelve hours. After ten failures in fifteen minutes for one account, or a hundred from one address, " +
			"further attempts are rejected until the fifteen minutes have passed; from ten on, attempts from the address are delayed by up to 2 s. " +
			"A browser in which the user has signed in before, which a second cookie says, has a limit of its own: ten failures.",
		Fails:   []core.Kind{core.KindUnauthenticated, core.KindTooManyRequests},
		Headers: []string{"Set-Cookie"},
	}, a.signIn)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: path, ID: "whoAmI", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Read the session", About: "Returns the signed-in user with all current roles, or null without a valid session.",
	}, func(c *endpoint.Call, _ endpoint.None) (*wire.Session, error) {
		actor, err := a.Gateway.Visitor(c.Request)
		if err != nil || actor.User == nil {
			return nil, err
		}
		session := wire.SessionOf(actor, a.Mail)
		return &session, nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: path, ID: "signOut", Tag: "Session", Action: access.SignOut,
		Title: "Sign out", About: "Ends the session immediately and deletes the cookie.", Headers: []string{"Set-Cookie"},
	}, a.signOut)
}

func (a *API) signIn(c *endpoint.Call, in wire.Credentials) (wire.Session, error) {
	previous, err := a.Gateway.SignIn(c.Request)
	if err != nil {
		return wire.Session{}, err
	}
	if err := checkCredentials(in); err != nil {
		return wire.Session{}, err
	}
	id, actor, err := a.Sessions.SignIn(c.Context(), identity.SignIn{
		Email: in.Email, Password: in.Password, Address: address(c.Request), UserAgent: c.Request.UserAgent(), Previous: previous,
		Device: a.Cookies.Device(c.Request),
	})
	if err != nil {
		return wire.Session{}, err
	}
	a.Cookies.Set(c.Writer, id, identity.SessionLifetime)
	a.Cookies.SetDevice(c.Writer, a.Sessions.Device(a.Cookies.Device(c.Request), in.Email), identity.DeviceLifetime)
	return wire.SessionOf(actor, a.Mail), nil
}

func (a *API) signOut(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
	if err := a.Sessions.SignOut(c.Context(), c.Actor, a.sessionID(c)); err != nil {
		return endpoint.None{}, err
	}
	a.Cookies.Clear(c.Writer)
	return endpoint.None{}, nil
}

// address returns the client's IP address.
func address(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}
