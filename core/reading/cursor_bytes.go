package reading

import (
	"encoding/binary"
	"math"

	"imprimatur/core/query"
	"imprimatur/core/words"
)

// cursorBytes is a position or a selection in the form that cursors have. Each part has a fixed
// length or encodes its length, so that different selections have different forms.
type cursorBytes []byte

// outdatedRows begins the locale of Selection.Outdated. It is no core.State, so that selections without it
// have the form, and their cursors the checksum, that they had before there was one.
const outdatedRows = 0xff

// memberRows begins the number of Selection.Member, likewise.
const memberRows = 0xfe

// rows appends the parts of sel that determine the set of rows, without the order and the window.
// Names identify fields, because they are unique in a collection.
func (b cursorBytes) rows(sel *query.Selection) cursorBytes {
	b = b.number(sel.Schema.Collection.ID)
	if sel.Outdated != "" {
		b = b.byte(outdatedRows).text(sel.Outdated)
	}
	if sel.Member != 0 {
		b = b.byte(memberRows).number(sel.Member)
	}
	b = b.byte(byte(sel.State)).text(sel.Locale).text(string(sel.Status)).number(sel.EditedBy)
	b = b.clauses(sel.Where).number(int64(len(sel.Or)))
	for _, group := range sel.Or {
		b = b.clauses(group)
	}
	if sel.Search != nil {
		b = b.search(sel.Search)
	}
	return b
}

// order appends the sort keys. The ids distinguish a removed field from a new one of its name.
func (b cursorBytes) order(sort []query.SortKey) cursorBytes {
	b = b.number(int64(len(sort)))
	for _, key := range sort {
		b = b.text(key.Field.Name).number(int64(key.Field.ID)).flag(key.Desc)
	}
	return b
}

func (b cursorBytes) clauses(clauses []query.Predicate) cursorBytes {
	b = b.number(int64(len(clauses)))
	for i := range clauses {
		c := &clauses[i]
		relation := ""
		if c.Relation != nil {
			relation = c.Relation.Name
		}
		if c.Second != nil {
			relation += " " + c.Second.Name
		}
		b = b.text(relation).text(c.Field.Name).text(string(c.Op)).number(int64(len(c.Values)))
		for _, value := range c.Values {
			b = b.text(value.Text).float(value.Num)
		}
	}
	return b
}

func (b cursorBytes) search(s *words.Search) cursorBytes {
	b = b.number(int64(len(s.Terms)))
	for i := range s.Terms {
		b = b.term(&s.Terms[i])
	}
	return b
}

func (b cursorBytes) term(t *words.Term) cursorBytes {
	b = b.text(t.Edge).flag(t.Prefix).number(int64(len(t.Tokens)))
	for _, token := range t.Tokens {
		b = b.text(token)
	}
	if b = b.flag(t.Joined != nil); t.Joined != nil {
		b = b.term(t.Joined)
	}
	return b
}

func (b cursorBytes) byte(x byte) cursorBytes { return append(b, x) }

func (b cursorBytes) number(n int64) cursorBytes { return binary.AppendVarint(b, n) }

func (b cursorBytes) float(x float64) cursorBytes {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

func (b cursorBytes) text(s string) cursorBytes { return append(b.number(int64(len(s))), s...) }

func (b cursorBytes) flag(is bool) cursorBytes {
	if is {
		return b.byte(1)
	}
	return b.byte(0)
}
