package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

func (a *API) registerCustomRoles() {
	const (
		tag     = "Custom roles"
		all     = "/api/departments/{departmentId}/custom-roles"
		one     = all + "/{customRoleId}"
		holders = one + "/holders"
	)
	conflict := []core.Kind{core.KindConflict}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listCustomRoles", Tag: tag, Action: access.ViewCustomRoles,
		Title: "List a department's custom roles", About: "Returns them ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.CustomRole], error) {
		found, err := a.Organisation.CustomRoles(c.Context(), c.Place.Department.ID)
		return wire.ListOf(found, err, wire.CustomRoleOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createCustomRole", Tag: tag, Action: access.ManageCustomRoles, Idempotent: true,
		Title: "Add a custom role", About: "Adds a role without holders.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.CustomRoleInput) (wire.CustomRole, error) {
		found, err := a.Organisation.CreateCustomRole(c.Context(), c.Actor, c.Place.Department, in.Name)
		return wire.Shown(found, err, wire.CustomRoleOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getCustomRole", Tag: tag, Action: access.ViewCustomRoles,
		Title: "Read a custom role", About: "Returns one custom role.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.CustomRole, error) {
		found, err := a.Organisation.CustomRole(c.Context(), c.Place.Department.ID, c.ID("customRoleId"))
		return wire.Shown(found, err, wire.CustomRoleOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateCustomRole", Tag: tag, Action: access.ManageCustomRoles,
		Title: "Change a custom role", About: "Changes the members that the body contains.", Fails: conflict,
	}, func(c *endpoint.Call, in wire.CustomRoleChange) (wire.CustomRole, error) {
		found, err := a.Organisation.UpdateCustomRole(c.Context(), c.Actor, c.Place.Department.ID, c.ID("customRoleId"), in.Name)
		return wire.Shown(found, err, wire.CustomRoleOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteCustomRole", Tag: tag, Action: access.ManageCustomRoles,
		Title: "Remove a custom role", Fails: conflict,
		About: "Removes the role from all holders. While a workflow or an open request uses the role, the status is 409 `in_use`, and the problem lists the paths of its users.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.DeleteCustomRole(c.Context(), c.Actor, c.Place.Department.ID, c.ID("customRoleId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: holders, ID: "listHolders", Tag: tag, Action: access.ViewCustomRoles,
		Title: "List the holders of a custom role", About: "Returns them ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Holder], error) {
		found, err := a.Organisation.Holders(c.Context(), c.Place.Department.ID, c.ID("customRoleId"))
		return wire.ListOf(found, err, wire.HolderOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPut, Path: holders + "/{userId}", ID: "giveCustomRole", Tag: tag, Action: access.ManageCustomRoles,
		Title: "Assign a custom role", About: "Assigns the role to a user that the caller may see. Repeating the request changes nothing.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.GiveRole(c.Context(), c.Actor, c.Place.Department, c.ID("customRoleId"), c.ID("userId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: holders + "/{userId}", ID: "takeCustomRole", Tag: tag, Action: access.ManageCustomRoles,
		Title: "Unassign a custom role", About: "Removes the role from a holder.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.TakeRole(c.Context(), c.Actor, c.Place.Department.ID, c.ID("customRoleId"), c.ID("userId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: holders + "/{userId}/removal", ID: "previewCustomRoleRemoval", Tag: tag, Action: access.ManageCustomRoles,
		Title: "Preview the unassignment of a custom role",
		About: "Returns how many approval requests would wait for a step that no user can approve if the user did not hold the role. " +
			"It examines the 500 oldest pending requests of the department.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Removal, error) {
		role, err := a.Organisation.CustomRole(c.Context(), c.Place.Department.ID, c.ID("customRoleId"))
		if err != nil {
			return wire.Removal{}, err
		}
		found, err := a.Inbox.CountAfterUnassignment(c.Context(), c.Place.Department, role.ID, c.ID("userId"))
		return wire.Shown(found, err, wire.RemovalOf)
	})
}
