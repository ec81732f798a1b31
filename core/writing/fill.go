package writing

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// Filling says which values Writer.Fill copies.
type Filling struct {
	Group  string   // the name of a field of the type group with a single item
	Fields []string // fields of the collection that the component of the group has too
	After  int64    // the id of the last entry that an earlier call has looked at; 0: none
}

// Filled is the result of a call of Writer.Fill.
type Filled struct {
	Changed int // entries
	// The numbers of entries whose published version stays without the group: where a workflow governs the
	// entry, where a publication of an earlier draft is scheduled, and in the trash.
	Governed, Scheduled, Trashed int
	Skipped                      []Skipped // in the order of their ids
	After                        int64     // Filling.After of the next call; 0: no entry is left
}

// Skipped is an entry that Fill leaves as it is, because its versions with the group would have faults.
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

// Fill copies values of fields into a group, in the draft of each entry that has no value of the group,
// the trash included. It also changes published versions, as new publications, except those that Filled
// counts. The fields keep their values. An entry stays as it is if a write of its draft would refuse the
// group, or if the version that would become public has a fault: Filled.Skipped. One call changes a limited number of entries; repeat it until
// Filled.After is 0. A call that fails has changed some entries or none, and can be repeated. Faults are at
// "name" for the group and at "fields[n]".
func (w *Writer) Fill(ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, f Filling) (Filled, error) {
	done := Filled{After: f.After}
	for looked := 0; looked < maxFilled && len(done.Skipped) < maxSkipped; looked += filledAtATime {
		var next Filled
		err := w.transact(ctx, actor, func(ctx context.Context, stores ports.Stores, alone bool) error {
			next = done
			k, err := w.begin(ctx, stores, actor, project, collectionID, alone)
			if err != nil {
				return err
			}
			return k.fill(ctx, f, &next)
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
func (k *work) fill(ctx context.Context, f Filling, done *Filled) error {
	group, err := k.fillable(f)
	if err != nil {
		return err
	}
	entries, err := k.stores.Entries.Walk(ctx, k.schema.Project.ID, k.schema.Collection.ID, done.After, filledAtATime)
	if err != nil {
		return err
	}
	for i := range entries {
		if len(done.Skipped) == maxSkipped {
			return nil
		}
		done.After = entries[i].ID
		e, err := k.entry(ctx, done.After, nil)
		if errors.Is(err, core.ErrNotFound) {
			continue // destroyed meanwhile
		}
		if err == nil {
			err = k.fillEntry(ctx, group, f.Fields, &e, done)
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

// fillable returns the group of f, or the faults of f.
func (k *work) fillable(f Filling) (*core.Field, error) {
	var found core.Faults
	if f.After < 0 {
		found.Add("after", f.After, "must not be negative")
	}
	group := k.schema.Collection.Field(f.Group)
	switch {
	case group == nil:
		return nil, core.NotFound("field")
	case group.Type != core.TypeGroup || group.Multiple:
		found.Add("name", core.Clip(f.Group), "must be a group with a single item")
		return nil, found.Err()
	case len(f.Fields) == 0:
		found.Add("fields", nil, "is required")
	}
	component := group.ComponentNamed(group.Component)
	for i, name := range f.Fields {
		from, to := k.schema.Collection.Field(name), component.Field(name)
		message := ""
		switch {
		case from == nil:
			message = "no such field"
		case to == nil:
			message = "is not a field of the component " + component.Slug
		case from.Type != to.Type || from.Multiple != to.Multiple || !slices.Equal(from.TargetSlugs(), to.TargetSlugs()):
			message = "is another field than that of the component " + component.Slug + ": it differs in type, multiple or targets"
		case from.Structured():
			message = "has items, which stay where they are"
		case from.Secret():
			message = "is hidden, and the group is not"
		}
		if message != "" {
			found.Add("fields["+strconv.Itoa(i)+"]", core.Clip(name), message)
		}
	}
	return group, found.Err()
}

func (k *work) fillEntry(ctx context.Context, group *core.Field, fields []string, e *core.Entry, done *Filled) error {
	before, counted := *e, *done
	draft, public := filled(group, fields, e.Draft), filled(group, fields, e.Published)
	same, shown := string(draft) == string(e.Draft), string(public) == string(e.Published)
	if same && shown {
		return nil
	}
	e.Draft = draft
	kept, err := k.keepsVersion(ctx, e, shown, &counted)
	if err != nil {
		return err
	}
	intent := publishIntent{kind: intentFollow}
	if !shown && !kept {
		intent.version = public
	}
	if !same || intent.version != nil {
		faults, err := k.fillFaults(ctx, e, group, intent.version)
		if err != nil {
			return err
		}
		if len(faults) > 0 {
			done.Skipped = append(done.Skipped, Skipped{e.ID, faults})
			return nil
		}
		k.note, k.comment = "", ""
		if err := k.save(ctx, before, e, intent); err != nil {
			return err
		}
		counted.Changed++
	}
	*done = counted
	return nil
}

// fillFaults returns the faults of group in the draft of e that a write of it would have, and all faults of
// public, the version that becomes public; nil: none.
func (k *work) fillFaults(ctx context.Context, e *core.Entry, group *core.Field, public core.Document) ([]core.FieldError, error) {
	var found core.Faults
	if public != nil {
		more, err := k.targets().Faults(ctx, k.schema, public.Values(), ports.Needs{
			Public: func(f *core.Field) bool { return f == group }, Locale: e.Locale, Together: []int64{e.Group},
		})
		if err != nil {
			return nil, err
		}
		found.List = inPublished(more.List, public, e.Draft)
	}
	for _, doc := range []core.Document{e.Draft, public} {
		var more core.Faults
		value := doc.Value(group.Name)
		if value == nil {
			continue
		}
		validation.Canonical(group, value, &more)
		k.countItems(doc.Values(), map[string]json.RawMessage{group.Name: value}, &more)
		for _, f := range more.List {
			if !found.Covers(f.Location) {
				found.Add(f.Location, f.Value, f.Message)
			}
		}
	}
	return found.List, nil
}

// keepsVersion reports whether Fill leaves the published version of e, or the one that is scheduled, as it
// is, and counts it. shown reports that readers of the published version see the group already.
func (k *work) keepsVersion(ctx context.Context, e *core.Entry, shown bool, done *Filled) (bool, error) {
	if e.Trashed() {
		if !shown {
			done.Trashed++
		}
		return true, nil
	}
	scheduled, err := k.due(ctx, e, core.SchedulePublish)
	if err != nil {
		return true, err
	}
	if !scheduled.DueAt.IsZero() {
		done.Scheduled++
		return true, nil
	}
	governed, err := k.governs(ctx, e)
	if err == nil && governed && !shown {
		done.Governed++
	}
	return governed, err
}

// filled returns doc with an item of the values of fields in group, if it has no value of group. It does not
// check the values.
func filled(group *core.Field, fields []string, doc core.Document) core.Document {
	if doc == nil || !group.Missing(doc.Value(group.Name)) {
		return doc
	}
	item, some, component := map[string]json.RawMessage{}, false, group.ComponentNamed(group.Component)
	for _, f := range component.Fields {
		if value := doc.Value(f.Name); slices.Contains(fields, f.Name) && !f.Missing(value) {
			item[f.Name], some = value, true
		} else if f.Multiple {
			item[f.Name] = json.RawMessage("[]")
		}
	}
	if !some {
		return doc
	}
	values := doc.Values()
	values[group.Name] = json.RawMessage(core.NewDocument(item))
	return core.NewDocument(values)
}
