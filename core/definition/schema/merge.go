package schema

import (
	"slices"

	"imprimatur/core"
	"imprimatur/core/definition"
)

// With returns the definitions of f and of more. A definition or a field that both have is that of more; fields of
// more come after those of f.
func (f File) With(more File) File {
	return File{Components: merged(f.Components, more.Components), Collections: merged(f.Collections, more.Collections)}
}

func merged(from, more []definition.CollectionInput) []definition.CollectionInput {
	from = slices.Clone(from)
	for _, in := range more {
		old := byKey(from, in.Slug)
		if old == nil {
			from = append(from, in)
			continue
		}
		fields := slices.Clone(old.Fields)
		for _, added := range in.Fields {
			if at := slices.IndexFunc(fields, func(f definition.FieldInput) bool { return f.Name == added.Name }); at >= 0 {
				fields[at] = added
			} else {
				fields = append(fields, added)
			}
		}
		*old = in
		old.Fields = fields
	}
	return from
}

// Schema returns the definitions of the file as values can be checked by them. They have no ids.
func (f File) Schema(project *core.Project) core.Schema {
	var components []*core.Component
	for _, in := range f.Components {
		components = append(components, &core.Component{Slug: in.Slug, Name: in.Name, Fields: fieldsOf(in)})
	}
	s := core.Schema{Project: project}
	for _, in := range f.Collections {
		s.Collections = append(s.Collections, &core.Collection{Slug: in.Slug, Name: in.Name, Singleton: in.Singleton, Fields: fieldsOf(in)})
	}
	core.ComponentsBySlug(components).Bind(s.Collections...)
	return s
}

func fieldsOf(in definition.CollectionInput) (fields []*core.Field) {
	for i, field := range in.Fields {
		f := definition.FieldOf(field)
		f.ID = i + 1
		fields = append(fields, f)
	}
	return fields
}
