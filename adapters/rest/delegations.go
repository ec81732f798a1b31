package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

func (a *API) registerDelegations() {
	const (
		tag          = "Delegations"
		mine         = "/api/me/delegations"
		ofDepartment = "/api/departments/{departmentId}/delegations"
		about        = " While it holds, the receiver may decide the steps with delegable true that the other user may decide, also those of requests that wait already. " +
			"Neither of the two may be excluded from the decision, and both count as one. The receiver must be able to see the request; a delegation shows nothing and cannot be lent again. " +
			"A user gives and receives at most 20 at a time, otherwise the status is 409 `too_many_delegations`. Both users are told."
	)
	conflict := []core.Kind{core.KindConflict}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: mine, ID: "listMyDelegations", Tag: tag, Action: access.SignedIn,
		Title: "List my delegations", About: "Returns the delegations that hold now or later and that the caller has given, received, or set for others, by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Delegations, error) {
		found, err := a.Delegations.List(c.Context(), c.Actor)
		return wire.Shown(found, err, wire.DelegationsOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: mine, ID: "createMyDelegation", Tag: tag, Action: access.SignedIn, Status: http.StatusCreated, Idempotent: true, Fails: conflict,
		Title: "Lend my decisions", About: "Lets another user decide on behalf of the caller, for at most 90 days." + about,
		Sends: map[string]any{"to": 7, "until": storyEnd, "projects": []int64{1}, "note": "On holiday"},
	}, func(c *endpoint.Call, in wire.DelegationInput) (wire.Delegation, error) {
		made, err := a.Delegations.Give(c.Context(), c.Actor, in.Input())
		return wire.Shown(made, err, wire.DelegationOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: mine + "/{delegationId}", ID: "endMyDelegation", Tag: tag, Action: access.SignedIn,
		Title: "End a delegation", About: "Ends a delegation immediately. Both of its users may, and who set it. Decisions that were made stay.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Delegations.End(c.Context(), c.Actor, c.ID("delegationId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: ofDepartment, ID: "listDepartmentDelegations", Tag: tag, Action: access.ViewDepartmentMembers,
		Title: "List the delegations of a department", About: "Returns the delegations that admins of the department have set and that hold now or later, by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Delegation], error) {
		found, err := a.Delegations.OfDepartment(c.Context(), c.Place.Department)
		return wire.ListOf(found, err, wire.DelegationOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: ofDepartment, ID: "createDepartmentDelegation", Tag: tag, Action: access.ManageDepartmentMembers,
		Status: http.StatusCreated, Idempotent: true, Fails: conflict,
		Title: "Lend the decisions of another user in a department",
		About: "Lets a user decide on behalf of another one in the Projects of the department, for at most 90 days. The caller must be able to give the receiver every role and custom role " +
			"that is lent, and cannot be the receiver; otherwise the status is 403. Roles above that of the caller are not lent, also when the other user gets them later." + about,
		Sends: map[string]any{"for": 5, "to": 7, "until": storyEnd, "note": "On sick leave"},
	}, func(c *endpoint.Call, in wire.DepartmentDelegationInput) (wire.Delegation, error) {
		made, err := a.Delegations.SetFor(c.Context(), c.Actor, c.Place.Department, in.Input())
		return wire.Shown(made, err, wire.DelegationOf)
	})
}
