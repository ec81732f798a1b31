package ports

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/core/validation"
)

// Targets reads the targets of references, to check stored documents.
type Targets struct {
	Entries interface {
		// Translations is that of EntryStore.
		Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error)
	}
	Media MediaReader
}

// TargetsIn returns the Targets of stores.
func TargetsIn(stores Stores) Targets { return Targets{stores.Entries, stores.Media} }

// Faults returns the faults that prevent the publication of a stored document.
func (t Targets) Faults(ctx context.Context, schema core.Schema, doc core.Document) (core.Faults, error) {
	values, err := t.Existing(ctx, schema, doc.Values(), nil)
	return validation.Document(schema.Collection, values, nil), err
}

// Existing returns stored values without the references whose targets no longer exist or are of a
// collection that the relation no longer admits, in the
// fields for which validation.NeedsTargets is true and which skip does not select; nil selects
// none, also inside items. A target in the trash exists. It takes at most two store calls, and none without such
// references.
func (t Targets) Existing(
	ctx context.Context, schema core.Schema, values map[string]json.RawMessage, skip func(f *core.Field) bool,
) (map[string]json.RawMessage, error) {
	ids, fields := map[core.FieldType][]int64{}, []*core.Field(nil)
	for _, f := range schema.Collection.Fields {
		if values[f.Name] == nil || skip != nil && skip(f) {
			continue
		}
		needs := false
		f.EachValue(values[f.Name], func(f *core.Field, raw []byte) {
			if validation.NeedsTargets(f) {
				ids[f.Type] = append(ids[f.Type], core.ReferenceIDs(raw)...)
				needs = true
			}
		})
		if needs {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return values, nil
	}
	members, err := t.Entries.Translations(ctx, schema.Project.ID, core.Distinct(ids[core.TypeRelation])...)
	if err != nil {
		return nil, err
	}
	media, err := MediaOf(ctx, t.Media, schema.Project.ID, core.Distinct(ids[core.TypeMedia]))
	if err != nil {
		return nil, err
	}
	groups, items := core.EntriesByGroup(members), core.MediaByID(media)
	values = maps.Clone(values)
	for _, f := range fields {
		existing := f.EditValues(values[f.Name], func(f *core.Field, _ string, raw json.RawMessage) json.RawMessage {
			if !validation.NeedsTargets(f) {
				return raw
			}
			left := slices.DeleteFunc(core.ReferenceIDs(raw), func(id int64) bool {
				if f.Type == core.TypeMedia {
					return items[id] == nil
				}
				return groups[id] == nil || f.ToSeveral() && !schema.Admits(f, groups[id].CollectionID)
			})
			if len(left) == 0 {
				return nil
			}
			return core.ReferenceValue(f, left)
		})
		if values[f.Name] = existing; existing == nil {
			delete(values, f.Name)
		}
	}
	return values, nil
}
