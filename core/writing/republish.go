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
	made := composer{stores, schema, w.publisher.Files}
	values := fields.Values()
	written, err := made.restored(ctx, values)
	if err != nil {
		return nil, nil, found, err
	}
	checked, err := checkFields(ctx, w.hasher, actor, schema.Collection, core.WrittenFields{Raw: written}, e.Draft)
	if err != nil {
		return nil, nil, found, err
	}
	version := *e
	found.List = slices.Clone(checked.Faults)
	_, err = made.compose(ctx, &version, valuesOf(schema.Collection, e.Draft), checked, &found)
	return version.Draft, unknownIn(schema.Collection, values), found, err
}
