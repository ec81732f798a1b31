package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// collectionStore implements ports.CollectionStore.
type collectionStore struct{ conn }

type collectionRow struct {
	bun.BaseModel `bun:"table:collections,alias:c"`

	ID          int64 `bun:",pk,autoincrement"`
	ProjectID   int64
	Slug        string
	Name        string
	Description string
	Fields      encoded[[]*core.Field]
	Removed     encoded[[]*core.Field]
	NextFieldID int
	Version     int64
	CreatedAt   instant
	UpdatedAt   instant
}

func newCollectionRow(c *core.Collection) *collectionRow {
	return &collectionRow{
		ID: c.ID, ProjectID: c.ProjectID, Slug: c.Slug, Name: c.Name, Description: c.Description,
		Fields: encoded[[]*core.Field]{c.Fields}, Removed: encoded[[]*core.Field]{c.Removed}, NextFieldID: c.NextFieldID,
		Version: c.Version, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

func (r collectionRow) core() *core.Collection {
	return &core.Collection{
		ID: r.ID, ProjectID: r.ProjectID, Slug: r.Slug, Name: r.Name, Description: r.Description,
		Fields: r.Fields.v, Removed: r.Removed.v, NextFieldID: r.NextFieldID,
		Version: r.Version, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

// Collections are, in a transaction, kept as they are until it ends: the index rows
// of an entry must fit the definition that was read, also when a field gets a slot
// at that moment.
func (s collectionStore) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	return all[collectionRow](ctx, s.conn, "collection", func(q *bun.SelectQuery) *bun.SelectQuery {
		return s.locked(q.Where("project_id = ?", projectID).Order("slug"))
	})
}

// Collection is part of every write, so its text stays prepared.
func (s collectionStore) Collection(ctx context.Context, projectID, id int64) (*core.Collection, error) {
	lock := ""
	if strength := s.db.dialect.LockShared(); strength != "" && s.tx != nil {
		lock = " FOR " + strength
	}
	found, err := collect(ctx, s.conn, scanCollection, "SELECT id, project_id, slug, name, description, fields, removed, next_field_id, version, created_at, updated_at"+
		" FROM collections WHERE project_id = $1 AND id = $2"+lock, projectID, id)
	if err == nil && len(found) == 0 {
		err = core.NotFound("collection")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func scanCollection(rows Rows) (*core.Collection, error) {
	var r collectionRow
	err := rows.Scan(&r.ID, &r.ProjectID, &r.Slug, &r.Name, &r.Description, &r.Fields, &r.Removed, &r.NextFieldID, &r.Version, &r.CreatedAt, &r.UpdatedAt)
	return r.core(), err
}

// Related are kept as they are, too.
func (s collectionStore) Related(ctx context.Context, projectID, id int64) ([]*core.Collection, error) {
	own, err := s.Collection(ctx, projectID, id)
	if err != nil {
		return nil, err
	}
	related := []*core.Collection{own}
	targets := slices.DeleteFunc(own.Targets(), func(slug string) bool { return slug == own.Slug })
	if len(targets) == 0 {
		return related, nil
	}
	others, err := all[collectionRow](ctx, s.conn, "collection", func(q *bun.SelectQuery) *bun.SelectQuery {
		return s.locked(q.Where("project_id = ? AND slug IN (?)", projectID, bun.List(targets)).Order("slug"))
	})
	return append(related, others...), err
}

func (s collectionStore) Insert(ctx context.Context, c *core.Collection) error {
	r := newCollectionRow(c)
	r.ID = 0
	err := s.insert(ctx, r, "collection")
	c.ID = r.ID
	return err
}

func (s collectionStore) Update(ctx context.Context, c *core.Collection) error {
	result, err := s.write.NewUpdate().Model(newCollectionRow(c)).
		Column("name", "description", "fields", "removed", "next_field_id", "version", "updated_at").
		Where("project_id = ? AND id = ? AND version = ?", c.ProjectID, c.ID, c.Version-1).Exec(ctx)
	if err != nil {
		return s.db.fault(err, "collection")
	}
	if s.found(result, "collection") == nil {
		return nil
	}
	if _, err := s.Collection(ctx, c.ProjectID, c.ID); err != nil {
		return err
	}
	return core.Conflict("changed_meanwhile", "the collection was changed meanwhile")
}

func (s collectionStore) Delete(ctx context.Context, projectID, id int64) error {
	return entryStore(s).change(ctx, func(ctx context.Context, entries entryStore) error {
		if err := entries.remove(ctx, (*collectionRow)(nil), "collection", "project_id = ? AND id = ?", projectID, id); err != nil {
			return err
		}
		return entries.purge(ctx, projectID, id)
	})
}
