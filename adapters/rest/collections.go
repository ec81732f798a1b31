package rest

import (
	"encoding/json"
	"net/http"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/content"
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
	Type       core.FieldType  `json:"type" doc:"Immutable." example:"text"`
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

type collectionInput struct {
	Slug        string       `json:"slug" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" doc:"Unique in the Project. Immutable." example:"articles"`
	Name        string       `json:"name" example:"Articles"`
	Description string       `json:"description,omitempty" example:"What the desk writes."`
	Fields      []fieldInput `json:"fields,omitempty" doc:"In display order."`
}

type collectionChange struct {
	Name        *string  `json:"name,omitempty" example:"Articles"`
	Description *string  `json:"description,omitempty" example:"What the desk writes."`
	Order       []string `json:"order,omitempty" doc:"The names of all fields in their new order." example:"[\"title\",\"body\"]"`
}

type fieldInput struct {
	Name       string          `json:"name" pattern:"^[a-z][A-Za-z0-9_]*$" doc:"Must not be a system key. A field with the name of a removed field must have its type and restores its values." example:"title"`
	Label      string          `json:"label,omitempty" example:"Title"`
	Type       core.FieldType  `json:"type" example:"text"`
	Required   bool            `json:"required,omitempty" example:"true"`
	Unique     bool            `json:"unique,omitempty" doc:"Whether values are unique within the collection and one locale. Entries in the trash do not count." example:"false"`
	Multiple   bool            `json:"multiple,omitempty" doc:"Whether the value is a list." example:"false"`
	Hidden     bool            `json:"hidden,omitempty" doc:"Whether its values are excluded from responses, filters and sorts." example:"false"`
	Min        *float64        `json:"min,omitempty" nullable:"true" doc:"Minimum of a number, of the length of a text, or of the number of values if multiple." example:"1"`
	Max        *float64        `json:"max,omitempty" nullable:"true" doc:"Maximum of a number, of the length of a text, or of the number of values if multiple." example:"200"`
	Pattern    string          `json:"pattern,omitempty" doc:"An RE2 expression that the whole value must match." example:"[A-Z].*"`
	Choices    []string        `json:"choices,omitempty" doc:"The values of an enumeration." example:"[\"news\",\"opinion\"]"`
	Source     string          `json:"source,omitempty" doc:"For a slug: the field from which it is generated." example:"title"`
	Collection string          `json:"collection,omitempty" doc:"For a relation: the slug of the target collection." example:"countries"`
	Default    json.RawMessage `json:"default,omitempty" doc:"The value in new entries that do not set the field."`
	Indexed    *bool           `json:"indexed,omitempty" nullable:"true" doc:"Omitted or null means the default of the type." example:"true"`
	Searchable bool            `json:"searchable,omitempty" doc:"Creates an index for the operator like." example:"false"`
}

// fieldChange changes options of a field. null removes an option.
type fieldChange struct {
	Label      *string                   `json:"label,omitempty" example:"Headline"`
	Required   *bool                     `json:"required,omitempty" example:"true"`
	Unique     *bool                     `json:"unique,omitempty" example:"false"`
	Hidden     *bool                     `json:"hidden,omitempty" example:"false"`
	Min        optional[float64]         `json:"min,omitempty" example:"1"`
	Max        optional[float64]         `json:"max,omitempty" example:"200"`
	Pattern    *string                   `json:"pattern,omitempty" doc:"Empty means none." example:"[A-Z].*"`
	Choices    *[]string                 `json:"choices,omitempty" example:"[\"news\",\"opinion\",\"sport\"]"`
	Source     *string                   `json:"source,omitempty" example:"title"`
	Collection *string                   `json:"collection,omitempty" example:"countries"`
	Default    optional[json.RawMessage] `json:"default,omitempty" doc:"null means none."`
	Indexed    optional[bool]            `json:"indexed,omitempty" doc:"null means the default of the type." example:"true"`
	Searchable *bool                     `json:"searchable,omitempty" example:"true"`
}

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
		Fields: each(c.Fields, showField), Version: c.Version,
		CreatedAt: core.FormatTime(c.CreatedAt), UpdatedAt: core.FormatTime(c.UpdatedAt),
	}
}

// shown returns the wire form of a definition, or err.
func shown(found *core.Collection, err error) (collection, error) {
	if err != nil {
		return collection{}, err
	}
	return showCollection(found), nil
}

func (a *API) registerCollections() {
	const (
		tag    = "Collections"
		all    = "/api/projects/{projectId}/collections"
		one    = all + "/{collectionId}"
		fields = one + "/fields"
	)
	conflict := []core.Kind{core.KindConflict}
	handle(a.set, operation{
		method: http.MethodGet, path: all, id: "listCollections", tag: tag, action: access.ViewCollections,
		title: "List a project's collections", about: "Returns them ordered by slug.",
	}, func(c *call, _ none) (list[collection], error) {
		found, err := a.Collections.List(c.ctx(), c.project())
		return listOf(found, showCollection), err
	})
	handle(a.set, operation{
		method: http.MethodPost, path: all, id: "createCollection", tag: tag, action: access.ManageCollections, idempotent: true,
		title: "Add a collection", about: "The response to an invalid definition lists all errors.", status: http.StatusCreated, fails: conflict,
	}, func(c *call, in collectionInput) (collection, error) {
		return shown(a.Collections.Create(c.ctx(), c.actor, c.project(), content.CollectionInput{
			Slug: in.Slug, Name: in.Name, Description: in.Description,
			Fields: each(in.Fields, func(f fieldInput) content.FieldInput { return content.FieldInput(f) }),
		}))
	})
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getCollection", tag: tag, action: access.ViewCollections,
		title: "Read a collection", about: "Returns one definition.",
	}, withCollection(func(c *call, id int64, _ none) (collection, error) {
		return shown(a.Collections.Collection(c.ctx(), c.project(), id))
	}))
	handle(a.set, operation{
		method: http.MethodPatch, path: one, id: "updateCollection", tag: tag, action: access.ManageCollections,
		title: "Change a collection", about: "Changes the members that the body contains.", fails: conflict,
	}, withCollection(func(c *call, id int64, in collectionChange) (collection, error) {
		return shown(a.Collections.Update(c.ctx(), c.actor, c.project(), id, content.CollectionChange(in)))
	}))
	handle(a.set, operation{
		method: http.MethodDelete, path: one, id: "deleteCollection", tag: tag, action: access.ManageCollections,
		title: "Remove a collection", about: "Also removes its entries permanently.", fails: conflict,
	}, withCollection(func(c *call, id int64, _ none) (none, error) {
		return none{}, a.Collections.Delete(c.ctx(), c.actor, c.project(), id)
	}))
	handle(a.set, operation{
		method: http.MethodPost, path: fields, id: "addField", tag: tag, action: access.ManageCollections, idempotent: true,
		title: "Add a field", about: "Appends a field and returns the whole definition.", status: http.StatusCreated, fails: conflict,
	}, withCollection(func(c *call, id int64, in fieldInput) (collection, error) {
		return shown(a.Collections.AddField(c.ctx(), c.actor, c.project(), id, content.FieldInput(in)))
	}))
	handle(a.set, operation{
		method: http.MethodPatch, path: fields + "/{name}", id: "updateField", tag: tag, action: access.ManageCollections,
		title: "Change a field", about: "Changes the options that the body contains. name, type and multiple are immutable.", fails: conflict,
	}, withCollection(func(c *call, id int64, in fieldChange) (collection, error) {
		return shown(a.Collections.ReviseField(c.ctx(), c.actor, c.project(), id, c.r.PathValue("name"), in.over))
	}))
	handle(a.set, operation{
		method: http.MethodDelete, path: fields + "/{name}", id: "removeField", tag: tag, action: access.ManageCollections,
		title: "Remove a field", about: "The entries keep its values, but no response contains them.", fails: conflict,
	}, withCollection(func(c *call, id int64, _ none) (none, error) {
		_, err := a.Collections.RemoveField(c.ctx(), c.actor, c.project(), id, c.r.PathValue("name"))
		return none{}, err
	}))
}

// over returns in with the change applied.
func (change fieldChange) over(in content.FieldInput) content.FieldInput {
	set(&in.Label, change.Label)
	set(&in.Required, change.Required)
	set(&in.Unique, change.Unique)
	set(&in.Hidden, change.Hidden)
	set(&in.Pattern, change.Pattern)
	set(&in.Choices, change.Choices)
	set(&in.Source, change.Source)
	set(&in.Collection, change.Collection)
	set(&in.Searchable, change.Searchable)
	if change.Min.Given {
		in.Min = change.Min.Value
	}
	if change.Max.Given {
		in.Max = change.Max.Value
	}
	if change.Indexed.Given {
		in.Indexed = change.Indexed.Value
	}
	if change.Default.Given {
		in.Default = nil
		set(&in.Default, change.Default.Value)
	}
	return in
}

// set stores given in to unless given is nil.
func set[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}

func withCollection[B, A any](do func(c *call, id int64, body B) (A, error)) func(*call, B) (A, error) {
	return withID("collectionId", "collection", do)
}
