package entryindex

import (
	"math"

	"github.com/zeebo/xxh3"

	"imprimatur/core"
)

// A signature is a hash of all text and number slots of a row in one number: 6 bits for each
// of t1 to t8 and 2 bits for each of n1 to n8. The index of each slot includes it. Equal values
// have equal bits. Different values may have equal bits, except booleans. The bits of a slot
// without a value differ from those of all values. A scan of one slot excludes most rows by
// their signature without reading the rows; "Signatures" in app/docs/data-model.md has
// measurements.
//
// Signatures are stored: a change of the hash needs a migration.
const textBits, numberBits = 6, 2

// SignatureOf returns the signature of a row.
func SignatureOf(typed *Slots) int64 {
	var signature uint64
	for place, value := range typed[:TextSlots+NumberSlots] {
		signature |= SignatureBits(place, value)
	}
	return int64(signature)
}

// SignedPlace returns the place of a field's slot if the signature covers it, otherwise -1.
func SignedPlace(f *core.Field) int {
	if place := SlotPlace(f.Slot); place < TextSlots+NumberSlots {
		return place
	}
	return -1
}

// SignatureMask returns the bits of a signature that belong to the slot at place.
func SignatureMask(place int) uint64 {
	if place < TextSlots {
		return (1<<textBits - 1) << (place * textBits)
	}
	return (1<<numberBits - 1) << (TextSlots*textBits + (place-TextSlots)*numberBits)
}

// SignatureBits returns the signature bits of a value in the slot at place. The value is nil, a
// string, or a float64.
func SignatureBits(place int, value any) uint64 {
	mask := SignatureMask(place)
	unit := mask & -mask
	most := mask / unit // the bits of a value are 1 to most; 0 is no value
	switch v := value.(type) {
	case string:
		return unit * (1 + xxh3.HashString(v)%most)
	case float64:
		return unit * (1 + uint64(math.Mod(math.Abs(math.Floor(v)), float64(most))))
	default:
		return 0
	}
}
