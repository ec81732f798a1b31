package sqlstore

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// componentStore implements ports.ComponentStore.
type componentStore struct{ conn }

type componentRow struct {
	bun.BaseModel `bun:"table:components,alias:c"`

	ID          int64 `bun:",pk,autoincrement"`
	ProjectID   int64
	Slug        string
	OwnKey      string `bun:",nullzero"`
	Name        string
	Description string
	Fields      encoded[[]*core.Field]
	Removed     encoded[[]*core.Field]
	NextFieldID int
	Version     int64
	CreatedAt   instant
	UpdatedAt   instant
}

func newComponentRow(c *core.Component) *componentRow {
	return &componentRow{
		ID: c.ID, ProjectID: c.ProjectID, Slug: c.Slug, OwnKey: c.OwnKey, Name: c.Name, Description: c.Description,
		Fields: encoded[[]*core.Field]{c.Fields}, Removed: encoded[[]*core.Field]{c.Removed}, NextFieldID: c.NextFieldID,
		Version: c.Version, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

func (r componentRow) core() *core.Component {
	return &core.Component{
		ID: r.ID, ProjectID: r.ProjectID, Slug: r.Slug, OwnKey: r.OwnKey, Name: r.Name, Description: r.Description,
		Fields: r.Fields.v, Removed: r.Removed.v, NextFieldID: r.NextFieldID,
		Version: r.Version, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

func (s componentStore) Components(ctx context.Context, projectID int64) ([]*core.Component, error) {
	components, err := all[componentRow](ctx, s.conn, "component", ordered("slug", "project_id = ?", projectID))
	core.ComponentsBySlug(components)
	return components, err
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
	r := newComponentRow(c)
	return s.insert(ctx, newRow{r, &r.ID, &c.ID}, "component", func() core.Event { return componentEvent(core.EventComponentCreated, c) })
}

func (s componentStore) Update(ctx context.Context, c *core.Component) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		err := in.updateBy(ctx, in.write.NewUpdate().Model(newComponentRow(c)).
			Column("name", "description", "fields", "removed", "next_field_id", "version", "updated_at").
			Where("project_id = ? AND id = ? AND version = ?", c.ProjectID, c.ID, c.Version-1),
			"component", componentEvent(core.EventComponentUpdated, c))
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
	return one[componentRow](ctx, s.conn, "component", where("project_id = ? AND id = ?", projectID, id))
}

func (s componentStore) Delete(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		c, err := componentStore{in}.component(ctx, projectID, id)
		if err != nil {
			return err
		}
		return in.remove(ctx, (*componentRow)(nil), "component", componentEvent(core.EventComponentDeleted, c), "project_id = ? AND id = ?", projectID, id)
	})
}

func componentEvent(kind core.EventType, c *core.Component) core.Event {
	return core.Event{Type: kind, ProjectID: c.ProjectID, SubjectID: c.ID, Slug: c.Slug}
}
