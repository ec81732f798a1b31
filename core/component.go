package core

import (
	"slices"
	"time"
)

// Component is a named list of fields. The values of fields of the types group and blocks are items
// of components.
type Component struct {
	ID          int64
	ProjectID   int64
	Slug        string // unique among the components of the Project; never changes
	Name        string
	Description string
	Fields      []*Field // in the order they are shown
	Removed     []*Field // removed fields
	NextFieldID int
	Version     int64 // counts the changes of this definition
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

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
