package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strconv"
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
	OwnKey      string `bun:",nullzero"`
	Name        string
	Description string
	Icon        core.Icon
	PreviewURL  string
	Singleton   bool
	Fields      encoded[[]*core.Field]
	Removed     encoded[[]*core.Field]
	Leaves      encoded[[]*core.Field]
	NextFieldID int
	Version     int64
	Forms       string
	FormsReady  bool
	WordsEpoch  int
	CreatedAt   instant
	UpdatedAt   instant
}

// archivedCollections has the columns of collections in archives.
var archivedCollections = newArchived("collections", "project_id, id", plainIDs, "project_id bigint", "id bigint", "slug text", "name text", "description text",
	"icon text", "preview_url text", "singleton boolean", "fields text", "removed text", "leaves text", "next_field_id bigint", "version bigint",
	"forms text", "forms_ready boolean", "words_epoch bigint", "created_at bigint", "updated_at bigint", "own_key text",
).added("preview_url", "")

func newCollectionRow(c *core.Collection) *collectionRow {
	return &collectionRow{
		ID: c.ID, ProjectID: c.ProjectID, Slug: c.Slug, OwnKey: c.OwnKey, Name: c.Name, Description: c.Description, Icon: c.Icon, PreviewURL: c.PreviewURL, Singleton: c.Singleton,
		Fields: encoded[[]*core.Field]{c.Fields}, Removed: encoded[[]*core.Field]{c.Removed}, Leaves: encoded[[]*core.Field]{c.Leaves}, NextFieldID: c.NextFieldID,
		Version: c.Version, Forms: c.Forms, FormsReady: c.FormsReady, WordsEpoch: c.WordsEpoch, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

func (r collectionRow) core() *core.Collection {
	return &core.Collection{
		ID: r.ID, ProjectID: r.ProjectID, Slug: r.Slug, OwnKey: r.OwnKey, Name: r.Name, Description: r.Description, Icon: r.Icon, PreviewURL: r.PreviewURL, Singleton: r.Singleton,
		Fields: r.Fields.v, Removed: r.Removed.v, Leaves: r.Leaves.v, NextFieldID: r.NextFieldID,
		Version: r.Version, Forms: r.Forms, FormsReady: r.FormsReady, WordsEpoch: r.WordsEpoch, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

func (s collectionStore) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	collections, err := all[collectionRow](ctx, s.conn, "collection", ordered("slug", "project_id = ?", projectID))
	if err != nil {
		return nil, err
	}
	return collections, componentStore(s).bind(ctx, projectID, collections)
}

// selectCollection is part of every write, so its text stays prepared.
const selectCollection = "SELECT id, project_id, slug, COALESCE(own_key, ''), name, description, icon, preview_url, singleton, fields, removed, leaves, next_field_id, version, forms, forms_ready, words_epoch, created_at, updated_at" +
	" FROM collections WHERE project_id = @project AND id = ?"

func (s collectionStore) Collection(ctx context.Context, projectID, id int64) (*core.Collection, error) {
	c, err := single(ctx, s.conn, "collection", scanCollection, selectCollection, projectID, id)
	if err != nil {
		return nil, err
	}
	return c, componentStore(s).bind(ctx, projectID, []*core.Collection{c})
}

func scanCollection(rows Rows) (*core.Collection, error) {
	var r collectionRow
	err := rows.Scan(&r.ID, &r.ProjectID, &r.Slug, &r.OwnKey, &r.Name, &r.Description, &r.Icon, &r.PreviewURL, &r.Singleton, &r.Fields, &r.Removed, &r.Leaves, &r.NextFieldID,
		&r.Version, &r.Forms, &r.FormsReady, &r.WordsEpoch, &r.CreatedAt, &r.UpdatedAt)
	return r.core(), err
}

// Hold takes the lock and reads the definitions in one round trip. The reads are separate
// statements after the lock, so that they see the last change.
func (s collectionStore) Hold(ctx context.Context, projectID, id int64) (core.Schema, error) {
	if s.tx == nil {
		return s.unlocked(ctx, projectID, id)
	}
	var lock []Statement
	if text := s.db.dialect.HoldProject(); text != "" {
		lock = []Statement{s.statement(text, projectID)}
	}
	var projects []*core.Project
	var collections []*core.Collection
	_, err := s.run(ctx, lock, []Statement{
		reading(s.conn, &projects, scanProject, selectProject, projectID), reading(s.conn, &collections, scanCollection, selectCollection, projectID, id),
	})
	switch {
	case err != nil:
		return core.Schema{}, s.db.fault(err, "collection")
	case len(projects) == 0:
		return core.Schema{}, core.NotFound("project")
	case len(collections) == 0:
		return core.Schema{}, core.NotFound("collection")
	}
	if err := componentStore(s).bind(ctx, projectID, collections); err != nil {
		return core.Schema{}, err
	}
	related, err := s.withTargets(ctx, collections[0])
	return core.Schema{Project: projects[0], Collection: collections[0], Collections: related}, err
}

// unlocked is Hold outside a transaction.
func (s collectionStore) unlocked(ctx context.Context, projectID, id int64) (core.Schema, error) {
	project, err := projectStore(s).Project(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	related, err := s.Related(ctx, projectID, id)
	if err != nil {
		return core.Schema{}, err
	}
	return core.Schema{Project: project, Collection: related[0], Collections: related}, nil
}

func (s collectionStore) Related(ctx context.Context, projectID, id int64) ([]*core.Collection, error) {
	own, err := s.Collection(ctx, projectID, id)
	if err != nil {
		return nil, err
	}
	return s.withTargets(ctx, own)
}

// withTargets returns own, followed by the target collections of its relations.
func (s collectionStore) withTargets(ctx context.Context, own *core.Collection) ([]*core.Collection, error) {
	related := []*core.Collection{own}
	targets := slices.DeleteFunc(own.Targets(), func(slug string) bool { return slug == own.Slug })
	if len(targets) == 0 {
		return related, nil
	}
	others, err := all[collectionRow](ctx, s.conn, "collection",
		ordered("slug", "project_id = ? AND slug IN (?)", own.ProjectID, bun.List(targets)))
	if err != nil {
		return nil, err
	}
	return append(related, others...), componentStore(s).bind(ctx, own.ProjectID, others)
}

func (s collectionStore) Insert(ctx context.Context, c *core.Collection) error {
	r := newCollectionRow(c)
	return s.insert(ctx, newRow{r, &r.ID, &c.ID}, "collection", func() core.Event { return collectionEvent(core.EventCollectionCreated, c) })
}

func (s collectionStore) Update(ctx context.Context, c *core.Collection) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		err := in.updateBy(ctx, in.write.NewUpdate().Model(newCollectionRow(c)).
			Column("name", "description", "icon", "preview_url", "singleton", "fields", "removed", "leaves", "next_field_id", "version", "forms", "forms_ready", "words_epoch", "updated_at").
			Where("project_id = ? AND id = ? AND version = ?", c.ProjectID, c.ID, c.Version-1),
			"collection", collectionEvent(core.EventCollectionUpdated, c))
		if !errors.Is(err, core.ErrNotFound) {
			return err
		}
		if _, err := (collectionStore{in}).Collection(ctx, c.ProjectID, c.ID); err != nil {
			return err
		}
		return core.Conflict("changed_meanwhile", "the collection was changed meanwhile")
	})
}

// Rename first gives every row a slug that no collection can have, because a new slug may be that of another row.
func (s collectionStore) Rename(ctx context.Context, projectID int64, renamed []*core.Collection) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		for _, next := range []func(c *core.Collection) string{
			func(c *core.Collection) string { return "~" + strconv.FormatInt(c.ID, 10) }, func(c *core.Collection) string { return c.Slug },
		} {
			for _, c := range renamed {
				// Two statements take the old slug from the row, so they come before the one that changes it.
				for _, text := range []string{
					"UPDATE past_groups SET collection = ? WHERE project_id = @project AND collection = (SELECT slug FROM collections WHERE project_id = @project AND id = ?)",
					"UPDATE release_members SET collection = ? WHERE project_id = @project AND collection_id = ?",
					"UPDATE collections SET slug = ? WHERE project_id = @project AND id = ?",
				} {
					if _, err := in.exec(ctx, text, next(c), projectID, c.ID); err != nil {
						return in.written(err, "collection")
					}
				}
				if _, err := in.exec(ctx, "UPDATE collections SET own_key = NULLIF(?, '') WHERE project_id = @project AND id = ?", c.OwnKey, projectID, c.ID); err != nil {
					return in.written(err, "collection")
				}
			}
		}
		return nil
	})
}

func collectionEvent(kind core.EventType, c *core.Collection) core.Event {
	return core.Event{Type: kind, ProjectID: c.ProjectID, Collection: c.Slug}
}

func (s collectionStore) Delete(ctx context.Context, projectID, id int64) error {
	return entryStore(s).change(ctx, func(ctx context.Context, entries entryStore) error {
		c, err := collectionStore(entries).Collection(ctx, projectID, id)
		if err != nil {
			return err
		}
		if err := entries.remove(ctx, (*collectionRow)(nil), "collection", collectionEvent(core.EventCollectionDeleted, c), "project_id = ? AND id = ?", projectID, id); err != nil {
			return err
		}
		if err := entries.empty(ctx, []string{"schedules"}, ofCollection, projectID, id); err != nil {
			return err
		}
		return entries.begin(ctx, deleted{core.Deletion{ProjectID: projectID, CollectionID: id}, c.Slug})
	})
}
