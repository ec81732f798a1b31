package writing

import (
	"bytes"
	"context"
	"encoding/json"

	"imprimatur/core"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// completeness says which options of its fields a write must meet.
type completeness struct {
	// doc is the version to check: the one that becomes public, or else the draft.
	doc core.Document
	// draft is the draft if doc is another version.
	draft core.Document
	// named says that only the fields that the write names are checked.
	named bool
	// must reports whether a fault refuses the write.
	must func(ctx context.Context) (bool, error)
	// targets says that stored references without a target count as missing. It is false for
	// drafts that are checked again before they become public, to save store calls.
	targets bool
}

func always(context.Context) (bool, error) { return true, nil }

// completeness returns what is checked of the write in, which changes before to e. A version that
// becomes public without another check must be complete, even if in allows an incomplete draft.
func (k *work) completeness(ctx context.Context, before, e *core.Entry, in input, intent publishIntent) (completeness, error) {
	follows := intent.kind == intentFollow && intent.version != nil
	if follows && !k.schema.Collection.SameContent(intent.version, before.Published) {
		return completeness{doc: intent.version, draft: e.Draft, must: always, targets: true}, nil
	}
	what := completeness{doc: e.Draft, targets: !in.AllowIncomplete || intent.kind == intentPublish}
	switch intent.kind {
	case intentFollow, intentKeep:
		// A write that changes nothing, or that only reverts named fields to what readers see, is
		// not refused because of other fields.
		what.named = follows || string(e.Draft) == string(before.Draft)
	case intentWithdraw:
		// An entry can be unpublished even if its draft lacks a value that became required.
		what.named = e.ID != 0
	}
	if !what.targets && intent.kind == intentFollow && e.Published != nil {
		governed, err := k.governs(ctx, e)
		if err != nil {
			return completeness{}, err
		}
		what.targets = !governed
	}
	what.must = func(ctx context.Context) (bool, error) {
		switch {
		case !in.AllowIncomplete:
			return true, nil
		case intent.kind == intentPublish:
			// in.Version becomes public instead of the draft, until PublishAt.
			return in.Version == nil || in.PublishAt != nil, nil
		case intent.kind != intentFollow:
			return false, nil
		}
		// A scheduled draft becomes public, but an approved request publishes its snapshot.
		p, err := k.due(ctx, e, core.SchedulePublish)
		return !p.DueAt.IsZero() && p.RequestID == 0, err
	}
	return what, nil
}

// checkOptions adds the faults of what.doc to found if they refuse the write. It skips fields that
// already have faults, places inside of items that have some, and slugs that are missing because their
// source has a fault. The targets of the fields in written exist.
func (k *work) checkOptions(ctx context.Context, what completeness, written map[string]json.RawMessage, found *core.Faults) (err error) {
	values := what.doc.Values()
	skip := func(f *core.Field) bool {
		_, named := written[f.Name]
		return what.named && !named || found.HasField(f.Name) && !f.Structured() ||
			f.Source != "" && f.Missing(values[f.Name]) && found.HasField(f.Source)
	}
	doc := values
	if what.targets {
		doc, err = ports.TargetsIn(k.stores).Existing(ctx, k.schema, values, func(f *core.Field) bool {
			_, exists := written[f.Name]
			return exists || skip(f)
		})
		if err != nil {
			return err
		}
	}
	more := validation.Document(k.schema.Collection, doc, skip)
	if len(more.List) == 0 {
		return nil
	}
	must, err := what.must(ctx)
	if must {
		earlier := core.Faults{List: found.List}
		for _, f := range more.List {
			if earlier.Covers(f.Location) {
				continue
			}
			name := core.LocatedField(f.Location)
			if what.draft != nil && !bytes.Equal(what.doc.Value(name), what.draft.Value(name)) {
				f.Message += " in the published version" // the fault is not in the draft that editors see
			}
			found.Add(f.Location, f.Value, f.Message)
		}
	}
	return err
}

// checkPictures adds the faults of the pictures of doc, which would become public as a version of e,
// to found if a workflow governs e.
func (k *work) checkPictures(ctx context.Context, e *core.Entry, doc core.Document, found *core.Faults) error {
	var more core.Faults
	validation.ForeignPictures(k.schema.Collection, doc, k.files, &more)
	if len(more.List) == 0 {
		return nil
	}
	governed, err := k.governs(ctx, e)
	if governed {
		found.List = append(found.List, more.List...)
	}
	return err
}
