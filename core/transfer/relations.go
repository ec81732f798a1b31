package transfer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/ports"
)

// links are the relations of one line as far as their keys lead somewhere.
type links struct {
	values  map[string]json.RawMessage // ids by field, of the keys that do
	missing []string                   // fields with keys that do not
	faults  []core.FieldError          // those keys
}

// link looks up the keys that relations name.
func (r *importRun) link(ring *keyring, relations map[string]keys, locale string) links {
	found := links{values: map[string]json.RawMessage{}}
	for _, name := range slices.Sorted(maps.Keys(relations)) {
		f := r.schema.Collection.Field(name)
		var ids []int64
		whole := true
		for i, key := range relations[name] {
			at, ok := ring.find(r.keyIn(name, key), locale)
			if ok {
				ids = append(ids, at.id)
				continue
			}
			whole = false
			location := "relations." + name
			if f.Multiple {
				location += "[" + strconv.Itoa(i) + "]"
			}
			found.faults = append(found.faults, core.FieldError{
				Location: location, Value: key, Message: "no entry of " + f.Collection + " has this key",
			})
		}
		if !whole {
			found.missing = append(found.missing, name)
		}
		found.values[name] = formatIDs(f, ids)
	}
	return found
}

// later is what is left to do of a line when all lines have been written.
type later struct {
	line      int64
	key       json.RawMessage
	group     int64           // 0: to be found by the key
	write     core.EntryWrite // locale and publishing only
	locales   []string
	relations map[string]keys
}

func laterOf(l *line, group int64) later {
	return later{
		line: l.number, key: l.key, group: group, relations: l.relations,
		write:   core.EntryWrite{Locale: l.write.Locale, Published: l.write.Published, PublishAt: l.write.PublishAt},
		locales: slices.Sorted(maps.Keys(l.translations)),
	}
}

// relations does what is left to do. Keys that lead nowhere even now are reported;
// the others of their line are written.
func (r *importRun) relations(ctx context.Context) error {
	rest := r.later
	r.later = nil
	for lines := range slices.Chunk(rest, portionEntries) {
		if err := r.relateBatch(ctx, lines); err != nil {
			return err
		}
	}
	return nil
}

func (r *importRun) relateBatch(ctx context.Context, lines []later) error {
	var wanted []keyOf
	var groups []int64
	for _, l := range lines {
		wanted = append(wanted, r.wanted(l.key, l.relations)...)
		if l.group != 0 {
			groups = append(groups, l.group)
		}
	}
	err := r.transact(ctx, wanted, func(ctx context.Context, batch ports.Batch, ring *keyring, done *outcome) error {
		// Read at once, they are there when they are asked for one by one.
		if _, err := batch.Stores().Entries.Translations(ctx, r.project.ID, groups...); err != nil {
			return err
		}
		for _, l := range lines {
			if err := r.relate(ctx, batch, ring, l, done); err != nil {
				return err
			}
		}
		return nil
	})
	fault := refusal(err, "relations.")
	switch {
	case fault == nil:
		return err
	case len(lines) == 1:
		r.fail(lines[0].line, fault)
		return nil
	}
	for half := range slices.Chunk(lines, (len(lines)+1)/2) {
		if err := r.relateBatch(ctx, half); err != nil {
			return err
		}
	}
	return nil
}

// relate writes the relations of one line into its entries.
func (r *importRun) relate(ctx context.Context, batch ports.Batch, ring *keyring, l later, done *outcome) error {
	locale := localeOf(batch.Schema().Project, l.write.Locale)
	members, err := r.members(ctx, batch, ring, l.key, l.group, locale)
	if err != nil {
		return err
	}
	links := r.link(ring, l.relations, locale)
	collection := batch.Schema().Collection
	maps.DeleteFunc(links.values, func(name string, _ json.RawMessage) bool { return collection.Field(name) == nil })
	fields, err := r.writer.Check(ctx, collection, links.values)
	if err != nil {
		return err
	}
	for _, tag := range append([]string{locale}, l.locales...) {
		e, there := members[localeOf(batch.Schema().Project, &tag)]
		if !there {
			continue
		}
		w := core.EntryWrite{Published: l.write.Published, PublishAt: l.write.PublishAt, Fields: fields}
		if _, err := batch.Revise(ctx, e, w); err != nil {
			return err
		}
	}
	if len(links.faults) > 0 {
		done.failed = append(done.failed, LineError{Line: l.line, Err: core.Invalid(links.faults...)})
	}
	return nil
}
