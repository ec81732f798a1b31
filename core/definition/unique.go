package definition

import (
	"context"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/ports"
)

// reindexBatch is the number of entries that one call indexes.
const reindexBatch = 200

// claimUnique claims the values of existing entries for the fields that were not unique in before.
// It returns core.ErrInvalid when two entries share a value.
func claimUnique(ctx context.Context, entries ports.EntryStore, schema core.Schema, before core.Collection) error {
	fresh := slices.DeleteFunc(slices.Clone(schema.Collection.Fields), func(f *core.Field) bool {
		old := before.Field(f.Name)
		// No entry has a value of a new field.
		return !f.Unique || f.ID >= before.NextFieldID || old != nil && old.Unique
	})
	if len(fresh) == 0 {
		return nil
	}
	if err := refuseShared(ctx, entries, schema, fresh); err != nil {
		return err
	}
	return reindex(ctx, entries, schema)
}

// reindex indexes all entries of a collection, in the transaction of the change of its definition.
func reindex(ctx context.Context, entries ports.EntryStore, schema core.Schema) error {
	for after := int64(0); ; {
		last, err := entries.Reindex(ctx, schema, after, reindexBatch)
		if err != nil || last == 0 {
			return err
		}
		after = last
	}
}

// refuseShared returns core.ErrInvalid when two entries of one locale share a value of one of
// fields.
func refuseShared(ctx context.Context, entryStore ports.EntryStore, schema core.Schema, fields []*core.Field) error {
	type claim struct {
		field         int
		locale, value string
	}
	holders := map[claim]int64{}
	for after := int64(0); ; {
		entries, err := entryStore.Walk(ctx, schema.Project.ID, schema.Collection.ID, after, reindexBatch)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			after = e.ID
			if e.Trashed() {
				continue
			}
			for _, doc := range []core.Document{e.Draft, e.Published} {
				values := doc.Values()
				for _, f := range fields {
					if f.Missing(values[f.Name]) {
						continue
					}
					value := claim{f.ID, e.Locale, string(values[f.Name])}
					if holder, held := holders[value]; held && holder != e.ID {
						return core.Invalid(core.FieldError{
							Location: "unique",
							Message:  "the entries " + strconv.FormatInt(holder, 10) + " and " + strconv.FormatInt(e.ID, 10) + " share a value",
						})
					}
					holders[value] = e.ID
				}
			}
		}
	}
}
