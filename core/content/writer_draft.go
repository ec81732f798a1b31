package content

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
)

// prepare checks the values alone, before the transaction. It also hashes passwords, which
// takes too long for a transaction. The definition may be older than the transaction's; then
// current checks the values again.
func (w *Writer) prepare(ctx context.Context, project *core.Project, collectionID int64, fields map[string]json.RawMessage) (*checked, error) {
	collections, err := w.schemas.Collections(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	c := core.Schema{Collections: collections}.ByID(collectionID)
	if c == nil { // another replica may have created it a moment ago
		if c, err = w.stores.Collections.Collection(ctx, project.ID, collectionID); err != nil {
			return nil, err
		}
	}
	return checkFields(ctx, w.hasher, c, fields)
}

// current returns in, or checks fields again when the definition has changed since.
func (k *work) current(ctx context.Context, in *checked, fields map[string]json.RawMessage) (*checked, error) {
	if in.version == k.schema.Collection.Version {
		return in, nil
	}
	again, err := checkFields(ctx, k.hasher, k.schema.Collection, fields)
	if err != nil {
		return nil, err
	}
	again.later = in.later
	return again, nil
}

// input has the checked fields of a write and the members that only a batch has; see
// core.EntryWrite.
type input struct {
	draft        *checked
	public       *checked // the published version; nil: the draft
	publicFields map[string]json.RawMessage
	publishedAt  time.Time
	hold         bool
}

// create stores a new entry. in has the checked fields of wr.
func (k *work) create(ctx context.Context, wr Write, in input) (*core.Entry, error) {
	fields, err := k.current(ctx, in.draft, wr.Fields)
	if err != nil {
		return nil, err
	}
	found := fields.faults.Clone()
	k.note = noteOf(wr, &found)
	e := &core.Entry{ProjectID: k.schema.Project.ID, CollectionID: k.schema.Collection.ID}
	intent := k.intent(wr, in, &found)
	if err := k.place(ctx, wr, e, &found); err != nil {
		return nil, err
	}
	made, err := k.compose(ctx, e, k.defaults(), fields, k.mustBeComplete(e, wr, in, intent), &found)
	if err != nil {
		return nil, err
	}
	more, err := k.version(ctx, e, k.defaults(), in, &intent)
	if err != nil {
		return nil, err
	}
	return e, yielding(append(made, more...), k.insert(ctx, e, intent))
}

// revise applies wr to e and stores it. in has the checked fields of wr.
func (k *work) revise(ctx context.Context, e *core.Entry, wr Write, in input) error {
	fields, err := k.current(ctx, in.draft, wr.Fields)
	if err != nil {
		return err
	}
	found := fields.faults.Clone()
	k.note = noteOf(wr, &found)
	before := *e
	intent := k.intent(wr, in, &found)
	if err := k.stay(ctx, wr, e, &found); err != nil {
		return err
	}
	if intent.kind == intentUncheck {
		// A draft that lacks a value that is required now can still be unpublished.
		fields = k.alone(fields)
	}
	made, err := k.compose(ctx, e, e.Draft.Values(), fields, k.mustBeComplete(e, wr, in, intent), &found)
	if err != nil {
		return err
	}
	public := before.Published
	if public == nil {
		public = before.Draft
	}
	more, err := k.version(ctx, e, public.Values(), in, &intent)
	if err != nil {
		return err
	}
	return yielding(append(made, more...), k.update(ctx, before, e, intent))
}

// alone returns in without the checks of fields that it does not name.
func (k *work) alone(in *checked) *checked {
	only := *in
	only.later = nil
	for _, f := range k.schema.Collection.Fields {
		if _, named := in.values[f.Name]; !named {
			only.later = append(only.later, f.Name)
		}
	}
	return &only
}

// version adds the published version that in names to the intent. Its fields replace those of
// base: the present published version, or the defaults of a new entry.
func (k *work) version(
	ctx context.Context, e *core.Entry, base map[string]json.RawMessage, in input, intent *publishIntent,
) (made []string, err error) {
	if in.public == nil || intent.kind != intentPublish {
		return nil, nil
	}
	fields, err := k.current(ctx, in.public, in.publicFields)
	if err != nil {
		return nil, err
	}
	found, public := fields.faults.Clone(), *e
	made, err = k.compose(ctx, &public, base, fields, always, &found)
	intent.version = public.Draft
	return made, core.Within("publishedVersion.", err)
}

// compose replaces values of doc by those of in and makes the result e's draft. The error has
// all faults of the draft. made are the names of the fields whose slugs it generated.
func (k *work) compose(
	ctx context.Context, e *core.Entry, doc map[string]json.RawMessage, in *checked, complete completeness, found *core.Faults,
) (made []string, err error) {
	values := maps.Clone(in.values)
	if err := k.resolveReferences(ctx, values, found); err != nil {
		return nil, err
	}
	for name, value := range values {
		if value == nil {
			delete(doc, name)
		} else {
			doc[name] = value
		}
	}
	if made, err = k.makeSlugs(ctx, e, doc, in.later, found); err != nil {
		return nil, err
	}
	if err := k.checkOptions(ctx, doc, in, complete, found); err != nil {
		return nil, err
	}
	made = slices.DeleteFunc(made, func(name string) bool { return hasFault(found, name) })
	e.Draft = core.NewDocument(doc)
	// The store refuses a unique value that is taken. It is looked up before only to report it
	// together with other faults, and in a batch, which must know the line.
	if k.batched || len(found.List) > 0 {
		if err := k.checkUnique(ctx, e, found); err != nil {
			return nil, err
		}
	}
	return made, yielding(made, found.Err())
}

// defaults returns the fields of a new entry before a write sets them.
func (k *work) defaults() map[string]json.RawMessage {
	doc := map[string]json.RawMessage{}
	for _, f := range k.schema.Collection.Fields {
		switch {
		case f.Default != nil:
			doc[f.Name] = f.Default
		case f.Multiple:
			doc[f.Name] = json.RawMessage("[]")
		}
	}
	return doc
}

// completeness reports whether a draft must meet all options of its fields.
type completeness func(ctx context.Context) (bool, error)

func always(context.Context) (bool, error) { return true, nil }

// mustBeComplete returns the completeness of the draft that wr makes of e. A draft that becomes
// public without another check must be complete, whatever wr allows.
func (k *work) mustBeComplete(e *core.Entry, wr Write, in input, intent publishIntent) completeness {
	return func(ctx context.Context) (bool, error) {
		switch {
		case !wr.AllowIncomplete:
			return true, nil
		case intent.kind == intentPublish:
			// A published version of its own takes the place of the draft, until publishAt.
			return in.public == nil || wr.PublishAt != nil, nil
		case intent.kind != intentFollow || e.ID == 0:
			return false, nil
		}
		p, err := k.stores.Schedules.Scheduled(ctx, e.ProjectID, e.ID, core.SchedulePublish)
		switch {
		case err == nil:
			return p.RequestID == 0, nil // an approved request publishes its snapshot
		case !errors.Is(err, core.ErrNotFound):
			return false, err
		case e.Published == nil:
			return false, nil
		}
		governed, err := k.governs(ctx, e)
		return !governed, err
	}
}

// checkOptions adds what prevents the publication of doc to found, unless the draft can be
// incomplete. It leaves out the fields of in.later and those that have faults already.
func (k *work) checkOptions(
	ctx context.Context, doc map[string]json.RawMessage, in *checked, complete completeness, found *core.Faults,
) error {
	more := documentFaults(k.schema.Collection, doc, func(f *core.Field) bool {
		return hasFault(found, f.Name) || slices.Contains(in.later, f.Name)
	})
	if len(more.List) == 0 {
		return nil
	}
	must, err := complete(ctx)
	if must {
		for _, f := range more.List {
			found.Add(f.Location, f.Value, f.Message)
		}
	}
	return err
}

func (k *work) checkUnique(ctx context.Context, e *core.Entry, found *core.Faults) error {
	taken, err := k.taken(ctx, e, k.schema.Collection.UniqueValues(e.Draft))
	if err != nil {
		return err
	}
	values := e.Draft.Values()
	for _, f := range k.schema.Collection.Fields {
		if slices.Contains(taken, f.Name) && !hasFault(found, f.Name) {
			found.Add(fieldLocation(f.Name), shown(f, values[f.Name]), "is taken by another entry")
		}
	}
	return nil
}

// withValues adds e's values to the faults of unique fields that the store reports.
func (k *work) withValues(e *core.Entry, err error) error {
	var fault *core.Error
	if core.KindOf(err) != core.KindInvalid || !errors.As(err, &fault) {
		return err
	}
	values, faults := e.Draft.Values(), slices.Clone(fault.Fields)
	for _, f := range k.schema.Collection.Fields {
		for n := range faults {
			if faults[n].Location == fieldLocation(f.Name) {
				faults[n].Value = shown(f, values[f.Name])
			}
		}
	}
	return core.Invalid(faults...)
}

// taken returns the fields of those values that another entry holds.
func (k *work) taken(ctx context.Context, e *core.Entry, values []core.UniqueValue) ([]string, error) {
	if len(values) == 0 {
		return nil, nil
	}
	holders, err := k.stores.Entries.Holders(ctx, k.schema, []string{e.Locale}, values)
	if err != nil {
		return nil, err
	}
	var fields []string
	for _, h := range holders {
		if h.Entry != e.ID {
			fields = append(fields, h.Field)
		}
	}
	return fields, nil
}

// yielding returns core.ErrChangedMeanwhile when all faults of err are generated slugs that
// another entry has taken since: the next attempt generates another slug.
func yielding(made []string, err error) error {
	var fault *core.Error
	if len(made) == 0 || !errors.Is(err, core.ErrInvalid) || !errors.As(err, &fault) {
		return err
	}
	for _, f := range fault.Fields {
		if !slices.Contains(made, strings.TrimPrefix(f.Location, "fields.")) {
			return err
		}
	}
	return core.ErrChangedMeanwhile
}
