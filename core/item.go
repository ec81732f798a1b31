package core

import (
	"encoding/json"
	"slices"
	"strconv"

	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// An item is an object of the fields of a component, in the form of a Document. An item of blocks
// names its component in the member ItemType, stored by its key; an item of a list has a key in the member ItemKey, which
// no other item of the list has and which stays when the item moves.
const (
	ItemType = "_type"
	ItemKey  = "_key"
)

const (
	// MaxItems is the largest number of items in one version of an entry.
	MaxItems = 2000
	// MaxItemDepth is the largest number of fields with items of which one is inside the other.
	MaxItemDepth = 6
)

// Structured reports whether the values of f are items of components.
func (f *Field) Structured() bool {
	t := fieldtype.Of(f.Type)
	return t != nil && t.Items
}

// ComponentOf returns the component of an item of f; nil when f does not admit it.
func (f *Field) ComponentOf(item Document) *Component {
	if len(item) == 0 || item[0] != '{' {
		return nil // no value, or none that was checked
	}
	if f.Type == TypeGroup {
		return f.parts[f.Component]
	}
	key, ok := canonical.Text(item.Value(ItemType))
	if !ok {
		return nil
	}
	return f.ComponentKeyed(key)
}

// ComponentKeyed returns the component of that key, or else of that slug, if f admits its items, otherwise nil.
func (f *Field) ComponentKeyed(key string) *Component {
	if c := f.parts.named(key); c != nil && slices.Contains(f.ComponentSlugs(), c.Slug) {
		return c
	}
	return nil
}

// ComponentNamed returns the component of that slug if f admits its items, otherwise nil.
func (f *Field) ComponentNamed(slug string) *Component {
	if !slices.Contains(f.ComponentSlugs(), slug) {
		return nil
	}
	return f.parts[slug]
}

// EachItem calls visit with each item in the value raw of f that f admits, but not with the items
// inside of items.
func (f *Field) EachItem(raw []byte, visit func(c *Component, item Document)) {
	canonical.Elements(raw, func(element []byte) {
		if c := f.ComponentOf(element); c != nil {
			visit(c, element)
		}
	})
}

// EachValue calls visit with raw, a value of f. If f has items, it calls visit with each value inside
// of them instead, and with the field of the component that it belongs to.
func (f *Field) EachValue(raw []byte, visit func(f *Field, raw []byte)) {
	if !f.Structured() {
		visit(f, raw)
		return
	}
	f.EachItem(raw, func(c *Component, item Document) {
		item.Each(func(name, value []byte) {
			if inner := c.Field(string(name)); inner != nil {
				inner.EachValue(value, visit)
			}
		})
	})
}

// EditItems returns raw, a value of f, with each item replaced by the result of edit. Items inside of
// an item come before it. at is the place of the item among those that are not withheld: "",
// "[3]" or "[3].links[0]".
func (f *Field) EditItems(raw json.RawMessage, edit func(c *Component, at string, item Document) Document) json.RawMessage {
	return f.editItems(raw, "", edit)
}

func (f *Field) editItems(raw json.RawMessage, at string, edit func(c *Component, at string, item Document) Document) json.RawMessage {
	if !f.Structured() || len(raw) == 0 {
		return raw
	}
	admitted := -1
	return f.mapItems(raw, func(_ int, item Document) Document {
		c, at := f.ComponentOf(item), at
		if !f.Withholds(item) {
			admitted++
		}
		if c == nil {
			return item
		}
		if f.Multiple {
			at += "[" + strconv.Itoa(admitted) + "]"
		}
		inner := item.Edit(func(name string, value json.RawMessage) json.RawMessage {
			if f := c.Field(name); f != nil {
				return f.editItems(value, at+"."+name, edit)
			}
			return value
		})
		return edit(c, at, inner)
	})
}

// mapItems returns raw, a value of f, with each item replaced by the result of edit; nil removes it.
func (f *Field) mapItems(raw json.RawMessage, edit func(i int, item Document) Document) json.RawMessage {
	if len(raw) == 0 || raw[0] != '[' {
		return json.RawMessage(edit(0, Document(raw)))
	}
	list, i := append(make(json.RawMessage, 0, len(raw)), '['), 0
	canonical.Elements(raw, func(element []byte) {
		if next := edit(i, element); next != nil {
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, next...)
		}
		i++
	})
	return append(list, ']')
}

// EditValues returns raw, a value of f, replaced by the result of edit. If f has items, it replaces
// each value inside of them instead; nil removes a value. at is the place of the value in raw: "",
// ".title" or "[3].title".
func (f *Field) EditValues(raw json.RawMessage, edit func(f *Field, at string, raw json.RawMessage) json.RawMessage) json.RawMessage {
	if !f.Structured() {
		return edit(f, "", raw)
	}
	return f.EditItems(raw, func(c *Component, at string, item Document) Document {
		return item.Edit(func(name string, value json.RawMessage) json.RawMessage {
			inner := c.Field(name)
			if inner == nil || inner.Structured() {
				return value
			}
			return edit(inner, at+"."+name, value)
		})
	})
}

// Present returns raw, a value of f, without the values of removed fields and without the items that
// their fields do not admit.
func (f *Field) Present(raw json.RawMessage) json.RawMessage {
	if !f.Structured() {
		return raw
	}
	return f.mapItems(raw, func(_ int, item Document) Document {
		c := f.ComponentOf(item)
		if c == nil {
			return nil
		}
		return item.Edit(func(name string, value json.RawMessage) json.RawMessage {
			inner := c.Field(name)
			switch {
			case inner != nil:
				return inner.Present(value)
			case reservedInItems(name):
				return value
			}
			return nil
		})
	})
}

// AsWritten returns raw, a stored value of f, as a write that stores the same: without what Present
// leaves out, and with null for each field of an item that has no value and would get its default.
func (f *Field) AsWritten(raw json.RawMessage) json.RawMessage {
	return f.EditItems(f.WithSlugs(f.Present(raw)), func(c *Component, _ string, item Document) Document {
		var values map[string]json.RawMessage
		for _, inner := range c.Fields {
			if inner.Default == nil || item.Value(inner.Name) != nil {
				continue
			}
			if values == nil {
				values = item.Values()
			}
			values[inner.Name] = json.RawMessage("null")
		}
		if values == nil {
			return item
		}
		return NewDocument(values)
	})
}

// CountItems returns the number of items in the value raw of f, with those inside of items.
func (f *Field) CountItems(raw []byte) int {
	n := 0
	f.EachItem(raw, func(c *Component, item Document) {
		n++
		item.Each(func(name, value []byte) {
			if inner := c.Field(string(name)); inner != nil && inner.Structured() {
				n += inner.CountItems(value)
			}
		})
	})
	return n
}

// WithKeys returns raw, a value of f, with a key in each item of a list. An item without a key gets
// that of the item at its index in stored, if that has the same type and raw does not have its key;
// otherwise a result of newKey. Items inside of an item compare with those of the stored item that has
// its key.
func (f *Field) WithKeys(raw, stored json.RawMessage, newKey func() string) json.RawMessage {
	if !f.Structured() || len(raw) == 0 {
		return raw
	}
	if !f.Multiple {
		return json.RawMessage(f.withInnerKeys(Document(raw), Document(stored), newKey))
	}
	var before []Document
	canonical.Elements(stored, func(element []byte) { before = append(before, element) })
	taken := map[string]bool{}
	canonical.Elements(raw, func(element []byte) { taken[string(Document(element).Value(ItemKey))] = true })
	return f.mapItems(raw, func(i int, item Document) Document {
		key := item.Value(ItemKey)
		if key == nil && i < len(before) && sameType(before[i], item) && !taken[string(before[i].Value(ItemKey))] {
			key = before[i].Value(ItemKey)
		}
		for key == nil || item.Value(ItemKey) == nil && taken[string(key)] {
			key = canonical.Quote(newKey())
		}
		taken[string(key)] = true
		at := slices.IndexFunc(before, func(old Document) bool { return string(old.Value(ItemKey)) == string(key) && sameType(old, item) })
		var old Document
		if at >= 0 {
			old = before[at]
		}
		item = f.withInnerKeys(item, old, newKey)
		if item.Value(ItemKey) != nil {
			return item
		}
		keyed := append(append(Document(`{"`+ItemKey+`":`), key...), ',')
		if string(item) == "{}" {
			keyed = keyed[:len(keyed)-1]
		}
		return append(keyed, item[1:]...)
	})
}

func sameType(a, b Document) bool { return string(a.Value(ItemType)) == string(b.Value(ItemType)) }

// withInnerKeys is WithKeys for the fields of an item.
func (f *Field) withInnerKeys(item, stored Document, newKey func() string) Document {
	c := f.ComponentOf(item)
	if c == nil {
		return item
	}
	return item.Edit(func(name string, value json.RawMessage) json.RawMessage {
		if inner := c.Field(name); inner != nil {
			return inner.WithKeys(value, stored.Value(name), newKey)
		}
		return value
	})
}
