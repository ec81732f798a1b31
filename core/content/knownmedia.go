package content

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// knownMedia is the MediaStore of one transaction. It reads each item once: a write checks that
// the items of its fields exist, and seals them for its versions.
type knownMedia struct {
	ports.MediaStore
	items map[int64]*core.MediaItem // nil: no such item
}

// MediaByIDs implements ports.MediaReader.
func (m *knownMedia) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { _, known := m.items[id]; return known })
	if len(unknown) > 0 {
		read, err := m.MediaStore.MediaByIDs(ctx, projectID, unknown)
		if err != nil {
			return nil, err
		}
		if m.items == nil {
			m.items = map[int64]*core.MediaItem{}
		}
		for _, id := range unknown {
			m.items[id] = nil
		}
		for i := range read {
			m.items[read[i].ID] = &read[i]
		}
	}
	var items []core.MediaItem
	for _, id := range ids {
		if item := m.items[id]; item != nil {
			items = append(items, *item)
		}
	}
	return items, nil
}
