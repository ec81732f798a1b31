package rest

import (
	"net"
	"net/http"

	"imprimatur/core"
	"imprimatur/core/access"
)

type credentials struct {
	Email    string `json:"email" format:"email" doc:"Case-insensitive." example:"editor@meridian.example"`
	Password string `json:"password" format:"password" doc:"The account's password." example:"correct horse battery staple"`
}

// check returns KindInvalid for missing members. Such a request does not count as a
// failed sign-in.
func (c credentials) check() error {
	var missing []core.FieldError
	if c.Email == "" {
		missing = append(missing, core.FieldError{Location: "email", Message: "is required"})
	}
	if c.Password == "" {
		missing = append(missing, core.FieldError{Location: "password", Message: "is required"})
	}
	if len(missing) == 0 {
		return nil
	}
	return core.Invalid(missing...)
}

// session is the signed-in user.
type session struct {
	ID          int64   `json:"id" doc:"The user's id." example:"3"`
	Email       string  `json:"email" format:"email" example:"editor@meridian.example"`
	Name        string  `json:"name" example:"Edda Editor"`
	TenantID    *int64  `json:"tenantId" doc:"The tenant that manages the account; null means the platform." example:"1"`
	SuperAdmin  bool    `json:"superAdmin" doc:"Whether the user has all permissions." example:"false"`
	Roles       []grant `json:"roles" nullable:"false" doc:"The roles of the user with their scopes."`
	CustomRoles []int64 `json:"customRoles" nullable:"false" doc:"Ids of the custom roles that the user holds." example:"[2]"`
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
		ID: u.ID, Email: u.Email, Name: u.Name, TenantID: idOrNull(u.TenantID), SuperAdmin: u.SuperAdmin,
		Roles: each(actor.Grants, func(g core.Grant) grant {
			return grant{Role: g.Role, TenantID: g.TenantID, DepartmentID: idOrNull(g.DepartmentID), ProjectID: idOrNull(g.ProjectID)}
		}),
		CustomRoles: each(actor.CustomRoles, func(r core.CustomRole) int64 { return r.ID }),
	}
}

func (a *API) registerSession() {
	const path = "/api/session"
	handle(a.set, operation{
		method: http.MethodPost, path: path, id: "signIn", tag: "Session", action: anonymous,
		title: "Sign in",
		about: "Returns the user and sets the session cookie. Every sign-in creates a new session id. " +
			"A session expires after twelve hours. After ten failures in fifteen minutes, for one account or from one address, " +
			"further attempts are rejected until the fifteen minutes have passed.",
		fails:   []core.Kind{core.KindUnauthenticated, core.KindForbidden, core.KindTooManyRequests},
		headers: []string{"Set-Cookie"},
	}, a.signIn)
	handle(a.set, operation{
		method: http.MethodGet, path: path, id: "whoAmI", tag: "Session", action: access.SignedIn,
		title: "Read the session", about: "Returns the signed-in user with all current roles.",
	}, func(c *call, _ none) (session, error) { return showSession(c.actor), nil })
	handle(a.set, operation{
		method: http.MethodDelete, path: path, id: "signOut", tag: "Session", action: access.SignedIn,
		title: "Sign out", about: "Ends the session immediately and deletes the cookie.", headers: []string{"Set-Cookie"},
	}, a.signOut)
}

func (a *API) signIn(c *call, in credentials) (session, error) {
	previous, err := a.Gateway.SignIn(c.r)
	if err != nil {
		return session{}, err
	}
	if err := in.check(); err != nil {
		return session{}, err
	}
	address, _, _ := net.SplitHostPort(c.r.RemoteAddr)
	id, actor, err := a.Sessions.SignIn(c.ctx(), access.SignIn{
		Email: in.Email, Password: in.Password, Address: address, Previous: previous,
	})
	if err != nil {
		return session{}, err
	}
	a.Cookies.Set(c.w, id, access.SessionLifetime)
	return showSession(actor), nil
}

func (a *API) signOut(c *call, _ none) (none, error) {
	id, _ := a.Cookies.Read(c.r)
	if err := a.Sessions.SignOut(c.ctx(), c.actor, id); err != nil {
		return none{}, err
	}
	a.Cookies.Clear(c.w)
	return none{}, nil
}
