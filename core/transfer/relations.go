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

// links are the resolved relations and media of one version.
type links struct {
	values  map[string]json.RawMessage // ids by field
	missing []string                   // fields with an unresolved reference
	faults  []core.FieldError          // of the unresolved references
}

// link resolves the relations and media fields of v. prefix is the prefix of the locations of
// faults.
func (r *importRun) link(ring *keyring, v *version, prefix, locale string) links {
	found := links{values: map[string]json.RawMessage{}}
	for _, name := range slices.Sorted(maps.Keys(v.relations)) {
		targets, collection := v.relations[name], r.targetID(name)
		f := r.schema.Collection.Field(name)
		found.add(f, prefix+"relations.", len(targets), func(i int, _ []int64) (int64, bool) {
			return ring.target(collection, targets[i], locale)
		}, func(i int) (any, string) {
			if targets[i].key != nil {
				return targets[i].key, "no entry of " + f.Collection + " has this key"
			}
			return core.Clip(targets[i].group), "no entry of " + f.Collection + " has this group"
		})
	}
	for _, name := range slices.Sorted(maps.Keys(v.media)) {
		files := v.media[name]
		found.add(r.schema.Collection.Field(name), prefix+"media.", len(files), func(i int, taken []int64) (int64, bool) {
			return ring.file(files[i], taken)
		}, func(i int) (any, string) {
			return files[i].Hash, "no media item has this hash"
		})
	}
	return found
}

// add resolves n references of field f. fault returns the value and the message of an
// unresolved one.
func (l *links) add(
	f *core.Field, prefix string, n int, find func(i int, taken []int64) (id int64, ok bool), fault func(i int) (value any, message string),
) {
	var ids []int64
	for i := range n {
		if id, ok := find(i, ids); ok {
			ids = append(ids, id)
			continue
		}
		location := prefix + f.Name
		if f.Multiple {
			location += "[" + strconv.Itoa(i) + "]"
		}
		value, message := fault(i)
		l.faults = append(l.faults, core.FieldError{Location: location, Value: value, Message: message})
	}
	if len(ids) < n {
		l.missing = append(l.missing, f.Name)
	}
	l.values[f.Name] = core.ReferenceValue(f, ids)
}

// points reports whether the line has relations, whose targets may come later.
func (l *line) points() bool {
	return len(l.draft.relations) > 0 || l.public != nil && len(l.public.relations) > 0
}

// later is the rest of a line, which is written after all lines.
type later struct {
	line    int64
	ref     string // of the line's group
	key     json.RawMessage
	group   int64           // 0: to be found by ref or key
	write   core.EntryWrite // without fields
	locales []string
	draft   version // without fields
	public  *version
}

func laterOf(l *line, group int64) later {
	return later{
		line: l.number, ref: l.group, key: l.key, group: group, write: l.write,
		locales: slices.Sorted(maps.Keys(l.translations)),
		draft:   version{relations: l.draft.relations, media: l.draft.media}, public: l.public,
	}
}

// relations writes the rest of the lines. It reports references that have no target even now,
// and writes the others of their line.
func (r *importRun) relations(ctx context.Context) error {
	rest := r.later
	r.later = nil
	for lines := range slices.Chunk(rest, portionEntries) {
		if err := inHalves(ctx, r, lines, "relations.", r.relateLines); err != nil {
			return err
		}
	}
	return nil
}

func (r *importRun) relateLines(ctx context.Context, lines []later) error {
	var wanted names
	var groups []int64
	for _, l := range lines {
		r.want(&wanted, l.ref, l.key, &l.draft, l.public)
		if l.group != 0 {
			groups = append(groups, l.group)
		}
	}
	return r.transact(ctx, wanted, func(ctx context.Context, batch ports.Batch, ring *keyring, done *outcome) error {
		// One read for all of them; relate then finds each in memory.
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
}

// relate writes the relations of one line to its entries, and then publishes them as the line
// says.
func (r *importRun) relate(ctx context.Context, batch ports.Batch, ring *keyring, l later, done *outcome) error {
	project := batch.Schema().Project
	locale := localeOf(project, l.write.Locale)
	group := l.group
	if group == 0 {
		var err error
		if group, err = ring.own(l.ref, l.key, locale); err != nil {
			return err
		}
	}
	members, err := r.members(ctx, batch, group)
	if err != nil {
		return err
	}
	draft := r.link(ring, &l.draft, "", locale)
	faults := draft.faults
	fields, err := r.check(ctx, batch, draft.values)
	if err != nil {
		return err
	}
	for i, tag := range append([]string{locale}, l.locales...) {
		e, there := members[localeOf(project, &tag)]
		if !there {
			continue
		}
		w := l.write
		w.Locale, w.TranslationOf, w.Fields = nil, nil, fields
		if i == 0 && l.public != nil {
			public := r.link(ring, l.public, publishedVersion, locale)
			faults = append(faults, public.faults...)
			version, err := r.check(ctx, batch, l.public.fields, public.values)
			if err != nil {
				return err
			}
			w.Version = &version
		}
		if _, err := batch.Revise(ctx, e, w); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		done.failed = append(done.failed, LineError{Line: l.line, Err: core.Invalid(faults...)})
	}
	return nil
}

// check checks the values of fields that the collection has by now.
func (r *importRun) check(ctx context.Context, batch ports.Batch, values ...map[string]json.RawMessage) (core.CheckedFields, error) {
	collection, all := batch.Schema().Collection, map[string]json.RawMessage{}
	for _, some := range values {
		maps.Copy(all, some)
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return collection.Field(name) == nil })
	return r.writer.Check(ctx, collection, all)
}
