package entryindex

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"math"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/words"
)

// Content is the content of the index tables for one entry.
type Content struct {
	Slots  map[Versions]*Slots // by InPublished and InDraft; both may be the same pointer
	Values map[Value]Versions
	Texts  map[Text]Versions
	Claims map[Claim]struct{}
	Words  map[Versions]*core.Words // as Slots
}

// Value is one value of a field with several values, or of a reference.
type Value struct {
	Field int
	Kind  fieldtype.Kind
	Value core.Value // of texts with an order, the words.Key
}

// Text is one text in its caseless form.
type Text struct {
	Field      int
	Searchable bool
	Text       string
	// Folded is the folded form of a text with an order, null if it equals Text. The sort keys of
	// fields without a slot consist of it and of the text in the document.
	Folded sql.NullString
}

// Claim is a value of a unique field.
type Claim struct {
	Field int
	Hash  [sha256.Size]byte
}

// Read returns the index content of e with the fields of c. It is empty if e is in the trash.
// It includes values and texts of removed fields, because a field may be restored; but not the
// references in their items.
func Read(c *core.Collection, e *core.Entry) Content {
	found := Content{
		Slots:  map[Versions]*Slots{},
		Values: map[Value]Versions{},
		Texts:  map[Text]Versions{},
		Claims: map[Claim]struct{}{},
		Words:  map[Versions]*core.Words{},
	}
	switch {
	case !e.TrashedAt.IsZero():
	case e.Published == nil:
		found.read(c, e.Draft, InDraft)
	case !e.HasTwoDocuments():
		found.read(c, e.Draft, InDraft|InPublished)
	default:
		found.read(c, e.Published, InPublished)
		found.read(c, e.Draft, InDraft)
	}
	return found
}

func (ct *Content) read(c *core.Collection, doc core.Document, v Versions) {
	typed := new(Slots)
	found := c.Words(doc)
	for _, one := range []Versions{InPublished, InDraft} {
		if v&one != 0 {
			ct.Slots[one], ct.Words[one] = typed, found
		}
	}
	for _, f := range c.Leaves {
		ct.readLeaf(f, doc, typed, v)
	}
	title := c.TitleField()
	doc.Each(func(name, raw []byte) {
		f, current := indexedField(c, name)
		if f == nil || f.Structured() && !current {
			return
		}
		if f.RefersInside() {
			f.EachReference(raw, func(r core.Reference) { ct.Values[innerValue(f, r)] |= v })
		}
		if f.Kind() == fieldtype.Opaque {
			return
		}
		canonical.Elements(raw, func(element []byte) {
			value, ok := core.DecodeValue(f.Type, element)
			if !ok {
				return
			}
			if current && f.Unique && !f.Blank(element) {
				ct.Claims[ClaimOf(f, value)] = struct{}{}
			}
			if current && f.Slot != "" && !f.Listed() {
				typed[SlotPlace(f.Slot)] = Argument(StorageOf(f), value)
			}
			if f.Listed() {
				ct.Values[listed(f, value)] |= v
			}
			if f.Kind() == fieldtype.Text {
				ct.Texts[textOf(f, value, f.Searchable || f == title)] |= v
			}
		})
	})
}

// readLeaf adds the values of a leaf in doc.
func (ct *Content) readLeaf(f *core.Field, doc core.Document, typed *Slots, v Versions) {
	f.EachElement(doc, func(element []byte) {
		value, ok := core.DecodeValue(f.Type, element)
		if !ok {
			return
		}
		if f.Listed() {
			ct.Values[listed(f, value)] |= v
		} else {
			typed[SlotPlace(f.Slot)] = Argument(StorageOf(f), value)
		}
		if f.Kind() == fieldtype.Text {
			ct.Texts[textOf(f, value, f.Searchable)] |= v
		}
	})
}

// Inner returns the field number of the rows of entry_values with references inside the values of f
// that are not to media items: ids of translation groups as references, names of blobs as texts. The
// ids of media items inside the values have the number of f itself, as those of a media field.
func Inner(f *core.Field) int { return -f.ID }

// innerValue returns the value of a reference inside a value of f.
func innerValue(f *core.Field, r core.Reference) Value {
	switch r.Target {
	case core.ToMedia:
		return Value{f.ID, fieldtype.Reference, core.Value{Num: float64(r.ID)}}
	case core.ToGroup:
		return Value{Inner(f), fieldtype.Reference, core.Value{Num: float64(r.ID)}}
	default:
		return Value{Inner(f), fieldtype.Text, core.Value{Text: r.File}}
	}
}

// indexedField returns the field with the name, or nil. current is false for a removed field.
func indexedField(c *core.Collection, name []byte) (f *core.Field, current bool) {
	for _, f := range c.Fields {
		if f.Name == string(name) {
			return f, true
		}
	}
	for _, f := range c.Removed {
		if f.Name == string(name) {
			return f, false
		}
	}
	return nil, false
}

func listed(f *core.Field, v core.Value) Value {
	if f.Keyed() {
		v.Text = words.Key(v.Text)
	}
	return Value{f.ID, f.Kind(), v}
}

func textOf(f *core.Field, v core.Value, searchable bool) Text {
	text := Text{Field: f.ID, Searchable: searchable, Text: f.SearchedText(v)}
	if f.Keyed() && !f.Multiple {
		if folded := words.Ordered(v.Text); folded != text.Text {
			text.Folded = sql.NullString{String: folded, Valid: true}
		}
	}
	return text
}

// ClaimOf returns the claim of a value of a unique field.
func ClaimOf(f *core.Field, v core.Value) Claim {
	if f.Kind() == fieldtype.Text {
		return Claim{f.ID, sha256.Sum256([]byte(v.Text))}
	}
	return Claim{f.ID, sha256.Sum256(binary.BigEndian.AppendUint64(nil, math.Float64bits(v.Num)))}
}
