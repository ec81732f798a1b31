package rest

import (
	"net/http"
	"strings"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
)

// candidateParam is the query parameter of searches for users.
var candidateParam = endpoint.TextParam("search", "A part of the name or of the e-mail, in any case; at most 200 bytes. Empty selects all.", "edda")

// registerMembers registers the same five operations for tenants, departments and
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
		}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Member], error) {
			found, err := a.Members.List(c.Context(), c.Place, place.scope)
			return wire.ListOf(found, err, wire.MemberOf)
		})
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodGet, Path: place.base + "/candidates", ID: "find" + place.noun + "Candidates", Tag: tag, Action: place.manage,
			Title: "Find users to assign a role in a " + noun,
			About: "Returns active users whose name or e-mail contains the search, at most 20, ordered by name: " +
				"those that the tenant manages, and those with a role in it or below it. Present members are included.",
			Query: []*endpoint.QueryParam{candidateParam},
		}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Candidate], error) {
			found, err := a.Members.Candidates(c.Context(), c.Place, c.Params["search"])
			return wire.ListOf(found, err, wire.CandidateOf)
		})
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodPut, Path: place.base + "/members/{userId}", ID: "set" + place.noun + "Member", Tag: tag, Action: place.manage,
			Title: "Assign a role in a " + noun,
			About: "Assigns the role " + place.role + " to the user and replaces the present role in this scope. A caller cannot assign a role above their own.",
		}, func(c *endpoint.Call, in wire.MemberInput) (wire.Member, error) {
			found, err := a.Members.Set(c.Context(), c.Actor, place.scope, c.Place, c.ID("userId"), in.Role)
			return wire.Shown(found, err, wire.MemberOf)
		})
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodDelete, Path: place.base + "/members/{userId}", ID: "remove" + place.noun + "Member", Tag: tag, Action: place.manage,
			Title: "Remove a role in a " + noun, About: "Removes the role of the user in exactly this " + noun + ".",
		}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
			return endpoint.None{}, a.Members.Remove(c.Context(), c.Actor, place.scope, c.Place, c.ID("userId"))
		})
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodGet, Path: place.base + "/members/{userId}/removal", ID: "preview" + place.noun + "MemberRemoval", Tag: tag, Action: place.manage,
			Title: "Preview the removal of a role in a " + noun,
			About: "Returns how many approval requests would wait for a step that no user can approve if the user had no role in exactly this " + noun + ". " +
				"It examines the 500 oldest pending requests.",
		}, func(c *endpoint.Call, _ endpoint.None) (wire.Removal, error) {
			found, err := a.Inbox.CountAfterRemoval(c.Context(), access.DecidingGrant(place.scope, c.Place, c.ID("userId")))
			return wire.Shown(found, err, wire.RemovalOf)
		})
	}
}
