package transfer

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
)

// links are the resolved relations and media of one version.
type links struct {
	values map[string]json.RawMessage // ids by field
	faults []core.FieldError          // of the references without a target
}

// link resolves the relations, media fields and links of v. prefix is the prefix of the locations of
// faults.
func (r *importRun) link(ring *keyring, v *version, prefix, locale string) links {
	found := links{values: map[string]json.RawMessage{}}
	for _, name := range slices.Sorted(maps.Keys(v.relations)) {
		targets := v.relations[name]
		found.add(r.schema.Collection.Field(name), prefix+"relations.", len(targets), func(i int, _ []int64) (int64, bool) {
			return ring.target(targets[i], locale)
		}, func(i int) (int, any, string) {
			value, message := ring.noTarget(targets[i])
			return targets[i].index, value, message
		})
	}
	for _, name := range slices.Sorted(maps.Keys(v.media)) {
		files := v.media[name]
		found.add(r.schema.Collection.Field(name), prefix+"media.", len(files), func(i int, taken []int64) (int64, bool) {
			return ring.file(files[i], taken)
		}, func(i int) (int, any, string) {
			return files[i].index, files[i].Hash, "no media item has this hash"
		})
	}
	r.linkTexts(&found, ring, v.fields, v.links, prefix, locale)
	return found
}

// noTarget returns the value and the message of a fault: t does not exist.
func (ring *keyring) noTarget(t target) (value any, message string) {
	value, message = core.Clip(t.group), "no entry of "+t.collection+" has this group"
	if t.key != nil {
		value, message = core.Shown(t.key), "no entry of "+t.collection+" has this key"
	}
	if ring.run.collectionOf(t.collection) != ring.run.collectionID {
		return value, message
	}
	for _, id := range []identity{groupIdentity(t.group), keyIdentity(t.key)} {
		if line := cmp.Or(ring.refused[id], ring.run.refused[id]); line != 0 {
			return value, message + ": line " + strconv.FormatInt(line, 10) + " was refused"
		}
	}
	return value, message
}

// add resolves n references of field f. fault returns the index, the value and the message of an
// unresolved one.
func (l *links) add(
	f *core.Field, prefix string, n int, find func(i int, taken []int64) (id int64, ok bool), fault func(i int) (index int, value any, message string),
) {
	var ids []int64
	for i := range n {
		if id, ok := find(i, ids); ok {
			ids = append(ids, id)
			continue
		}
		index, value, message := fault(i)
		l.faults = append(l.faults, core.FieldError{Location: elementLocation(f, prefix+f.Name, index), Value: value, Message: message})
	}
	l.values[f.Name] = core.ReferenceValue(f, ids)
}

// references resolves the references of a line: of both versions, and of the texts of its
// translations.
func (r *importRun) references(ring *keyring, l *line) linked {
	locale := localeOf(ring.schema.Project, l.write.Locale)
	found := linked{draft: r.link(ring, &l.draft, "", locale)}
	if l.public != nil {
		found.public = r.link(ring, l.public, publishedVersion, locale)
	}
	for _, tag := range l.locales {
		own := links{values: map[string]json.RawMessage{}}
		r.linkTexts(&own, ring, l.translations[tag], l.draft.links, "", locale)
		found.own = append(found.own, own)
	}
	return found
}

// faults returns the faults of all references, those with the same location once.
func (l linked) faults() (faults []core.FieldError) {
	for _, all := range append([]links{l.draft, l.public}, l.own...) {
		for _, f := range all.faults {
			if !slices.ContainsFunc(faults, func(known core.FieldError) bool { return known.Location == f.Location }) {
				faults = append(faults, f)
			}
		}
	}
	return faults
}

// needs returns the targets of the line in the imported collection that do not exist yet.
func (r *importRun) needs(ring *keyring, l *line) []need {
	locale := localeOf(ring.schema.Project, l.write.Locale)
	missing := map[need]bool{}
	for _, v := range []*version{&l.draft, l.public} {
		if v == nil {
			continue
		}
		for _, t := range r.ownTargets(v) {
			if _, ok := ring.target(t, locale); !ok {
				missing[need{groupIdentity(t.group), keyIdentity(t.key)}] = true
			}
		}
	}
	return slices.Collect(maps.Keys(missing))
}

// ownTargets returns what the relations and links of v point to in the imported collection.
func (r *importRun) ownTargets(v *version) (targets []target) {
	add := func(t target) {
		if r.collectionOf(t.collection) == r.collectionID {
			targets = append(targets, t)
		}
	}
	for _, some := range v.relations {
		for _, t := range some {
			add(t)
		}
	}
	for _, t := range v.links.entries {
		add(t)
	}
	return targets
}

// points reports whether the line has relations or links to entries, which may come later.
func (l *line) points() bool {
	return l.draft.points() || l.public != nil && l.public.points()
}

func (v *version) points() bool { return len(v.relations) > 0 || len(v.links.entries) > 0 }

// except returns l without the references that own replaces.
func (l links) except(own map[string]json.RawMessage) links {
	if len(own) == 0 {
		return l
	}
	l.values = maps.Clone(l.values)
	maps.DeleteFunc(l.values, func(name string, _ json.RawMessage) bool { _, there := own[name]; return there })
	return l
}
