package content

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// resolveReferences checks that the ids in values exist in the Project, and replaces those of
// entries by their translation groups. In rich text it also replaces the addresses of files of the
// library. It replaces elements of the map and does not change their bytes. stored has the present
// values of the entry.
func (k *work) resolveReferences(ctx context.Context, values, stored map[string]json.RawMessage, found *core.Faults) error {
	named := k.references(values)
	entries, err := k.stores.Entries.Entries(ctx, k.schema.Project.ID, named.Groups)
	if err != nil {
		return err
	}
	media, err := ports.MediaShown(ctx, k.stores.Media, k.schema.Project.ID, named)
	if err != nil {
		return err
	}
	links := linkResolver{byID(entries, entryID), byID(media, mediaID), media, k.files}
	for _, f := range k.schema.Collection.Fields {
		raw := values[f.Name]
		switch {
		case raw == nil || hasFault(found, f.Name):
		case f.HasLinks():
			values[f.Name] = links.resolve(f, raw, stored[f.Name], found)
		case f.Kind() == core.ValueReference:
			values[f.Name] = resolveField(f, raw, found, func(id int64) (int64, bool) {
				if f.Type == core.TypeMedia {
					return id, links.items[id] != nil
				}
				e, target := links.entries[id], k.schema.Target(f)
				if e == nil || target == nil || e.CollectionID != target.ID {
					return 0, false
				}
				return e.Group, true
			})
		}
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

// needsTargets reports whether a reference field f needs targets before an entry can be published.
func needsTargets(f *core.Field) bool {
	return f.Kind() == core.ValueReference && (f.Required || f.Min != nil)
}

// withTargets returns stored values without the references whose targets no longer exist, in the
// fields for which needsTargets is true and which skip does not select; nil selects none. A target
// in the trash exists. It takes at most two store calls, and none without such references.
func withTargets(
	ctx context.Context, stores ports.Stores, schema core.Schema, values map[string]json.RawMessage, skip func(f *core.Field) bool,
) (map[string]json.RawMessage, error) {
	ids, fields := map[core.FieldType][]int64{}, []*core.Field(nil)
	for _, f := range schema.Collection.Fields {
		if needsTargets(f) && values[f.Name] != nil && (skip == nil || !skip(f)) {
			ids[f.Type] = append(ids[f.Type], core.ReferenceIDs(values[f.Name])...)
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return values, nil
	}
	members, err := stores.Entries.Translations(ctx, schema.Project.ID, distinct(ids[core.TypeRelation])...)
	if err != nil {
		return nil, err
	}
	media, err := ports.MediaOf(ctx, stores.Media, schema.Project.ID, distinct(ids[core.TypeMedia]))
	if err != nil {
		return nil, err
	}
	groups, items := byID(members, groupID), byID(media, mediaID)
	values = maps.Clone(values)
	for _, f := range fields {
		left := slices.DeleteFunc(core.ReferenceIDs(values[f.Name]), func(id int64) bool {
			return groups[id] == nil && f.Type == core.TypeRelation || items[id] == nil && f.Type == core.TypeMedia
		})
		if values[f.Name] = core.ReferenceValue(f, left); len(left) == 0 {
			delete(values, f.Name)
		}
	}
	return values, nil
}

// references returns what all fields of values refer to.
func (k *work) references(values map[string]json.RawMessage) (named core.References) {
	for _, f := range k.schema.Collection.Fields {
		f.EachReference(values[f.Name], named.Add)
	}
	named.Settle()
	return named
}
