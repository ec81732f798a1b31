package content

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/ports"
)

// Create adds a collection to the Project.
func (c *Collections) Create(ctx context.Context, actor core.Actor, project *core.Project, in CollectionInput) (*core.Collection, error) {
	var created *core.Collection
	err := c.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		others, err := stores.Collections.Collections(ctx, project.ID)
		if err != nil {
			return err
		}
		if created, err = define(project, others, in); err != nil {
			return err
		}
		created.CreatedAt = c.clock.Now()
		created.UpdatedAt = created.CreatedAt
		return stores.Collections.Insert(ctx, created)
	})
	if err != nil {
		return nil, err
	}
	c.fills.add(created)
	return created, nil
}

// define makes a new definition of in, or names all its faults.
func define(project *core.Project, others []*core.Collection, in CollectionInput) (*core.Collection, error) {
	d := &definition{
		Collection: &core.Collection{ProjectID: project.ID, Slug: in.Slug, NextFieldID: 1, Version: 1},
		others:     others,
	}
	switch {
	case !isSlug(in.Slug) || len(in.Slug) > maxName:
		d.faults.Add("slug", core.Clip(in.Slug), "must be words of a-z and 0-9 joined by single hyphens, at most 63 characters")
	case slices.ContainsFunc(others, func(o *core.Collection) bool { return o.Slug == in.Slug }):
		d.faults.Add("slug", in.Slug, "is taken by another collection")
	}
	d.describe(&in.Name, &in.Description)
	for _, field := range in.Fields {
		d.add(field)
	}
	d.check(func(i int) string { return fieldAt(i) + "." })
	d.assignSlots(true)
	return d.Collection, d.faults.Err()
}

func isSlug(text string) bool {
	_, fault := fieldtype.Of(core.TypeSlug).Check(canonical.Quote(text))
	return fault == ""
}
