package entryindex

import (
	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/words"
)

// SlotNames are the typed columns of entry_index, in column order.
var SlotNames = [...]string{
	"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8",
	"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8",
	"d1", "d2", "d3", "d4",
}

const (
	// TextSlots is the number of text slots.
	TextSlots = 8
	// NumberSlots is the number of number slots.
	NumberSlots = 8
)

// Slots are the values of the typed columns: nil, string, float64 or int64.
type Slots [len(SlotNames)]any

// SlotPlace returns the index of a slot in Slots, or -1.
func SlotPlace(name string) int {
	if len(name) != 2 {
		return -1
	}
	n := int(name[1] - '1')
	switch name[0] {
	case 't':
		return n
	case 'n':
		return TextSlots + n
	case 'd':
		return TextSlots + NumberSlots + n
	}
	return -1
}

// Slotted reports whether all rows have the value of f in a slot.
func Slotted(f *core.Field) bool { return f.Slot != "" && f.SlotReady && !f.Listed() }

// Included returns the slots that the index of a slot includes beside its key. The index of a
// text includes all numbers and times, so that a total of one text and a range is counted
// from the index alone. The index of a number includes none: its scans read many rows, and
// with wider rows they take 1.5 times as long.
func Included(slot string) []string {
	if place := SlotPlace(slot); place < 0 || place >= TextSlots {
		return nil
	}
	return SlotNames[TextSlots:]
}

// Storage is the type of a column that holds values.
type Storage uint8

// The storages.
const (
	AsText    Storage = iota // a text that has no order
	AsKey                    // the words.Key of a text
	AsDouble                 // a number, or a boolean as 0 or 1
	AsInteger                // an id, or a time in milliseconds
)

// StorageOf returns how the values of f are stored.
func StorageOf(f *core.Field) Storage {
	switch {
	case f == core.SystemID, f.Kind() == fieldtype.Time, f.Kind() == fieldtype.Reference:
		return AsInteger
	case f.Keyed():
		return AsKey
	case f.Kind() == fieldtype.Text:
		return AsText
	default:
		return AsDouble
	}
}

// Argument returns v as a driver argument for a column with the storage.
func Argument(s Storage, v core.Value) any {
	switch s {
	case AsText:
		return v.Text
	case AsKey:
		return words.Key(v.Text)
	case AsInteger:
		return int64(v.Num)
	default:
		return v.Num
	}
}
