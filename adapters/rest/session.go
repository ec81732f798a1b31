package rest

import (
	"net"
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

type credentials struct {
	Email    string `json:"email" format:"email" doc:"Case-insensitive." example:"editor@meridian.example"`
	Password string `json:"password" format:"password" doc:"The account's password." example:"correct horse battery staple"`
}

// check returns a KindInvalid error for missing members. A request that fails this check does not
// count as a failed sign-in.
func (c credentials) check() error {
	var missing core.Faults
	if c.Email == "" {
		missing.Add("email", nil, "is required")
	}
	if c.Password == "" {
		missing.Add("password", nil, "is required")
	}
	return missing.Err()
}

// session is the signed-in user.
type session struct {
	ID          int64           `json:"id" doc:"The user's id." example:"3"`
	Email       string          `json:"email" format:"email" example:"editor@meridian.example"`
	Name        string          `json:"name" example:"Edda Editor"`
	TenantID    *int64          `json:"tenantId" doc:"The tenant that manages the account; null means the platform." example:"1"`
	SuperAdmin  bool            `json:"superAdmin" doc:"Whether the user has all permissions." example:"false"`
	Actions     platformActions `json:"actions" nullable:"false"`
	Roles       []grant         `json:"roles" nullable:"false" doc:"The roles of the user with their scopes."`
	CustomRoles []int64         `json:"customRoles" nullable:"false" doc:"Ids of the custom roles that the user holds." example:"[2]"`
}

type grant struct {
	Role         core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" example:"editor"`
	TenantID     int64     `json:"tenantId" example:"1"`
	DepartmentID *int64    `json:"departmentId" doc:"null for a role in a tenant, or in a Project without a department." example:"1"`
	ProjectID    *int64    `json:"projectId" doc:"null unless the role is in a Project." example:"1"`
}

func showSession(actor core.Actor) session {
	u := actor.User
	return session{
		ID: u.ID, Email: u.Email, Name: u.Name, TenantID: core.NullIfZero(u.TenantID), SuperAdmin: u.SuperAdmin,
		Actions: access.AllowedActions(actor, access.Place{}),
		Roles: endpoint.Each(actor.Grants, func(g core.Grant) grant {
			return grant{Role: g.Role, TenantID: g.TenantID, DepartmentID: core.NullIfZero(g.DepartmentID), ProjectID: core.NullIfZero(g.ProjectID)}
		}),
		CustomRoles: endpoint.Each(actor.CustomRoles, func(r core.CustomRole) int64 { return r.ID }),
	}
}

func (a *API) registerSession() {
	const path = "/api/session"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path, ID: "signIn", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Sign in",
		About: "Returns the user and sets the session cookie. Every sign-in creates a new session id. " +
			"A session expires after twelve hours. After ten failures in fifteen minutes, for one account or from one address, " +
			"further attempts are rejected until the fifteen minutes have passed.",
		Fails:   []core.Kind{core.KindUnauthenticated, core.KindTooManyRequests},
		Headers: []string{"Set-Cookie"},
	}, a.signIn)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: path, ID: "whoAmI", Tag: "Session", Action: access.SignedIn,
		Title: "Read the session", About: "Returns the signed-in user with all current roles.",
	}, func(c *endpoint.Call, _ endpoint.None) (session, error) { return showSession(c.Actor), nil })
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: path, ID: "signOut", Tag: "Session", Action: access.SignedIn,
		Title: "Sign out", About: "Ends the session immediately and deletes the cookie.", Headers: []string{"Set-Cookie"},
	}, a.signOut)
}

func (a *API) signIn(c *endpoint.Call, in credentials) (session, error) {
	previous, err := a.Gateway.SignIn(c.Request)
	if err != nil {
		return session{}, err
	}
	if err := in.check(); err != nil {
		return session{}, err
	}
	id, actor, err := a.Sessions.SignIn(c.Context(), access.SignIn{
		Email: in.Email, Password: in.Password, Address: address(c.Request), UserAgent: c.Request.UserAgent(), Previous: previous,
	})
	if err != nil {
		return session{}, err
	}
	a.Cookies.Set(c.Writer, id, access.SessionLifetime)
	return showSession(actor), nil
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
