package reading

import (
	"imprimatur/core"
	"imprimatur/core/canonical"
)

// maxItems is the largest number of items in one response.
const maxItems = 20_000

var errTooManyItems = core.BadRequest("too_large", "the response has more than %d items of components: request fewer entries or fields", maxItems)

// located is a document, or an item in it, with the positions of its values, by index of its layout's
// names.
type located struct {
	document core.Document
	layout   *layout
	values   []core.Span
}

// value returns the raw value of a field of the layout, nil if absent.
func (d *located) value(f *shownField) []byte { return d.document.At(d.values[f.place]) }

// locate finds the values of an item of f. ok is false for an item that f does not admit.
func (p *encoder) locate(f *shownField, item core.Document) (d located, ok bool) {
	c := f.ComponentOf(item)
	if c == nil {
		return located{}, false
	}
	l := p.itemLayout(c, f.targets)
	d = located{item, l, make([]core.Span, len(l.names))}
	item.Locate(l.names, d.values)
	return d, true
}

// itemLayout returns the layout of the items of a component.
func (p *encoder) itemLayout(c *core.Component, shown *projection) *layout {
	for _, l := range p.itemLayouts {
		if l.component == c && l.shown == shown {
			return l
		}
	}
	l := &layout{component: c, shown: shown}
	l.add(p.schema, c.Fields, p.view)
	p.itemLayouts = append(p.itemLayouts, l)
	return l
}

// appendItems appends the items in value, the value of a field of the holder or of an item in it.
func (p *encoder) appendItems(b []byte, holder *rowLayout, f *shownField, value []byte, write referenceWriter, edit linkEditor) []byte {
	start := len(b)
	if f.Multiple {
		b = append(b, '[')
	}
	first := len(b)
	canonical.Elements(value, func(element []byte) {
		item, ok := p.locate(f, element)
		if !ok || p.tooLarge(b) != nil {
			return
		}
		if p.items++; len(b) > first {
			b = append(b, ',')
		}
		b = p.appendItem(b, holder, f, &item, write, edit)
	})
	if f.Multiple {
		return append(b, ']')
	}
	if len(b) == start {
		return append(b, "null"...)
	}
	return b
}

// appendItem appends one item: its type, its key, then its fields.
func (p *encoder) appendItem(b []byte, holder *rowLayout, f *shownField, item *located, write referenceWriter, edit linkEditor) []byte {
	start := len(b)
	if f.Type == core.TypeBlocks {
		b = canonical.AppendQuote(append(b, `,"`+core.ItemType+`":`...), item.layout.component.Slug)
	}
	if f.Multiple {
		b = append(append(b, `,"`+core.ItemKey+`":`...), item.document.Value(core.ItemKey)...)
	}
	b = item.layout.append(b, holder, item, write, edit)
	if len(b) == start {
		b = append(b, ',')
	}
	b[start] = '{' // in place of the first comma
	return append(b, '}')
}

// eachItem calls visit with each item in the value of f.
func (p *encoder) eachItem(f *shownField, value []byte, visit func(item *located)) {
	canonical.Elements(value, func(element []byte) {
		if item, ok := p.locate(f, element); ok {
			visit(&item)
		}
	})
}
