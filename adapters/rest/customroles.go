package rest

import (
	"net/http"

	"imprimatur/core"
	"imprimatur/core/access"
)

// customRole is a named approver role of one department.
type customRole struct {
	ID           int64  `json:"id" example:"2"`
	DepartmentID int64  `json:"departmentId" example:"1"`
	Name         string `json:"name" example:"Legal"`
	CreatedAt    string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

type customRoleInput struct {
	Name string `json:"name" doc:"Unique in the department." example:"Legal"`
}

type customRoleChange struct {
	Name *string `json:"name,omitempty" doc:"Unique in the department." example:"Legal and Compliance"`
}

// holder is the part of a user that other members of the department may see.
type holder struct {
	ID    int64  `json:"id" example:"5"`
	Email string `json:"email" format:"email" example:"legal@meridian.example"`
	Name  string `json:"name" example:"Lena Legal"`
}

func showCustomRole(r core.CustomRole) customRole {
	return customRole{r.ID, r.DepartmentID, r.Name, core.FormatTime(r.CreatedAt)}
}

func showHolder(u core.User) holder { return holder{u.ID, u.Email, u.Name} }

func (a *API) registerCustomRoles() {
	const (
		tag     = "Custom roles"
		all     = "/api/departments/{departmentId}/custom-roles"
		one     = all + "/{customRoleId}"
		holders = one + "/holders"
	)
	conflict := []core.Kind{core.KindConflict}
	handle(a.set, operation{
		method: http.MethodGet, path: all, id: "listCustomRoles", tag: tag, action: access.ViewCustomRoles,
		title: "List a department's custom roles", about: "Returns them ordered by id.",
	}, func(c *call, _ none) (list[customRole], error) {
		found, err := a.Organisation.CustomRoles(c.ctx(), c.place.Department.ID)
		return listOf(found, showCustomRole), err
	})
	handle(a.set, operation{
		method: http.MethodPost, path: all, id: "createCustomRole", tag: tag, action: access.ManageCustomRoles, idempotent: true,
		title: "Add a custom role", about: "Adds a role without holders.", status: http.StatusCreated, fails: conflict,
	}, func(c *call, in customRoleInput) (customRole, error) {
		made, err := a.Organisation.CreateCustomRole(c.ctx(), c.actor, c.place.Department, access.CustomRoleInput(in))
		return showCustomRole(made), err
	})
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getCustomRole", tag: tag, action: access.ViewCustomRoles,
		title: "Read a custom role", about: "Returns one custom role.",
	}, withRole(func(c *call, id int64, _ none) (customRole, error) {
		found, err := a.Organisation.CustomRole(c.ctx(), c.place.Department.ID, id)
		return showCustomRole(found), err
	}))
	handle(a.set, operation{
		method: http.MethodPatch, path: one, id: "updateCustomRole", tag: tag, action: access.ManageCustomRoles,
		title: "Change a custom role", about: "Changes the members that the body contains.", fails: conflict,
	}, withRole(func(c *call, id int64, in customRoleChange) (customRole, error) {
		changed, err := a.Organisation.UpdateCustomRole(c.ctx(), c.actor, c.place.Department.ID, id, access.CustomRoleChange(in))
		return showCustomRole(changed), err
	}))
	handle(a.set, operation{
		method: http.MethodDelete, path: one, id: "deleteCustomRole", tag: tag, action: access.ManageCustomRoles,
		title: "Remove a custom role", fails: conflict,
		about: "Removes the role from all holders. While a workflow or an open request uses the role, the status is 409 `in_use`, and the problem lists the paths of its users.",
	}, withRole(func(c *call, id int64, _ none) (none, error) {
		return none{}, a.Organisation.DeleteCustomRole(c.ctx(), c.actor, c.place.Department.ID, id)
	}))
	handle(a.set, operation{
		method: http.MethodGet, path: holders, id: "listHolders", tag: tag, action: access.ViewCustomRoles,
		title: "List the holders of a custom role", about: "Returns them ordered by id.",
	}, withRole(func(c *call, id int64, _ none) (list[holder], error) {
		found, err := a.Organisation.Holders(c.ctx(), c.place.Department.ID, id)
		return listOf(found, showHolder), err
	}))
	handle(a.set, operation{
		method: http.MethodPut, path: holders + "/{userId}", id: "giveCustomRole", tag: tag, action: access.ManageCustomRoles,
		title: "Assign a custom role", about: "Assigns the role to a user that the caller may see. Repeating the request changes nothing.",
	}, withRole(func(c *call, id int64, _ none) (none, error) {
		userID, err := c.id("userId", "user")
		if err != nil {
			return none{}, err
		}
		return none{}, a.Organisation.GiveRole(c.ctx(), c.actor, c.place.Department, id, userID)
	}))
	handle(a.set, operation{
		method: http.MethodDelete, path: holders + "/{userId}", id: "takeCustomRole", tag: tag, action: access.ManageCustomRoles,
		title: "Unassign a custom role", about: "Removes the role from a holder.",
	}, withRole(func(c *call, id int64, _ none) (none, error) {
		userID, err := c.id("userId", "user")
		if err != nil {
			return none{}, err
		}
		return none{}, a.Organisation.TakeRole(c.ctx(), c.actor, c.place.Department.ID, id, userID)
	}))
}

// withRole reads the custom role's id from the path.
func withRole[B, A any](do func(c *call, id int64, body B) (A, error)) func(*call, B) (A, error) {
	return withID("customRoleId", "custom role", do)
}
