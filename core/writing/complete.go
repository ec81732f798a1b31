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
	// public says which required relations need a public target.
	public publicTargets
}

// publicTargets says which required relations of a version need a public target: those that become public
// with a write. Targets that are taken away later do not keep other fields from changing.
type publicTargets uint8

const (
	noTargets    publicTargets = iota
	namedTargets               // of the fields that the write names
	allTargets
)

// in returns the function of ports.Needs.Public for a write of the fields in written.
func (p publicTargets) in(written map[string]json.RawMessage) func(*core.Field) bool {
	switch p {
	case namedTargets:
		return func(f *core.Field) bool { _, named := written[f.Name]; return named }
	case allTargets:
		return ports.AllFields
	default:
		return nil
	}
}

func always(context.Context) (bool, error) { return true, nil }

// completeness returns what is checked of the write in, which changes before to e. A version that
// becomes public without another check must be complete, even if in allows an incomplete draft.
func (tx *transaction) completeness(ctx context.Context, before, e *core.Entry, in core.EntryWrite, intent publishIntent) (completeness, error) {
	follows := intent.kind == intentFollow && intent.version != nil
	if follows && !tx.schema.Collection.SameContent(intent.version, before.Published) {
		return completeness{doc: intent.version, draft: e.Draft, must: always, targets: true, public: namedTargets}, nil
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
		governed, err := tx.workflow.governs(ctx, e)
		if err != nil {
			return completeness{}, err
		}
		what.targets = !governed
	}
	var err error
	if what.public, err = tx.draftTargets(ctx, e, in, intent); err != nil {
		return completeness{}, err
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
		return tx.times.awaitsTime(ctx, e)
	}
	return what, nil
}

// draftTargets returns which required relations of the draft of e need a public target.
func (tx *transaction) draftTargets(ctx context.Context, e *core.Entry, in core.EntryWrite, intent publishIntent) (publicTargets, error) {
	switch {
	case intent.kind == intentPublish && (in.Version == nil || in.PublishAt != nil):
		return allTargets, nil
	case intent.kind != intentFollow || !requiresTargets(tx.schema.Collection, in.Fields.Values):
		return noTargets, nil
	}
	awaits, err := tx.times.awaitsTime(ctx, e)
	if awaits {
		return namedTargets, err
	}
	return noTargets, err
}

// requiresTargets reports whether one of values has a relation that needs targets.
func requiresTargets(c *core.Collection, values map[string]json.RawMessage) bool {
	needs := false
	for _, f := range c.Fields {
		f.EachValue(values[f.Name], func(f *core.Field, _ []byte) {
			needs = needs || f.Type == core.TypeRelation && validation.NeedsTargets(f)
		})
	}
	return needs
}

// checkOptions adds the faults of what.doc to found if they refuse the write. It skips fields that
// already have faults, places inside of items that have some, and slugs that are missing because their
// source has a fault. The targets of the fields in written exist. e is the entry; the groups that together
// selects become public with it.
func (tx *transaction) checkOptions(
	ctx context.Context, e *core.Entry, what completeness, written map[string]json.RawMessage, together func(group int64) bool, found *core.Faults,
) error {
	values := what.doc.Values()
	skip := func(f *core.Field) bool {
		_, named := written[f.Name]
		return what.named && !named || found.HasField(f.Name) && !f.Structured() ||
			f.Source != "" && f.Missing(values[f.Name]) && found.HasField(f.Source)
	}
	more, err := tx.targets().Faults(ctx, tx.schema, values, ports.Needs{
		Skip: skip,
		Exist: func(f *core.Field) bool {
			_, exists := written[f.Name]
			return exists || !what.targets
		},
		Public: what.public.in(written), Locale: e.Locale, Together: func(group int64) bool { return e.InGroup(group) || together != nil && together(group) },
	})
	if err != nil {
		return err
	}
	if len(more.List) == 0 {
		return nil
	}
	must, err := what.must(ctx)
	if must {
		earlier := core.Faults{List: found.List}
		for _, f := range inPublished(more.List, what.doc, what.draft) {
			if !earlier.Covers(f.Location) {
				found.List = append(found.List, f)
			}
		}
	}
	return err
}

// targets returns the targets that the transaction reads, for responses to its actor.
func (tx *transaction) targets() ports.Targets { return ports.TargetsIn(tx.stores, tx.actor) }

// inPublished returns the faults of public, a version that becomes public. They name it where draft, which
// editors see, has another value; nil: public is the draft.
func inPublished(faults []core.FieldError, public, draft core.Document) []core.FieldError {
	for i := range faults {
		name := core.LocatedField(faults[i].Location)
		if draft != nil && !bytes.Equal(public.Value(name), draft.Value(name)) {
			faults[i].Message += " in the published version"
		}
	}
	return faults
}

// checkPictures adds the faults of the pictures of doc, which would become public as a version of e,
// to found if a workflow governs e.
func (tx *transaction) checkPictures(ctx context.Context, e *core.Entry, doc core.Document, found *core.Faults) error {
	var more core.Faults
	validation.ForeignPictures(tx.schema.Collection, doc, tx.writer.publisher.Files, &more)
	if len(more.List) == 0 {
		return nil
	}
	governed, err := tx.workflow.governs(ctx, e)
	if governed {
		found.List = append(found.List, more.List...)
	}
	return err
}
