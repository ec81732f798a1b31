package webp

// residue holds the levels of a macroblock after prediction: 16 blocks of luma, 4 of each
// chroma plane, and the Walsh transform if luma uses it.
type residue struct {
	levels      [24]levels
	walshLevels levels
}

// first returns the index of the first level in block i: 1 in luma with a Walsh transform,
// which contains the first levels.
func (m *macroblock) first(i int) int {
	if i >= 16 || m.luma == modeBlocks {
		return 0
	}
	return 1
}

// isZero reports whether all levels are zero.
func (r *residue) isZero(m *macroblock) bool {
	if m.luma != modeBlocks && r.walshLevels.last >= 0 {
		return false
	}
	for i := range r.levels {
		if int(r.levels[i].last) >= m.first(i) {
			return false
		}
	}
	return true
}

// pack appends the levels to the levels of the row. They are written later, when the probabilities
// are known. For noise they take a tenth of the memory of tokens.
func (r *residue) pack(to []byte, m *macroblock) []byte {
	if m.skipped {
		return to
	}
	if m.luma != modeBlocks {
		to = r.walshLevels.pack(to, 0)
	}
	for i := range r.levels {
		to = r.levels[i].pack(to, m.first(i))
	}
	return to
}

// unpack reads the levels of a macroblock from the levels of its row and returns the rest.
func (r *residue) unpack(from []byte, m *macroblock) []byte {
	if m.skipped {
		return from
	}
	if m.luma != modeBlocks {
		from = r.walshLevels.unpack(from, 0)
	}
	for i := range r.levels {
		from = r.levels[i].unpack(from, m.first(i))
	}
	return from
}

// wide precedes a level of two bytes.
const wide = -128

// pack appends the number of levels, including those before first, and each level from
// first on.
func (l *levels) pack(to []byte, first int) []byte {
	to = append(to, byte(l.last+1))
	for i := first; i <= int(l.last); i++ {
		if v := l.value[i&15]; v > wide && v <= 127 {
			to = append(to, byte(v))
		} else {
			to = append(to, 1<<7, byte(v), byte(v>>8))
		}
	}
	return to
}

func (l *levels) unpack(from []byte, first int) []byte {
	*l = levels{last: int8(from[0]) - 1}
	from = from[1:]
	for i := first; i <= int(l.last); i++ {
		if v := int16(int8(from[0])); v != wide {
			l.value[i&15], from = v, from[1:]
		} else {
			l.value[i&15], from = int16(uint16(from[1])|uint16(from[2])<<8), from[3:]
		}
	}
	return from
}
