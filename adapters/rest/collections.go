package rest

import (
	"encoding/json"
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
)

// collection is a user-defined content type as the dashboard API shows it.
type collection struct {
	ID          int64   `json:"id" example:"1"`
	ProjectID   int64   `json:"projectId" example:"1"`
	Slug        string  `json:"slug" doc:"Identifies the collection in the content API. Immutable." example:"articles"`
	Name        string  `json:"name" example:"Articles"`
	Description string  `json:"description" example:"What the desk writes."`
	Fields      []field `json:"fields" nullable:"false" doc:"In display order."`
	Version     int64   `json:"version" doc:"Incremented with every change of this definition." example:"1"`
	CreatedAt   string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string  `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// field is one field of a collection with all options.
type field struct {
	Name       string          `json:"name" pattern:"^[a-z][A-Za-z0-9_]*$" doc:"Immutable." example:"title"`
	Label      string          `json:"label" example:"Title"`
	Type       core.FieldType  `json:"type" doc:"Immutable. Values of text, slug, email, color and enumeration have at most 1,000 bytes, of url 2,000." example:"text"`
	Required   bool            `json:"required" example:"true"`
	Unique     bool            `json:"unique" doc:"Whether values are unique within the collection and one locale. Entries in the trash do not count." example:"false"`
	Multiple   bool            `json:"multiple" doc:"Whether the value is a list. Immutable." example:"false"`
	Hidden     bool            `json:"hidden" doc:"Whether its values are excluded from responses, filters and sorts." example:"false"`
	Min        *float64        `json:"min,omitempty" doc:"Minimum of a number, of the length of a text, or of the number of values if multiple." example:"1"`
	Max        *float64        `json:"max,omitempty" doc:"Maximum of a number, of the length of a text, or of the number of values if multiple." example:"200"`
	Pattern    string          `json:"pattern,omitempty" doc:"An RE2 expression that the whole value must match." example:"[A-Z].*"`
	Choices    []string        `json:"choices,omitempty" doc:"The values of an enumeration." example:"[\"news\",\"opinion\"]"`
	Source     string          `json:"source,omitempty" doc:"For a slug: the field from which it is generated." example:"title"`
	Collection string          `json:"collection,omitempty" doc:"For a relation: the slug of the target collection." example:"countries"`
	Default    json.RawMessage `json:"default,omitempty" doc:"The value in new entries that do not set the field."`
	Indexed    bool            `json:"indexed" doc:"Whether filters and sorts use an index." example:"true"`
	Searchable bool            `json:"searchable" doc:"Whether the operator like uses an index." example:"false"`
}

// fieldChange changes options of a field. null removes an option.
type fieldChange struct {
	Label      *string                            `json:"label,omitempty" example:"Headline"`
	Required   *bool                              `json:"required,omitempty" example:"true"`
	Unique     *bool                              `json:"unique,omitempty" example:"false"`
	Hidden     *bool                              `json:"hidden,omitempty" example:"false"`
	Min        endpoint.Optional[float64]         `json:"min,omitempty" example:"1"`
	Max        endpoint.Optional[float64]         `json:"max,omitempty" example:"200"`
	Pattern    *string                            `json:"pattern,omitempty" doc:"Empty means none." example:"[A-Z].*"`
	Choices    *[]string                          `json:"choices,omitempty" example:"[\"news\",\"opinion\",\"sport\"]"`
	Source     *string                            `json:"source,omitempty" example:"title"`
	Collection *string                            `json:"collection,omitempty" example:"countries"`
	Default    endpoint.Optional[json.RawMessage] `json:"default,omitempty" doc:"null means none."`
	Indexed    endpoint.Optional[bool]            `json:"indexed,omitempty" doc:"null means the default of the type." example:"true"`
	Searchable *bool                              `json:"searchable,omitempty" example:"true"`

	Acknowledge bool `json:"acknowledge,omitempty" doc:"Confirms a change that readers of published entries see. Required only if a workflow governs the Project." example:"false"`
}

// aboutGoverned documents the status of a change that needs to be acknowledged.
const aboutGoverned = "If a workflow governs the Project and `acknowledge` is not true, a change that readers of published entries see is refused: " +
	"the status is 409 `governed`, and the problem lists what they would see. An acknowledged change is recorded as an event."

var acknowledgeParam = endpoint.FlagParam("acknowledge", "Confirms a change that readers of published entries see. Required only if a workflow governs the Project.")

func showField(f *core.Field) field {
	return field{
		Name: f.Name, Label: f.Label, Type: f.Type, Required: f.Required, Unique: f.Unique, Multiple: f.Multiple,
		Hidden: f.Hidden, Min: f.Min, Max: f.Max, Pattern: f.Pattern, Choices: f.Choices, Source: f.Source,
		Collection: f.Collection, Default: f.Default, Indexed: f.Slot != "" || f.Listed(), Searchable: f.Searchable,
	}
}

func showCollection(c *core.Collection) collection {
	return collection{
		ID: c.ID, ProjectID: c.ProjectID, Slug: c.Slug, Name: c.Name, Description: c.Description,
		Fields: endpoint.Each(c.Fields, showField), Version: c.Version,
		CreatedAt: core.FormatTime(c.CreatedAt), UpdatedAt: core.FormatTime(c.UpdatedAt),
	}
}

func (a *API) registerCollections() {
	const (
		tag    = "Collections"
		all    = "/api/projects/{projectId}/collections"
		one    = all + "/{collectionId}"
		fields = one + "/fields"
	)
	conflict := []core.Kind{core.KindConflict}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listCollections", Tag: tag, Action: access.ViewCollections,
		Title: "List a project's collections", About: "Returns them ordered by slug.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[collection], error) {
		return endpoint.ListOf(showCollection)(a.Collections.List(c.Context(), c.Project()))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createCollection", Tag: tag, Action: access.ManageCollections, Idempotent: true,
		Title: "Add a collection", About: "The response to an invalid definition lists all errors.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in definition.CollectionInput) (collection, error) {
		return endpoint.Shown(showCollection)(a.Collections.Create(c.Context(), c.Actor, c.Project(), in))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getCollection", Tag: tag, Action: access.ViewCollections,
		Title: "Read a collection", About: "Returns one definition.",
	}, func(c *endpoint.Call, _ endpoint.None) (collection, error) {
		return endpoint.Shown(showCollection)(a.Collections.Collection(c.Context(), c.Project(), c.ID("collectionId")))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateCollection", Tag: tag, Action: access.ManageCollections,
		Title: "Change a collection", About: "Changes the members that the body contains.", Fails: conflict,
	}, func(c *endpoint.Call, in definition.CollectionChange) (collection, error) {
		return endpoint.Shown(showCollection)(a.Collections.Update(c.Context(), c.Actor, c.Project(), c.ID("collectionId"), in))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteCollection", Tag: tag, Action: access.ManageCollections,
		Title: "Remove a collection", About: "Also removes its entries permanently. " + aboutGoverned, Query: []*endpoint.QueryParam{acknowledgeParam}, Fails: conflict,
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		acknowledged := c.Bool(acknowledgeParam.Name)
		if err := c.BadQuery(); err != nil {
			return endpoint.None{}, err
		}
		return endpoint.None{}, a.Collections.Delete(c.Context(), c.Actor, c.Project(), c.ID("collectionId"), acknowledged)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: fields, ID: "addField", Tag: tag, Action: access.ManageCollections, Idempotent: true,
		Title: "Add a field", About: "Appends a field and returns the whole definition. A removed field comes back with the values that published entries still have. " + aboutGoverned,
		Status: http.StatusCreated, Query: []*endpoint.QueryParam{acknowledgeParam},
	}, func(c *endpoint.Call, in definition.FieldInput) (collection, error) {
		acknowledged := c.Bool(acknowledgeParam.Name)
		if err := c.BadQuery(); err != nil {
			return collection{}, err
		}
		return endpoint.Shown(showCollection)(
			a.Collections.AddField(c.Context(), c.Actor, c.Project(), c.ID("collectionId"), in, acknowledged))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: fields + "/{name}", ID: "updateField", Tag: tag, Action: access.ManageCollections,
		Title: "Change a field", About: "Changes the options that the body contains. name, type and multiple are immutable. Hiding a field is a change that readers see. " + aboutGoverned, Fails: conflict,
	}, func(c *endpoint.Call, in fieldChange) (collection, error) {
		return endpoint.Shown(showCollection)(
			a.Collections.ReviseField(c.Context(), c.Actor, c.Project(), c.ID("collectionId"), c.Request.PathValue("name"), in.Acknowledge, in.over))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: fields + "/{name}", ID: "removeField", Tag: tag, Action: access.ManageCollections,
		Title: "Remove a field", About: "The entries keep its values, but no response contains them. " + aboutGoverned, Query: []*endpoint.QueryParam{acknowledgeParam}, Fails: conflict,
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		acknowledged, err := c.Bool(acknowledgeParam.Name), c.BadQuery()
		if err == nil {
			_, err = a.Collections.RemoveField(c.Context(), c.Actor, c.Project(), c.ID("collectionId"), c.Request.PathValue("name"), acknowledged)
		}
		return endpoint.None{}, err
	})
}

// over returns in with the change applied.
func (change fieldChange) over(in definition.FieldInput) definition.FieldInput {
	core.Assign(&in.Label, change.Label)
	core.Assign(&in.Required, change.Required)
	core.Assign(&in.Unique, change.Unique)
	core.Assign(&in.Hidden, change.Hidden)
	core.Assign(&in.Pattern, change.Pattern)
	core.Assign(&in.Choices, change.Choices)
	core.Assign(&in.Source, change.Source)
	core.Assign(&in.Collection, change.Collection)
	core.Assign(&in.Searchable, change.Searchable)
	if change.Min.Given {
		in.Min = change.Min.Value
	}
	if change.Max.Given {
		in.Max = change.Max.Value
	}
	if change.Indexed.Given {
		in.Indexed = change.Indexed.Value
	}
	change.Default.AssignTo(&in.Default)
	return in
}
