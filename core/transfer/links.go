package transfer

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// Links of rich text, and references in items, have ids of the Project that was exported. The member "links" of a version says
// what they mean in any Project:
//
//	{"media":{"12":{"hash":…,"fileName":…}},"entries":{"5":{"collection":…,"group":…,"key":…}}}
//
// An id that it does not have is an id of the Project of the import.

// textLinks are the targets of links by the ids in the texts.
type textLinks struct {
	media   map[int64]file
	entries map[int64]target
}

// links returns the member "links" for the references of a version, or nil without one.
func (t exportTargets) links(named core.References) json.RawMessage {
	media, entries := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, id := range named.Media {
		media[strconv.FormatInt(id, 10)] = t.file(id)
	}
	for _, group := range named.Groups {
		entries[strconv.FormatInt(group, 10)] = t.named(group)
	}
	members := map[string]json.RawMessage{}
	if len(media) > 0 {
		members["media"] = json.RawMessage(core.NewDocument(media))
	}
	if len(entries) > 0 {
		members["entries"] = json.RawMessage(core.NewDocument(entries))
	}
	if len(members) == 0 {
		return nil
	}
	return json.RawMessage(core.NewDocument(members))
}

// inside returns a value of f, which is rich text or in an item, with its references in named. It
// removes references to what was deleted.
func (t exportTargets) inside(f *core.Field, value json.RawMessage, named *core.References) json.RawMessage {
	switch {
	case f.HasLinks():
		return t.text(f, value, named)
	case f.Kind() != fieldtype.Reference:
		return value
	}
	ids := slices.DeleteFunc(core.ReferenceIDs(value), func(id int64) bool { return !t.exists(f, id) })
	f.EachReference(core.ReferenceValue(f, ids), named.Add)
	return core.ReferenceValue(f, ids)
}

// exists reports whether the target of a reference of f exists, and is admitted if f is a relation to
// several collections.
func (t exportTargets) exists(f *core.Field, id int64) bool {
	if f.Type == core.TypeMedia {
		_, there := t.media[id]
		return there
	}
	row, there := t.rows[id]
	if f.ToSeveral() {
		return there && t.schema.Admits(f, row.CollectionID)
	}
	return there && t.schema.ByID(row.CollectionID) != nil
}

// text returns the value of f, whose links get targets in named. It removes pictures that were
// deleted, and the ids of other deleted targets. The address of a file becomes the id of its item.
func (t exportTargets) text(f *core.Field, value json.RawMessage, named *core.References) json.RawMessage {
	return f.EditLinks(value, func(_ string, l *core.Link) {
		switch l.Target {
		case core.ToMedia:
			if _, there := t.media[l.ID]; !there {
				l.Remove("data-media")
				l.Drop()
				return
			}
		case core.ToGroup:
			row, there := t.rows[l.ID]
			if !there || t.schema.ByID(row.CollectionID) == nil {
				l.Remove("data-entry")
				return
			}
		case core.ToFile:
			item := t.itemOf(l.File)
			if item == 0 {
				return
			}
			l.PointTo(core.ToMedia, item)
		}
		named.Add(l.Ref)
	})
}

// itemOf returns the lowest id of the items with a file of that name, 0 without one.
func (t exportTargets) itemOf(name string) (lowest int64) {
	for id, item := range t.media {
		if slices.Contains(item.Files(), name) && (lowest == 0 || id < lowest) {
			lowest = id
		}
	}
	return lowest
}

// parseLinks parses the member "links" of a version.
func (r *importRun) parseLinks(raw map[string]json.RawMessage, prefix string, found *core.Faults) (links textLinks) {
	prefix += "links."
	var media, entries map[string]json.RawMessage
	decode(raw, prefix, found, func(name string) any {
		return map[string]any{"media": &media, "entries": &entries}[name]
	})
	links.media, links.entries = map[int64]file{}, map[int64]target{}
	for _, name := range slices.Sorted(maps.Keys(media)) {
		location := prefix + "media." + core.Clip(name)
		if files := parseFiles(&core.Field{}, []json.RawMessage{media[name]}, location, found); len(files) > 0 {
			links.media[idOf(name, location, found)] = files[0]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		location := prefix + "entries." + core.Clip(name)
		if t, ok := r.parseNamed(nil, entries[name], location, found); ok {
			links.entries[idOf(name, location, found)] = t
		}
	}
	return links
}

// idOf parses the name of a member of links.
func idOf(name, location string, found *core.Faults) int64 {
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil || id < 1 {
		found.Add(location, nil, "must be named by an id")
	}
	return id
}

// want adds the names of the targets to wanted.
func (t *textLinks) want(r *importRun, wanted *names) {
	for _, target := range t.entries {
		wanted.add(r.collectionOf(target.collection), target)
	}
	for _, f := range t.media {
		wanted.hashes = append(wanted.hashes, f.Hash)
	}
}

// collectionOf returns the id of the collection of that slug, or 0.
func (r *importRun) collectionOf(slug string) int64 {
	if c := r.schema.BySlug(slug); c != nil {
		return c.ID
	}
	return 0
}

// linkTexts adds the texts of fields with resolved links to found. A link without a target is a fault.
func (r *importRun) linkTexts(found *links, ring *keyring, fields map[string]json.RawMessage, targets textLinks, prefix, locale string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := r.schema.Collection.Field(name)
		if !targets.concern(f, fields[name]) {
			continue
		}
		missing := func(kind string, old int64, value any, message string) {
			found.faults = append(found.faults, core.FieldError{Location: prefix + "links." + kind + "." + strconv.FormatInt(old, 10), Value: value, Message: message})
		}
		find := func(to core.Reference) (int64, bool) {
			if item, named := targets.media[to.ID]; named && to.Target == core.ToMedia {
				id, ok := ring.file(item, nil)
				if !ok {
					missing("media", to.ID, item.Hash, "no media item has this hash")
				}
				return id, ok
			}
			target, named := targets.entries[to.ID]
			if !named || to.Target != core.ToGroup {
				return 0, false
			}
			id, ok := ring.target(target, locale)
			if !ok {
				value, message := ring.noTarget(target)
				missing("entries", to.ID, value, message)
			}
			return id, ok
		}
		found.values[name] = f.EditValues(fields[name], func(inner *core.Field, _ string, raw json.RawMessage) json.RawMessage {
			return relinked(inner, raw, find)
		})
	}
}

// relinked returns a value of f with the ids of its references replaced by the results of find.
func relinked(f *core.Field, value json.RawMessage, find func(to core.Reference) (int64, bool)) json.RawMessage {
	switch {
	case f.HasLinks():
		return f.EditLinks(value, func(_ string, l *core.Link) {
			if id, ok := find(l.Ref); ok {
				l.PointTo(l.Target, id)
			}
		})
	case f.Kind() != fieldtype.Reference:
		return value
	}
	var ids []int64
	n := 0
	canonical.Elements(value, func([]byte) { n++ })
	f.EachReference(value, func(to core.Reference) {
		if id, ok := find(to); ok {
			to.ID = id
		}
		ids = append(ids, to.ID)
	})
	if len(ids) != n {
		return value // it is not canonical: the check of the line reports it
	}
	return core.ReferenceValue(f, ids)
}

// concern reports whether a link in the value raw of f has a target in t.
func (t *textLinks) concern(f *core.Field, raw json.RawMessage) (found bool) {
	if f == nil || !f.RefersInside() || len(t.media)+len(t.entries) == 0 {
		return false
	}
	f.EachReference(raw, func(to core.Reference) {
		_, media := t.media[to.ID]
		_, entry := t.entries[to.ID]
		found = found || media && to.Target == core.ToMedia || entry && to.Target == core.ToGroup
	})
	return found
}
