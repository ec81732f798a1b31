package writing

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// prepare checks the values of wr before the transaction. It also hashes passwords, which takes
// too long for a transaction. If the transaction reads a newer definition, current checks the
// values again. ref is the entry that wr changes; without an id, a new one.
func (w *Writer) prepare(ctx context.Context, actor core.Actor, ref review.EntryRef, wr core.EntryWrite) (core.EntryWrite, error) {
	collections, err := w.schemas.Collections(ctx, ref.Project.ID)
	if err != nil {
		return wr, err
	}
	c := core.Schema{Collections: collections}.ByID(ref.CollectionID)
	if c == nil { // another replica may have created it a moment ago
		if c, err = w.stores.Collections.Collection(ctx, ref.Project.ID, ref.CollectionID); err != nil {
			return wr, err
		}
	}
	stored, err := w.storedPasswords(ctx, c, ref.ID, wr.Fields.Raw)
	if err != nil {
		return wr, err
	}
	wr.Fields, err = checkFields(ctx, w.hasher, actor, c, wr.Fields, stored)
	return wr, err
}

// storedPasswords returns the draft of an entry of c if fields name a password of it, otherwise nil.
// A hash of this draft stays valid for its password, even if another write changes the entry before
// the transaction.
func (w *Writer) storedPasswords(ctx context.Context, c *core.Collection, entryID int64, fields map[string]json.RawMessage) (core.Document, error) {
	if entryID == 0 || len(passwordsIn(c, fields)) == 0 {
		return nil, nil
	}
	e, err := w.stores.Entries.Entry(ctx, c.ProjectID, entryID)
	if errors.Is(err, core.ErrNotFound) || err == nil && e.CollectionID != c.ID {
		return nil, nil // the transaction reports it
	}
	return e.Draft, err
}

// current returns fields for a write that changes stored, and checks them again if the definition
// has changed since. In a batch it looks for the same passwords in stored: only the transaction
// knows which entry a line of an import changes.
func (tx *transaction) current(ctx context.Context, fields core.WrittenFields, stored core.Document, from origin) (core.WrittenFields, error) {
	switch {
	case fields.Version != tx.schema.Collection.Version:
		return checkFields(ctx, tx.writer.hasher, tx.actor, tx.schema.Collection, fields, stored)
	case from == fromBatch:
		return fields, keepHashes(ctx, tx.writer.hasher, tx.schema.Collection, fields, stored)
	default:
		return fields, nil
	}
}

// origin is where a write comes from.
type origin uint8

const (
	fromClient origin = iota
	fromBatch
	fromRevision // which it restores
)

// request is a write and where it comes from.
type request struct {
	core.EntryWrite

	from origin
}

// maxNote is the largest length of a core.Revision.Note in code points, as core.EntryWrite says.
const maxNote = 200

// noteOf returns the note of a write, or "" if it has none. It adds a fault to found if it is too long.
func noteOf(in core.EntryWrite, found *core.Faults) string {
	if in.Note == nil {
		return ""
	}
	if utf8.RuneCountInString(*in.Note) > maxNote {
		found.Addf("note", nil, "must have at most %d characters", maxNote)
	}
	return *in.Note
}

// write applies in to e and stores it. For a new entry e is the zero Entry.
func (tx *transaction) write(ctx context.Context, e *core.Entry, in request) (*core.Written, error) {
	fields, err := tx.current(ctx, in.Fields, e.Draft, in.from)
	if err != nil {
		return nil, err
	}
	found := core.Faults{List: slices.Clone(fields.Faults)}
	revision := publishing.RevisionWrite{Restoring: in.from == fromRevision, Note: noteOf(in.EntryWrite, &found)}
	before := *e
	intent, err := tx.intent(ctx, e, in, &found)
	if err != nil {
		return nil, err
	}
	intent.revision, intent.comment = revision, in.Comment
	if err := tx.dateCreation(ctx, e, in, &found); err != nil {
		return nil, err
	}
	if err := tx.place(ctx, in.EntryWrite, e, &found); err != nil {
		return nil, err
	}
	if e.ID != 0 {
		delete(tx.workflow.known, e.ID) // an earlier write of the batch may have opened or ended a request
	}
	generated, err := tx.compose(ctx, e, valuesOf(tx.schema.Collection, e.Draft), fields, &found)
	if err != nil {
		return nil, err
	}
	follows, err := tx.follows(ctx, e, intent)
	if err != nil {
		return nil, err
	}
	if follows {
		intent.version = following(&before, e, slices.AppendSeq(slices.AppendSeq(generated, maps.Keys(fields.Values)), maps.Keys(fields.Drop)))
	}
	what, err := tx.completeness(ctx, &before, e, in.EntryWrite, intent)
	if err != nil {
		return nil, err
	}
	if err := tx.checkOptions(ctx, e, what, fields.Values, in.Together, &found); err != nil {
		return nil, err
	}
	if intent.kind == intentPublish && in.Version == nil {
		if err := tx.checkPictures(ctx, e, e.Draft, &found); err != nil {
			return nil, err
		}
	}
	generated, faulty := tx.finish(ctx, e, generated, in.from, &found)
	public := before.Published
	if public == nil {
		public = before.Draft
	}
	more, err := tx.version(ctx, e, public, in, &intent)
	if err = joinInvalid(faulty, err); err != nil || in.Check {
		return nil, err
	}
	written, err := tx.save(ctx, before, e, intent)
	if err != nil {
		return nil, retryTakenSlugs(append(generated, more...), err)
	}
	written.Cleaned = fields.Cleaned
	return written, nil
}

// version sets intent.version to the document that in.Version defines, if any. The fields of
// in.Version replace those of base. It returns the names of the fields with a generated slug.
func (tx *transaction) version(
	ctx context.Context, e *core.Entry, base core.Document, in request, intent *publishIntent,
) (generated []string, err error) {
	if in.Version == nil || intent.kind != intentPublish {
		return nil, nil
	}
	fields, err := tx.current(ctx, *in.Version, base, in.from)
	if err != nil {
		return nil, err
	}
	found, public := core.Faults{List: slices.Clone(fields.Faults)}, *e
	values := valuesOf(tx.schema.Collection, base)
	if base == nil {
		takeItems(tx.schema.Collection, values, e.Draft) // so that equal items of both versions have the same keys
	}
	if generated, err = tx.compose(ctx, &public, values, fields, &found); err != nil {
		return nil, err
	}
	what := completeness{doc: public.Draft, must: always, targets: true, public: allTargets}
	if err := tx.checkOptions(ctx, e, what, fields.Values, in.Together, &found); err != nil {
		return nil, err
	}
	if err := tx.checkPictures(ctx, e, public.Draft, &found); err != nil {
		return nil, err
	}
	generated, err = tx.finish(ctx, &public, generated, in.from, &found)
	intent.version = public.Draft
	return generated, core.Within("publishedVersion.", err)
}

// composer makes the drafts of the entries of one collection from what is written. It stores nothing.
type composer struct {
	stores ports.Stores
	schema core.Schema
	files  []fileurl.Base // of this installation
}

// compose replaces values of doc with those of fields, generates missing slugs, and makes the result
// the draft of e. It adds faults of the references and slugs to found. generated has the names of
// the fields with a generated slug.
func (c *composer) compose(
	ctx context.Context, e *core.Entry, doc map[string]json.RawMessage, fields core.WrittenFields, found *core.Faults,
) (generated []string, err error) {
	values := maps.Clone(fields.Values)
	if err := c.resolveReferences(ctx, values, doc, found); err != nil {
		return nil, err
	}
	completeItems(c.schema.Collection, e, values, doc)
	if err := c.keepWithheld(ctx, values, doc, fields, found); err != nil {
		return nil, err
	}
	for name, value := range values {
		if value == nil {
			delete(doc, name)
		} else {
			doc[name] = value
		}
	}
	countItems(c.schema.Collection, doc, values, found)
	generated, err = c.makeSlugs(ctx, e, doc, found)
	e.Draft = core.NewDocument(doc)
	return generated, err
}

// finish returns the faults of the draft of e as an error, with those of its unique values. It
// removes the fields with a fault from generated.
func (c *composer) finish(ctx context.Context, e *core.Entry, generated []string, from origin, found *core.Faults) ([]string, error) {
	generated = slices.DeleteFunc(generated, func(name string) bool { return found.HasField(name) })
	// The store refuses a unique value that is taken. This look-up only reports it together with
	// other faults, or in a batch, where the error of the store does not identify the line.
	if from == fromBatch || len(found.List) > 0 {
		if err := c.checkUnique(ctx, e, found); err != nil {
			return nil, err
		}
	}
	return generated, retryTakenSlugs(generated, found.Err())
}

// valuesOf returns the values of doc, or the initial values of a new entry when doc is nil.
func valuesOf(c *core.Collection, doc core.Document) map[string]json.RawMessage {
	if doc != nil {
		return doc.Values()
	}
	defaults := map[string]json.RawMessage{}
	for _, f := range c.Fields {
		switch {
		case f.Default != nil:
			defaults[f.Name] = f.Default
		case f.Multiple:
			defaults[f.Name] = json.RawMessage("[]")
		}
	}
	return defaults
}

func (c *composer) checkUnique(ctx context.Context, e *core.Entry, found *core.Faults) error {
	taken, err := c.taken(ctx, e, c.schema.Collection.UniqueValues(e.Draft))
	if err != nil {
		return err
	}
	values := e.Draft.Values()
	for _, f := range c.schema.Collection.Fields {
		if slices.Contains(taken, f.Name) && !found.HasField(f.Name) {
			found.Add(core.FieldLocation(f.Name), f.Shown(values[f.Name]), "is taken by another entry")
		}
	}
	return nil
}

// withValues adds the values of e to the faults of unique fields in err, an error of the store.
func withValues(c *core.Collection, e *core.Entry, err error) error {
	fault, ok := errors.AsType[*core.Error](err)
	if !ok || fault.Kind != core.KindInvalid {
		return err
	}
	values, faults := e.Draft.Values(), slices.Clone(fault.Fields)
	for _, f := range c.Fields {
		for n := range faults {
			if faults[n].Location == core.FieldLocation(f.Name) {
				faults[n].Value = f.Shown(values[f.Name])
			}
		}
	}
	return core.Invalid(faults...)
}

// taken returns the names of the fields whose value in values another entry holds.
func (c *composer) taken(ctx context.Context, e *core.Entry, values []core.UniqueValue) ([]string, error) {
	if len(values) == 0 {
		return nil, nil
	}
	holders, err := c.stores.Entries.Holders(ctx, c.schema, []string{e.Locale}, values)
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

// retryTakenSlugs returns core.ErrChangedMeanwhile, so that the next attempt generates other
// slugs, when all faults of err are generated slugs that another entry has taken since. It
// returns any other err unchanged.
func retryTakenSlugs(generated []string, err error) error {
	fault, ok := errors.AsType[*core.Error](err)
	if len(generated) == 0 || !ok || !errors.Is(err, core.ErrInvalid) {
		return err
	}
	for _, f := range fault.Fields {
		if !slices.Contains(generated, strings.TrimPrefix(f.Location, "fields.")) {
			return err
		}
	}
	return core.ErrChangedMeanwhile
}

// joinInvalid returns the faults of two errors of core.KindInvalid as one error. Of other errors it returns the first
// one of another kind, or the only one.
func joinInvalid(first, second error) error {
	switch a, b := asInvalid(first), asInvalid(second); {
	case a != nil && b != nil:
		return core.Invalid(slices.Concat(a.Fields, b.Fields)...)
	case first != nil && a == nil || second == nil:
		return first
	default:
		return second
	}
}

// asInvalid returns err if it is of core.KindInvalid, otherwise nil.
func asInvalid(err error) *core.Error {
	if e, ok := errors.AsType[*core.Error](err); ok && e.Kind == core.KindInvalid {
		return e
	}
	return nil
}
