package schema

import (
	"slices"

	"imprimatur/core"
	"imprimatur/core/definition"
)

// With returns the definitions of f, and what f lacks of those of more.
func (f File) With(more File) File {
	return File{Components: merged(f.Components, more.Components), Collections: merged(f.Collections, more.Collections)}
}

func merged(from, more []definition.CollectionInput) []definition.CollectionInput {
	from = slices.Clone(from)
	for _, in := range more {
		old := byKey(from, KeyOf(in))
		if old == nil {
			from = append(from, in)
			continue
		}
		old.Fields = slices.Clone(old.Fields)
		for _, added := range in.Fields {
			if field(old, added.Name) == nil {
				old.Fields = append(old.Fields, added)
			}
		}
	}
	return from
}

// Conflicts returns the fields of more that f has with another type, multiple or target.
func (f File) Conflicts(more File) (found []core.FieldError) {
	for _, kind := range []struct {
		name       string
		from, more []definition.CollectionInput
	}{{componentKind, f.Components, more.Components}, {collectionKind, f.Collections, more.Collections}} {
		for _, in := range kind.more {
			old := byKey(kind.from, KeyOf(in))
			if old == nil {
				continue
			}
			for _, now := range in.Fields {
				if before := field(old, now.Name); before != nil && !definition.Shaped(*before, now) && len(found) < core.MaxFaults {
					found = append(found, core.FieldError{
						Location: kind.name + "." + KeyOf(in) + ".fields." + now.Name, Message: "is " + shape(*before) + " in the project, and " + shape(now) + " here",
					})
				}
			}
		}
	}
	return found
}

// Schema returns the definitions of the file as values can be checked by them. They have no ids.
func (f File) Schema(project *core.Project) core.Schema {
	var components []*core.Component
	slugs := f.slugs()
	for _, in := range f.Components {
		components = append(components, &core.Component{Slug: in.Slug, OwnKey: in.Key, Name: in.Name, Fields: fieldsOf(slugs.in(in.Fields))})
	}
	s := core.Schema{Project: project}
	for _, in := range f.Collections {
		s.Collections = append(s.Collections, &core.Collection{
			Slug: in.Slug, OwnKey: in.Key, Name: in.Name, Singleton: in.Singleton, Fields: fieldsOf(slugs.in(in.Fields)),
		})
	}
	core.ComponentsBySlug(components).Bind(s.Collections...)
	return s
}

func fieldsOf(in []definition.FieldInput) (fields []*core.Field) {
	for i, field := range in {
		f := definition.FieldOf(field)
		f.ID = i + 1
		fields = append(fields, f)
	}
	return fields
}
