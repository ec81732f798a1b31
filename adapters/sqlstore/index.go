package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// versions says in which versions of an entry something stands.
type versions int64

const (
	inPublished versions = 1
	inDraft     versions = 2
)

// versionOf is the version that state sees.
func versionOf(state core.State) versions {
	if state == core.StatePublished {
		return inPublished
	}
	return inDraft
}

// Scopes are collections, states and locales in one number: what every index of a
// slot begins with, after the Project. A narrow key makes for short walks.
const (
	scopesPerCollection = 256
	scopesPerState      = 64 // more than a Project can have locales
)

// indexScope returns the scope of the rows of a collection in one state and locale, given
// by its number.
func indexScope(collectionID int64, state core.State, locale int) int64 {
	return collectionID*scopesPerCollection + int64(state)*scopesPerState + int64(locale)
}

// slotNames are the typed columns of entry_index, in their order there.
var slotNames = [...]string{
	"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8",
	"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8",
	"d1", "d2", "d3", "d4",
}

// slots are the values of the typed columns: nil, string, float64 or int64.
type slots [len(slotNames)]any

// slotPlace returns the place of a slot in slots, or -1.
func slotPlace(name string) int {
	if len(name) != 2 {
		return -1
	}
	n := int(name[1] - '1')
	switch name[0] {
	case 't':
		return n
	case 'n':
		return 8 + n
	case 'd':
		return 16 + n
	}
	return -1
}

// content is what the index knows of an entry's documents.
type content struct {
	slots  map[versions]*slots // by inPublished and inDraft; they may share one
	values map[valueKey]versions
	texts  map[textKey]versions
	claims map[claimKey]struct{}
}

type valueKey struct {
	field int
	kind  core.ValueKind
	value core.Value // text cut to what takes part in ordering
}

type textKey struct {
	field      int
	searchable bool
	text       string // folded
}

type claimKey struct {
	field int
	hash  [sha256.Size]byte
}

// readContent returns what the index is to hold of e as c has its fields now:
// nothing when e is in the trash. Values of removed fields are kept findable, for
// the field may come back.
func readContent(c *core.Collection, e *core.Entry) content {
	found := content{
		slots:  map[versions]*slots{},
		values: map[valueKey]versions{},
		texts:  map[textKey]versions{},
		claims: map[claimKey]struct{}{},
	}
	switch {
	case !e.TrashedAt.IsZero():
	case e.Published == nil:
		found.read(c, e.Draft, inDraft)
	case !e.HasUnpublishedChanges():
		found.read(c, e.Draft, inDraft|inPublished)
	default:
		found.read(c, e.Published, inPublished)
		found.read(c, e.Draft, inDraft)
	}
	return found
}

func (ct *content) read(c *core.Collection, doc core.Document, v versions) {
	typed := new(slots)
	for _, one := range []versions{inPublished, inDraft} {
		if v&one != 0 {
			ct.slots[one] = typed
		}
	}
	doc.Each(func(name, raw []byte) {
		f, current := indexedField(c, name)
		if f == nil || f.Kind() == core.ValueOpaque {
			return
		}
		canonical.Elements(raw, func(element []byte) {
			value, ok := core.DecodeValue(f.Type, element)
			if !ok {
				return
			}
			if current && f.Unique {
				ct.claims[claimOf(f, value)] = struct{}{}
			}
			if current && f.Slot != "" && !f.Listed() {
				typed[slotPlace(f.Slot)] = argument(storedAs(f), cut(value))
			}
			if f.Listed() {
				ct.values[valueKey{f.ID, f.Kind(), cut(value)}] |= v
			}
			if f.Kind() == core.ValueText {
				ct.texts[textKey{f.ID, f.Searchable, f.SearchedText(value)}] |= v
			}
		})
	})
}

// indexedField returns the field of that name, and whether it is one of the
// collection's own and not a removed one.
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

func cut(v core.Value) core.Value {
	v.Text = core.SortPrefix(v.Text)
	return v
}

func claimOf(f *core.Field, v core.Value) claimKey {
	if f.Kind() == core.ValueText {
		return claimKey{f.ID, sha256.Sum256([]byte(v.Text))}
	}
	return claimKey{f.ID, sha256.Sum256(binary.BigEndian.AppendUint64(nil, math.Float64bits(v.Num)))}
}

// storage is the type of a column that holds values.
type storage uint8

const (
	asText storage = iota
	asDouble
	asInteger
)

// storedAs says how the values of f are stored.
func storedAs(f *core.Field) storage {
	switch {
	case f == core.SystemID, f.Kind() == core.ValueTime, f.Kind() == core.ValueReference:
		return asInteger
	case f.Kind() == core.ValueText:
		return asText
	default:
		return asDouble
	}
}

// argument is v as the driver takes it.
func argument(s storage, v core.Value) any {
	switch s {
	case asText:
		return v.Text
	case asInteger:
		return int64(v.Num)
	default:
		return v.Num
	}
}
