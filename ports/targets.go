package ports

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/validation"
)

// Targets reads the targets of references, to check documents before they become public.
type Targets struct {
	Entries interface {
		// Translations is that of EntryStore.
		Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error)
		// Serving is that of EntryReader.
		Serving(ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool) ([]core.Row, error)
	}
	Media MediaReader
	// Titled has faults name the title of an entry, for users that may read drafts.
	Titled bool
}

// TargetsIn returns the Targets of stores, for a response to the actor.
func TargetsIn(stores Stores, actor core.Actor) Targets {
	return Targets{stores.Entries, stores.Media, actor.User != nil}
}

// Needs says what a document needs before it becomes public. A nil function selects no fields.
type Needs struct {
	// Skip selects the fields that are not checked.
	Skip func(f *core.Field) bool
	// Exist selects the fields whose references have targets, as the caller knows.
	Exist func(f *core.Field) bool
	// Public selects the fields whose references need public targets, as far as they are required.
	Public func(f *core.Field) bool
	// Locale is that of the document. Faults name the translation of a target in this locale.
	Locale string
	// Together selects the translation groups that become public with the document. nil: none.
	Together func(group int64) bool
}

// AllFields selects all fields.
func AllFields(*core.Field) bool { return true }

// WhollyPublic returns the Needs of a version of e that becomes public as a whole.
func WhollyPublic(e *core.Entry) Needs {
	return Needs{Public: AllFields, Locale: e.Locale, Together: e.InGroup}
}

func selects(fields func(f *core.Field) bool, f *core.Field) bool { return fields != nil && fields(f) }

// Faults returns the faults that prevent the publication of a document with these values.
//
// References count only if their targets exist and are of a collection that the relation admits, in the
// fields for which validation.NeedsTargets is true. A target in the trash exists. Where a target must be
// public, an entry of its translation group is, in any locale. Faults takes at most four store calls, two
// of them only if targets are not public, and none without such references.
func (t Targets) Faults(ctx context.Context, schema core.Schema, values map[string]json.RawMessage, need Needs) (core.Faults, error) {
	values, err := t.existing(ctx, schema, values, func(f *core.Field) bool { return selects(need.Skip, f) || selects(need.Exist, f) })
	if err != nil {
		return core.Faults{}, err
	}
	found := validation.Document(schema.Collection, values, need.Skip)
	if need.Public == nil {
		return found, nil
	}
	return found, t.AddUnpublished(ctx, schema, values, need, &found)
}

// existing returns stored values without the references that have no target.
func (t Targets) existing(
	ctx context.Context, schema core.Schema, values map[string]json.RawMessage, skip func(f *core.Field) bool,
) (map[string]json.RawMessage, error) {
	ids := map[core.FieldType][]int64{}
	fields := needing(schema.Collection, values, skip, func(f *core.Field, targets []int64) {
		ids[f.Type] = append(ids[f.Type], targets...)
	})
	if len(fields) == 0 {
		return values, nil
	}
	members, err := t.Entries.Translations(ctx, schema.Project.ID, core.Distinct(ids[core.TypeRelation])...)
	if err != nil {
		return nil, err
	}
	media, err := MediaOf(ctx, t.Media, schema.Project.ID, core.Distinct(ids[core.TypeMedia]))
	if err != nil {
		return nil, err
	}
	groups, items := core.EntriesByGroup(members), core.MediaByID(media)
	return without(values, fields, func(f *core.Field, _ string, _ int, id int64) bool {
		if f.Type == core.TypeMedia {
			return items[id] == nil
		}
		return groups[id] == nil || f.ToSeveral() && !schema.Admits(f, groups[id].CollectionID)
	}), nil
}

// needing returns the fields of c with values for which validation.NeedsTargets is true, also inside items,
// and calls visit with the ids in each of these values.
func needing(
	c *core.Collection, values map[string]json.RawMessage, skip func(f *core.Field) bool, visit func(f *core.Field, ids []int64),
) (fields []*core.Field) {
	for _, f := range c.Fields {
		if values[f.Name] == nil || skip(f) {
			continue
		}
		needs := false
		f.EachValue(values[f.Name], func(f *core.Field, raw []byte) {
			if ids := core.ReferenceIDs(raw); len(ids) > 0 && validation.NeedsTargets(f) {
				visit(f, ids)
				needs = true
			}
		})
		if needs {
			fields = append(fields, f)
		}
	}
	return fields
}

// without returns values without the references of fields that gone selects. at is the location of the value
// that has the reference at index i.
func without(
	values map[string]json.RawMessage, fields []*core.Field, gone func(f *core.Field, at string, i int, id int64) bool,
) map[string]json.RawMessage {
	values = maps.Clone(values)
	for _, f := range fields {
		left := f.EditValues(values[f.Name], func(inner *core.Field, at string, raw json.RawMessage) json.RawMessage {
			if !validation.NeedsTargets(inner) {
				return raw
			}
			var ids []int64
			for i, id := range core.ReferenceIDs(raw) {
				if !gone(inner, core.FieldLocation(f.Name)+at, i, id) {
					ids = append(ids, id)
				}
			}
			if len(ids) == 0 {
				return nil
			}
			return core.ReferenceValue(inner, ids)
		})
		if values[f.Name] = left; left == nil {
			delete(values, f.Name)
		}
	}
	return values
}

// unpublished is a reference whose target is not public.
type unpublished struct {
	field    *core.Field
	location string
	group    int64
}

// AddUnpublished adds a fault to found for each relation in stored values whose target is not public, in the
// fields of need that then lack a required value and have no other fault.
func (t Targets) AddUnpublished(ctx context.Context, schema core.Schema, values map[string]json.RawMessage, need Needs, found *core.Faults) error {
	var groups []int64
	skip := func(f *core.Field) bool { return f.Secret() || !need.Public(f) || selects(need.Skip, f) } // readers see no secret fields
	fields := needing(schema.Collection, values, skip, func(f *core.Field, ids []int64) {
		if f.Type == core.TypeRelation {
			groups = append(groups, ids...)
		}
	})
	groups = slices.DeleteFunc(core.Distinct(groups), func(id int64) bool { return need.Together != nil && need.Together(id) })
	if len(groups) == 0 {
		return nil
	}
	hidden, err := t.hidden(ctx, schema, groups)
	if err != nil || len(hidden) == 0 {
		return err
	}
	lost := map[string][]unpublished{} // by the location of the value
	seen := without(values, fields, func(f *core.Field, at string, i int, id int64) bool {
		gone := f.Type == core.TypeRelation && slices.Contains(hidden, id)
		if gone {
			location := at
			if f.Multiple {
				location += "[" + strconv.Itoa(i) + "]"
			}
			lost[at] = append(lost[at], unpublished{f, location, id})
		}
		return gone
	})
	var missing []unpublished
	for _, f := range validation.Document(schema.Collection, seen, skip).List {
		if !found.Has(f.Location) {
			missing = append(missing, lost[f.Location]...)
		}
	}
	return t.nameUnpublished(ctx, schema, missing, need.Locale, found)
}

// hidden returns the translation groups without a public entry.
func (t Targets) hidden(ctx context.Context, schema core.Schema, groups []int64) ([]int64, error) {
	everyLocale := uint64(1)<<len(schema.Project.Locales) - 1
	rows, err := t.Entries.Serving(ctx, schema.Project.ID, core.StatePublished, groups, everyLocale, false)
	public := map[int64]bool{}
	for i := range rows {
		public[rows[i].Group] = true
	}
	return slices.DeleteFunc(slices.Clone(groups), func(id int64) bool { return public[id] }), err
}

// nameUnpublished adds a fault for each of missing, with the id of the entry that it names.
func (t Targets) nameUnpublished(ctx context.Context, schema core.Schema, missing []unpublished, locale string, found *core.Faults) error {
	var groups []int64
	for _, u := range missing {
		groups = append(groups, u.group)
	}
	if len(groups) == 0 {
		return nil
	}
	members, err := t.Entries.Translations(ctx, schema.Project.ID, core.Distinct(groups)...)
	if err != nil {
		return err
	}
	named := core.EntriesByGroup(members)
	for i := range members {
		if members[i].Locale == locale {
			named[members[i].Group] = &members[i]
		}
	}
	for _, u := range missing {
		fault := core.FieldError{Location: u.location, Message: "is not published yet", Unpublished: u.group}
		if e := named[u.group]; e != nil { // else a later write of an import creates it
			fault.Message += ": " + t.nameOf(schema, e)
			fault.Value = u.field.Shown(core.FormatID(e.ID))
		}
		found.List = append(found.List, fault)
	}
	found.List = found.List[:min(len(found.List), core.MaxFaults)]
	return nil
}

// nameOf names an entry in a message.
func (t Targets) nameOf(schema core.Schema, e *core.Entry) string {
	id := "entry " + strconv.FormatInt(e.ID, 10)
	c := schema.ByID(e.CollectionID)
	if c == nil || !t.Titled || c.Title(e.Draft) == "" {
		return id
	}
	return strconv.Quote(c.Title(e.Draft)) + " (" + id + ")"
}

// RequireUses sets Required of uses, which are entries that refer to the translation group. schema has all
// collections of the Project. It takes one store call.
func RequireUses(ctx context.Context, entries EntryFinder, schema core.Schema, group int64, uses []library.Use) error {
	var ids []int64
	for _, u := range uses {
		ids = append(ids, u.EntryID)
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := entries.Entries(ctx, schema.Project.ID, ids)
	if err != nil {
		return err
	}
	holders := core.EntriesByID(found)
	for i := range uses {
		e, c := holders[uses[i].EntryID], schema.ByID(uses[i].CollectionID)
		if e == nil || c == nil {
			continue
		}
		doc := e.Published
		if doc == nil {
			doc = e.Draft
		}
		uses[i].Required = requires(c, doc, group)
	}
	return nil
}

// requires reports whether doc, a version of an entry of c, lacks a required value without its relations to group.
func requires(c *core.Collection, doc core.Document, group int64) bool {
	values := doc.Values()
	fields := needing(c, values, (*core.Field).Secret, func(*core.Field, []int64) {})
	if len(fields) == 0 {
		return false
	}
	left := without(values, fields, func(f *core.Field, _ string, _ int, id int64) bool { return f.Type == core.TypeRelation && id == group })
	before := validation.Document(c, values, (*core.Field).Secret)
	return slices.ContainsFunc(validation.Document(c, left, (*core.Field).Secret).List, func(f core.FieldError) bool { return !before.Has(f.Location) })
}
