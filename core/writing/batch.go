package writing

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/slug"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

var _ ports.BatchWriter = (*Writer)(nil)

// Value implements ports.BatchWriter.
func (w *Writer) Value(f *core.Field, raw json.RawMessage) (value json.RawMessage, fault string) {
	var found core.Faults
	value = validation.Canonical(f, raw, &found)
	if len(found.List) > 0 {
		return nil, found.List[0].Message
	}
	return value, ""
}

// Check implements ports.BatchWriter.
func (w *Writer) Check(ctx context.Context, c *core.Collection, fields map[string]json.RawMessage) (core.WrittenFields, error) {
	return checkFields(ctx, w.hasher, core.SystemActor, c, core.WrittenFields{Raw: fields}, nil)
}

// WriteBatch implements ports.BatchWriter.
func (w *Writer) WriteBatch(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID int64,
	do func(ctx context.Context, batch ports.Batch) error,
) error {
	return transact(ctx, w.tx.DoAlone, actor, func(ctx context.Context, stores ports.Stores, alone bool) error {
		entries := newBuffer(stores.Entries)
		stores.Entries = entries
		tx, err := w.begin(ctx, stores, actor, project, collectionID, alone)
		if err != nil {
			return err
		}
		if tx.schema.Collection.Singleton && !alone { // before the lines take locks
			return errNotAlone
		}
		entries.schema = tx.schema
		if err := do(ctx, &batch{tx: tx, entries: entries}); err != nil {
			return err
		}
		return entries.flush(ctx)
	})
}

// batch implements ports.Batch.
type batch struct {
	tx      *transaction
	entries *buffer
}

func (b *batch) Schema() core.Schema  { return b.tx.schema }
func (b *batch) Stores() ports.Stores { return b.tx.stores }

// Expect implements ports.Batch.
func (b *batch) Expect(ctx context.Context, writes []core.EntryWrite, created int) error {
	b.entries.expected += created
	values := map[string][]core.UniqueValue{} // by locale
	for _, w := range writes {
		if locale := localeOf(b.tx.schema.Project, w.Locale); locale != "" {
			values[locale] = append(values[locale], foreseen(b.tx.schema.Collection, locale, w.Fields.Values)...)
		}
	}
	for _, locale := range slices.Sorted(maps.Keys(values)) {
		if _, err := b.entries.Holders(ctx, b.tx.schema, []string{locale}, values[locale]); err != nil {
			return err
		}
	}
	return nil
}

// Promise implements ports.Batch.
func (b *batch) Promise(ids ...int64) {
	for _, id := range ids {
		b.entries.promised[id] = true
	}
}

// Create implements ports.Batch.
func (b *batch) Create(ctx context.Context, w core.EntryWrite) (core.Entry, error) {
	b.entries.founder = w.ID
	return b.Revise(ctx, core.Entry{}, w)
}

// Revise implements ports.Batch.
func (b *batch) Revise(ctx context.Context, e core.Entry, w core.EntryWrite) (core.Entry, error) {
	_, err := b.tx.write(ctx, &e, request{w, fromBatch})
	return e, err
}

// foreseen returns the unique values that a new entry in locale with values will have, including generated
// slugs.
func foreseen(c *core.Collection, locale string, values map[string]json.RawMessage) []core.UniqueValue {
	held := map[string]json.RawMessage{}
	for name, value := range values {
		if value != nil {
			held[name] = value
		}
	}
	for _, f := range c.Fields {
		if f.Type == core.TypeSlug && f.Unique && f.Source != "" && f.Missing(held[f.Name]) {
			if base := f.DeriveSlug(unquote(held[f.Source]), locale); base != "" {
				held[f.Name] = canonical.Quote(slug.Numbered(base, 1, f.MaxSlug()))
			}
		}
	}
	return c.UniqueValues(core.NewDocument(held))
}
