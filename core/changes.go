package core

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"

	"imprimatur/core/canonical"
)

// ChangeKind is what happened to an item of a list, or to a field, between two versions.
type ChangeKind string

// The kinds of changes. A field of an entry is always ChangeEdited.
const (
	ChangeAdded   ChangeKind = "added"
	ChangeRemoved ChangeKind = "removed"
	ChangeMoved   ChangeKind = "moved" // and maybe edited
	ChangeEdited  ChangeKind = "changed"
)

// ChangeKinds lists all kinds of changes.
var ChangeKinds = []ChangeKind{ChangeAdded, ChangeRemoved, ChangeMoved, ChangeEdited}

// Change is a difference between two versions of an entry: of one of its fields, of one item of a
// list, or of what the versions show of one media item.
type Change struct {
	// Path is the place of a field of the entry, of the list of the item ("body", "body[k1].links"),
	// or MediaMember.
	Path string
	// In is the place without keys of items: "title", "seo", or that of the items of a type, as a leaf names it:
	// "body.hero", "body.hero.links". That of a value in it begins with it.
	In string
	// Key is the key of the item in its list, or the id of the media item; empty for a field.
	Key  string
	Type string // the slug of the component of an item; otherwise empty
	Kind ChangeKind
	// From and To are the indexes of an item in the lists before and after; nil where the list does
	// not have it.
	From, To *int
	// Fields are the values that differ; of an item that was added or removed, all its values.
	Fields []ValueChange
}

// ValueChange is the value at a place before and after, as canonical JSON; nil means no value.
type ValueChange struct {
	Path          string // "title", "seo.title", "body[k1].cta.label", "@media[12].caption"
	Before, After json.RawMessage
}

// Changes returns the differences from one version of an entry to another by the keys of items, in the
// order of the fields of c and, in a list, in that of the items. The versions are canonical; null counts
// as no value; the member MediaMember has the sealed media. Secret fields, removed ones and items that
// their field does not admit are left out. Indexes count only the other items. When c is nil, Changes
// compares all members as plain values.
//
// An item has moved only if its place among the items that both lists have is different: of those, as
// many as possible keep their order. Where the key is of another component than before, one item was
// removed and another one added. A list inside an item has changes of its own, after those of the item.
// A single group is compared by its fields; one that a version lacks is a single value. A list that
// becomes null, or [] from null, is a changed field, whose value is [] when its items are removed.
// Applied to from, the changes of inner lists first and those of a list before that of its field, they
// give to.
func (c *Collection) Changes(from, to Document) []Change {
	var found changes
	if c == nil {
		found.members(from, to)
	} else {
		found.fields(c.Fields, from, to)
	}
	for _, name := range memberNames(Document(from.Value(MediaMember)), Document(to.Value(MediaMember))) {
		found.media(name, Document(from.Value(MediaMember)).Value(name), Document(to.Value(MediaMember)).Value(name))
	}
	return found
}

// Places returns the places of what differs, without keys of items and without repetition: "title", "seo.title",
// "body.hero.title"; MediaMember for a media item.
func (c *Change) Places() []string {
	if c.Path == MediaMember || len(c.Fields) == 0 {
		return []string{c.In}
	}
	places := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		if places[i] = f.Path; c.Type != "" {
			places[i] = c.In + f.Path[len(c.Path)+len(c.Key)+len("[]"):]
		}
	}
	return places
}

// changes collects changes.
type changes []Change

// members compares the members of the versions of an entry whose definition is unknown.
func (cs *changes) members(from, to Document) {
	for _, name := range memberNames(from, to) {
		if name != MediaMember {
			cs.edited(name, differing(nil, name, value(from, name), value(to, name)))
		}
	}
}

// memberNames returns the names of the members of both documents, in ascending order.
func memberNames(a, b Document) (names []string) {
	collect := func(name, _ []byte) { names = append(names, string(name)) }
	a.Each(collect)
	b.Each(collect)
	slices.Sort(names)
	return slices.Compact(names)
}

// value returns the value of a member; nil for null.
func value(doc Document, name string) json.RawMessage {
	if raw := doc.Value(name); string(raw) != "null" {
		return raw
	}
	return nil
}

// differing appends the value at path to list if it differs.
func differing(list []ValueChange, path string, before, after json.RawMessage) []ValueChange {
	if bytes.Equal(before, after) {
		return list
	}
	return append(list, ValueChange{path, before, after})
}

// edited adds a change of a field of the entry, unless nothing differs.
func (cs *changes) edited(path string, fields []ValueChange) {
	if len(fields) > 0 {
		*cs = append(*cs, Change{Path: path, In: path, Kind: ChangeEdited, Fields: fields})
	}
}

// fields compares the fields of versions of an entry.
func (cs *changes) fields(fields []*Field, from, to Document) {
	for _, f := range fields {
		var inner changes
		cs.edited(f.Name, inner.values("", "", f, from, to))
		*cs = append(*cs, inner...)
	}
}

// values returns the values of the field f of from and to that differ. It adds the changes of lists of
// items. at is the path of what has the field, and in the same without keys, both with a dot at their ends.
func (cs *changes) values(at, in string, f *Field, from, to Document) []ValueChange {
	if f.Secret() {
		return nil
	}
	path, before, after := at+f.Name, present(f, value(from, f.Name)), present(f, value(to, f.Name))
	switch {
	case !f.Structured():
		return differing(nil, path, before, after)
	case f.Multiple:
		cs.lists(path, in+f.Name, f, before, after)
		if after == nil && before != nil || before == nil && string(after) == "[]" {
			return differing(nil, path, emptied(before), emptied(after))
		}
		return nil
	case f.ComponentOf(Document(before)) == nil || f.ComponentOf(Document(after)) == nil:
		return differing(nil, path, before, after)
	}
	var found []ValueChange
	for _, inner := range f.ComponentOf(Document(before)).Fields {
		found = append(found, cs.values(path+".", in+f.Name+".", inner, Document(before), Document(after))...)
	}
	return found
}

// present is Field.Present; nil if nothing is left of a single group.
func present(f *Field, raw json.RawMessage) json.RawMessage {
	if raw = f.Present(raw); len(raw) == 0 {
		return nil
	}
	return raw
}

// emptied returns [] for a list, nil for none.
func emptied(list json.RawMessage) json.RawMessage {
	if list == nil {
		return nil
	}
	return json.RawMessage("[]")
}

// listed is an item of a list that is compared.
type listed struct {
	item      Document
	component *Component
	key       string
	at        int
	other     *listed // the same item in the other list, nil if it has none
	stays     bool    // it has the same place among the items of both lists
}

// lists adds the changes of the items from one list of f to another. in is path without keys.
func (cs *changes) lists(path, in string, f *Field, before, after json.RawMessage) {
	if bytes.Equal(before, after) {
		return
	}
	old, now := itemsOf(f, before), itemsOf(f, after)
	pair(old, now)
	next := 0
	removedBefore := func(end int) {
		for ; next < end; next++ {
			if l := &old[next]; l.other == nil {
				*cs = append(*cs, l.whole(path, inItems(in, f, l.component), ChangeRemoved))
			}
		}
	}
	for i := range now {
		l := &now[i]
		if l.other == nil {
			*cs = append(*cs, l.whole(path, inItems(in, f, l.component), ChangeAdded))
			continue
		}
		if l.stays {
			removedBefore(l.other.at)
		}
		cs.item(path, inItems(in, f, l.component), l)
	}
	removedBefore(len(old))
}

// inItems returns the place without keys of the items of c in a list of f at in.
func inItems(in string, f *Field, c *Component) string {
	if f.Type == TypeBlocks {
		return in + "." + c.Slug
	}
	return in
}

func itemsOf(f *Field, list json.RawMessage) (items []listed) {
	f.EachItem(list, func(c *Component, item Document) {
		key, _ := canonical.Text(item.Value(ItemKey))
		items = append(items, listed{item: item, component: c, key: key, at: len(items)})
	})
	return items
}

// pair finds the items that both lists have, and those of them that did not move: a longest sequence
// that has the same order in both.
func pair(old, now []listed) {
	byKey := make(map[string]*listed, len(old))
	for i := len(old) - 1; i >= 0; i-- {
		byKey[old[i].key] = &old[i]
	}
	var ends []*listed // ends[n] ends the best sequence of n+1 items
	previous := make(map[*listed]*listed, len(now))
	for i := range now {
		l := &now[i]
		l.other = byKey[l.key]
		if l.other == nil || l.other.component != l.component || l.other.other != nil {
			l.other = nil
			continue
		}
		l.other.other = l
		n := sort.Search(len(ends), func(n int) bool { return ends[n].other.at > l.other.at })
		if n > 0 {
			previous[l] = ends[n-1]
		}
		ends = append(ends[:n], append([]*listed{l}, ends[min(n+1, len(ends)):]...)...)
	}
	if len(ends) == 0 {
		return
	}
	for l := ends[len(ends)-1]; l != nil; l = previous[l] {
		l.stays = true
	}
}

// whole returns the change of an item that only one of the lists has.
func (l *listed) whole(path, in string, kind ChangeKind) Change {
	c := Change{Path: path, In: in, Key: l.key, Type: l.component.Slug, Kind: kind}
	for _, f := range l.component.Fields {
		raw, at := value(l.item, f.Name), path+"["+l.key+"]."+f.Name
		switch {
		case f.Secret() || raw == nil:
		case kind == ChangeAdded:
			c.Fields = append(c.Fields, ValueChange{Path: at, After: raw})
		default:
			c.Fields = append(c.Fields, ValueChange{Path: at, Before: raw})
		}
	}
	if kind == ChangeAdded {
		c.To = &l.at
	} else {
		c.From = &l.at
	}
	return c
}

// item adds the changes of an item that both lists have.
func (cs *changes) item(path, in string, l *listed) {
	var inner changes
	c := Change{Path: path, In: in, Key: l.key, Type: l.component.Slug, Kind: ChangeMoved, From: &l.other.at, To: &l.at}
	for _, f := range l.component.Fields {
		c.Fields = append(c.Fields, inner.values(path+"["+l.key+"].", in+".", f, l.other.item, l.item)...)
	}
	if l.stays {
		c.Kind = ChangeEdited
	}
	if !l.stays || len(c.Fields) > 0 {
		*cs = append(*cs, c)
	}
	*cs = append(*cs, inner...)
}

// media adds the changes of what the versions show of a media item.
func (cs *changes) media(id string, before, after Document) {
	c := Change{Path: MediaMember, In: MediaMember, Key: id, Kind: ChangeEdited}
	switch {
	case before == nil:
		c.Kind = ChangeAdded
	case after == nil:
		c.Kind = ChangeRemoved
	}
	for _, name := range memberNames(before, after) {
		c.Fields = differing(c.Fields, MediaMember+"["+id+"]."+name, value(before, name), value(after, name))
	}
	if len(c.Fields) > 0 {
		*cs = append(*cs, c)
	}
}
