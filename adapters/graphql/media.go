package graphql

import (
	"context"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"imprimatur/core"
	"imprimatur/ports"
)

// mediaBatch reads all media items of a request with one query.
type mediaBatch struct {
	once  sync.Once
	items map[int64]core.MediaItem
	err   error
}

// item returns an item of the request and whether it exists.
func (b *mediaBatch) item(ctx context.Context, media ports.MediaReader, projectID, id int64) (core.MediaItem, bool, error) {
	b.once.Do(func() {
		var found []core.MediaItem
		found, b.err = media.MediaByIDs(ctx, projectID, namedMedia(ctx))
		b.items = make(map[int64]core.MediaItem, len(found))
		for _, item := range found {
			b.items[item.ID] = item
		}
	})
	item, exists := b.items[id]
	return item, exists, b.err
}

// namedMedia returns the distinct ids in the media fields of the request.
func namedMedia(ctx context.Context) (ids []int64) {
	request := graphql.GetOperationContext(ctx)
	for _, field := range graphql.CollectFields(request, request.Operation.SelectionSet, []string{"Query"}) {
		if field.Name != "media" {
			continue
		}
		if id, err := graphql.UnmarshalInt64(field.ArgumentMap(request.Variables)["id"]); err == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
