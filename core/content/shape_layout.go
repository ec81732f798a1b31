package content

import (
	"slices"
	"strings"

	"imprimatur/core"
)

// layout is how the entries of one collection are written: which members of a
// document are shown, and in what order. It is made anew for each answer, which
// costs less than keeping it in step with the collection would.
type layout struct {
	collection *core.Collection
	fields     []shownField // in the order they are shown
	byName     []int        // indexes of fields in the order of a document
	references []int        // indexes of the relation and media fields
	size       int          // bytes of all keys
}

// shownField is a field that is not secret.
type shownField struct {
	*core.Field
	key    string           // `,"name":`
	target *core.Collection // of a relation; nil when it is gone
}

func newLayout(schema core.Schema, c *core.Collection) *layout {
	l := &layout{
		collection: c,
		fields:     make([]shownField, 0, len(c.Fields)),
		byName:     make([]int, 0, len(c.Fields)),
	}
	for _, f := range c.Fields {
		if f.Secret() {
			continue
		}
		shown := shownField{Field: f, key: `,"` + f.Name + `":`}
		if f.Type == core.TypeRelation {
			shown.target = schema.Target(f)
		}
		if f.Kind() == core.ValueReference {
			l.references = append(l.references, len(l.fields))
		}
		l.byName = append(l.byName, len(l.fields))
		l.fields = append(l.fields, shown)
		l.size += len(shown.key)
	}
	slices.SortFunc(l.byName, func(a, b int) int { return strings.Compare(l.fields[a].Name, l.fields[b].Name) })
	return l
}

// span is where a value stands in a document; the zero span is no value. Offsets
// take a third of what slices do and mean nothing to the garbage collector.
type span struct{ start, end uint32 }

// spread notes where the values of doc that are shown stand, by index of fields.
// Both doc and byName are in the order of names, so one walk along them is enough.
func (l *layout) spread(doc core.Document, values []span) {
	next := 0
	doc.Each(func(name, value []byte) {
		for next < len(l.byName) && l.fields[l.byName[next]].Name < string(name) {
			next++
		}
		if next < len(l.byName) && l.fields[l.byName[next]].Name == string(name) {
			start := cap(doc) - cap(value) // value is a slice of doc
			values[l.byName[next]] = span{uint32(start), uint32(start + len(value))}
			next++
		}
	})
}

// referenceWriter appends what one reference of a holder shows; nothing, when its
// target is not there.
type referenceWriter func(b []byte, holder *sheet, f *shownField, id int64) []byte

// append appends every field of the holder as `,"name":value`.
func (l *layout) append(b []byte, holder *sheet, write referenceWriter) []byte {
	for i := range l.fields {
		f := &l.fields[i]
		b = append(b, f.key...)
		value := holder.value(i)
		switch {
		case value == nil && f.Multiple:
			b = append(b, "[]"...)
		case value == nil:
			b = append(b, "null"...)
		case f.Kind() != core.ValueReference:
			b = append(b, value...)
		case f.Multiple:
			b = appendReferences(b, holder, f, value, write)
		default:
			b = appendReference(b, holder, f, value, write)
		}
	}
	return b
}

func appendReference(b []byte, holder *sheet, f *shownField, value []byte, write referenceWriter) []byte {
	before := len(b)
	b = write(b, holder, f, parseID(value))
	if len(b) == before {
		return append(b, "null"...)
	}
	return b
}

func appendReferences(b []byte, holder *sheet, f *shownField, value []byte, write referenceWriter) []byte {
	b = append(b, '[')
	start := len(b)
	core.Elements(value, func(element []byte) {
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
