package approval

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Regovern implements ports.PublishGate.
func (g *Gate) Regovern(ctx context.Context, stores ports.Stores, project *core.Project) error {
	return regovern(ctx, stores, project.ID)
}

// regovern implements Gate.Regovern. Only entries that show media take time.
func regovern(ctx context.Context, stores ports.Stores, projectID int64) error {
	_, err := stores.Workflows.Governing(ctx, projectID)
	if errors.Is(err, core.ErrNotFound) {
		return stores.Entries.Unseal(ctx, projectID)
	}
	if err != nil {
		return err
	}
	ids, err := stores.Entries.Unsealed(ctx, projectID)
	if err != nil || len(ids) == 0 {
		return err
	}
	collections, err := stores.Collections.Collections(ctx, projectID)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, walkBatch) {
		if err := sealPublished(ctx, stores, projectID, collections, some); err != nil {
			return err
		}
	}
	return nil
}

// sealPublished seals the published versions of the entries with the words that their media
// have now.
func sealPublished(ctx context.Context, stores ports.Stores, projectID int64, collections []*core.Collection, ids []int64) error {
	entries, err := stores.Entries.Entries(ctx, projectID, ids)
	if err != nil {
		return err
	}
	var named []int64
	for i := range entries {
		named = append(named, byID(collections, entries[i].CollectionID).MediaIDs(entries[i].Published)...)
	}
	slices.Sort(named)
	library, err := ports.MediaOf(ctx, stores.Media, projectID, slices.Compact(named))
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		c := byID(collections, e.CollectionID)
		e.PublishedMedia = c.Seal(e.Published, library)
		_, e.PublishedHash, _ = c.Snapshot(e.Locale, e.Published, e.PublishedMedia)
	}
	return stores.Entries.Seal(ctx, projectID, entries)
}
