package core

import (
	"encoding/json"
	"slices"
	"strconv"

	"imprimatur/core/canonical"
)

// Withheld is a part of a version that no response shows, because the definition does not admit it now: an
// item of a component that its field does not admit, or the value of a removed field of a component. It
// stays in both versions of the entry, and is shown again when the definition admits it again.
type Withheld struct {
	// Path is that of the list of the item, or of the value: "body", "body[k1].links", "body[k1].subtitle".
	Path string
	// Key and Type are those of the item; empty for a value.
	Key, Type string

	place string // Path with indexes in place of keys, and with that of the item
}

// IsItem reports whether w is an item.
func (w Withheld) IsItem() bool { return w.Key != "" || w.Type != "" }

// at identifies w in a document.
func (w Withheld) at() string {
	if w.IsItem() {
		return w.Path + "[" + w.Key + "]"
	}
	return w.Path
}

// Withholds reports whether element, of the value of f, is an item that f does not admit.
func (f *Field) Withholds(element []byte) bool {
	return len(element) > 0 && element[0] == '{' && f.ComponentOf(element) == nil
}

// Withheld returns the parts of doc that are withheld, in the order of c's fields. It leaves out fields that
// are secret.
func (c *Collection) Withheld(doc Document) (parts []Withheld) {
	for _, f := range c.Fields {
		if !f.Secret() {
			parts = append(parts, f.Withheld(doc.Value(f.Name))...)
		}
	}
	return parts
}

// Withheld returns the parts of the value raw of f that Present leaves out.
func (f *Field) Withheld(raw []byte) (parts []Withheld) {
	f.eachWithheld(raw, f.Name, f.Name, func(w Withheld) { parts = append(parts, w) })
	return parts
}

// WithheldPlaces returns the places in the value raw of f of what Present leaves out of it: "[3]",
// "[3].subtitle".
func (f *Field) WithheldPlaces(raw []byte) (places []string) {
	f.eachWithheld(raw, "", "", func(w Withheld) { places = append(places, w.place) })
	return places
}

func (f *Field) eachWithheld(raw []byte, path, place string, visit func(w Withheld)) {
	if !f.Structured() {
		return
	}
	i := -1
	canonical.Elements(raw, func(element []byte) {
		item, inside, at := Document(element), path, place
		key, _ := canonical.Text(item.Value(ItemKey))
		if i++; f.Multiple {
			inside, at = path+"["+key+"]", place+"["+strconv.Itoa(i)+"]"
		}
		c := f.ComponentOf(item)
		if c == nil {
			visit(Withheld{Path: path, Key: key, Type: f.typeOf(item), place: at})
			return
		}
		item.Each(func(name, value []byte) {
			path, place := inside+"."+string(name), at+"."+string(name)
			if inner := c.Field(string(name)); inner != nil {
				inner.eachWithheld(value, path, place, visit)
			} else if !reservedInItems(string(name)) {
				visit(Withheld{Path: path, place: place})
			}
		})
	})
}

// typeOf returns the slug of the component of an item that f does not admit, or its key if the component was deleted.
func (f *Field) typeOf(item Document) string {
	key, _ := canonical.Text(item.Value(ItemType))
	if c := f.parts.named(key); c != nil {
		return c.Slug
	}
	return key
}

// reservedInItems reports whether a member of an item is no field of its component.
func reservedInItems(name string) bool { return name == ItemType || name == ItemKey }

// Retention says which withheld parts of a stored value stay in a value that replaces it.
type Retention struct {
	// Keep reports whether a part stays; nil: each does.
	Keep func(Withheld) bool
	// References returns the references of a stored relation to several collections: those that it shows, and those
	// to entries of former collections. nil: it shows all.
	References func(f *Field, stored json.RawMessage) (shown, former []int64)
	// Clash is called for each item that cannot stay, because the new value has another item with its key
	// in its list; nil: it is not reported.
	Clash func(Withheld)
}

// Retain returns value, a value of f, with the withheld parts of stored, which it replaces. A withheld item
// follows the item that it followed in stored; if the list no longer has that one, the nearest before it.
// Withheld values stay in the item with their key, and references to former collections as items do.
func (f *Field) Retain(value, stored json.RawMessage, r Retention) json.RawMessage {
	return f.retain(value, stored, f.Name, r)
}

func (f *Field) retain(value, stored json.RawMessage, path string, r Retention) json.RawMessage {
	switch {
	case len(value) == 0 || len(stored) == 0:
	case f.ToSeveral() && len(f.Former) > 0 && r.References != nil:
		shown, former := r.References(f, stored)
		return f.retainReferences(value, stored, shown, former)
	case !f.Structured():
	case f.Multiple:
		return f.retainItems(value, stored, path, r)
	default:
		return json.RawMessage(f.retainIn(Document(value), Document(stored), path, r))
	}
	return value
}

// retainReferences is Retain for references.
func (f *Field) retainReferences(value, stored json.RawMessage, shown, former []int64) json.RawMessage {
	switch {
	case string(value) == string(ReferenceValue(f, shown)):
		return stored
	case !f.Multiple || len(former) == 0 || string(value) == "null":
		return value
	}
	written := ReferenceIDs(value)
	followers := map[int64][]int64{} // former ones by the reference before them that stays; 0: at the start
	last := int64(0)
	for _, id := range ReferenceIDs(stored) {
		switch {
		case slices.Contains(written, id):
			last = id
		case slices.Contains(former, id):
			followers[last] = append(followers[last], id)
		}
	}
	list := followers[0]
	for _, id := range written {
		list = append(append(list, id), followers[id]...)
	}
	return ReferenceValue(f, list)
}

// retainItems is Retain for a list of items.
func (f *Field) retainItems(value, stored json.RawMessage, path string, r Retention) json.RawMessage {
	written := map[string]Document{} // by key
	canonical.Elements(value, func(element []byte) { written[string(Document(element).Value(ItemKey))] = element })
	before := map[string]Document{}      // stored items that value has too, by key
	followers := map[string][]Document{} // withheld items by the key of the item before them; "": at the start
	last := ""
	canonical.Elements(stored, func(element []byte) {
		item := Document(element)
		key := string(item.Value(ItemKey))
		other, stays := written[key]
		if f.ComponentOf(item) != nil {
			if stays && sameType(item, other) {
				before[key], last = item, key
			}
			return
		}
		w := Withheld{Path: path}
		w.Key, _ = canonical.Text(item.Value(ItemKey))
		w.Type = f.typeOf(item)
		switch {
		case r.Keep != nil && !r.Keep(w):
		case !stays:
			followers[last] = append(followers[last], item)
		case string(other) != string(item) && r.Clash != nil:
			r.Clash(w)
		}
	})
	list := append(make(json.RawMessage, 0, len(value)+len(stored)), '[')
	add := func(item []byte) {
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, item...)
	}
	addAll := func(items []Document) {
		for _, item := range items {
			add(item)
		}
	}
	addAll(followers[""])
	canonical.Elements(value, func(element []byte) {
		item := Document(element)
		quoted := string(item.Value(ItemKey))
		key, _ := canonical.Text([]byte(quoted))
		add(f.retainIn(item, before[quoted], path+"["+key+"]", r))
		addAll(followers[quoted])
	})
	return append(list, ']')
}

// retainIn returns an item of f with the withheld parts of the stored item.
func (f *Field) retainIn(item, stored Document, path string, r Retention) Document {
	c := f.ComponentOf(item)
	if c == nil || stored == nil {
		return item
	}
	kept := map[string]json.RawMessage{}
	stored.Each(func(member, value []byte) {
		name := string(member)
		at := path + "." + name
		if inner := c.Field(name); inner != nil {
			if present := item.Value(name); present != nil {
				kept[name] = inner.retain(present, value, at, r)
			}
		} else if !reservedInItems(name) && (r.Keep == nil || r.Keep(Withheld{Path: at})) {
			kept[name] = value
		}
	})
	values := item.Values()
	for name, value := range kept {
		if c.Field(name) != nil || values[name] == nil {
			values[name] = value
		}
	}
	return NewDocument(values)
}

// Republished returns shown, which becomes public in the place of public (nil: nothing was public), with the
// values of removed fields that public has, and with the withheld parts of public that draft has too. Readers
// never see a part that was in no publication, not even when the definition admits it again, nor one that was
// dropped from the draft.
func (c *Collection) Republished(shown, draft, public Document) Document {
	if public == nil || len(c.Removed) == 0 && !c.Structured() {
		return shown
	}
	values := shown.Values()
	public.Each(func(member, stored []byte) {
		name := string(member)
		f := c.Field(name)
		switch {
		case f == nil && values[name] == nil:
			values[name] = stored
		case f == nil:
		case f.Structured() && values[name] != nil:
			held := map[string]bool{}
			for _, w := range f.Withheld(draft.Value(name)) {
				held[w.at()] = true
			}
			values[name] = f.Retain(values[name], stored, Retention{Keep: func(w Withheld) bool { return held[w.at()] }})
		}
	})
	return NewDocument(values)
}

// HasKey reports whether an item in the value raw of f that f admits, or an item inside of it, has that key.
func (f *Field) HasKey(raw []byte, key string) bool {
	found := false
	f.EachItem(raw, func(c *Component, item Document) {
		own, _ := canonical.Text(item.Value(ItemKey))
		found = found || own == key || slices.ContainsFunc(c.Fields, func(inner *Field) bool {
			return inner.Structured() && inner.HasKey(item.Value(inner.Name), key)
		})
	})
	return found
}
