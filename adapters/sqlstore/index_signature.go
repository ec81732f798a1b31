package sqlstore

import (
	"math"

	"github.com/zeebo/xxh3"
)

// A signature tells in one number, which every index of a slot carries along, what
// the texts and numbers in the other slots of its row cannot be: 6 bits for each of
// t1 to t8 and 2 for each of n1 to n8. Equal values have equal bits, whatever wrote
// them, and no value has those of none; different values may share theirs.
// Booleans never do. Signatures are stored, so what makes the bits stays as it is.
const (
	textSlots, numberSlots = 8, 8
	textBits, numberBits   = 6, 2
)

// signatureOf returns the signature of a row.
func signatureOf(typed *slots) int64 {
	var signature uint64
	for place, value := range typed[:textSlots+numberSlots] {
		signature |= signatureBits(place, value)
	}
	return int64(signature)
}

// signatureMask returns which bits of a signature are of the slot at that place.
func signatureMask(place int) uint64 {
	if place < textSlots {
		return (1<<textBits - 1) << (place * textBits)
	}
	return (1<<numberBits - 1) << (textSlots*textBits + (place-textSlots)*numberBits)
}

// signatureBits returns the bits of a value in the slot at that place: nil, a text
// that is cut, or a number.
func signatureBits(place int, value any) uint64 {
	mask := signatureMask(place)
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
