package content

import (
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
)

// resolveReferences checks that the ids in values exist in the Project, and replaces those of
// relations by their translation groups. It replaces elements of values and does not change
// their bytes.
func (k *work) resolveReferences(ctx context.Context, values map[string]json.RawMessage, found *core.Faults) error {
	entries, err := k.entriesNamed(ctx, values)
	if err != nil {
		return err
	}
	media, err := k.mediaNamed(ctx, values)
	if err != nil {
		return err
	}
	for _, f := range k.schema.Collection.Fields {
		raw := values[f.Name]
		if f.Kind() != core.ValueReference || raw == nil || hasFault(found, f.Name) {
			continue
		}
		target := k.schema.Target(f)
		values[f.Name] = resolveField(f, raw, found, func(id int64) (int64, bool) {
			if f.Type == core.TypeMedia {
				return id, slices.Contains(media, id)
			}
			e, ok := entries[id]
			return e.Group, ok && target != nil && e.CollectionID == target.ID
		})
	}
	return nil
}

// resolveField replaces each id in raw by the id that is stored.
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

// entriesNamed returns the entries of the Project that relations in values name.
func (k *work) entriesNamed(ctx context.Context, values map[string]json.RawMessage) (map[int64]core.Entry, error) {
	ids := k.idsOf(core.TypeRelation, values)
	if len(ids) == 0 {
		return nil, nil
	}
	entries, err := k.stores.Entries.Entries(ctx, k.schema.Project.ID, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]core.Entry, len(entries))
	for _, e := range entries {
		byID[e.ID] = e
	}
	return byID, nil
}

// mediaNamed returns the ids in media fields of values that the Project has.
func (k *work) mediaNamed(ctx context.Context, values map[string]json.RawMessage) ([]int64, error) {
	ids := k.idsOf(core.TypeMedia, values)
	if len(ids) == 0 {
		return nil, nil
	}
	items, err := k.stores.Media.MediaByIDs(ctx, k.schema.Project.ID, ids)
	if err != nil {
		return nil, err
	}
	known := make([]int64, len(items))
	for i, item := range items {
		known[i] = item.ID
	}
	return known, nil
}

// idsOf returns the ids in all fields of one type, each once.
func (k *work) idsOf(t core.FieldType, values map[string]json.RawMessage) []int64 {
	var ids []int64
	for _, f := range k.schema.Collection.Fields {
		if f.Type == t {
			ids = append(ids, core.ReferenceIDs(values[f.Name])...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
