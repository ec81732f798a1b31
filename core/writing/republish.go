package writing

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Republish returns the fields of a past publication of e as a version that may become public again, as
// RestoreRevision makes those of a revision the draft: passwords and hidden values are those of the draft. dropped
// names the fields that no longer exist. found has the faults of values and references, but not those of options
// and of unique values. It changes nothing.
func (w *Writer) Republish(
	ctx context.Context, stores ports.Stores, actor core.Actor, schema core.Schema, e *core.Entry, fields core.Document,
) (doc core.Document, dropped []string, found core.Faults, err error) {
	tx := &transaction{writer: w, stores: stores, versions: w.publisher.In(stores, schema, actor.Ref()), actor: actor, schema: schema}
	values := fields.Values()
	written, err := tx.restored(ctx, values)
	if err != nil {
		return nil, nil, found, err
	}
	checked, err := checkFields(ctx, w.hasher, actor, schema.Collection, core.WrittenFields{Raw: written}, e.Draft)
	if err != nil {
		return nil, nil, found, err
	}
	version := *e
	found.List = slices.Clone(checked.Faults)
	_, err = tx.compose(ctx, &version, tx.valuesOf(e.Draft), checked, &found)
	return version.Draft, tx.dropped(values), found, err
}
