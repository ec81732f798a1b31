package definition

import (
	"context"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/ports"
)

// Within returns Collections whose changes belong to the transaction of stores, which has locked the
// Project. Their calls start no transaction of their own, and their back-fills are not queued: the caller
// calls Queue after the commit.
func (c *Collections) Within(stores ports.Stores) *Collections {
	return &Collections{
		collections: stores.Collections, components: stores.Components, projects: stores.Projects, tenants: stores.Tenants,
		localeFills: stores.LocaleFills, deletions: stores.Deletions, tx: joined{stores}, approval: c.approval, clock: c.clock,
	}
}

// Queue adds the collections that need it to the back-fills of this process.
func (c *Collections) Queue(collections []*core.Collection) {
	for _, collection := range collections {
		c.fills.add(collection)
	}
}

// joined is a ports.Tx inside of a transaction.
type joined struct{ stores ports.Stores }

// Do implements ports.Tx.
func (j joined) Do(ctx context.Context, _ core.Actor, do func(context.Context, ports.Stores) error) error {
	return do(ctx, j.stores)
}

// DoAlone implements ports.Tx.
func (j joined) DoAlone(ctx context.Context, _ core.Actor, do func(context.Context, ports.Stores) error) error {
	return do(ctx, j.stores)
}

// InputOf returns the input that defines f.
func InputOf(f *core.Field) FieldInput {
	in := optionsOf(f)
	if in.Label == in.Name {
		in.Label = ""
	}
	return in
}

// Normal returns in as the definition of a field would give it back, without a check and with its Default as it is.
func Normal(in FieldInput) FieldInput { return InputOf(newField(in)) }

// FieldOf returns the field that in describes, as values can be checked by it, without a check and an id.
func FieldOf(in FieldInput) *core.Field { return newField(in) }

// Shaped reports whether the fields have the same type, multiple and target, which never change.
func Shaped(a, b FieldInput) bool { return sameValues(newField(a), newField(b)) }

// Reshape makes a collection what in defines, in one change: fields that in does not have are removed, new
// ones are added, and the fields get the order of in. in has the slug of the collection, and fields of the
// same name must have the same shape (Shaped).
func (c *Collections) Reshape(ctx context.Context, by Change, in CollectionInput) (*core.Collection, error) {
	return c.change(ctx, by, func(ctx context.Context, stores ports.Stores, d *definition) error {
		d.only = -1
		if err := d.set(ctx, stores.Entries, in); err != nil {
			return err
		}
		before, err := d.reshape(ctx, stores, in.Fields)
		if err != nil {
			return err
		}
		d.preview(in.PreviewURL)
		for i, old := range before {
			if err := c.keepHidden(ctx, stores, d, old, i); err != nil {
				return err
			}
		}
		return d.assign(ctx, stores)
	})
}

// Reshape is Collections.Reshape for a component.
func (c *Components) Reshape(ctx context.Context, by ComponentChange, in CollectionInput) (*core.Component, error) {
	return c.change(ctx, by, func(ctx context.Context, stores ports.Stores, d *definition) error {
		d.describe(in.Name, in.Description)
		_, err := d.reshape(ctx, stores, in.Fields)
		return err
	})
}

// reshape gives d the fields and checks them. It returns the previous state of each field, removed ones
// included; nil for a new field.
func (d *definition) reshape(ctx context.Context, stores ports.Stores, fields []FieldInput) (before []*core.Field, err error) {
	d.Removed = slices.Clone(d.Removed)
	were := d.Fields
	d.Fields = nil
	for _, f := range were {
		if !slices.ContainsFunc(fields, func(in FieldInput) bool { return in.Name == f.Name }) {
			removed := *f
			removed.Slot, removed.SlotReady, removed.SearchReady = "", false, false
			d.Removed = append(d.Removed, &removed)
		}
	}
	for i, in := range fields {
		reported := len(d.faults.List)
		at := slices.IndexFunc(were, func(f *core.Field) bool { return f.Name == in.Name })
		twice := slices.ContainsFunc(fields[:i], func(other FieldInput) bool { return other.Name == in.Name })
		if at >= 0 && !twice {
			before = append(before, were[at])
			d.Fields = append(d.Fields, d.revised(were[at], in))
		} else {
			if err := d.freeName(ctx, stores, in); err != nil {
				return nil, err
			}
			before = append(before, d.removed(in.Name))
			d.add(in)
		}
		for j := reported; j < len(d.faults.List); j++ {
			d.faults.List[j].Location = "fields[" + strconv.Itoa(i) + "]." + d.faults.List[j].Location
		}
	}
	d.check(-1)
	return before, nil
}
