package ports

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/library"
)

// TitleUses sets the titles of uses. It reads all entries at once.
func TitleUses(ctx context.Context, stores Stores, projectID int64, uses []library.Use) error {
	if len(uses) == 0 {
		return nil
	}
	ids := make([]int64, len(uses))
	for i := range uses {
		ids[i] = uses[i].EntryID
	}
	entries, err := stores.Entries.Entries(ctx, projectID, ids)
	if err != nil {
		return err
	}
	collections, err := stores.Collections.Collections(ctx, projectID)
	if err != nil {
		return err
	}
	schema := core.Schema{Collections: collections}
	drafts := map[int64]core.Document{}
	for i := range entries {
		drafts[entries[i].ID] = entries[i].Draft
	}
	for i := range uses {
		if c := schema.ByID(uses[i].CollectionID); c != nil {
			uses[i].Title = c.Title(drafts[uses[i].EntryID])
		}
	}
	return nil
}
