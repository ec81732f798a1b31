package definition

import (
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

// slotKinds has the letter and the number of the typed columns of the index, by kind of value.
var slotKinds = map[fieldtype.Kind]struct {
	letter string
	count  int
}{
	fieldtype.Text:   {"t", 8},
	fieldtype.Number: {"n", 8},
	fieldtype.Time:   {"d", 4},
}

// assignSlots gives slots to the fields that wantsSlot selects while slots are free, first to those
// with Indexed true, for which a missing slot is a fault. It removes the slots of all other fields.
// ready reports that no existing entry needs a back-fill of slots or of the trigram index.
func (d *definition) assignSlots(ready bool) {
	for _, f := range d.Fields {
		f.SearchReady = d.SearchIndexed(f) && (f.SearchReady || ready)
		if !wantsSlot(f) {
			f.Slot, f.SlotReady = "", false
		}
	}
	for i, f := range d.Fields {
		if wantsSlot(f) && f.Indexed != nil && !d.assignSlot(f, ready) {
			d.faults.Add(d.at(i)+"indexed", true, "the collection has no free index slot for another field of this kind")
		}
	}
	for _, f := range d.Fields {
		if wantsSlot(f) {
			d.assignSlot(f, ready)
		}
	}
}

// assignSlot gives f a slot unless it has one. It reports false when no slot is free.
func (d *definition) assignSlot(f *core.Field, ready bool) bool {
	if f.Slot == "" {
		f.Slot = d.freeSlot(f.Kind())
		f.SlotReady = ready && f.Slot != ""
	}
	return f.Slot != ""
}

func (d *definition) freeSlot(kind fieldtype.Kind) string {
	for n := range slotKinds[kind].count {
		slot := slotKinds[kind].letter + strconv.Itoa(n+1)
		taken := func(f *core.Field) bool { return f.Slot == slot }
		if !slices.ContainsFunc(d.Fields, taken) && !slices.ContainsFunc(d.Leaves, taken) {
			return slot
		}
	}
	return ""
}

// wantsSlot reports whether f should have a slot: every field whose values a slot can hold, unless
// Indexed says otherwise.
func wantsSlot(f *core.Field) bool {
	return slottable(f) && !f.Secret() && (f.Indexed == nil || *f.Indexed)
}

// slottable reports whether a slot can hold f's values.
func slottable(f *core.Field) bool {
	_, typed := slotKinds[f.Kind()]
	return typed && f.Comparable() && !f.Multiple
}
