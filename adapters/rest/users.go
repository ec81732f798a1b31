package rest

import (
	"net/http"
	"strconv"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

// User is a user account. It is exported because it is embedded.
type User struct {
	ID         int64  `json:"id" example:"3"`
	Email      string `json:"email" format:"email" example:"editor@meridian.example"`
	Name       string `json:"name" example:"Edda Editor"`
	TenantID   *int64 `json:"tenantId" doc:"The tenant that manages the account; null means the platform." example:"1"`
	SuperAdmin bool   `json:"superAdmin" doc:"Whether the user has all permissions." example:"false"`
	Active     bool   `json:"active" doc:"Whether the user can sign in." example:"true"`
	CreatedAt  string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt  string `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// userToken is a token that a user created.
type userToken struct {
	Token

	ProjectName string `json:"projectName" example:"World Desk"`
	ReadOnly    bool   `json:"readOnly" example:"true"`
}

// userTokens are the valid tokens that a user created.
type userTokens struct {
	Data   []userToken `json:"data" nullable:"false" doc:"Those in projects whose tokens the caller manages."`
	Others int         `json:"others" doc:"The number of those in other projects." example:"0"`
}

// endedTokens are the tokens of a deactivated user.
type endedTokens struct {
	Revoked userTokens `json:"revoked" doc:"The tokens that the deactivation revoked."`
	Kept    userTokens `json:"kept" doc:"The tokens that continue to work."`
}

// updatedUser is an account after a change.
type updatedUser struct {
	User

	Tokens *endedTokens `json:"tokens,omitempty" doc:"Only if the body has active false: what became of the tokens that the user created, in all projects."`
}

type userInput struct {
	TenantID   *int64 `json:"tenantId,omitempty" nullable:"true" doc:"The tenant that manages the account; omitted or null means the platform." example:"1"`
	Email      string `json:"email" format:"email" example:"editor@meridian.example"`
	Name       string `json:"name" example:"Edda Editor"`
	Password   string `json:"password" format:"password" minLength:"8" maxLength:"1024" example:"correct horse battery staple"`
	SuperAdmin bool   `json:"superAdmin,omitempty" doc:"Only super admins may set it." example:"false"`
}

type passwordChange struct {
	Current string `json:"current,omitempty" format:"password" doc:"Required when users change their own password." example:"correct horse battery staple"`
	New     string `json:"new" format:"password" minLength:"8" maxLength:"1024" example:"a longer and better password"`
}

func showUser(u core.User) User {
	return User{
		ID: u.ID, Email: u.Email, Name: u.Name, TenantID: core.NullIfZero(u.TenantID), SuperAdmin: u.SuperAdmin, Active: u.Active,
		CreatedAt: core.FormatTime(u.CreatedAt), UpdatedAt: core.FormatTime(u.UpdatedAt),
	}
}

func showUserToken(t access.UserToken) userToken {
	return userToken{showToken(t.Token), t.ProjectName, access.OnlyReadsPublic(t.Token)}
}

func showUserTokens(t access.UserTokens) userTokens {
	return userTokens{endpoint.Each(t.Tokens, showUserToken), t.Others}
}

func showUpdated(u access.UpdatedUser) updatedUser {
	shown := updatedUser{User: showUser(u.User)}
	if u.Tokens != nil {
		shown.Tokens = &endedTokens{showUserTokens(u.Tokens.Revoked), showUserTokens(u.Tokens.Kept)}
	}
	return shown
}

// userParams are the query parameters of the list of accounts.
var userParams = []*endpoint.QueryParam{
	endpoint.IDParam("tenantId", "The tenant that manages the accounts.", 1),
	endpoint.TextParam("search", "A case-insensitive substring of the name or the e-mail.", "edda"), endpoint.OffsetParam, endpoint.LimitParam,
}

// describeUsers adds the descriptions of members that are too long for tags.
func (a *API) describeUsers() {
	endpoint.Describe[userToken](a.set, endpoint.Members{
		"readOnly": "Whether the token reads only what is public: it cannot write and reads neither drafts nor history. " +
			"Deactivation of its creator keeps such a token unless told otherwise.",
	})
	endpoint.Describe[access.UserChange](a.set, endpoint.Members{
		"tokens": "Only with active false: keep revokes no token that the user created, revoke revokes all of them, in all projects. " +
			"Without it, deactivation revokes those that can write or that read drafts or history, and keeps the others, so that " +
			"websites continue to work. If the account was inactive before, it revokes none.",
	})
}

func (a *API) registerUsers() {
	a.describeUsers()
	const tag, all, one = "Users", "/api/users", "/api/users/{userId}"
	const accountAccess = " Users have access to their own account, tenant admins to the accounts that their tenant manages, super admins to all accounts."
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listUsers", Tag: tag, Action: access.ListUsers,
		Title: "List accounts", About: "Returns the accounts that the tenant tenantId manages, ordered by id. Without tenantId, super admins get all accounts.",
		Query: userParams,
		Target: func(c *endpoint.Call) (access.Target, error) {
			return tenantTarget(c.Int("tenantId")), c.BadQuery()
		},
	}, a.listUsers)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createUser", Tag: tag, Action: access.CreateUser, Idempotent: true,
		Title: "Add an account", About: "Adds an active account that the tenant tenantId manages.", Status: http.StatusCreated,
		Target: func(c *endpoint.Call) (access.Target, error) { return tenantTarget(c.Body.(*userInput).TenantID), nil },
	}, func(c *endpoint.Call, in userInput) (User, error) {
		return endpoint.Shown(showUser)(a.Users.Create(c.Context(), c.Actor, c.Place.Tenant.ID, access.UserInput{
			Email: in.Email, Name: in.Name, Password: in.Password, SuperAdmin: in.SuperAdmin,
		}))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getUser", Tag: tag, Action: access.SignedIn,
		Title: "Read an account", About: "Returns one account." + accountAccess,
	}, func(c *endpoint.Call, _ endpoint.None) (User, error) {
		return endpoint.Shown(showUser)(a.Users.User(c.Context(), c.Actor, c.ID("userId")))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateUser", Tag: tag, Action: access.SignedIn,
		Title: "Change an account",
		About: "Changes the members that the body contains. Users may change only their own name; all other members need an admin. " +
			"Deactivation ends all sessions of the account, and revokes tokens that the user created, in all projects: by default those that can write or that read drafts or history." + accountAccess,
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in access.UserChange) (updatedUser, error) {
		return endpoint.Shown(showUpdated)(a.Users.Update(c.Context(), c.Actor, c.ID("userId"), in))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/tokens", ID: "listUserTokens", Tag: tag, Action: access.SignedIn,
		Title: "List the tokens that a user created",
		About: "Returns the tokens in all projects that are neither revoked nor expired, without their secrets, by project and then by id." + accountAccess,
	}, func(c *endpoint.Call, _ endpoint.None) (userTokens, error) {
		return endpoint.Shown(showUserTokens)(a.Users.Tokens(c.Context(), c.Actor, c.ID("userId")))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPut, Path: one + "/password", ID: "setPassword", Tag: tag, Action: access.SignedIn,
		Title: "Set a password", About: "Sets the password and ends all sessions of the account, including the current one. A wrong current password counts as a failed sign-in." + accountAccess,
		Fails: []core.Kind{core.KindConflict, core.KindTooManyRequests},
	}, func(c *endpoint.Call, in passwordChange) (endpoint.None, error) {
		return endpoint.None{}, a.Users.SetPassword(c.Context(), c.Actor, c.ID("userId"), access.PasswordChange{Current: in.Current, New: in.New, Address: address(c.Request)})
	})
}

func (a *API) listUsers(c *endpoint.Call, _ endpoint.None) (endpoint.Page[User], error) {
	offset, limit := c.Int("offset"), c.Int("limit")
	if err := c.BadQuery(); err != nil {
		return endpoint.Page[User]{}, err
	}
	from, most, err := checkWindow(offset, limit)
	if err != nil {
		return endpoint.Page[User]{}, err
	}
	found, more, err := a.Users.List(c.Context(), c.Place.Tenant.ID, c.Params["search"], from, most)
	return endpoint.Page[User]{Data: endpoint.Each(found, showUser), Meta: endpoint.PageMeta{Offset: from, Limit: most, HasMore: more}}, err
}

// checkWindow checks offset and limit. nil means the default.
func checkWindow(offset, limit *int64) (from, most int64, err error) {
	most = core.DefaultLimit
	core.Assign(&from, offset)
	core.Assign(&most, limit)
	switch {
	case from < 0 || from > core.MaxOffset:
		return 0, 0, endpoint.BadParameter("offset", "must be between 0 and "+strconv.FormatInt(core.MaxOffset, 10))
	case most < 1 || most > core.MaxLimit:
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
