package core

import (
	"encoding/json"
	"slices"
	"strconv"

	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// Reference is what a value refers to: a media item, the entries of a translation group, or the
// media items with a file.
type Reference = fieldtype.Ref

// Link is an element of rich text that refers to something.
type Link = fieldtype.Link

// The targets of references.
const (
	ToMedia = fieldtype.MediaItem
	ToGroup = fieldtype.EntryGroup
	ToFile  = fieldtype.File
)

// EachReference calls visit with each reference in doc, a version of an entry of c, of the fields
// that match: the values of media fields and relations, and what rich text shows and links to.
// Everything that depends on what content refers to uses this walk.
func (c *Collection) EachReference(doc Document, match func(*Field) bool, visit func(*Field, Reference)) {
	doc.Each(func(name, raw []byte) {
		if f := c.Field(string(name)); f != nil && match(f) {
			f.EachReference(raw, func(r Reference) { visit(f, r) })
		}
	})
}

// EachReference calls visit with each reference in the stored value raw of f.
func (f *Field) EachReference(raw []byte, visit func(Reference)) {
	f.EachValue(raw, func(f *Field, raw []byte) {
		if t := fieldtype.Of(f.Type); t != nil && t.References != nil {
			canonical.Elements(raw, func(element []byte) { t.References(element, visit) })
		}
	})
}

// EachPicture calls visit with the address of each picture in the rich text of doc, a version of an
// entry of c, unless it is a picture of the library by its id. location is that of the text. Fields
// that no reader sees are left out.
func (c *Collection) EachPicture(doc Document, visit func(location, source string)) {
	doc.Each(func(name, raw []byte) {
		f := c.Field(string(name))
		if f == nil || f.Secret() {
			return
		}
		f.EditValues(raw, func(text *Field, at string, raw json.RawMessage) json.RawMessage {
			text.eachPicture(FieldLocation(f.Name)+at, raw, visit)
			return raw
		})
	})
}

// eachPicture is Collection.EachPicture for the value raw of f at location.
func (f *Field) eachPicture(location string, raw []byte, visit func(location, source string)) {
	t, n := fieldtype.Of(f.Type), 0
	if t == nil || t.Pictures == nil {
		return
	}
	canonical.Elements(raw, func(element []byte) {
		at := location
		if f.Multiple {
			at += "[" + strconv.Itoa(n) + "]"
		}
		n++
		t.Pictures(element, func(source string) { visit(at, source) })
	})
}

// CanShowMedia reports whether values of f can refer to media items.
func (f *Field) CanShowMedia() bool { return f.Type == TypeMedia || f.RefersInside() }

// RefersInside reports whether values of f can have references inside: links in rich text, or those
// of the fields of items.
func (f *Field) RefersInside() bool { return f.HasLinks() || f.Structured() }

// HasLinks reports whether values of f can have links, which are references inside a value.
func (f *Field) HasLinks() bool {
	t := fieldtype.Of(f.Type)
	return t != nil && t.EditLinks != nil
}

// HasIDs reports whether the value raw of f can have links with ids. It only scans the bytes.
func (f *Field) HasIDs(raw []byte) bool {
	t := fieldtype.Of(f.Type)
	return t != nil && t.HasIDs != nil && t.HasIDs(raw)
}

// EditLinks calls edit with each link in the canonical value raw of f, in order, and returns the
// edited value. at is the place of the link in the value: "", or "[2]" in a list.
func (f *Field) EditLinks(raw json.RawMessage, edit func(at string, l *Link)) json.RawMessage {
	t := fieldtype.Of(f.Type)
	if t == nil || t.EditLinks == nil || len(raw) == 0 || string(raw) == "null" {
		return raw
	}
	if !f.Multiple {
		return t.EditLinks(raw, func(l *Link) { edit("", l) })
	}
	list, n := []byte{'['}, 0
	canonical.Elements(raw, func(element []byte) {
		if len(list) > 1 {
			list = append(list, ',')
		}
		at := "[" + strconv.Itoa(n) + "]"
		list = append(list, t.EditLinks(element, func(l *Link) { edit(at, l) })...)
		n++
	})
	return append(list, ']')
}

// References are the distinct targets of references, each list in ascending order.
type References struct {
	Media  []int64
	Groups []int64  // translation groups
	Files  []string // names of blobs
}

// Add adds a reference. Settle must be called before the lists are used.
func (r *References) Add(to Reference) {
	switch to.Target {
	case ToMedia:
		r.Media = append(r.Media, to.ID)
	case ToGroup:
		r.Groups = append(r.Groups, to.ID)
	case ToFile:
		r.Files = append(r.Files, to.File)
	}
}

// Join adds the references of other. Settle must be called before the lists are used.
func (r *References) Join(other References) {
	r.Media, r.Groups, r.Files = append(r.Media, other.Media...), append(r.Groups, other.Groups...), append(r.Files, other.Files...)
}

// Settle sorts the lists and removes duplicates.
func (r *References) Settle() {
	slices.Sort(r.Media)
	slices.Sort(r.Groups)
	slices.Sort(r.Files)
	r.Media, r.Groups, r.Files = slices.Compact(r.Media), slices.Compact(r.Groups), slices.Compact(r.Files)
}

// Shows reports whether r has the media item: by its id, or by one of its files.
func (r *References) Shows(m *MediaItem) bool {
	if _, named := slices.BinarySearch(r.Media, m.ID); named {
		return true
	}
	return len(r.Files) > 0 && slices.ContainsFunc(m.Files(), func(name string) bool {
		_, named := slices.BinarySearch(r.Files, name)
		return named
	})
}

// References returns what documents of entries of c refer to in fields that readers see.
func (c *Collection) References(docs ...Document) References {
	return c.references(func(f *Field) bool { return !f.Secret() }, docs...)
}

// AllReferences is References with the fields that no reader sees.
func (c *Collection) AllReferences(docs ...Document) References {
	return c.references(func(*Field) bool { return true }, docs...)
}

func (c *Collection) references(match func(*Field) bool, docs ...Document) (r References) {
	for _, doc := range docs {
		c.EachReference(doc, match, func(_ *Field, to Reference) { r.Add(to) })
	}
	r.Settle()
	return r
}
