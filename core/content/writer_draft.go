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

// prepare checks what can be checked without a transaction: the values by
// themselves. It hashes passwords, which takes too long to hold one open for.
func (w *Writer) prepare(ctx context.Context, project *core.Project, collectionID int64, fields map[string]json.RawMessage) (*checked, error) {
	schema, err := schemaOf(ctx, w.stores, project, collectionID)
	if err != nil {
		return nil, err
	}
	return checkFields(ctx, w.hasher, schema.Collection, fields)
}

// current returns in, or what fields come to by a definition that has changed since.
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

// input is what the fields of a write came to, with what only a batch says:
// core.EntryWrite has its meaning.
type input struct {
	draft        *checked
	public       *checked // the published version; nil: the draft
	publicFields map[string]json.RawMessage
	publishedAt  time.Time
	hold         bool
}

// create stores a new entry of what wr, whose fields came to in, says.
func (k *work) create(ctx context.Context, wr Write, in input) (*core.Entry, error) {
	fields, err := k.current(ctx, in.draft, wr.Fields)
	if err != nil {
		return nil, err
	}
	found := fields.faults.Clone()
	e := &core.Entry{ProjectID: k.schema.Project.ID, CollectionID: k.schema.Collection.ID}
	a := k.aim(wr, in, &found)
	if err := k.place(ctx, wr, e, &found); err != nil {
		return nil, err
	}
	made, err := k.compose(ctx, e, k.defaults(), fields, &found)
	if err != nil {
		return nil, err
	}
	more, err := k.version(ctx, e, k.defaults(), in, &a)
	if err != nil {
		return nil, err
	}
	return e, yielding(append(made, more...), k.insert(ctx, e, a))
}

// revise stores what wr, whose fields came to in, says of e.
func (k *work) revise(ctx context.Context, e *core.Entry, wr Write, in input) error {
	fields, err := k.current(ctx, in.draft, wr.Fields)
	if err != nil {
		return err
	}
	found := fields.faults.Clone()
	before := *e
	a := k.aim(wr, in, &found)
	if err := k.stay(ctx, wr, e, &found); err != nil {
		return err
	}
	if a.wish == wishUnchecked {
		// What the draft lacks by now is no reason to keep it public.
		fields = k.alone(fields)
	}
	made, err := k.compose(ctx, e, e.Draft.Values(), fields, &found)
	if err != nil {
		return err
	}
	public := before.Published
	if public == nil {
		public = before.Draft
	}
	more, err := k.version(ctx, e, public.Values(), in, &a)
	if err != nil {
		return err
	}
	return yielding(append(made, more...), k.update(ctx, before, e, a))
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

// version makes the published version that in names part of a. It is laid over base:
// what readers have, or else what the entry starts from.
func (k *work) version(
	ctx context.Context, e *core.Entry, base map[string]json.RawMessage, in input, a *aim,
) (made []string, err error) {
	if in.public == nil || a.wish != wishPublic {
		return nil, nil
	}
	fields, err := k.current(ctx, in.public, in.publicFields)
	if err != nil {
		return nil, err
	}
	found, public := fields.faults.Clone(), *e
	made, err = k.compose(ctx, &public, base, fields, &found)
	a.version = public.Draft
	return made, core.Within("publishedVersion.", err)
}

// compose lays the values of in over doc and makes the outcome e's draft, with all
// that is wrong with it as the error. It returns the names of slugs that it made up.
func (k *work) compose(
	ctx context.Context, e *core.Entry, doc map[string]json.RawMessage, in *checked, found *core.Faults,
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
	k.checkRequired(doc, in.later, found)
	e.Draft = core.NewDocument(doc)
	if err := k.checkUnique(ctx, e, found); err != nil {
		return nil, err
	}
	return made, yielding(made, found.Err())
}

// defaults returns what a new entry has before anything is said about it.
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

// checkRequired looks for what is required and missing, but for the fields that come
// later.
func (k *work) checkRequired(doc map[string]json.RawMessage, later []string, found *core.Faults) {
	for _, f := range k.schema.Collection.Fields {
		if f.Required && missing(doc[f.Name]) && !hasFault(found, f.Name) && !slices.Contains(later, f.Name) {
			found.Add(fieldLocation(f.Name), nil, "is required")
		}
	}
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

// taken returns the fields of those values that another entry than e holds.
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

// yielding turns the loss of a race for a slug that was made up into one more
// attempt: the next one makes up another.
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
