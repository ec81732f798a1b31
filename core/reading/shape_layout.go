package reading

import (
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// layout describes the JSON of the entries of one collection, or of the items of one component: the
// members of a document that are shown, and their order. Each response makes its layouts, because a cache that follows changes of
// definitions would cost more.
type layout struct {
	collection *core.Collection // nil: of items
	component  *core.Component  // nil: of entries
	shown      *projection
	fields     []shownField // in the order they are shown
	names      []string     // of fields, in the order of a document
	references []int        // indexes of the relation and media fields
	links      []int        // indexes of the fields whose values can have links
	structured []int        // indexes of the fields whose values are items
	size       int          // bytes of all keys

	publishedAt, createdAt, updatedAt bool // whether these members are shown
}

// shownField is a field that the view shows.
type shownField struct {
	*core.Field
	place     int              // the index of its name in names
	reference bool             // a relation or media field
	items     bool             // a field with items
	target    *core.Collection // of a relation to one collection; nil if it no longer exists
	several   *admitted        // of a relation to several collections
	targets   *projection      // what a relation shows of its targets, and what an item shows
}

// admitted are the collections of a relation to several. Few fields have them, so that a shownField has
// only a pointer.
type admitted struct{ collections []*core.Collection }

// targetOf returns the collection of a target of f with that id; nil if f does not admit it.
func (f *shownField) targetOf(collectionID int64) *core.Collection {
	if f.target != nil && f.target.ID == collectionID {
		return f.target
	}
	if f.several == nil {
		return nil
	}
	for _, c := range f.several.collections {
		if c.ID == collectionID {
			return c
		}
	}
	return nil
}

func newLayout(schema core.Schema, c *core.Collection, shown *projection, v view) *layout {
	l := &layout{
		collection: c, shown: shown,
		publishedAt: shown == nil || shown.all || shown.names(core.SystemPublishedAt),
		createdAt:   v.timestamps || shown.names(core.SystemCreatedAt),
		updatedAt:   v.timestamps || shown.names(core.SystemUpdatedAt),
	}
	l.add(schema, c.Fields, v)
	return l
}

// add adds the fields that the view shows.
func (l *layout) add(schema core.Schema, fields []*core.Field, v view) {
	l.fields, l.names = make([]shownField, 0, len(fields)), make([]string, 0, len(fields))
	for _, f := range fields {
		targets, selected := l.shown.shows(f)
		if f.Secret() && (!v.hidden || !f.Readable()) || !selected {
			continue
		}
		field := shownField{Field: f, reference: f.Kind() == fieldtype.Reference, items: f.Structured(), targets: targets}
		switch {
		case f.ToSeveral():
			field.several = &admitted{schema.Targets(f)}
		case f.Type == core.TypeRelation:
			field.target = schema.Target(f)
		}
		if field.reference {
			l.references = append(l.references, len(l.fields))
		}
		switch {
		case f.HasLinks():
			l.links = append(l.links, len(l.fields))
		case field.items:
			l.structured = append(l.structured, len(l.fields))
		}
		l.names = append(l.names, f.Name)
		l.fields = append(l.fields, field)
		l.size += len(`,"":`) + len(f.Name)
	}
	slices.Sort(l.names)
	for i := range l.fields {
		l.fields[i].place, _ = slices.BinarySearch(l.names, l.fields[i].Name)
	}
}

// referenceWriter appends the JSON of one reference of a holder, or nothing if the target does not
// exist.
type referenceWriter func(b []byte, holder *rowLayout, f *shownField, id int64) []byte

// linkEditor adds to a link of a holder what it shows of its target.
type linkEditor func(holder *rowLayout, l *core.Link)

// append appends every field of doc, which is the document of the holder or an item in it, as
// `,"name":value`.
func (l *layout) append(b []byte, holder *rowLayout, doc *located, write referenceWriter, edit linkEditor) []byte {
	for i := range l.fields {
		f := &l.fields[i]
		b = append(append(append(b, `,"`...), f.Name...), `":`...)
		value := doc.value(f)
		switch {
		case value == nil && f.Multiple:
			b = append(b, "[]"...)
		case value == nil:
			b = append(b, "null"...)
		case holder.linked && f.HasIDs(value):
			b = append(b, f.EditLinks(value, func(_ string, l *core.Link) { edit(holder, l) })...)
		case f.items:
			b = holder.encoder.appendItems(b, holder, f, value, write, edit)
		case !f.reference:
			b = append(b, value...)
		case f.Multiple:
			b = appendReferences(b, holder, f, value, write)
		default:
			b = appendReference(b, holder, f, value, write)
		}
	}
	return b
}

func appendReference(b []byte, holder *rowLayout, f *shownField, value []byte, write referenceWriter) []byte {
	before := len(b)
	b = write(b, holder, f, parseID(value))
	if len(b) == before {
		return append(b, "null"...)
	}
	return b
}

func appendReferences(b []byte, holder *rowLayout, f *shownField, value []byte, write referenceWriter) []byte {
	b = append(b, '[')
	start := len(b)
	canonical.Elements(value, func(element []byte) {
		before := len(b)
		if before > start {
			b = append(b, ',')
		}
		after := len(b)
		b = write(b, holder, f, parseID(element))
		if len(b) == after {
			b = b[:before]
		}
	})
	return append(b, ']')
}
