package rest

import (
	"encoding/json"
	"net/http"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/content"
)

// collection is a user-defined type of content, as those see it who manage it.
type collection struct {
	ID          int64   `json:"id" example:"1"`
	ProjectID   int64   `json:"projectId" example:"1"`
	Slug        string  `json:"slug" doc:"Names the collection on the content API. Never changes." example:"articles"`
	Name        string  `json:"name" example:"Articles"`
	Description string  `json:"description" example:"What the desk writes."`
	Fields      []field `json:"fields" nullable:"false" doc:"In the order they are shown."`
	Version     int64   `json:"version" doc:"Counts the changes of this definition." example:"1"`
	CreatedAt   string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string  `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// field is one field of a collection with all its options.
type field struct {
	Name       string          `json:"name" pattern:"^[a-z][A-Za-z0-9_]*$" doc:"Never changes." example:"title"`
	Label      string          `json:"label" example:"Title"`
	Type       core.FieldType  `json:"type" doc:"Never changes." example:"text"`
	Required   bool            `json:"required" example:"true"`
	Unique     bool            `json:"unique" doc:"Within the collection and one locale, the trash aside." example:"false"`
	Multiple   bool            `json:"multiple" doc:"A list of values. Never changes." example:"false"`
	Hidden     bool            `json:"hidden" doc:"Its values are never returned, filtered on or sorted by." example:"false"`
	Min        *float64        `json:"min,omitempty" doc:"Least value of a number, length of a text, or number of values when multiple." example:"1"`
	Max        *float64        `json:"max,omitempty" doc:"Greatest value of a number, length of a text, or number of values when multiple." example:"200"`
	Pattern    string          `json:"pattern,omitempty" doc:"An RE2 expression of the whole value." example:"[A-Z].*"`
	Choices    []string        `json:"choices,omitempty" doc:"Of an enumeration." example:"[\"news\",\"opinion\"]"`
	Source     string          `json:"source,omitempty" doc:"Of a slug: the field it is made from." example:"title"`
	Collection string          `json:"collection,omitempty" doc:"Of a relation: the slug of the collection it points to." example:"countries"`
	Default    json.RawMessage `json:"default,omitempty" doc:"The value of a new entry that does not name the field."`
	Indexed    bool            `json:"indexed" doc:"Whether filters and sorts on it use an index." example:"true"`
	Searchable bool            `json:"searchable" doc:"Whether like uses an index on it." example:"false"`
}

type collectionInput struct {
	Slug        string       `json:"slug" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" doc:"Unique in the Project. Never changes." example:"articles"`
	Name        string       `json:"name" example:"Articles"`
	Description string       `json:"description,omitempty" example:"What the desk writes."`
	Fields      []fieldInput `json:"fields,omitempty" doc:"In the order they are shown."`
}

type collectionChange struct {
	Name        *string  `json:"name,omitempty" example:"Articles"`
	Description *string  `json:"description,omitempty" example:"What the desk writes."`
	Order       []string `json:"order,omitempty" doc:"The names of all fields, in their new order." example:"[\"title\",\"body\"]"`
}

type fieldInput struct {
	Name       string          `json:"name" pattern:"^[a-z][A-Za-z0-9_]*$" doc:"Not a system key. A name that was there before comes back with its type and values." example:"title"`
	Label      string          `json:"label,omitempty" example:"Title"`
	Type       core.FieldType  `json:"type" example:"text"`
	Required   bool            `json:"required,omitempty" example:"true"`
	Unique     bool            `json:"unique,omitempty" doc:"Within the collection and one locale, the trash aside." example:"false"`
	Multiple   bool            `json:"multiple,omitempty" doc:"A list of values." example:"false"`
	Hidden     bool            `json:"hidden,omitempty" doc:"Never returned, filtered on or sorted by." example:"false"`
	Min        *float64        `json:"min,omitempty" nullable:"true" doc:"Least value of a number, length of a text, or number of values when multiple." example:"1"`
	Max        *float64        `json:"max,omitempty" nullable:"true" doc:"Greatest value of a number, length of a text, or number of values when multiple." example:"200"`
	Pattern    string          `json:"pattern,omitempty" doc:"An RE2 expression of the whole value." example:"[A-Z].*"`
	Choices    []string        `json:"choices,omitempty" doc:"Of an enumeration." example:"[\"news\",\"opinion\"]"`
	Source     string          `json:"source,omitempty" doc:"Of a slug: the field it is made from." example:"title"`
	Collection string          `json:"collection,omitempty" doc:"Of a relation: the slug of the collection it points to." example:"countries"`
	Default    json.RawMessage `json:"default,omitempty" doc:"The value of a new entry that does not name the field."`
	Indexed    *bool           `json:"indexed,omitempty" nullable:"true" doc:"Left out or null: as the type has it." example:"true"`
	Searchable bool            `json:"searchable,omitempty" doc:"Asks for an index under like." example:"false"`
}

// fieldChange changes options of a field; null takes an option away.
type fieldChange struct {
	Label      *string                   `json:"label,omitempty" example:"Headline"`
	Required   *bool                     `json:"required,omitempty" example:"true"`
	Unique     *bool                     `json:"unique,omitempty" example:"false"`
	Hidden     *bool                     `json:"hidden,omitempty" example:"false"`
	Min        optional[float64]         `json:"min,omitempty" example:"1"`
	Max        optional[float64]         `json:"max,omitempty" example:"200"`
	Pattern    *string                   `json:"pattern,omitempty" doc:"Empty: none." example:"[A-Z].*"`
	Choices    *[]string                 `json:"choices,omitempty" example:"[\"news\",\"opinion\",\"sport\"]"`
	Source     *string                   `json:"source,omitempty" example:"title"`
	Collection *string                   `json:"collection,omitempty" example:"countries"`
	Default    optional[json.RawMessage] `json:"default,omitempty" doc:"null: none."`
	Indexed    optional[bool]            `json:"indexed,omitempty" doc:"null: as the type has it." example:"true"`
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

// shown answers with a definition, when there is one.
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
	handle(a, operation{
		method: http.MethodGet, path: all, id: "listCollections", tag: tag, action: access.ViewCollections,
		title: "List a project's collections", about: "Ordered by slug.",
	}, func(c *call, _ none) (list[collection], error) {
		found, err := a.Collections.List(c.ctx(), c.project())
		return listOf(found, showCollection), err
	})
	handle(a, operation{
		method: http.MethodPost, path: all, id: "createCollection", tag: tag, action: access.ManageCollections, idempotent: true,
		title: "Add a collection", about: "Every fault of the definition is reported at once.", status: http.StatusCreated, fails: conflict,
	}, func(c *call, in collectionInput) (collection, error) {
		return shown(a.Collections.Create(c.ctx(), c.actor, c.project(), content.CollectionInput{
			Slug: in.Slug, Name: in.Name, Description: in.Description,
			Fields: each(in.Fields, func(f fieldInput) content.FieldInput { return content.FieldInput(f) }),
		}))
	})
	handle(a, operation{
		method: http.MethodGet, path: one, id: "getCollection", tag: tag, action: access.ViewCollections,
		title: "Read a collection", about: "One definition.",
	}, withCollection(func(c *call, id int64, _ none) (collection, error) {
		return shown(a.Collections.Collection(c.ctx(), c.project(), id))
	}))
	handle(a, operation{
		method: http.MethodPatch, path: one, id: "updateCollection", tag: tag, action: access.ManageCollections,
		title: "Change a collection", about: "Changes the members that the body names.", fails: conflict,
	}, withCollection(func(c *call, id int64, in collectionChange) (collection, error) {
		return shown(a.Collections.Update(c.ctx(), c.actor, c.project(), id, content.CollectionChange(in)))
	}))
	handle(a, operation{
		method: http.MethodDelete, path: one, id: "deleteCollection", tag: tag, action: access.ManageCollections,
		title: "Remove a collection", about: "Its entries go with it, for good.", fails: conflict,
	}, withCollection(func(c *call, id int64, _ none) (none, error) {
		return none{}, a.Collections.Delete(c.ctx(), c.actor, c.project(), id)
	}))
	handle(a, operation{
		method: http.MethodPost, path: fields, id: "addField", tag: tag, action: access.ManageCollections, idempotent: true,
		title: "Add a field", about: "Appends a field and answers with the whole definition.", status: http.StatusCreated, fails: conflict,
	}, withCollection(func(c *call, id int64, in fieldInput) (collection, error) {
		return shown(a.Collections.AddField(c.ctx(), c.actor, c.project(), id, content.FieldInput(in)))
	}))
	handle(a, operation{
		method: http.MethodPatch, path: fields + "/{name}", id: "updateField", tag: tag, action: access.ManageCollections,
		title: "Change a field", about: "Changes the options that the body names; name, type and multiple never change.", fails: conflict,
	}, withCollection(func(c *call, id int64, in fieldChange) (collection, error) {
		return shown(a.Collections.ReviseField(c.ctx(), c.actor, c.project(), id, c.r.PathValue("name"), in.over))
	}))
	handle(a, operation{
		method: http.MethodDelete, path: fields + "/{name}", id: "removeField", tag: tag, action: access.ManageCollections,
		title: "Remove a field", about: "Its values stay with the entries, unseen.", fails: conflict,
	}, withCollection(func(c *call, id int64, _ none) (none, error) {
		_, err := a.Collections.RemoveField(c.ctx(), c.actor, c.project(), id, c.r.PathValue("name"))
		return none{}, err
	}))
}

// over lays the change over the options of a field as they are.
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

// set puts a given value in place.
func set[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}

func withCollection[B, A any](do func(c *call, id int64, body B) (A, error)) func(*call, B) (A, error) {
	return withID("collectionId", "collection", do)
}
