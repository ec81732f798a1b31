package access

import (
	"slices"

	"imprimatur/core"
)

// Actions returns the actions of users that apply to a place of scope s.
func (s Scope) Actions() []Action {
	return slices.DeleteFunc(Actions(), func(a Action) bool {
		return a.Ability != "" || a.In != s && (!a.orPlatform || s != ScopePlatform)
	})
}

// AllowedActions returns the names of the actions that a user may perform in p, in the order of
// Actions. Authorizer decides the same. AllowedActions reads no store.
func AllowedActions(actor core.Actor, p Place) []string {
	names := []string{}
	for _, a := range p.scope().Actions() {
		if a.accepts(actor) && a.shows(actor, p) && a.allows(actor, p) {
			names = append(names, a.Name)
		}
	}
	return names
}

var roleTitles = map[core.Role]string{
	core.RoleSuperAdmin:      "a super admin",
	core.RoleTenantAdmin:     "an admin of the tenant",
	core.RoleDepartmentAdmin: "an admin of the department",
	core.RoleAdmin:           "an admin of the project",
	core.RoleEditor:          "an editor of the project",
	core.RoleViewer:          "a viewer of the project",
}

// AllowedCallers describes the callers that may perform a, for the API documentation: "an
// editor of the project, or a role above it".
func (a Action) AllowedCallers() string {
	switch {
	case a.callers != "":
		return a.callers
	case a.Ability != "":
		return "a token of the project with the ability " + string(a.Ability)
	case a.Role == core.RoleSuperAdmin:
		return roleTitles[a.Role]
	case a.orPlatform:
		return roleTitles[a.Role] + ", or a super admin"
	case a.unattached != "":
		return roleTitles[a.Role] + ", or a role above it; in a project without department " + roleTitles[a.unattached]
	case a.Role != "":
		return roleTitles[a.Role] + ", or a role above it"
	case a.In == ScopePlatform:
		return "any signed-in user"
	default:
		return "anyone with a role in the " + a.In.String() + ", above it or below it"
	}
}
