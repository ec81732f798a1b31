package entryindex

import "imprimatur/core"

// SlotNames are the typed columns of entry_index, in their order there.
var SlotNames = [...]string{
	"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8",
	"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8",
	"d1", "d2", "d3", "d4",
}

// The numbers of slots for texts and for numbers.
const TextSlots, NumberSlots = 8, 8

// Slots are the values of the typed columns: nil, string, float64 or int64.
type Slots [len(SlotNames)]any

// SlotPlace returns the place of a slot in Slots, or -1.
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

// Slotted reports whether the values of f stand in a slot of every row.
func Slotted(f *core.Field) bool { return f.Slot != "" && f.SlotReady && !f.Listed() }

// Carried returns the slots that the index of a slot holds beside its own: the index of a
// text holds all numbers and times, so that a total of one text and a range is counted from
// the index alone. In the index of a number they would cost more than they save: a scan of
// a number reads far, and each row takes half as long again.
func Carried(slot string) []string {
	if place := SlotPlace(slot); place < 0 || place >= TextSlots {
		return nil
	}
	return SlotNames[TextSlots:]
}

// Storage is the type of a column that holds values.
type Storage uint8

// The storages.
const (
	AsText Storage = iota
	AsDouble
	AsInteger
)

// StorageOf returns how the values of f are stored.
func StorageOf(f *core.Field) Storage {
	switch {
	case f == core.SystemID, f.Kind() == core.ValueTime, f.Kind() == core.ValueReference:
		return AsInteger
	case f.Kind() == core.ValueText:
		return AsText
	default:
		return AsDouble
	}
}

// Argument is v as the driver takes it.
func Argument(s Storage, v core.Value) any {
	switch s {
	case AsText:
		return v.Text
	case AsInteger:
		return int64(v.Num)
	default:
		return v.Num
	}
}
