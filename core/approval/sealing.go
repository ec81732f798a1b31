package approval

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Regovern implements ports.DefinitionGate.
func (g *Gate) Regovern(ctx context.Context, stores ports.Stores, project *core.Project) error {
	return regovern(ctx, stores, project.ID)
}

// regovern implements Gate.Regovern. Its cost depends only on the entries that show media and are
// not sealed.
func regovern(ctx context.Context, stores ports.Stores, projectID int64) error {
	_, err := stores.Workflows.Governing(ctx, projectID)
	if errors.Is(err, core.ErrNotFound) {
		return nil // what is sealed stays sealed until its next publication
	}
	if err != nil {
		return err
	}
	ids, err := stores.Entries.Unsealed(ctx, projectID)
	if err != nil || len(ids) == 0 {
		return err
	}
	project, err := stores.Projects.Project(ctx, projectID)
	if err != nil {
		return err
	}
	collections, err := stores.Collections.Collections(ctx, projectID)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, walkBatch) {
		if err := sealPublished(ctx, stores, core.Schema{Project: project, Collections: collections}, some); err != nil {
			return err
		}
	}
	return nil
}

// sealPublished seals the published versions of the entries with the current words of their media.
// Each that has such media becomes a new publication, because a sealed version has other content.
func sealPublished(ctx context.Context, stores ports.Stores, schema core.Schema, ids []int64) error {
	entries, err := stores.Entries.Entries(ctx, schema.Project.ID, ids)
	if err != nil {
		return err
	}
	var shown core.References
	for i := range entries {
		shown.Join(schema.ByID(entries[i].CollectionID).References(entries[i].Published))
	}
	shown.Settle()
	library, err := ports.MediaShown(ctx, stores.Media, schema.Project.ID, shown)
	if err != nil {
		return err
	}
	changed := map[int64][]*core.Entry{} // by collection
	for i := range entries {
		e := &entries[i]
		c := schema.ByID(e.CollectionID)
		if e.PublishedMedia = c.Seal(e.Published, library); e.PublishedMedia == nil {
			continue
		}
		publishing := &core.Publishing{By: core.SystemActor.Ref()}
		publishing.Content, e.PublishedHash, _ = c.Snapshot(e.Locale, e.Published, e.PublishedMedia)
		e.ReleasedAt, e.Publishing = time.Time{}, publishing
		e.Version++
		changed[c.ID] = append(changed[c.ID], e)
	}
	for _, id := range slices.Sorted(maps.Keys(changed)) {
		schema.Collection = schema.ByID(id)
		if err := stores.Entries.Save(ctx, schema, nil, changed[id]); err != nil {
			return core.ChangedMeanwhile(err)
		}
	}
	return nil
}
