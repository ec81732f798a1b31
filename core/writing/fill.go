package writing

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/schedule"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// Filling says which values Writer.Fill copies.
type Filling struct {
	Field  string   // the name of the field that gets them: not one with several items
	Fields []string // of a group, fields of the collection that its component has too; otherwise one field
	After  int64    // the id of the last entry that an earlier call has looked at; 0: none
}

// Filled is the result of a call of Writer.Fill.
type Filled struct {
	Changed int // entries
	// The entries whose published version stays without the value: where a workflow governs them, where a publication of
	// an earlier draft is scheduled, and in the trash. A release of the drafts of the governed ones publishes it.
	Governed           []int64
	Scheduled, Trashed int
	Skipped            []Skipped // in the order of their ids
	After              int64     // Filling.After of the next call; 0: no entry is left
}

// Skipped is an entry that Fill leaves as it is, because its versions with the value would have faults.
type Skipped struct {
	ID     int64
	Faults []core.FieldError
}

// How many entries a call of Fill looks at, how many of them in one transaction, and after how many
// skipped ones it ends.
const (
	maxFilled     = 500
	filledAtATime = 100
	maxSkipped    = 100
)

// Fill copies values of fields into another field, in the draft of each entry that has no value of it, the trash
// included. Into a group it copies the fields of the same name; into another field the value of one, which it
// converts: a text into long or rich text, a number into text, one value into a list. It also changes published
// versions, as new publications, except those that Filled counts. The fields keep their values. An entry stays as it
// is if a write of its draft would refuse the value, or if the version that would become public has a fault:
// Filled.Skipped. One call changes a limited number of entries; repeat it until Filled.After is 0. A call that fails
// has changed some entries or none, and can be repeated. Faults are at "name" for the field and at "fields[n]".
func (w *Writer) Fill(ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, f Filling) (Filled, error) {
	done := Filled{After: f.After}
	for looked := 0; looked < maxFilled && len(done.Skipped) < maxSkipped; looked += filledAtATime {
		var next Filled
		err := w.transact(ctx, actor, func(ctx context.Context, stores ports.Stores, alone bool) error {
			next = done
			tx, err := w.begin(ctx, stores, actor, project, collectionID, alone)
			if err != nil {
				return err
			}
			return tx.fill(ctx, f, &next)
		})
		if err != nil {
			return done, err
		}
		if done = next; done.After == 0 {
			break
		}
	}
	return done, nil
}

// fill copies the values of the next entries and adds to done what it did.
func (tx *transaction) fill(ctx context.Context, f Filling, done *Filled) error {
	copied, err := fillable(tx.schema.Collection, f)
	if err != nil {
		return err
	}
	entries, err := tx.stores.Entries.Walk(ctx, tx.schema.Project.ID, tx.schema.Collection.ID, done.After, filledAtATime)
	if err != nil {
		return err
	}
	for i := range entries {
		if len(done.Skipped) == maxSkipped {
			return nil
		}
		done.After = entries[i].ID
		e, err := tx.entry(ctx, done.After, nil)
		if errors.Is(err, core.ErrNotFound) {
			continue // destroyed meanwhile
		}
		if err == nil {
			err = tx.fillEntry(ctx, copied, &e, done)
		}
		if err != nil {
			return err
		}
	}
	if len(entries) < filledAtATime {
		done.After = 0
	}
	return nil
}

// copying is what a call of Fill copies into a field.
type copying struct {
	to   *core.Field
	from []*core.Field
}

// fillable returns what f copies, or the faults of f.
func fillable(c *core.Collection, f Filling) (copied copying, err error) {
	var found core.Faults
	if f.After < 0 {
		found.Add("after", f.After, "must not be negative")
	}
	to := c.Field(f.Field)
	if to == nil {
		return copied, core.NotFound("field")
	}
	copied.to = to
	inGroup := to.Type == core.TypeGroup && !to.Multiple
	switch {
	case to.Structured() && !inGroup:
		found.Add("name", core.Clip(f.Field), "has items: only a group with a single item can be filled")
	case to.Type == core.TypePassword:
		found.Add("name", core.Clip(f.Field), "is a password, which no value can be copied into")
	case to.Unique:
		found.Add("name", core.Clip(f.Field), "is unique: fill the field first, then make it unique")
	}
	switch {
	case len(f.Fields) == 0:
		found.Add("fields", nil, "is required")
	case len(f.Fields) > 1 && !inGroup:
		found.Add("fields", nil, "must name one field")
	}
	for i, name := range f.Fields {
		from := c.Field(name)
		var message string
		switch {
		case from == nil:
			message = "no such field"
		case from == to:
			message = "is the field itself"
		case inGroup:
			message = groupFault(to, from)
		default:
			message = conversionFault(to, from)
		}
		if message != "" {
			found.Add("fields["+strconv.Itoa(i)+"]", core.Clip(name), message)
		}
		copied.from = append(copied.from, from)
	}
	return copied, found.Err()
}

// groupFault says why the item of a group cannot have the value of from; empty: it can.
func groupFault(group, from *core.Field) string {
	component := group.ComponentNamed(group.Component)
	to := component.Field(from.Name)
	switch {
	case to == nil:
		return "is not a field of the component " + component.Slug
	case from.Type != to.Type || from.Multiple != to.Multiple || !slices.Equal(from.TargetSlugs(), to.TargetSlugs()):
		return "is another field than that of the component " + component.Slug + ": it differs in type, multiple or targets"
	case from.Structured():
		return "has items, which stay where they are"
	case from.Secret():
		return "is hidden, and the group is not"
	}
	return ""
}

func (tx *transaction) fillEntry(ctx context.Context, copied copying, e *core.Entry, done *Filled) error {
	before, counted := *e, *done
	draft, public := copied.into(e.Draft), copied.into(e.Published)
	same, shown := string(draft) == string(e.Draft), string(public) == string(e.Published)
	if same && shown {
		return nil
	}
	e.Draft = draft
	kept, err := tx.keepsVersion(ctx, e, shown, &counted)
	if err != nil {
		return err
	}
	intent := publishIntent{kind: intentFollow}
	if !shown && !kept {
		intent.version = public
	}
	if !same || intent.version != nil {
		faults, err := tx.fillFaults(ctx, e, copied.to, intent.version)
		if err != nil {
			return err
		}
		if len(faults) > 0 {
			done.Skipped = append(done.Skipped, Skipped{e.ID, faults})
			return nil
		}
		if _, err := tx.save(ctx, before, e, intent); err != nil {
			return err
		}
		counted.Changed++
	}
	*done = counted
	return nil
}

// fillFaults returns the faults of the field to in the draft of e that a write of it would have, and all faults of
// public, the version that becomes public; nil: none.
func (tx *transaction) fillFaults(ctx context.Context, e *core.Entry, to *core.Field, public core.Document) ([]core.FieldError, error) {
	var found core.Faults
	if public != nil {
		more, err := tx.targets().Faults(ctx, tx.schema, public.Values(), ports.Needs{
			Public: func(f *core.Field) bool { return f == to }, Locale: e.Locale, Together: e.InGroup,
		})
		if err != nil {
			return nil, err
		}
		found.List = inPublished(more.List, public, e.Draft)
	}
	for _, doc := range []core.Document{e.Draft, public} {
		var more core.Faults
		value := doc.Value(to.Name)
		if value == nil {
			continue
		}
		validation.Canonical(to, value, &more)
		countItems(tx.schema.Collection, doc.Values(), map[string]json.RawMessage{to.Name: value}, &more)
		for _, f := range more.List {
			if !found.Covers(f.Location) {
				found.Add(f.Location, f.Value, f.Message)
			}
		}
	}
	return found.List, nil
}

// keepsVersion reports whether Fill leaves the published version of e, or the one that is scheduled, as it
// is, and counts it. shown reports that readers of the published version see the value already.
func (tx *transaction) keepsVersion(ctx context.Context, e *core.Entry, shown bool, done *Filled) (bool, error) {
	if e.Trashed() {
		if !shown {
			done.Trashed++
		}
		return true, nil
	}
	scheduled, err := tx.times.due(ctx, e, schedule.Publish)
	if err != nil {
		return true, err
	}
	if !scheduled.DueAt.IsZero() {
		done.Scheduled++
		return true, nil
	}
	governed, err := tx.workflow.governs(ctx, e)
	if err == nil && governed && !shown {
		done.Governed = append(slices.Clip(done.Governed), e.ID)
	}
	return governed, err
}

// into returns doc with the value, if it has none. It does not check the value.
func (c copying) into(doc core.Document) core.Document {
	if doc == nil || !c.to.Missing(doc.Value(c.to.Name)) {
		return doc
	}
	value := c.item(doc)
	if !c.to.Structured() {
		value = converted(c.to, c.from[0], doc.Value(c.from[0].Name))
	}
	if value == nil {
		return doc
	}
	values := doc.Values()
	values[c.to.Name] = value
	return core.NewDocument(values)
}

// item returns an item of a group with the values of the fields in doc; nil: doc has none.
func (c copying) item(doc core.Document) json.RawMessage {
	component := c.to.ComponentNamed(c.to.Component)
	if component == nil {
		return nil
	}
	item, some := map[string]json.RawMessage{}, false
	for _, f := range component.Fields {
		copies := slices.ContainsFunc(c.from, func(from *core.Field) bool { return from.Name == f.Name })
		if value := doc.Value(f.Name); copies && !f.Missing(value) {
			item[f.Name], some = value, true
		} else if f.Multiple {
			item[f.Name] = json.RawMessage("[]")
		}
	}
	if !some {
		return nil
	}
	return json.RawMessage(core.NewDocument(item))
}
