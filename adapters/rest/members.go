package rest

import (
	"net/http"
	"strings"

	"imprimatur/adapters/rest/internal/endpoint"
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

// candidate is a user that a role can be assigned to.
type candidate struct {
	UserID int64  `json:"userId" example:"4"`
	Email  string `json:"email" format:"email" example:"editor@meridian.example"`
	Name   string `json:"name" example:"Edda Editor"`
}

func showMember(m access.Member) member {
	return member{m.User.ID, m.User.Email, m.User.Name, m.Role}
}

func showCandidate(u core.User) candidate { return candidate{u.ID, u.Email, u.Name} }

// candidateParam is the query parameter of searches for users.
var candidateParam = endpoint.TextParam("search", "A part of the name or of the e-mail, in any case; at most 200 bytes. Empty selects all.", "edda")

// registerMembers registers the same four operations for tenants, departments and
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
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodGet, Path: place.base + "/members", ID: "list" + place.noun + "Members", Tag: tag, Action: place.view,
			Title: "List a " + noun + "'s members",
			About: "Returns the users with a role in exactly this " + noun + ", ordered by user id. Roles in a higher scope are not included.",
		}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[member], error) {
			return endpoint.ListOf(showMember)(a.Members.List(c.Context(), c.Place, place.scope))
		})
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodGet, Path: place.base + "/candidates", ID: "find" + place.noun + "Candidates", Tag: tag, Action: place.manage,
			Title: "Find users to assign a role in a " + noun,
			About: "Returns active users whose name or e-mail contains the search, at most 20, ordered by name: " +
				"those that the tenant manages, and those with a role in it or below it. Present members are included.",
			Query: []*endpoint.QueryParam{candidateParam},
		}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[candidate], error) {
			return endpoint.ListOf(showCandidate)(a.Members.Candidates(c.Context(), c.Place, c.Params["search"]))
		})
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodPut, Path: place.base + "/members/{userId}", ID: "set" + place.noun + "Member", Tag: tag, Action: place.manage,
			Title: "Assign a role in a " + noun,
			About: "Assigns the role " + place.role + " to the user and replaces the present role in this scope. A caller cannot assign a role above their own.",
		}, func(c *endpoint.Call, in memberInput) (member, error) {
			return endpoint.Shown(showMember)(a.Members.Set(c.Context(), c.Actor, place.scope, c.Place, c.ID("userId"), in.Role))
		})
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodDelete, Path: place.base + "/members/{userId}", ID: "remove" + place.noun + "Member", Tag: tag, Action: place.manage,
			Title: "Remove a role in a " + noun, About: "Removes the role of the user in exactly this " + noun + ".",
		}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
			return endpoint.None{}, a.Members.Remove(c.Context(), c.Actor, place.scope, c.Place, c.ID("userId"))
		})
	}
}
