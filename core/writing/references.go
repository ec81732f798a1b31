package writing

import (
	"context"
	"encoding/json"
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
	links := linkResolver{core.EntriesByID(entries), core.MediaByID(media), media, k.files}
	for _, f := range k.schema.Collection.Fields {
		raw := values[f.Name]
		switch {
		case raw == nil || found.HasField(f.Name):
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
		location := core.FieldLocation(f.Name)
		if f.Multiple {
			location = core.ElementLocation(f.Name, i)
		}
		ref, ok := lookUp(id)
		switch {
		case !ok && f.Type == core.TypeMedia:
			found.Add(location, f.Shown(core.FormatID(id)), "no such media item")
		case !ok:
			found.Add(location, f.Shown(core.FormatID(id)), "no such entry of "+f.Collection)
		case slices.Contains(stored, ref):
			found.Add(location, f.Shown(core.FormatID(id)), "is named twice")
		}
		stored = append(stored, ref)
	}
	return core.ReferenceValue(f, stored)
}

// references returns what all fields of values refer to.
func (k *work) references(values map[string]json.RawMessage) (named core.References) {
	for _, f := range k.schema.Collection.Fields {
		f.EachReference(values[f.Name], named.Add)
	}
	named.Settle()
	return named
}
