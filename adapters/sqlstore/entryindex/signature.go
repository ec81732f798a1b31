package entryindex

import (
	"math"

	"github.com/zeebo/xxh3"

	"imprimatur/core"
)

// A signature tells in one number, which every index of a slot carries, what the texts and
// numbers in the other slots of its row cannot be: 6 bits for each of t1 to t8 and 2 for
// each of n1 to n8. Equal values have equal bits, and no value has those of none; different
// values may share theirs, except booleans. A scan along one slot skips the rows of other
// values without reading them; see "Signatures" in app/docs/data-model.md for what it saves.
//
// Signatures are stored, so what makes the bits stays as it is.
const textBits, numberBits = 6, 2

// SignatureOf returns the signature of a row.
func SignatureOf(typed *Slots) int64 {
	var signature uint64
	for place, value := range typed[:TextSlots+NumberSlots] {
		signature |= SignatureBits(place, value)
	}
	return int64(signature)
}

// SignedPlace returns the place of a field's slot among those with a signature, or -1.
func SignedPlace(f *core.Field) int {
	if place := SlotPlace(f.Slot); place < TextSlots+NumberSlots {
		return place
	}
	return -1
}

// SignatureMask returns which bits of a signature are of the slot at that place.
func SignatureMask(place int) uint64 {
	if place < TextSlots {
		return (1<<textBits - 1) << (place * textBits)
	}
	return (1<<numberBits - 1) << (TextSlots*textBits + (place-TextSlots)*numberBits)
}

// SignatureBits returns the bits of a value in the slot at that place: nil, a text as the
// slot holds it, or a number.
func SignatureBits(place int, value any) uint64 {
	mask := SignatureMask(place)
	unit := mask & -mask
	most := mask / unit // values have 1 to most
	switch v := value.(type) {
	case string:
		return unit * (1 + xxh3.HashString(v)%most)
	case float64:
		return unit * (1 + uint64(math.Mod(math.Abs(math.Floor(v)), float64(most))))
	default:
		return 0
	}
}
