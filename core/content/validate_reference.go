package content

import (
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// resolveReferences checks that the ids in values exist in the Project, and replaces those of
// relations by their translation groups. It replaces elements of the map and does not change
// their bytes.
func (k *work) resolveReferences(ctx context.Context, values map[string]json.RawMessage, found *core.Faults) error {
	stored, err := k.stores.Entries.Entries(ctx, k.schema.Project.ID, k.idsOf(core.TypeRelation, values))
	if err != nil {
		return err
	}
	media, err := ports.MediaOf(ctx, k.stores.Media, k.schema.Project.ID, k.idsOf(core.TypeMedia, values))
	if err != nil {
		return err
	}
	entries, items := byID(stored, entryID), byID(media, mediaID)
	for _, f := range k.schema.Collection.Fields {
		raw := values[f.Name]
		if f.Kind() != core.ValueReference || raw == nil || hasFault(found, f.Name) {
			continue
		}
		target := k.schema.Target(f)
		values[f.Name] = resolveField(f, raw, found, func(id int64) (int64, bool) {
			if f.Type == core.TypeMedia {
				return id, items[id] != nil
			}
			e := entries[id]
			if e == nil || target == nil || e.CollectionID != target.ID {
				return 0, false
			}
			return e.Group, true
		})
	}
	return nil
}

// resolveField returns raw with each id replaced by the id to store, which lookUp returns.
func resolveField(f *core.Field, raw json.RawMessage, found *core.Faults, lookUp func(int64) (int64, bool)) json.RawMessage {
	var stored []int64
	for i, id := range core.ReferenceIDs(raw) {
		location := fieldLocation(f.Name)
		if f.Multiple {
			location = elementLocation(f.Name, i)
		}
		ref, ok := lookUp(id)
		switch {
		case !ok && f.Type == core.TypeMedia:
			found.Add(location, shown(f, core.FormatID(id)), "no such media item")
		case !ok:
			found.Add(location, shown(f, core.FormatID(id)), "no such entry of "+f.Collection)
		case slices.Contains(stored, ref):
			found.Add(location, shown(f, core.FormatID(id)), "is named twice")
		}
		stored = append(stored, ref)
	}
	return core.ReferenceValue(f, stored)
}

// idsOf returns the ids in all fields of one type, each once.
func (k *work) idsOf(t core.FieldType, values map[string]json.RawMessage) []int64 {
	var ids []int64
	for _, f := range k.schema.Collection.Fields {
		if f.Type == t {
			ids = append(ids, core.ReferenceIDs(values[f.Name])...)
		}
	}
	return distinct(ids)
}
