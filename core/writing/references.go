package writing

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/ports"
)

// resolveReferences checks that the ids in values exist in the Project, and replaces those of
// entries by their translation groups. In rich text it also replaces the addresses of files of the
// library. It replaces elements of the map and does not change their bytes. stored has the present
// values of the entry.
func (c *composer) resolveReferences(ctx context.Context, values, stored map[string]json.RawMessage, found *core.Faults) error {
	named := references(c.schema.Collection, values)
	entries, err := c.stores.Entries.Entries(ctx, c.schema.Project.ID, named.Groups)
	if err != nil {
		return err
	}
	media, err := ports.MediaShown(ctx, c.stores.Media, c.schema.Project.ID, named)
	if err != nil {
		return err
	}
	links := linkResolver{core.EntriesByID(entries), core.MediaByID(media), media, c.files}
	for _, f := range c.schema.Collection.Fields {
		raw := values[f.Name]
		if raw == nil || found.HasField(f.Name) && !f.Structured() {
			continue
		}
		var before core.References
		if f.RefersInside() {
			f.EachReference(stored[f.Name], before.Add)
		}
		values[f.Name] = f.EditValues(raw, func(inner *core.Field, at string, raw json.RawMessage) json.RawMessage {
			location := core.FieldLocation(f.Name) + at
			switch {
			case inner.HasLinks():
				return links.resolve(inner, location, raw, before, found)
			case inner.Kind() == fieldtype.Reference:
				return resolveField(inner, location, raw, found, c.targetOf(inner, &links))
			}
			return raw
		})
	}
	return nil
}

// targetOf returns the function that finds the id to store for the written id of a reference of f.
func (c *composer) targetOf(f *core.Field, links *linkResolver) func(id int64) (int64, bool) {
	if f.Type == core.TypeMedia {
		return func(id int64) (int64, bool) { return id, links.items[id] != nil }
	}
	return func(id int64) (int64, bool) {
		e := links.entries[id]
		if e == nil || !c.schema.Admits(f, e.CollectionID) {
			return 0, false
		}
		return e.Group, true
	}
}

// resolveField returns raw, a value of f at location, with each id replaced by the id to store, which
// lookUp returns.
func resolveField(f *core.Field, at string, raw json.RawMessage, found *core.Faults, lookUp func(int64) (int64, bool)) json.RawMessage {
	var stored []int64
	for i, id := range core.ReferenceIDs(raw) {
		location := at
		if f.Multiple {
			location += "[" + strconv.Itoa(i) + "]"
		}
		ref, ok := lookUp(id)
		switch {
		case !ok && f.Type == core.TypeMedia:
			found.Add(location, f.Shown(core.FormatID(id)), "no such media item")
		case !ok:
			found.Add(location, f.Shown(core.FormatID(id)), "no such entry of "+strings.Join(f.TargetSlugs(), ", "))
		case slices.Contains(stored, ref):
			found.Add(location, f.Shown(core.FormatID(id)), "is named twice")
		}
		stored = append(stored, ref)
	}
	return core.ReferenceValue(f, stored)
}

// references returns what all fields of values refer to.
func references(c *core.Collection, values map[string]json.RawMessage) (named core.References) {
	for _, f := range c.Fields {
		f.EachReference(values[f.Name], named.Add)
	}
	named.Settle()
	return named
}
