package rest

import (
	"net/http"

	"imprimatur/core"
	"imprimatur/core/access"
)

// user is a user account.
type user struct {
	ID         int64  `json:"id" example:"3"`
	Email      string `json:"email" format:"email" example:"editor@meridian.example"`
	Name       string `json:"name" example:"Edda Editor"`
	TenantID   *int64 `json:"tenantId" doc:"The tenant that manages the account; null means the platform." example:"1"`
	SuperAdmin bool   `json:"superAdmin" doc:"Whether the user has all permissions." example:"false"`
	Active     bool   `json:"active" doc:"Whether the user can sign in." example:"true"`
	CreatedAt  string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt  string `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

type userInput struct {
	TenantID   *int64 `json:"tenantId,omitempty" nullable:"true" doc:"The tenant that manages the account; omitted or null means the platform." example:"1"`
	Email      string `json:"email" format:"email" example:"editor@meridian.example"`
	Name       string `json:"name" example:"Edda Editor"`
	Password   string `json:"password" format:"password" minLength:"8" maxLength:"1024" example:"correct horse battery staple"`
	SuperAdmin bool   `json:"superAdmin,omitempty" doc:"Only super admins may set it." example:"false"`
}

type userChange struct {
	Email      *string `json:"email,omitempty" format:"email" example:"edda@meridian.example"`
	Name       *string `json:"name,omitempty" example:"Edda Editor"`
	Active     *bool   `json:"active,omitempty" doc:"false ends the user's sessions." example:"true"`
	SuperAdmin *bool   `json:"superAdmin,omitempty" doc:"Only super admins may change it." example:"false"`
}

type passwordChange struct {
	Current string `json:"current,omitempty" format:"password" doc:"Required when users change their own password." example:"correct horse battery staple"`
	New     string `json:"new" format:"password" minLength:"8" maxLength:"1024" example:"a longer and better password"`
}

func showUser(u core.User) user {
	return user{
		ID: u.ID, Email: u.Email, Name: u.Name, TenantID: idOrNull(u.TenantID), SuperAdmin: u.SuperAdmin, Active: u.Active,
		CreatedAt: core.FormatTime(u.CreatedAt), UpdatedAt: core.FormatTime(u.UpdatedAt),
	}
}

func (a *API) registerUsers() {
	const tag, all, one = "Users", "/api/users", "/api/users/{userId}"
	const accountAccess = " Users have access to their own account, tenant admins to the accounts that their tenant manages, super admins to all accounts."
	handle(a.set, operation{
		method: http.MethodGet, path: all, id: "listUsers", tag: tag, action: access.ListUsers,
		title: "List accounts", about: "Returns the accounts that the tenant tenantId manages, ordered by id. Without tenantId, super admins get all accounts.",
		query: []*queryParam{tenantParam, offsetParam, limitParam}, fails: []core.Kind{core.KindBadRequest},
		target: func(c *call) (access.Target, error) {
			id, err := c.int("tenantId")
			return tenantTarget(id), err
		},
	}, a.listUsers)
	handle(a.set, operation{
		method: http.MethodPost, path: all, id: "createUser", tag: tag, action: access.CreateUser, idempotent: true,
		title: "Add an account", about: "Adds an active account that the tenant tenantId manages.",
		status: http.StatusCreated, fails: []core.Kind{core.KindConflict},
		target: func(c *call) (access.Target, error) { return tenantTarget(c.body.(*userInput).TenantID), nil },
	}, func(c *call, in userInput) (user, error) {
		made, err := a.Users.Create(c.ctx(), c.actor, c.place.Tenant.ID, access.UserInput{
			Email: in.Email, Name: in.Name, Password: in.Password, SuperAdmin: in.SuperAdmin,
		})
		return showUser(made), err
	})
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getUser", tag: tag, action: access.SignedIn,
		title: "Read an account", about: "Returns one account." + accountAccess, fails: []core.Kind{core.KindNotFound},
	}, withID("userId", "user", func(c *call, id int64, _ none) (user, error) {
		found, err := a.Users.User(c.ctx(), c.actor, id)
		return showUser(found), err
	}))
	handle(a.set, operation{
		method: http.MethodPatch, path: one, id: "updateUser", tag: tag, action: access.SignedIn,
		title: "Change an account",
		about: "Changes the members that the body contains. Users may change only their own name; all other members need an admin." + accountAccess,
		fails: []core.Kind{core.KindForbidden, core.KindNotFound, core.KindConflict},
	}, withID("userId", "user", func(c *call, id int64, in userChange) (user, error) {
		changed, err := a.Users.Update(c.ctx(), c.actor, id, access.UserChange(in))
		return showUser(changed), err
	}))
	handle(a.set, operation{
		method: http.MethodPut, path: one + "/password", id: "setPassword", tag: tag, action: access.SignedIn,
		title: "Set a password", about: "Sets the password and ends all sessions of the account, including the current one." + accountAccess,
		fails: []core.Kind{core.KindForbidden, core.KindNotFound},
	}, withID("userId", "user", func(c *call, id int64, in passwordChange) (none, error) {
		return none{}, a.Users.SetPassword(c.ctx(), c.actor, id, access.PasswordChange(in))
	}))
}

func (a *API) listUsers(c *call, _ none) (page[user], error) {
	offset, limit, err := c.window()
	if err != nil {
		return page[user]{}, err
	}
	from, most, err := checkWindow(offset, limit)
	if err != nil {
		return page[user]{}, err
	}
	found, more, err := a.Users.List(c.ctx(), c.place.Tenant.ID, from, most)
	return page[user]{Data: each(found, showUser), Meta: pageMeta{Offset: from, Limit: most, HasMore: more}}, err
}

// checkWindow checks offset and limit and applies their defaults.
func checkWindow(offset, limit *int64) (from, most int64, err error) {
	most = core.DefaultLimit
	if offset != nil {
		from = *offset
	}
	if limit != nil {
		most = *limit
	}
	switch {
	case from < 0 || from > core.MaxOffset:
		return 0, 0, badParameter("offset", "must not be negative")
	case most < 1 || most > core.MaxLimit:
		return 0, 0, badParameter("limit", "must be from 1 to 500")
	}
	return from, most, nil
}

// tenantTarget returns the target of the named tenant, or the platform without a name.
func tenantTarget(id *int64) access.Target {
	switch {
	case id == nil:
		return access.Target{}
	case *id < 1:
		return access.Target{TenantID: noPlace}
	default:
		return access.Target{TenantID: *id}
	}
}
