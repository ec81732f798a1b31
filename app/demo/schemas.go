package demo

import (
	"context"
	"embed"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
)

// schemaFiles has the definitions of the Projects, as imprimatur schema pull writes them.
//
//go:embed data/schema
var schemaFiles embed.FS

// SchemaFile returns the definitions of a Project: world-desk, blog, investor-relations or archive.
func SchemaFile(project string) ([]byte, error) {
	return schemaFiles.ReadFile("data/schema/" + project + ".yaml")
}

// defined is the schema file of a Project and the part of it that is applied. The steps of Seed apply it in parts, so
// that the ids of collections are in the order of their content.
type defined struct{ whole, done schema.File }

func newDefined(project string) (*defined, error) {
	text, err := SchemaFile(project)
	if err != nil {
		return nil, err
	}
	whole, err := schema.Parse(text)
	return &defined{whole: whole}, err
}

// define creates components and then a collection as the schema file of the Project says. It sets id to that of the
// collection.
func (s *seed) define(ctx context.Context, project *core.Project, id *int64, collection string, components ...string) error {
	of := s.schemas[project]
	for _, key := range components {
		if err := take(&of.done.Components, of.whole.Components, key); err != nil {
			return err
		}
	}
	if err := take(&of.done.Collections, of.whole.Collections, collection); err != nil {
		return err
	}
	now, err := s.Planner.Pull(ctx, project)
	if err != nil {
		return err
	}
	if _, err := s.Planner.Apply(ctx, core.SystemActor, project, of.done.Text(), schema.Options{Base: now.Base}); err != nil {
		return fmt.Errorf("definitions of %s: %w", project.Name, err)
	}
	stored, err := s.Collections.List(ctx, project)
	if err != nil {
		return err
	}
	*id = core.Schema{Collections: stored}.ByKey(collection).ID
	return nil
}

// take appends the definition with that key in from.
func take(to *[]definition.CollectionInput, from []definition.CollectionInput, key string) error {
	at := slices.IndexFunc(from, func(in definition.CollectionInput) bool { return schema.KeyOf(in) == key })
	if at < 0 {
		return fmt.Errorf("the schema file has no %s", key)
	}
	*to = append(*to, from[at])
	return nil
}
