package rest

import (
	"net/http"
	"slices"
	"strings"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/slug"
)

// aboutGoverned documents the status of a change that needs to be acknowledged.
const aboutGoverned = "If a workflow governs the Project and `acknowledge` is not true, a change that readers of published entries see is refused: " +
	"the status is 409 `governed`, and the problem lists what they would see. An acknowledged change is recorded as an event."

// aboutNames documents the status of a change of what a workflow names.
const aboutNames = "If the governing workflow names it, the status is 403 for those who may not set that workflow."

var acknowledgeParam = endpoint.FlagParam("acknowledge", wire.AboutAcknowledge)

func (a *API) registerCollections() {
	const (
		tag    = "Collections"
		all    = "/api/projects/{projectId}/collections"
		one    = all + "/{collectionId}"
		fields = one + "/fields"
	)
	conflict := []core.Kind{core.KindConflict}
	slugText := endpoint.TextParam("text", "The text, such as a title.", "Second week")
	slugLocale := endpoint.TextParam("locale", "The locale of the text. Omitted means none.", "de")
	slugStyle := endpoint.EnumParam("style", "The style of the slug.", string(slug.ASCII), slug.Styles...)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/slug", ID: "deriveSlug", Tag: tag, Action: access.SignedIn,
		Title: "Derive a slug", About: "Returns the slug that a slug field of that style gets from a text, without the number that makes it unique.",
		Query: []*endpoint.QueryParam{slugText, slugLocale, slugStyle},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.DerivedSlug, error) {
		style, given := c.Params[slugStyle.Name]
		if given && !slices.Contains(slug.Styles, style) {
			return wire.DerivedSlug{}, endpoint.BadParameter(slugStyle.Name, "must be one of: "+strings.Join(slug.Styles, ", "))
		}
		return wire.DerivedSlug{Slug: slug.Derive(c.Params[slugText.Name], c.Params[slugLocale.Name], slug.Style(style))}, nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listCollections", Tag: tag, Action: access.ViewCollections,
		Title: "List a project's collections", About: "Returns them ordered by slug.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Collection], error) {
		found, err := a.Collections.List(c.Context(), c.Project())
		return wire.ListOf(found, err, wire.CollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createCollection", Tag: tag, Action: access.ManageCollections, Idempotent: true,
		Title: "Add a collection", About: "The response to an invalid definition lists all errors. " + aboutNames, Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.CollectionInput) (wire.Collection, error) {
		found, err := a.Collections.Create(c.Context(), c.Actor, c.Project(), in.Input())
		return wire.Shown(found, err, wire.CollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getCollection", Tag: tag, Action: access.ViewCollections,
		Title: "Read a collection", About: "Returns one definition.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Collection, error) {
		found, err := a.Collections.Collection(c.Context(), c.Project(), c.ID("collectionId"))
		return wire.Shown(found, err, wire.CollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateCollection", Tag: tag, Action: access.ManageCollections,
		Title: "Change a collection", About: "Changes the members that the body contains. With singleton false readers no longer get the entry without an id. " + aboutGoverned, Fails: conflict,
	}, func(c *endpoint.Call, in wire.CollectionChange) (wire.Collection, error) {
		found, err := a.Collections.Update(c.Context(), changeOf(c, in.Acknowledge), wire.Over[definition.CollectionInput](in), in.Order)
		return wire.Shown(found, err, wire.CollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteCollection", Tag: tag, Action: access.ManageCollections,
		Title: "Remove a collection", About: "Also removes its entries permanently. " + aboutGoverned, Query: []*endpoint.QueryParam{acknowledgeParam}, Fails: conflict,
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		acknowledged := c.Bool(acknowledgeParam.Name)
		if err := c.BadQuery(); err != nil {
			return endpoint.None{}, err
		}
		return endpoint.None{}, a.Collections.Delete(c.Context(), changeOf(c, acknowledged))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: fields, ID: "addField", Tag: tag, Action: access.ManageCollections, Idempotent: true,
		Title: "Add a field", About: "Appends a field and returns the whole definition. A removed field comes back with the values that published entries still have. " + aboutGoverned + " " + aboutNames,
		Status: http.StatusCreated, Query: []*endpoint.QueryParam{acknowledgeParam},
	}, func(c *endpoint.Call, in wire.FieldInput) (wire.Collection, error) {
		acknowledged := c.Bool(acknowledgeParam.Name)
		if err := c.BadQuery(); err != nil {
			return wire.Collection{}, err
		}
		found, err := a.Collections.AddField(c.Context(), changeOf(c, acknowledged), definition.FieldInput(in))
		return wire.Shown(found, err, wire.CollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: fields + "/{name}", ID: "updateField", Tag: tag, Action: access.ManageCollections,
		Title: "Change a field", About: "Changes the options that the body contains. name, type and multiple are immutable. Hiding a field is a change that readers see. " + aboutGoverned, Fails: conflict,
	}, func(c *endpoint.Call, in wire.FieldChange) (wire.Collection, error) {
		found, err := a.Collections.ReviseField(c.Context(), changeOf(c, in.Acknowledge), c.Request.PathValue("name"), in.Over)
		return wire.Shown(found, err, wire.CollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: fields + "/{name}", ID: "removeField", Tag: tag, Action: access.ManageCollections,
		Title: "Remove a field", About: "The entries keep its values, but no response contains them. " + aboutGoverned + " " + aboutNames, Query: []*endpoint.QueryParam{acknowledgeParam}, Fails: conflict,
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		acknowledged, err := c.Bool(acknowledgeParam.Name), c.BadQuery()
		if err == nil {
			_, err = a.Collections.RemoveField(c.Context(), changeOf(c, acknowledged), c.Request.PathValue("name"))
		}
		return endpoint.None{}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: fields + "/{name}/fill", ID: "fillField", Tag: tag, Action: access.ManageCollections, Idempotent: true,
		Title: "Copy values into a field", About: "Gives each entry without a value of the field the value of another field, or, if the field is a group, an item with the values of `fields`. " +
			"These keep their values. A text can become long or rich text, a number a text, one value a list of one. " +
			"Drafts change in all entries, published versions only where no workflow governs the entry and no publication is scheduled: each is a new publication. " +
			"The drafts of governed entries that are published are put into `release`, an open one of the caller. " +
			"What becomes public is checked whole: `skipped` names the entries that stay as they are because of a fault. " +
			"One call looks at up to 500 entries; repeat it with `after` of the response until that is null.",
		Status: http.StatusOK, Fails: conflict,
	}, a.fill)
}

func (a *API) fill(c *endpoint.Call, in wire.Filling) (wire.Filled, error) {
	name := c.Request.PathValue("name")
	done, err := a.Writer.Fill(c.Context(), c.Actor, c.Project(), c.ID("collectionId"), in.Filling(name))
	if err != nil || len(done.Governed) == 0 {
		return wire.FilledOf(done, nil), err
	}
	collection, err := a.Collections.Collection(c.Context(), c.Project(), c.ID("collectionId"))
	if err != nil {
		return wire.Filled{}, err
	}
	if f := collection.Field(name); f != nil {
		name = f.Label
	}
	r, err := a.Releases.Gather(c.Context(), c.Actor, c.Project(), "Fill: "+collection.Name+", "+name, done.Governed)
	return wire.FilledOf(done, &r), err
}

// changeOf returns the change of the collection in the path of c.
func changeOf(c *endpoint.Call, acknowledged bool) definition.Change {
	return definition.Change{Actor: c.Actor, Project: c.Project(), CollectionID: c.ID("collectionId"), Acknowledged: acknowledged}
}
