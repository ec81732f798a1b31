package core

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"imprimatur/core/canonical"
)

// Component is a named list of fields. The values of fields of the types group and blocks are items
// of components.
type Component struct {
	ID          int64
	ProjectID   int64
	Slug        string // unique among the components of the Project; only a file of definitions changes it
	OwnKey      string // Key, if it is not Slug
	Name        string
	Description string
	Fields      []*Field // in the order they are shown
	Removed     []*Field // removed fields
	NextFieldID int
	Version     int64 // counts the changes of this definition
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Key returns what identifies c in files of definitions and, as ItemType, in stored items. It never changes.
func (c *Component) Key() string { return cmp.Or(c.OwnKey, c.Slug) }

// Field returns the field of that name, or nil.
func (c *Component) Field(name string) *Field {
	return first(c.Fields, func(f *Field) bool { return f.Name == name })
}

// Components are the components of a Project by slug.
type Components map[string]*Component

// ComponentsBySlug returns the components of list by slug. Their fields know the components of each
// other.
func ComponentsBySlug(list []*Component) Components {
	components := make(Components, len(list))
	for _, c := range list {
		components[c.Slug] = c
	}
	for _, c := range list {
		components.bind(c.Fields)
		components.bind(c.Removed)
	}
	return components
}

// named returns the component of that key, or else that of that slug, or nil.
func (cs Components) named(key string) *Component {
	bySlug := cs[key]
	if key == "" || bySlug != nil && bySlug.OwnKey == "" {
		return bySlug
	}
	for _, c := range cs {
		if c.OwnKey == key {
			return c
		}
	}
	return bySlug
}

// Bind makes the components known to the fields of the collections, so that functions of Field and
// Collection find the values inside items. Stores bind the collections that they return.
func (cs Components) Bind(collections ...*Collection) {
	for _, c := range collections {
		cs.bind(c.Fields)
		cs.bind(c.Removed)
		c.bindLeaves()
	}
}

func (cs Components) bind(fields []*Field) {
	for _, f := range fields {
		if f.Structured() {
			f.parts = cs
		}
	}
}

// Structured reports whether a collection has fields, removed ones included, with items of components.
func Structured(collections ...*Collection) bool {
	return slices.ContainsFunc(collections, (*Collection).Structured)
}

// Structured reports whether c has fields, removed ones included, with items of components.
func (c *Collection) Structured() bool {
	return slices.ContainsFunc(c.Fields, (*Field).Structured) || slices.ContainsFunc(c.Removed, (*Field).Structured)
}

// ComponentSlugs returns the slugs of the components whose items f admits.
func (f *Field) ComponentSlugs() []string {
	if f.Type == TypeGroup {
		return []string{f.Component}
	}
	return f.Components
}

// Components returns the components of which entries of c can have items, by slug.
func (c *Collection) Components() Components {
	found := Components{}
	eachInside(c.Fields, func(f *Field) {
		if f.Structured() {
			for _, slug := range f.ComponentSlugs() {
				if component := f.parts[slug]; component != nil {
					found[slug] = component
				}
			}
		}
	})
	return found
}

// eachInside calls visit with each of fields, and with each field of their components, and so on, each
// once.
func eachInside(fields []*Field, visit func(f *Field)) {
	var seen []*Component
	var walk func(fields []*Field)
	walk = func(fields []*Field) {
		for _, f := range fields {
			visit(f)
			if !f.Structured() {
				continue
			}
			for _, slug := range f.ComponentSlugs() {
				if c := f.parts[slug]; c != nil && !slices.Contains(seen, c) {
					seen = append(seen, c)
					walk(c.Fields)
				}
			}
		}
	}
	walk(fields)
}

// Holds reports whether entries of c can have items of the component of that slug.
func (c *Collection) Holds(component string) (holds bool) {
	eachInside(c.Fields, func(f *Field) {
		holds = holds || f.Structured() && slices.Contains(f.ComponentSlugs(), component)
	})
	return holds
}

// ShowsType reports whether readers see the slug of a component as the ItemType of items of c.
func (c *Collection) ShowsType(component string) (shows bool) {
	eachInside(c.Fields, func(f *Field) {
		shows = shows || f.Type == TypeBlocks && slices.Contains(f.Components, component)
	})
	return shows
}

// WithSlugs returns doc, a stored version of an entry of c, with the slugs of components in place of their keys, as
// responses show it.
func (c *Collection) WithSlugs(doc Document) Document {
	if !c.Structured() || len(doc) == 0 {
		return doc
	}
	return doc.Edit(func(name string, value json.RawMessage) json.RawMessage {
		if f := c.Field(name); f != nil {
			return f.WithSlugs(value)
		}
		return value
	})
}

// WithSlugs is Collection.WithSlugs for a value of f.
func (f *Field) WithSlugs(raw json.RawMessage) json.RawMessage {
	return f.EditItems(raw, func(c *Component, _ string, item Document) Document {
		if c.OwnKey == "" || item.Value(ItemType) == nil {
			return item
		}
		return item.Edit(func(name string, value json.RawMessage) json.RawMessage {
			if name == ItemType {
				return canonical.Quote(c.Slug)
			}
			return value
		})
	})
}
