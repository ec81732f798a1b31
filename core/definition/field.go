package definition

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/previewurl"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// AddField appends a field. A field with the name of a removed field restores its values, which requires
// the acknowledgement. It must have its type if an entry or a past revision has a value of it. Where a workflow governs the Project, such a
// field must be hidden if the removed one was.
func (c *Collections) AddField(ctx context.Context, by Change, in FieldInput) (*core.Collection, error) {
	return c.change(ctx, by, func(ctx context.Context, stores ports.Stores, d *definition) error {
		if err := d.freeName(ctx, stores, in); err != nil {
			return err
		}
		old := d.removed(in.Name)
		d.add(in)
		return c.settle(ctx, stores, d, old, len(d.Fields)-1)
	})
}

// ReviseField replaces the options of the named field with the result of revise, which gets the
// present ones. revise may be called again when the definition changes meanwhile. The name, type,
// multiple and target collection cannot change; empty means the present value. Hiding the field
// requires the acknowledgement. Where a workflow governs the Project, a hidden field must stay hidden.
func (c *Collections) ReviseField(ctx context.Context, by Change, name string, revise func(FieldInput) FieldInput) (*core.Collection, error) {
	return c.change(ctx, by, func(ctx context.Context, stores ports.Stores, d *definition) error {
		at := slices.IndexFunc(d.Fields, func(f *core.Field) bool { return f.Name == name })
		if at < 0 {
			return core.NotFound("field")
		}
		old := d.Fields[at]
		d.Fields[at] = d.revised(old, revise(optionsOf(old)))
		if d.Fields[at].Hidden && previewurl.Names(d.PreviewURL, name) {
			d.faults.Add("hidden", true, "must stay false while previewUrl of the collection has a placeholder for the field")
		}
		return c.settle(ctx, stores, d, old, at)
	})
}

// keepHidden adds a fault when d no longer hides a field, has entries and is governed: the change
// would publish values without review. at is the index of the field; old is its previous state, nil for a
// new field.
func (c *Collections) keepHidden(ctx context.Context, stores ports.Stores, d *definition, old *core.Field, at int) error {
	now := d.Fields[at]
	if old == nil || !old.Hidden || now.Hidden {
		return nil
	}
	governed, err := publishing.Governs(ctx, stores, d.project.ID, d.Slug, 0)
	if err != nil || !governed {
		return err
	}
	unused, err := empty(ctx, stores.Entries, d)
	if err == nil && !unused {
		d.faults.Add(d.at(at)+"hidden", now.Hidden, "must stay true: no reviewer has seen the values of the field")
	}
	return err
}

func optionsOf(f *core.Field) FieldInput {
	return FieldInput{
		Name: f.Name, Label: f.Label, Type: f.Type, Required: f.Required, Unique: f.Unique, Multiple: f.Multiple,
		Hidden: f.Hidden, Min: f.Min, Max: f.Max, Pattern: f.Pattern, Choices: f.Choices, Source: f.Source,
		Collection: f.Collection, Collections: f.Collections, Component: f.Component, Components: f.Components,
		Filterable: f.Filterable, Default: f.Default, Indexed: f.Indexed, Searchable: f.Searchable,
		Help: f.Help, PatternMessage: f.PatternMessage, Style: f.Style, Path: f.Path,
	}
}

// revised returns old with the options of in.
func (d *definition) revised(old *core.Field, in FieldInput) *core.Field {
	if in.Name != "" && in.Name != old.Name {
		d.faults.Add("name", core.Clip(in.Name), "cannot be changed")
	}
	if in.Type != "" && in.Type != old.Type {
		d.faults.Add("type", core.Clip(string(in.Type)), "cannot be changed")
	}
	if in.Multiple != old.Multiple && in.Multiple {
		d.faults.Add("multiple", in.Multiple, "cannot be changed")
	}
	if in.Collection != "" && in.Collection != old.Collection {
		d.faults.Add("collection", core.Clip(in.Collection), "cannot be changed")
	}
	if len(in.Collections) > 0 && old.Type == core.TypeRelation && !old.ToSeveral() {
		d.faults.Add("collections", nil, "cannot be given: the field stays a relation to the collection "+old.Collection)
		in.Collections = nil
	}
	if in.Component != "" && in.Component != old.Component {
		d.faults.Add("component", core.Clip(in.Component), "cannot be changed")
	}
	in.Name, in.Type, in.Multiple, in.Collection, in.Component = old.Name, old.Type, old.Multiple, old.Collection, old.Component
	f := newField(in)
	f.Former = formerSlugs(old, f)
	f.ID, f.Slot, f.SlotReady, f.SearchReady = old.ID, old.Slot, old.SlotReady, old.SearchReady
	return f
}

// formerSlugs returns Field.Former of the state now of a field.
func formerSlugs(old, now *core.Field) (former []string) {
	for _, slug := range slices.Concat(old.Former, old.Components, old.Collections) {
		if !slices.Contains(now.Components, slug) && !slices.Contains(now.Collections, slug) && !slices.Contains(former, slug) {
			former = append(former, slug)
		}
	}
	return former
}

// RemoveField removes a field from the definition. Its values stay in the entries but are not
// shown. It requires the acknowledgement, and returns core.ErrConflict while a slug is made from the field,
// or the preview URL needs it.
func (c *Collections) RemoveField(ctx context.Context, by Change, name string) (*core.Collection, error) {
	return c.change(ctx, by, func(_ context.Context, _ ports.Stores, d *definition) error {
		return d.remove(name)
	})
}

// remove moves a field to the removed ones.
func (d *definition) remove(name string) error {
	f := d.Field(name)
	if f == nil {
		return core.NotFound("field")
	}
	for _, other := range d.Fields {
		if other.Source == name {
			return core.Conflict("field_in_use", "%s is made from the field", other.Name)
		}
	}
	if previewurl.Names(d.PreviewURL, name) {
		return core.Conflict("preview_needs_field", "previewUrl of the collection has a placeholder for the field")
	}
	d.Fields = slices.DeleteFunc(d.Fields, func(other *core.Field) bool { return other == f })
	f.Slot, f.SlotReady, f.SearchReady = "", false, false
	d.Removed = append(d.Removed, f)
	return nil
}

// settle returns the faults of the definition, or assigns slots to its fields if it has none. at is
// the index of the field that changed; old is its previous state, nil for a new field.
func (c *Collections) settle(ctx context.Context, stores ports.Stores, d *definition, old *core.Field, at int) error {
	d.check(at)
	if err := c.keepHidden(ctx, stores, d, old, at); err != nil {
		return err
	}
	return d.assign(ctx, stores)
}

// assign returns the faults of the definition, or assigns slots to its fields if it has none.
func (d *definition) assign(ctx context.Context, stores ports.Stores) error {
	if err := d.faults.Err(); err != nil {
		return err
	}
	ready, err := empty(ctx, stores.Entries, d)
	if err != nil {
		return err
	}
	d.assignSlots(ready)
	return d.faults.Err()
}
