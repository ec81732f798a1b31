package rest

import (
	"net/http"
	"strconv"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/identity"
	"imprimatur/core/query"
)

// userParams are the query parameters of the list of accounts.
var userParams = []*endpoint.QueryParam{
	endpoint.IDParam("tenantId", "The tenant that manages the accounts.", 1),
	endpoint.TextParam("search", "A case-insensitive substring of the name or the e-mail.", "edda"), endpoint.OffsetParam, endpoint.LimitParam,
}

func (a *API) registerUsers() {
	const tag, all, one = "Users", "/api/users", "/api/users/{userId}"
	const accountAccess = " Users have access to their own account, tenant admins to the accounts that their tenant manages, super admins to all accounts."
	seen := func(c *endpoint.Call) error {
		_, err := a.Users.User(c.Context(), c.Actor, c.ID("userId"))
		return err
	}
	const aboutRoles = " Users see all of their own roles, tenant admins those in their tenants, super admins all roles."
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listUsers", Tag: tag, Action: access.ListUsers,
		Title: "List accounts", About: "Returns the accounts that the tenant tenantId manages, ordered by id, with their roles. Without tenantId, super admins get all accounts." + aboutRoles,
		Query: userParams,
		Target: func(c *endpoint.Call) (access.Target, error) {
			return tenantTarget(c.Int("tenantId")), c.BadQuery()
		},
	}, a.listUsers)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createUser", Tag: tag, Action: access.CreateUser, Idempotent: true,
		Title: "Add an account", About: "Adds an active account that the tenant tenantId manages. Its user must change the password after the first sign-in.", Status: http.StatusCreated,
		Refusal: func(c *endpoint.Call) error { return access.CreateUser.Anywhere(c.Actor) },
		Target: func(c *endpoint.Call) (access.Target, error) {
			return tenantTarget(c.Body.(*wire.UserInput).TenantID), nil
		},
	}, func(c *endpoint.Call, in wire.UserInput) (wire.User, error) {
		found, err := a.Users.Create(c.Context(), c.Actor, c.Place.Tenant.ID, access.UserInput{
			Email: in.Email, Name: in.Name, Password: in.Password, SuperAdmin: in.SuperAdmin,
		})
		return wire.Shown(found, err, wire.UserOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getUser", Tag: tag, Action: access.SignedIn,
		Title: "Read an account", About: "Returns one account with its roles." + accountAccess + aboutRoles,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Account, error) {
		found, err := a.Users.User(c.Context(), c.Actor, c.ID("userId"))
		return wire.Shown(found, err, wire.AccountOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateUser", Tag: tag, Action: access.SignedIn, Permit: seen,
		Title: "Change an account",
		About: "Changes the members that the body contains. Users may change only their own name; all other members need an admin. " +
			"Deactivation ends all sessions of the account, and revokes tokens that the user created, in all projects: by default those that can write or that read drafts or history." + accountAccess,
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.UserChange) (wire.UpdatedUser, error) {
		found, err := a.Users.Update(c.Context(), c.Actor, c.ID("userId"), access.UserChange(in))
		return wire.Shown(found, err, wire.UpdatedUserOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/tokens", ID: "listUserTokens", Tag: tag, Action: access.SignedIn,
		Title: "List the tokens that a user created",
		About: "Returns the tokens in all projects that are neither revoked nor expired, without their secrets, by project and then by id." + accountAccess,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.UserTokens, error) {
		found, err := a.Users.Tokens(c.Context(), c.Actor, c.ID("userId"))
		return wire.Shown(found, err, wire.UserTokensOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/deactivation", ID: "previewDeactivation", Tag: tag, Action: access.SignedIn,
		Title: "Preview the deactivation of an account",
		About: "Returns how many approval requests would wait for a step that no user can approve if the account were not active. " +
			"It examines the 500 oldest pending requests of the tenants that the caller is an admin of, or of all for the own account." + accountAccess,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Removal, error) {
		account, err := a.Users.User(c.Context(), c.Actor, c.ID("userId"))
		if err != nil {
			return wire.Removal{}, err
		}
		found, err := a.Inbox.CountAfterDeactivation(c.Context(), c.Actor, account.User)
		return wire.Shown(found, err, wire.RemovalOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPut, Path: one + "/password", ID: "setPassword", Tag: tag, Action: access.SetPassword, Permit: seen,
		Title: "Set a password",
		About: "Sets the password and ends all sessions of the account, including the current one. A wrong current password counts as a failed sign-in. " +
			"Users whose password another user has set must change it: until then, their other requests are rejected with `password_change_required`." + accountAccess,
		Fails: []core.Kind{core.KindConflict, core.KindTooManyRequests},
	}, func(c *endpoint.Call, in wire.PasswordChange) (endpoint.None, error) {
		return endpoint.None{}, a.Passwords.Set(c.Context(), c.Actor, c.ID("userId"), identity.PasswordChange{
			Current: in.Current, New: in.New, Address: address(c.Request),
			Browser: a.Sessions.KnownBrowser(a.Cookies.Device(c.Request), c.Actor.User.Email),
		})
	})
}

func (a *API) listUsers(c *endpoint.Call, _ endpoint.None) (wire.Page[wire.Account], error) {
	offset, limit := c.Int("offset"), c.Int("limit")
	if err := c.BadQuery(); err != nil {
		return wire.Page[wire.Account]{}, err
	}
	from, most, err := checkWindow(offset, limit)
	if err != nil {
		return wire.Page[wire.Account]{}, err
	}
	found, more, err := a.Users.List(c.Context(), c.Actor, c.Place.Tenant.ID, c.Params["search"], from, most)
	return wire.Page[wire.Account]{Data: wire.Each(found, wire.AccountOf), Meta: wire.PageMeta{Offset: from, Limit: most, HasMore: more}}, err
}

// checkWindow checks offset and limit. nil means the default.
func checkWindow(offset, limit *int64) (from, most int64, err error) {
	most = query.DefaultLimit
	core.Assign(&from, offset)
	core.Assign(&most, limit)
	switch {
	case from < 0 || from > query.MaxOffset:
		return 0, 0, endpoint.BadParameter("offset", "must be between 0 and "+strconv.FormatInt(query.MaxOffset, 10))
	case most < 1 || most > query.MaxLimit:
		return 0, 0, endpoint.BadParameter("limit", "must be from 1 to 500")
	}
	return from, most, nil
}

// tenantTarget returns the target for the tenant with that id, or the platform for nil.
func tenantTarget(id *int64) access.Target {
	switch {
	case id == nil:
		return access.Target{}
	case *id < 1:
		return access.Target{TenantID: endpoint.UnknownID}
	default:
		return access.Target{TenantID: *id}
	}
}
