package sqlstore

import (
	"context"
	"errors"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/event"
)

// componentStore implements ports.ComponentStore.
type componentStore struct{ conn }

var components = rowsOf("components", "component", func(c *core.Component) []member {
	return []member{
		{name: "project_id", kind: "bigint", of: &c.ProjectID, fixed: true},
		{name: "id", kind: "bigint", of: &c.ID, fixed: true},
		{name: "slug", kind: "text", of: &c.Slug, fixed: true},
		{name: "name", kind: "text", of: &c.Name},
		{name: "description", kind: "text", of: &c.Description},
		{name: "fields", kind: "text", of: inJSON[[]*core.Field]{&c.Fields}},
		{name: "removed", kind: "text", of: inJSON[[]*core.Field]{&c.Removed}},
		{name: "next_field_id", kind: "bigint", of: &c.NextFieldID},
		{name: "version", kind: "bigint", of: &c.Version},
		{name: "created_at", kind: "bigint", of: (*instant)(&c.CreatedAt), fixed: true},
		{name: "updated_at", kind: "bigint", of: (*instant)(&c.UpdatedAt)},
		{name: "own_key", kind: "text", of: nullIfZero[string]{&c.OwnKey}, fixed: true},
	}
})

func (s componentStore) Components(ctx context.Context, projectID int64) ([]*core.Component, error) {
	found, err := components.allNew(ctx, s.conn, " WHERE project_id = ? ORDER BY slug", projectID)
	core.ComponentsBySlug(found)
	return found, err
}

// bind binds the fields of collections of a Project to its components. It reads none for collections
// without items.
func (s componentStore) bind(ctx context.Context, projectID int64, collections []*core.Collection) error {
	if !core.Structured(collections...) {
		return nil
	}
	components, err := s.Components(ctx, projectID)
	core.ComponentsBySlug(components).Bind(collections...)
	return err
}

func (s componentStore) Insert(ctx context.Context, c *core.Component) error {
	return components.add(ctx, s.conn, c, &c.ID, func() event.Event { return componentEvent(event.ComponentCreated, c) })
}

func (s componentStore) Update(ctx context.Context, c *core.Component) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		err := components.put(ctx, in, c, componentEvent(event.ComponentUpdated, c),
			"project_id = ? AND id = ? AND version = ?", c.ProjectID, c.ID, c.Version-1)
		if !errors.Is(err, core.ErrNotFound) {
			return err
		}
		if _, err := (componentStore{in}).component(ctx, c.ProjectID, c.ID); err != nil {
			return err
		}
		return core.Conflict("changed_meanwhile", "the component was changed meanwhile")
	})
}

// Rename first gives every row a slug that no component can have, because a new slug may be that of another row.
func (s componentStore) Rename(ctx context.Context, projectID int64, renamed []*core.Component) error {
	const text = "UPDATE components SET slug = ?, own_key = NULLIF(?, '') WHERE project_id = @project AND id = ?"
	return s.change(ctx, func(ctx context.Context, in conn) error {
		for _, c := range renamed {
			if _, err := in.exec(ctx, text, "~"+strconv.FormatInt(c.ID, 10), c.OwnKey, projectID, c.ID); err != nil {
				return in.written(err, "component")
			}
		}
		for _, c := range renamed {
			if _, err := in.exec(ctx, text, c.Slug, c.OwnKey, projectID, c.ID); err != nil {
				return in.written(err, "component")
			}
		}
		return nil
	})
}

func (s componentStore) component(ctx context.Context, projectID, id int64) (*core.Component, error) {
	return components.oneNew(ctx, s.conn, " WHERE project_id = ? AND id = ?", projectID, id)
}

func (s componentStore) Delete(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		c, err := componentStore{in}.component(ctx, projectID, id)
		if err != nil {
			return err
		}
		return components.drop(ctx, in, componentEvent(event.ComponentDeleted, c), "project_id = ? AND id = ?", projectID, id)
	})
}

func componentEvent(kind event.Type, c *core.Component) event.Event {
	return event.Event{Type: kind, ProjectID: c.ProjectID, SubjectID: c.ID, Slug: c.Slug}
}
