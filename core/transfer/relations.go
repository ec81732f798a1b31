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

// link resolves the relations, media fields and links of v. prefix is the prefix of the locations of
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
	r.linkTexts(&found, ring, v.fields, v.links, prefix, locale)
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
	return l.draft.points() || l.public != nil && l.public.points()
}

func (v *version) points() bool { return len(v.relations) > 0 || len(v.links.entries) > 0 }

// rest returns the part of l that is written after all lines. To save memory, it has no fields
// except those of the published version, texts with links and the references of translations.
func (l *line) rest(collection *core.Collection, group int64) *line {
	rest := *l
	linked := func(name string, raw json.RawMessage) bool { return l.draft.links.concern(collection.Field(name), raw) }
	rest.groupID, rest.units = group, nil
	rest.draft.fields = merged(l.draft.fields)
	maps.DeleteFunc(rest.draft.fields, func(name string, raw json.RawMessage) bool { return !linked(name, raw) })
	rest.translations = map[string]map[string]json.RawMessage{}
	for locale, fields := range l.translations {
		rest.translations[locale] = merged(fields)
		maps.DeleteFunc(rest.translations[locale], func(name string, raw json.RawMessage) bool {
			return !l.draft.refers(name) && !linked(name, raw) && rest.draft.fields[name] == nil
		})
	}
	return &rest
}

// refers reports whether v has a relation or media for the field of that name.
func (v *version) refers(name string) bool {
	_, relation := v.relations[name]
	_, media := v.media[name]
	return relation || media
}

// except returns l without the references that own replaces.
func (l links) except(own map[string]json.RawMessage) links {
	if len(own) == 0 {
		return l
	}
	named := func(name string) bool { _, there := own[name]; return there }
	l.values, l.missing = maps.Clone(l.values), slices.Clone(l.missing)
	maps.DeleteFunc(l.values, func(name string, _ json.RawMessage) bool { return named(name) })
	l.missing = slices.DeleteFunc(l.missing, named)
	return l
}

// relations writes the rest of the lines. It reports references that still have no target, and
// writes the other references of their lines.
func (r *importRun) relations(ctx context.Context) error {
	rest := r.later
	r.later, r.written = nil, true
	return r.paced(ctx, rest, step{"relations.", r.readGroups, r.relate})
}

// readGroups prefetches the groups of lines; relate then finds each in memory.
func (r *importRun) readGroups(ctx context.Context, batch ports.Batch, _ *keyring, lines []*line) error {
	var groups []int64
	for _, l := range lines {
		groups = append(groups, l.groupID)
	}
	_, err := batch.Stores().Entries.Translations(ctx, r.project.ID, groups...)
	return err
}

// relate writes the relations of one line to its entries, and publishes the entries if the line
// requests it.
func (r *importRun) relate(ctx context.Context, batch ports.Batch, ring *keyring, l *line, done *outcome) error {
	project := batch.Schema().Project
	locale := localeOf(project, l.write.Locale)
	members, err := r.members(ctx, batch, l.groupID)
	if err != nil {
		return err
	}
	draft := r.link(ring, &l.draft, "", locale)
	faults := draft.faults
	for i, tag := range append([]string{locale}, l.locales...) {
		e, there := members[localeOf(project, &tag)]
		if !there {
			continue
		}
		w := l.write
		w.Locale, w.TranslationOf = nil, nil
		own := links{values: map[string]json.RawMessage{}}
		if i > 0 {
			r.linkTexts(&own, ring, l.translations[tag], l.draft.links, "", locale)
		}
		if w.Fields, err = r.check(ctx, batch, draft.except(l.translations[tag]).values, own.values); err != nil {
			return err
		}
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
		done.failed = append(done.failed, LineError{Line: l.number, Err: core.Invalid(faults...)})
	}
	return nil
}

// check checks the values of the fields that the collection still has.
func (r *importRun) check(ctx context.Context, batch ports.Batch, values ...map[string]json.RawMessage) (core.CheckedFields, error) {
	collection, all := batch.Schema().Collection, merged(nil, values...)
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return collection.Field(name) == nil })
	return r.writer.Check(ctx, collection, all)
}
