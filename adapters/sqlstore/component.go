package sqlstore

import (
	"context"
	"errors"
	"strconv"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// componentStore implements ports.ComponentStore.
type componentStore struct{ sqldb.Conn }

var components = sqldb.NewTableOf("components", "component", func(c *core.Component) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &c.ProjectID, Fixed: true},
		{Name: "id", Kind: "bigint", Of: &c.ID, Fixed: true},
		{Name: "slug", Kind: "text", Of: &c.Slug, Fixed: true},
		{Name: "name", Kind: "text", Of: &c.Name},
		{Name: "description", Kind: "text", Of: &c.Description},
		{Name: "fields", Kind: "text", Of: sqldb.InJSON(&c.Fields)},
		{Name: "removed", Kind: "text", Of: sqldb.InJSON(&c.Removed)},
		{Name: "next_field_id", Kind: "bigint", Of: &c.NextFieldID},
		{Name: "version", Kind: "bigint", Of: &c.Version},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.UpdatedAt)},
		{Name: "own_key", Kind: "text", Of: sqldb.NullIfZero(&c.OwnKey), Fixed: true},
	}
})

func (s componentStore) Components(ctx context.Context, projectID int64) ([]*core.Component, error) {
	found, err := components.AllNew(ctx, s.Conn, " WHERE project_id = ? ORDER BY slug", projectID)
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
	return components.Add(ctx, s.Conn, c, &c.ID, func() event.Event { return componentEvent(event.ComponentCreated, c) })
}

func (s componentStore) Update(ctx context.Context, c *core.Component) error {
	return s.Change(ctx, func(ctx context.Context, in sqldb.Conn) error {
		err := components.Put(ctx, in, c, componentEvent(event.ComponentUpdated, c),
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
	return s.Change(ctx, func(ctx context.Context, in sqldb.Conn) error {
		for _, c := range renamed {
			if _, err := in.Exec(ctx, text, "~"+strconv.FormatInt(c.ID, 10), c.OwnKey, projectID, c.ID); err != nil {
				return in.Written(err, "component")
			}
		}
		for _, c := range renamed {
			if _, err := in.Exec(ctx, text, c.Slug, c.OwnKey, projectID, c.ID); err != nil {
				return in.Written(err, "component")
			}
		}
		return nil
	})
}

func (s componentStore) component(ctx context.Context, projectID, id int64) (*core.Component, error) {
	return components.OneNew(ctx, s.Conn, " WHERE project_id = ? AND id = ?", projectID, id)
}

func (s componentStore) Delete(ctx context.Context, projectID, id int64) error {
	return s.Change(ctx, func(ctx context.Context, in sqldb.Conn) error {
		c, err := componentStore{in}.component(ctx, projectID, id)
		if err != nil {
			return err
		}
		return components.Drop(ctx, in, componentEvent(event.ComponentDeleted, c), "project_id = ? AND id = ?", projectID, id)
	})
}

func componentEvent(kind event.Type, c *core.Component) event.Event {
	return event.Event{Type: kind, ProjectID: c.ProjectID, SubjectID: c.ID, Slug: c.Slug}
}
