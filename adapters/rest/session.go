package rest

import (
	"encoding/json"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/identity"
	"imprimatur/core/installation"
)

// offerLifetime is how long after a sign-out the sign-in page offers the sign-out at the identity provider.
const offerLifetime = 2 * time.Minute

// checkCredentials returns a KindInvalid error for missing members. A request that fails this check
// does not count as a failed sign-in.
func checkCredentials(c wire.Credentials) error {
	var missing core.Faults
	if len(c.Passkey) > 0 {
		if c.Email != "" || c.Password != "" {
			missing.Add("passkey", nil, "must be the only member")
		}
		return missing.Err()
	}
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
	endpoint.Register[wire.Credentials, wire.Session](a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path, ID: "signIn", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Sign in",
		About: "Returns the user and sets the session cookie. The body has `email` and `password`, or `passkey` alone (`POST /api/session/passkey`). Every sign-in creates a new session id. " +
			"A session expires after twelve hours. After ten failures in fifteen minutes for one account, or a hundred from one address, " +
			"further attempts are rejected until the fifteen minutes have passed; from ten on, attempts from the address are delayed by up to 2 s. " +
			"A browser in which the user has signed in before, which a second cookie says, has a limit of its own: ten failures. " +
			"The status is 403 `provider_required` for the right password or passkey of an account that signs in by an identity provider alone.",
		Fails:   []core.Kind{core.KindUnauthenticated, core.KindTooManyRequests},
		Headers: []string{"Set-Cookie"},
		Accepted: &endpoint.Outcome{
			About: "The user has a second factor: finish the sign-in within ten minutes with `POST /api/session/second`, in the same browser. A cookie says that the first step was taken.",
			Gives: reflect.TypeFor[wire.NextStep](),
		},
	}, a.signIn)
	endpoint.Register[wire.SecondStep, wire.Session](a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path + "/second", ID: "finishSignIn", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Take the second step of a sign-in",
		About: "Finishes a sign-in that was answered with 202, with a code of the authenticator app, a passkey (`POST /api/session/passkey`) or a recovery code. " +
			"A wrong one counts as a failed sign-in. The first step leads to one sign-in: after it, after ten minutes, in another browser, and after a change of the password it answers 401 with `sign_in_again`.",
		Fails:   []core.Kind{core.KindUnauthenticated, core.KindTooManyRequests},
		Headers: []string{"Set-Cookie"},
	}, a.secondStep)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path + "/verify", ID: "verifySession", Tag: "Session", Action: access.SetFactors,
		Title: "Prove again who I am",
		About: "Makes the session count as verified for five minutes, for requests that otherwise answer 403 with `verify_first`: changes of second factors and of the address, and decisions at a " +
			"workflow step with `reauthenticate`. Give exactly one of the members: the password, or, with a second factor, a proof of it: a code of the authenticator app or a passkey (`POST /api/session/passkey`). A wrong one counts as a failed sign-in. " +
			"Linked accounts can also do it at their identity provider (`POST /api/me/identity-providers/<id>/verify`). The status is 403 `provider_required` for the password of an account that signs in by an identity provider alone.",
		Fails: []core.Kind{core.KindTooManyRequests},
	}, a.verify)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: path, ID: "whoAmI", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Read the session", About: "Returns the signed-in user with all current roles, or null without a valid session.",
	}, func(c *endpoint.Call, _ endpoint.None) (*wire.Session, error) {
		actor, err := a.Gateway.Visitor(c.Request)
		if err != nil || actor.User == nil {
			return nil, err
		}
		session, err := a.sessionOf(c, actor)
		return &session, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: path, ID: "signOut", Tag: "Session", Action: access.SignOut,
		Title: "Sign out", About: "Ends the session immediately and deletes the cookie. After a sign-in by an identity provider, the sign-in page then offers the sign-out there (`POST /api/session/provider/sign-out`).", Headers: []string{"Set-Cookie"},
	}, a.signOut)
}

func (a *API) signIn(c *endpoint.Call, in wire.Credentials) error {
	from, err := a.client(c)
	if err != nil {
		return err
	}
	if err := checkCredentials(in); err != nil {
		return err
	}
	if len(in.Passkey) > 0 {
		step, err := a.Sessions.SignInWithPasskey(c.Context(), from, in.Passkey)
		if err != nil {
			return err
		}
		return a.writeStep(c, step)
	}
	step, err := a.Sessions.SignIn(c.Context(), identity.SignIn{Client: from, Email: in.Email, Password: in.Password})
	if err != nil {
		return err
	}
	return a.writeStep(c, step)
}

func (a *API) secondStep(c *endpoint.Call, in wire.SecondStep) error {
	from, err := a.client(c)
	if err != nil {
		return err
	}
	proof, err := evidence(nil, in.TOTP, in.Recovery, in.Passkey)
	if err != nil {
		return err
	}
	step, err := a.Sessions.SecondStep(c.Context(), identity.SecondStep{Client: from, Ticket: a.Cookies.Ticket(c.Request), Proof: proof})
	if err != nil {
		return err
	}
	return a.writeStep(c, step)
}

func (a *API) verify(c *endpoint.Call, in wire.Verification) (wire.Verified, error) {
	given, err := evidence(in.Password, in.TOTP, nil, in.Passkey)
	if err != nil {
		return wire.Verified{}, err
	}
	proof, err := a.Sessions.Verify(c.Context(), c.Actor, identity.Verification{
		Client: identity.Client{Address: address(c.Request), UserAgent: c.Request.UserAgent(), Device: a.Cookies.Device(c.Request)},
		Proof:  given,
	})
	return wire.Shown(proof, err, wire.VerifiedOf)
}

// evidence returns what the members of a body prove, nil for a member that is missing. It returns
// core.KindInvalid for an empty one, which is no attempt and does not count as failed.
func evidence(password, totp, recovery *string, passkey json.RawMessage) (given identity.Evidence, err error) {
	var faults core.Faults
	for _, m := range []struct {
		name string
		text *string
		into *string
	}{{"password", password, &given.Password}, {"totp", totp, &given.TOTP}, {"recovery", recovery, &given.Recovery}} {
		if m.text != nil && *m.text == "" {
			faults.Add(m.name, nil, "must not be empty")
		}
		core.Assign(m.into, m.text)
	}
	if text := string(passkey); text == "null" || text == `""` || text == "{}" {
		faults.Add("passkey", nil, "must be a PublicKeyCredential")
	}
	given.Passkey = passkey
	return given, faults.Err()
}

// client returns where an attempt to sign in comes from. It must come from a page of this service or
// from a program.
func (a *API) client(c *endpoint.Call) (identity.Client, error) {
	previous, err := a.Gateway.SignIn(c.Request)
	return identity.Client{
		Address: address(c.Request), UserAgent: c.Request.UserAgent(), Previous: previous, Device: a.Cookies.Device(c.Request),
	}, err
}

// writeStep writes the outcome of a step of signing in: the session, or how to go on.
func (a *API) writeStep(c *endpoint.Call, step identity.SignedIn) error {
	if step.Session == "" {
		a.Cookies.SetTicket(c.Writer, step.Ticket, identity.TicketLifetime)
		a.Cookies.SetDevice(c.Writer, step.Device, identity.DeviceLifetime)
		c.Status = http.StatusAccepted
		return c.WriteJSON(wire.NextStep{Next: step.Next})
	}
	session, err := a.sessionOf(c, step.Actor)
	if err != nil {
		return err
	}
	a.setCookies(c, step)
	return c.WriteJSON(session)
}

// sessionOf returns actor, a user, for a response.
func (a *API) sessionOf(c *endpoint.Call, actor core.Actor) (session wire.Session, err error) {
	var state installation.Installation
	if a.Installation != nil {
		state, err = a.Installation(c.Context())
	}
	return wire.SessionOf(actor, a.Clock.Now(), a.Mail, state), err
}

// setCookies sets the cookies of a new session.
func (a *API) setCookies(c *endpoint.Call, step identity.SignedIn) {
	a.Cookies.Set(c.Writer, step.Session, identity.SessionLifetime)
	a.Cookies.SetDevice(c.Writer, step.Device, identity.DeviceLifetime)
	if a.Cookies.Ticket(c.Request) != "" {
		a.Cookies.ClearTicket(c.Writer)
	}
}

func (a *API) signOut(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
	provider, err := a.SignOn.OpenedBy(c.Context(), c.Actor)
	if err != nil {
		return endpoint.None{}, err
	}
	if err := a.Sessions.SignOut(c.Context(), c.Actor, a.sessionID(c)); err != nil {
		return endpoint.None{}, err
	}
	a.Cookies.Clear(c.Writer)
	if provider != 0 { // the sign-in page offers to sign out there
		a.Cookies.SetLink(c.Writer, identity.SignInPath, strconv.FormatInt(provider, 10), offerLifetime)
	}
	return endpoint.None{}, nil
}

// address returns the client's IP address.
func address(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}
