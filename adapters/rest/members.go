package rest

import (
	"net/http"
	"strings"

	"imprimatur/core"
	"imprimatur/core/access"
)

// member is a user with a role in one scope.
type member struct {
	UserID int64     `json:"userId" example:"4"`
	Email  string    `json:"email" format:"email" example:"editor@meridian.example"`
	Name   string    `json:"name" example:"Edda Editor"`
	Role   core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" example:"editor"`
}

type memberInput struct {
	Role core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" doc:"tenant_admin in a tenant, department_admin in a department; admin, editor or viewer in a Project." example:"editor"`
}

func showMember(m access.Member) member {
	return member{m.User.ID, m.User.Email, m.User.Name, m.Role}
}

// registerMembers registers the same three operations for tenants, departments and
// Projects.
func (a *API) registerMembers() {
	for _, place := range []struct {
		noun, base   string
		scope        access.Scope
		view, manage access.Action
		role         string
	}{
		{"Tenant", "/api/tenants/{tenantId}", access.ScopeTenant, access.ViewTenantMembers, access.ManageTenantMembers, "tenant_admin"},
		{"Department", "/api/departments/{departmentId}", access.ScopeDepartment, access.ViewDepartmentMembers, access.ManageDepartmentMembers, "department_admin"},
		{"Project", "/api/projects/{projectId}", access.ScopeProject, access.ViewProjectMembers, access.ManageProjectMembers, "admin, editor or viewer"},
	} {
		const tag = "Members"
		noun := strings.ToLower(place.noun)
		handle(a.set, operation{
			method: http.MethodGet, path: place.base + "/members", id: "list" + place.noun + "Members", tag: tag, action: place.view,
			title: "List a " + noun + "'s members",
			about: "Returns the users with a role in exactly this " + noun + ", ordered by user id. Roles in a higher scope are not included.",
		}, func(c *call, _ none) (list[member], error) {
			found, err := a.Members.List(c.ctx(), c.place, place.scope)
			return listOf(found, showMember), err
		})
		handle(a.set, operation{
			method: http.MethodPut, path: place.base + "/members/{userId}", id: "set" + place.noun + "Member", tag: tag, action: place.manage,
			title: "Assign a role in a " + noun,
			about: "Assigns the role " + place.role + " to the user and replaces the present role in this scope. A caller cannot assign a role above their own.",
		}, withID("userId", "user", func(c *call, id int64, in memberInput) (member, error) {
			set, err := a.Members.Set(c.ctx(), c.actor, place.scope, c.place, id, in.Role)
			return showMember(set), err
		}))
		handle(a.set, operation{
			method: http.MethodDelete, path: place.base + "/members/{userId}", id: "remove" + place.noun + "Member", tag: tag, action: place.manage,
			title: "Remove a role in a " + noun, about: "Removes the role of the user in exactly this " + noun + ".",
		}, withID("userId", "user", func(c *call, id int64, _ none) (none, error) {
			return none{}, a.Members.Remove(c.ctx(), c.actor, place.scope, c.place, id)
		}))
	}
}
