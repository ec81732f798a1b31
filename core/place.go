package core

import (
	"slices"
	"strings"
)

// ChangedPlaces returns the places of what differs for readers between two versions of an entry of c, each once and in
// ascending order. Both are documents of shown fields, with their media; nil: readers see no version.
func (c *Collection) ChangedPlaces(from, to Document) []string {
	if from == nil {
		from = NewDocument(nil)
	}
	if to == nil {
		to = NewDocument(nil)
	}
	var places []string
	for _, change := range c.Changes(from, to) {
		places = append(places, change.Places()...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// ShowsPlace reports whether place, of ChangedPlaces at some time, names no field that is secret by now, or that was
// secret when it was removed.
func (c *Collection) ShowsPlace(place string) bool {
	within := []*Component{{Fields: c.Fields, Removed: c.Removed}}
	for name := range strings.SplitSeq(place, ".") {
		var next []*Component
		for _, in := range within {
			f := in.Field(name)
			if f == nil {
				f = first(in.Removed, func(f *Field) bool { return f.Name == name && f.Secret() })
			}
			switch {
			case in.Slug == name: // the type of an item, before a field of it
				next = append(next, in)
			case f == nil:
			case f.Secret():
				return false
			case f.Structured():
				for _, slug := range f.ComponentSlugs() {
					next = append(next, f.parts[slug])
				}
			}
		}
		within = slices.DeleteFunc(next, func(c *Component) bool { return c == nil })
	}
	return true
}

// HasPlace reports whether c has a field at a place, or items of a component, that reviewers see.
func (c *Collection) HasPlace(place string) bool {
	parts := strings.Split(place, ".")
	fields := c.Fields
	for i := 0; i < len(parts); i++ {
		f := first(fields, func(f *Field) bool { return f.Name == parts[i] })
		if f == nil || f.Secret() {
			return false
		}
		if i == len(parts)-1 {
			return true
		}
		var component *Component
		switch {
		case f.Type == TypeBlocks: // the place of a value in it names its component
			i++
			if component = f.ComponentNamed(parts[i]); component != nil && i == len(parts)-1 {
				return true
			}
		case f.Structured():
			component = f.ComponentNamed(f.Component)
		}
		if component == nil {
			return false
		}
		fields = component.Fields
	}
	return false
}
