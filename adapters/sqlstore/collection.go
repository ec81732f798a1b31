package sqlstore

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"imprimatur/adapters/sqlstore/archive"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// collectionStore implements ports.CollectionStore.
type collectionStore struct{ sqldb.Conn }

var collections = sqldb.NewTableOf("collections", "collection", func(c *core.Collection) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &c.ProjectID, Fixed: true},
		{Name: "id", Kind: "bigint", Of: &c.ID, Fixed: true},
		{Name: "slug", Kind: "text", Of: &c.Slug, Fixed: true},
		{Name: "name", Kind: "text", Of: &c.Name},
		{Name: "description", Kind: "text", Of: &c.Description},
		{Name: "icon", Kind: "text", Of: (*string)(&c.Icon)},
		{Name: "preview_url", Kind: "text", Of: &c.PreviewURL},
		{Name: "singleton", Kind: "boolean", Of: &c.Singleton},
		{Name: "fields", Kind: "text", Of: sqldb.InJSON(&c.Fields)},
		{Name: "removed", Kind: "text", Of: sqldb.InJSON(&c.Removed)},
		{Name: "leaves", Kind: "text", Of: sqldb.InJSON(&c.Leaves)},
		{Name: "next_field_id", Kind: "bigint", Of: &c.NextFieldID},
		{Name: "version", Kind: "bigint", Of: &c.Version},
		{Name: "forms", Kind: "text", Of: &c.Forms},
		{Name: "forms_ready", Kind: "boolean", Of: &c.FormsReady},
		{Name: "words_epoch", Kind: "bigint", Of: &c.WordsEpoch},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.UpdatedAt)},
		{Name: "own_key", Kind: "text", Of: sqldb.NullIfZero(&c.OwnKey), Fixed: true},
	}
})

var archivedCollections = archive.Table{Table: collections.Table, Key: "project_id, id", IDs: archive.PlainIDs}.Added("preview_url", "")

func (s collectionStore) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	found, err := collections.AllNew(ctx, s.Conn, " WHERE project_id = ? ORDER BY slug", projectID)
	if err != nil {
		return nil, err
	}
	return found, componentStore(s).bind(ctx, projectID, found)
}

// oneCollection is the end of the SELECT of a collection. It is part of every write, so its text stays prepared.
const oneCollection = " WHERE project_id = ? AND id = ?"

func (s collectionStore) Collection(ctx context.Context, projectID, id int64) (*core.Collection, error) {
	c, err := collections.OneNew(ctx, s.Conn, oneCollection, projectID, id)
	if err != nil {
		return nil, err
	}
	return c, componentStore(s).bind(ctx, projectID, []*core.Collection{c})
}

// Hold takes the lock and reads the definitions in one round trip. The reads are separate
// statements after the lock, so that they see the last change.
func (s collectionStore) Hold(ctx context.Context, projectID, id int64) (core.Schema, error) {
	if !s.Inside() {
		return s.unlocked(ctx, projectID, id)
	}
	var lock []sqldb.Statement
	if text := s.DB.Dialect.HoldProject(); text != "" {
		lock = []sqldb.Statement{s.Statement(text, projectID)}
	}
	var ofProject []*core.Project
	var own []*core.Collection
	_, err := s.Run(ctx, lock, []sqldb.Statement{
		sqldb.Reading(s.Conn, &ofProject, projects.ScanNew, projects.Selected+liveProject, projectID),
		sqldb.Reading(s.Conn, &own, collections.ScanNew, collections.Selected+oneCollection, projectID, id),
	})
	switch {
	case err != nil:
		return core.Schema{}, s.DB.Fault(err, "collection")
	case len(ofProject) == 0:
		return core.Schema{}, core.NotFound("project")
	case len(own) == 0:
		return core.Schema{}, core.NotFound("collection")
	}
	if err := componentStore(s).bind(ctx, projectID, own); err != nil {
		return core.Schema{}, err
	}
	related, err := s.withTargets(ctx, own[0])
	return core.Schema{Project: ofProject[0], Collection: own[0], Collections: related}, err
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
	others, err := collections.AllNew(ctx, s.Conn, " WHERE project_id = ? AND slug ? ORDER BY slug", own.ProjectID, sqldb.AmongTexts(targets))
	if err != nil {
		return nil, err
	}
	return append(related, others...), componentStore(s).bind(ctx, own.ProjectID, others)
}

func (s collectionStore) Insert(ctx context.Context, c *core.Collection) error {
	return collections.Add(ctx, s.Conn, c, &c.ID, func() event.Event { return collectionEvent(event.CollectionCreated, c) })
}

func (s collectionStore) Update(ctx context.Context, c *core.Collection) error {
	return s.Change(ctx, func(ctx context.Context, in sqldb.Conn) error {
		err := collections.Put(ctx, in, c, collectionEvent(event.CollectionUpdated, c),
			"project_id = ? AND id = ? AND version = ?", c.ProjectID, c.ID, c.Version-1)
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
	return s.Change(ctx, func(ctx context.Context, in sqldb.Conn) error {
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
					if _, err := in.Exec(ctx, text, next(c), projectID, c.ID); err != nil {
						return in.Written(err, "collection")
					}
				}
				if _, err := in.Exec(ctx, "UPDATE collections SET own_key = NULLIF(?, '') WHERE project_id = @project AND id = ?", c.OwnKey, projectID, c.ID); err != nil {
					return in.Written(err, "collection")
				}
			}
		}
		return nil
	})
}

func collectionEvent(kind event.Type, c *core.Collection) event.Event {
	return event.Event{Type: kind, ProjectID: c.ProjectID, Collection: c.Slug}
}

func (s collectionStore) Delete(ctx context.Context, projectID, id int64) error {
	return entryStore(s).change(ctx, func(ctx context.Context, entries entryStore) error {
		c, err := collectionStore(entries).Collection(ctx, projectID, id)
		if err != nil {
			return err
		}
		if err := collections.Drop(ctx, entries.Conn, collectionEvent(event.CollectionDeleted, c), "project_id = ? AND id = ?", projectID, id); err != nil {
			return err
		}
		if err := entries.empty(ctx, []string{"schedules"}, ofCollection, projectID, id); err != nil {
			return err
		}
		return entries.begin(ctx, deleted{core.Deletion{ProjectID: projectID, CollectionID: id}, c.Slug})
	})
}
