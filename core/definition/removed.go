package definition

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/ports"
)

// maxHistories is the largest number of entries whose past revisions a change of a definition reads. It
// limits for how long no other transaction can write an entry of the Project.
const maxHistories = 2000

// sameValues reports whether f can have the values of old.
func sameValues(old, f *core.Field) bool {
	return old.Type == f.Type && old.Multiple == f.Multiple && old.Collection == f.Collection &&
		old.Component == f.Component && old.ToSeveral() == f.ToSeveral()
}

// shapeOf returns the type of a field with what else its values depend on, such as "relation to people, multiple".
func shapeOf(f *core.Field) string {
	shape := string(f.Type)
	switch {
	case f.ToSeveral():
		shape += " to several collections"
	case f.Collection != "":
		shape += " to " + f.Collection
	case f.Component != "":
		shape += " of " + f.Component
	}
	if f.Multiple && f.Type != core.TypeBlocks {
		shape += ", multiple"
	}
	return shape
}

// freeName forgets the removed field with the name of in if the new field cannot have its values, and no
// entry has one. A field that was removed while it was hidden keeps its name from fields that are not:
// reviews of the past would show what was hidden.
func (d *definition) freeName(ctx context.Context, stores ports.Stores, in FieldInput) error {
	f := newField(in)
	old := d.removed(f.Name)
	if old == nil || sameValues(old, f) || old.Hidden && !f.Hidden {
		return nil
	}
	s := valueSearch{stores: stores, has: func(fields core.Document) bool { return HasMember(fields, f.Name) }}
	among := []*core.Collection{d.Collection}
	if d.component {
		s.has = func(fields core.Document) bool { return HasInItems(fields, d.Key(), f.Name) }
		among = d.others
	}
	used, err := s.in(ctx, among...)
	if err == nil && !used {
		d.Removed = slices.DeleteFunc(d.Removed, func(other *core.Field) bool { return other == old })
	}
	return err
}

// valueSearch searches entries for values of a removed field.
type valueSearch struct {
	stores    ports.Stores
	has       func(fields core.Document) bool // whether a version of an entry has a value of the field
	histories int                             // the number of entries whose past revisions were read
}

// in reports whether an entry of the collections has a value, the trash and past revisions included. It
// also reports true after maxHistories entries with past revisions.
func (s *valueSearch) in(ctx context.Context, collections ...*core.Collection) (bool, error) {
	for _, c := range collections {
		for after := int64(0); ; {
			entries, err := s.stores.Entries.Walk(ctx, c.ProjectID, c.ID, after, reindexBatch)
			if err != nil {
				return false, err
			}
			if len(entries) == 0 {
				break
			}
			after = entries[len(entries)-1].ID
			for i := range entries {
				if used, err := s.of(ctx, c, &entries[i]); err != nil || used {
					return used, err
				}
			}
		}
	}
	return false, nil
}

// of reports whether a version of e has a value.
func (s *valueSearch) of(ctx context.Context, c *core.Collection, e *core.Entry) (used bool, err error) {
	if s.has(e.Draft) || s.has(e.Published) {
		return true, nil
	}
	if e.Revision == nil {
		return false, nil
	}
	newest, err := core.DecodeRevision(e.Revision)
	if err != nil || newest.Number == 1 {
		return false, err
	}
	if s.histories++; s.histories > maxHistories {
		return true, nil
	}
	err = ports.EachRevision(ctx, s.stores.Revisions, c, e, 0, func(r core.PastRevision) { used = used || s.has(r.Fields) })
	return used, err
}

// HasMember reports whether an object has a value of that name.
func HasMember(object core.Document, name string) bool {
	value := object.Value(name)
	return value != nil && string(value) != "null"
}

// HasInItems reports whether fields have an item of the component of that key, at any depth, with a value of that name.
// Items of groups do not name their component: each of them counts.
func HasInItems(fields core.Document, component, name string) bool {
	if !bytes.Contains(fields, append(canonical.Quote(name), ':')) {
		return false
	}
	var values map[string]any
	if json.Unmarshal(fields, &values) != nil {
		return true
	}
	for _, value := range values {
		if itemHas(value, component, name) {
			return true
		}
	}
	return false
}

func itemHas(value any, component, name string) bool {
	inside := func(value any) bool { return itemHas(value, component, name) }
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, inside)
	case map[string]any:
		of, named := value[core.ItemType]
		if value[name] != nil && (!named || of == component) {
			return true
		}
		for _, inner := range value {
			if inside(inner) {
				return true
			}
		}
	}
	return false
}
