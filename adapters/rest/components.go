package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
)

func (a *API) registerComponents() {
	const (
		tag    = "Components"
		all    = "/api/projects/{projectId}/components"
		one    = all + "/{componentId}"
		fields = one + "/fields"
	)
	components, conflict := a.Collections.Components(), []core.Kind{core.KindConflict}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listComponents", Tag: tag, Action: access.ViewCollections,
		Title: "List a project's components", About: "Returns them ordered by slug.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Component], error) {
		found, err := components.List(c.Context(), c.Project())
		return wire.ListOf(found, err, wire.ComponentOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createComponent", Tag: tag, Action: access.ManageCollections, Idempotent: true,
		Title: "Add a component", About: "A component is a named list of fields. Fields of the types group and blocks have items with these fields. " +
			"The response to an invalid definition lists all errors.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.ComponentInput) (wire.Component, error) {
		found, err := components.Create(c.Context(), c.Actor, c.Project(), in.Input())
		return wire.Shown(found, err, wire.ComponentOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getComponent", Tag: tag, Action: access.ViewCollections,
		Title: "Read a component", About: "Returns one definition.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Component, error) {
		found, err := components.Component(c.Context(), c.Project(), c.ID("componentId"))
		return wire.Shown(found, err, wire.ComponentOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateComponent", Tag: tag, Action: access.ManageCollections,
		Title: "Change a component", About: "Changes the members that the body contains.", Fails: conflict,
	}, func(c *endpoint.Call, in wire.ComponentChange) (wire.Component, error) {
		found, err := components.Update(c.Context(), componentChange(c, false), wire.Over[definition.CollectionInput](in), in.Order)
		return wire.Shown(found, err, wire.ComponentOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteComponent", Tag: tag, Action: access.ManageCollections,
		Title: "Remove a component", About: "The status is 409 `in_use` while a field names the component; the problem lists the fields.", Fails: conflict,
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, components.Delete(c.Context(), componentChange(c, false))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: fields, ID: "addComponentField", Tag: tag, Action: access.ManageCollections, Idempotent: true,
		Title: "Add a field to a component", About: "Appends a field and returns the whole definition. A removed field comes back with the values that items still have. " + aboutGoverned + " " + aboutNames,
		Status: http.StatusCreated, Query: []*endpoint.QueryParam{acknowledgeParam},
	}, func(c *endpoint.Call, in wire.FieldInput) (wire.Component, error) {
		acknowledged := c.Bool(acknowledgeParam.Name)
		if err := c.BadQuery(); err != nil {
			return wire.Component{}, err
		}
		found, err := components.AddField(c.Context(), componentChange(c, acknowledged), definition.FieldInput(in))
		return wire.Shown(found, err, wire.ComponentOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: fields + "/{name}", ID: "updateComponentField", Tag: tag, Action: access.ManageCollections,
		Title: "Change a field of a component", About: "Changes the options that the body contains. name, type and multiple are immutable. " + aboutGoverned, Fails: conflict,
	}, func(c *endpoint.Call, in wire.FieldChange) (wire.Component, error) {
		found, err := components.ReviseField(c.Context(), componentChange(c, in.Acknowledge), c.Request.PathValue("name"), in.Over)
		return wire.Shown(found, err, wire.ComponentOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: fields + "/{name}", ID: "removeComponentField", Tag: tag, Action: access.ManageCollections,
		Title: "Remove a field of a component", About: "Items keep its values, but no response contains them. " + aboutGoverned + " " + aboutNames, Query: []*endpoint.QueryParam{acknowledgeParam}, Fails: conflict,
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		acknowledged, err := c.Bool(acknowledgeParam.Name), c.BadQuery()
		if err == nil {
			_, err = components.RemoveField(c.Context(), componentChange(c, acknowledged), c.Request.PathValue("name"))
		}
		return endpoint.None{}, err
	})
}

// componentChange returns the change of the component in the path of c.
func componentChange(c *endpoint.Call, acknowledged bool) definition.ComponentChange {
	return definition.ComponentChange{Actor: c.Actor, Project: c.Project(), ComponentID: c.ID("componentId"), Acknowledged: acknowledged}
}
