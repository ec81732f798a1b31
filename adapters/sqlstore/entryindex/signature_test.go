package entryindex

import (
	"fmt"
	"math"
	"testing"
)

func TestSignatureBits(t *testing.T) {
	t.Parallel()
	var all uint64
	for place := range TextSlots + NumberSlots {
		mask := SignatureMask(place)
		if all&mask != 0 {
			t.Errorf("place %d shares bits with another", place)
		}
		all |= mask
		values := []any{0.0, 1.0, -1.0, 2.5, 1e300, -1e300, math.MaxFloat64, math.SmallestNonzeroFloat64}
		if place < TextSlots {
			values = []any{"", "a", "ä"}
			for n := range 500 {
				values = append(values, fmt.Sprint(n))
			}
		}
		for _, v := range values {
			if bits := SignatureBits(place, v); bits == 0 || bits&^mask != 0 {
				t.Errorf("place %d, %v: %x is outside of %x", place, v, bits, mask)
			}
		}
		if SignatureBits(place, nil) != 0 {
			t.Errorf("place %d: nil has bits", place)
		}
	}
	if all != math.MaxUint64 {
		t.Errorf("the slots use the bits %x, want all", all)
	}
}

func TestSignatureOfNumbers(t *testing.T) {
	t.Parallel()
	const place = TextSlots
	if SignatureBits(place, 0.0) == SignatureBits(place, 1.0) {
		t.Error("false and true have equal bits")
	}
	if SignatureBits(place, 0.0) != SignatureBits(place, math.Copysign(0, -1)) {
		t.Error("0 and -0 have different bits")
	}
}

// TestSignaturesStayAsTheyAre fails if the hash changes. Signatures are stored, so that rows
// with old signatures would not be found.
func TestSignaturesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	row := &Slots{0: "news", 7: "", 8: 1.0, 15: -2.5, 16: int64(5)}
	if got := SignatureOf(row); got != 4612455676566831146 {
		t.Errorf("signature %d", got)
	}
}
