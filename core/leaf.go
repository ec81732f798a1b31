package core

import (
	"slices"
	"strings"

	"imprimatur/core/canonical"
)

// A leaf is a field of a component that conditions can name through a field of a collection:
// "seo.title" is the field title in the items of the group seo, "body.hero.title" that in the items of
// the type hero of the blocks body, and "body._type" the types of these items. Items inside of items
// have no leaves. A leaf is stored in Collection.Leaves as a Field with that name and with an id of its
// own, so that the index holds its values as those of any other field. It is Multiple if several
// items, or several values of one item, can have one. SlotReady is false while a back-fill indexes it;
// until then no query may use it.

// MaxLeaves is the maximum number of filterable leaves of a collection.
const MaxLeaves = 20

// leaf says where the values of a leaf are.
type leaf struct {
	of    *Field // of the collection
	item  string // the type of the items; "": of all
	field string // of the component, or ItemType
}

// Leaf returns the leaf of that name, or nil.
func (c *Collection) Leaf(name string) *Field {
	return first(c.Leaves, func(f *Field) bool { return f.Name == name })
}

// IsLeaf reports whether f is a leaf of a collection.
func (f *Field) IsLeaf() bool { return f.leaf != nil }

// bindLeaves makes the leaves of c know their place.
func (c *Collection) bindLeaves() {
	for _, f := range c.Leaves {
		near, rest, _ := strings.Cut(f.Name, ".")
		l := &leaf{field: rest}
		if l.of = c.Field(near); l.of == nil {
			l.of = &Field{Name: near} // it was removed: the leaf has no values
		}
		if item, field, deep := strings.Cut(rest, "."); deep {
			l.item, l.field = item, field
		}
		f.leaf = l
	}
}

// EachElement calls visit with each value of f in doc: one for a field with a single value.
func (f *Field) EachElement(doc Document, visit func(element []byte)) {
	if f.leaf == nil {
		canonical.Elements(doc.Value(f.Name), visit)
		return
	}
	f.leaf.of.EachItem(doc.Value(f.leaf.of.Name), func(c *Component, item Document) {
		switch {
		case f.leaf.field == ItemType:
			visit(canonical.Quote(c.Slug))
		case f.leaf.item == "" || f.leaf.item == c.Slug:
			canonical.Elements(item.Value(f.leaf.field), visit)
		}
	})
}

// Single returns the value in doc of f, which has at most one, and whether there is one.
func (f *Field) Single(doc Document) (value Value, ok bool) {
	f.EachElement(doc, func(element []byte) { value, ok = DecodeValue(f.Type, element) })
	return value, ok
}

// Filterable returns the leaves that the definition of c and of its components asks for, without ids and
// slots.
func (c *Collection) Filterable() (leaves []*Field) {
	for _, f := range c.Fields {
		if f.Secret() || !f.Structured() {
			continue
		}
		if f.Type == TypeBlocks {
			leaves = append(leaves, &Field{Name: f.Name + "." + ItemType, Label: f.Label, Type: TypeEnumeration, Choices: f.Components, Multiple: true})
		}
		for _, slug := range f.ComponentSlugs() {
			component := f.parts[slug]
			if component == nil {
				continue
			}
			prefix := f.Name + "."
			if f.Type == TypeBlocks {
				prefix += slug + "."
			}
			for _, inner := range component.Fields {
				if inner.Filterable {
					own := *inner
					own.Name, own.Multiple = prefix+inner.Name, f.Multiple || inner.Multiple
					leaves = append(leaves, &own)
				}
			}
		}
	}
	return leaves
}

// SameLeaf reports whether two states of a leaf have the same values in the index.
func (f *Field) SameLeaf(other *Field) bool {
	return f.Name == other.Name && f.Type == other.Type && f.Multiple == other.Multiple && slices.Equal(f.TargetSlugs(), other.TargetSlugs()) && slices.Equal(f.ComponentSlugs(), other.ComponentSlugs())
}
