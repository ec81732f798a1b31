package writing

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// RestoreRevision makes the content of a revision the draft, as a new revision. Passwords and the
// published version do not change. The draft may be incomplete. core.ErrInvalid has all faults, including targets of
// references that no longer exist. Dropped of the result names the fields that no longer
// exist. It returns core.ErrNotFound also when the entry has no such revision.
func (w *Writer) RestoreRevision(
	ctx context.Context, actor core.Actor, ref review.EntryRef, number int64, ifMatch *core.EntryTag,
) (*core.Written, error) {
	return w.change(ctx, actor, ref, ifMatch, live, restoreRevision(number))
}

// restoreRevision makes the content of a revision the draft of an entry.
func restoreRevision(number int64) operation {
	return func(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error) {
		revisions, err := ports.PastRevisions(ctx, tx.stores.Revisions, tx.schema.Collection, e, number)
		if err != nil {
			return nil, err
		}
		values := revisions[0].Fields.Values()
		fields, err := tx.restored(ctx, values)
		if err != nil {
			return nil, err
		}
		in := request{EntryWrite: core.EntryWrite{AllowIncomplete: true, KeepPublished: true}, from: fromRevision}
		if in.Fields, err = checkFields(ctx, tx.writer.hasher, tx.actor, tx.schema.Collection, core.WrittenFields{Raw: fields}, e.Draft); err != nil {
			return nil, err
		}
		written, err := tx.write(ctx, e, in)
		if err != nil {
			return nil, err
		}
		written.Dropped = unknownIn(tx.schema.Collection, values)
		return written, nil
	}
}

// restored returns the values of a revision as a write of all fields except hidden ones and passwords. Stored
// references to entries are translation groups, but a write names an entry of the group.
func (c *composer) restored(ctx context.Context, values map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	members, err := c.groupMembers(ctx, values)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	for _, f := range c.schema.Collection.Fields {
		value := values[f.Name]
		switch {
		case f.Secret(): // no comparison of revisions shows it
			continue
		case value == nil && f.Multiple:
			value = json.RawMessage("[]") // null would remove withheld items, too
		case value == nil:
			value = json.RawMessage("null")
		default:
			value = f.EditValues(f.AsWritten(value), func(f *core.Field, _ string, raw json.RawMessage) json.RawMessage {
				return restoredValue(f, raw, members)
			})
		}
		fields[f.Name] = value
	}
	return fields, nil
}

// restoredValue returns a stored value with entries of members in the place of translation groups.
func restoredValue(f *core.Field, value json.RawMessage, members map[groupIn]int64) json.RawMessage {
	switch {
	case f.Type == core.TypeRelation:
		ids := core.ReferenceIDs(value)
		for i, group := range ids {
			// Of a relation to several, an entry that is no longer admitted stays a fault.
			if id, ok := members[groupIn{group, f.Collection}]; ok {
				ids[i] = id
			}
		}
		return core.ReferenceValue(f, ids)
	case f.HasLinks():
		return f.EditLinks(value, func(_ string, l *core.Link) {
			if id, ok := members[groupIn{l.ID, ""}]; ok && l.Target == core.ToGroup {
				l.PointTo(core.ToGroup, id)
			}
		})
	}
	return value
}

// groupIn is a translation group and the slug of its collection; "": any.
type groupIn struct {
	group      int64
	collection string
}

// groupMembers returns the id of one entry of each group that values name.
func (c *composer) groupMembers(ctx context.Context, values map[string]json.RawMessage) (map[groupIn]int64, error) {
	entries, err := c.stores.Entries.Translations(ctx, c.schema.Project.ID, references(c.schema.Collection, values).Groups...)
	if err != nil {
		return nil, err
	}
	members := map[groupIn]int64{}
	for i := range entries {
		if c := c.schema.ByID(entries[i].CollectionID); c != nil {
			members[groupIn{entries[i].Group, c.Slug}] = entries[i].ID
		}
		members[groupIn{entries[i].Group, ""}] = entries[i].ID
	}
	return members, nil
}

// unknownIn returns the names in values that are no field of the collection, without the names of
// secret fields, and the places in items that are no field of their component.
func unknownIn(c *core.Collection, values map[string]json.RawMessage) []string {
	var gone []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f := c.Field(name)
		if f == nil {
			gone = append(gone, name)
			continue
		}
		for _, place := range f.WithheldPlaces(values[name]) {
			gone = append(gone, name+place)
		}
	}
	return c.WithoutSecrets(gone)
}
