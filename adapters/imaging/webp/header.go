package webp

// header returns the first partition: the frame header and the modes (from section 9.2).
func (f *frame) header(probs *tokenProbs) []byte {
	w := newBoolWriter(8 * f.columns * f.rows)
	w.putValue(0, 2) // colour space YUV, clamping required
	w.putValue(0, 1) // no segments
	w.putValue(0, 1) // the normal loop filter
	w.putValue(f.filterLevel(), 6)
	w.putValue(0, 3) // its sharpness
	w.putValue(0, 1) // the same level for all modes
	w.putValue(f.partitionBits(), 2)
	w.putValue(f.index, 7)
	w.putValue(0, 3) // quantizer deltas only for the DC of chroma
	w.putValue(1, 1)
	w.putValue(finerChroma<<1|1, 5)
	w.putValue(0, 1) // no delta for the AC of chroma
	w.putValue(0, 1) // the probabilities are for this frame only
	for i, p := range probs {
		update := p != defaultProbs[i]
		w.put(update, updateProbs[i])
		if update {
			w.putValue(int(p), 8)
		}
	}
	skipped := 0
	for _, row := range f.encoded {
		for i := range row.macroblocks {
			if row.macroblocks[i].skipped {
				skipped++
			}
		}
	}
	total := f.columns * f.rows
	notSkipped := uint8(min(255, max(1, 255*(total-skipped)/total)))
	w.putValue(1, 1)
	w.putValue(int(notSkipped), 8)
	above := make([]uint8, 4*f.columns)
	for _, row := range f.encoded {
		var left [4]uint8
		for x := range row.macroblocks {
			row.macroblocks[x].write(w, notSkipped, (*[4]uint8)(above[4*x:]), &left)
		}
	}
	return w.finish()
}

// write writes the modes of a macroblock. above and left are the modes of the neighbouring
// blocks; write replaces them with those of this macroblock.
func (m *macroblock) write(w *boolWriter, notSkipped uint8, above, left *[4]uint8) {
	w.put(m.skipped, notSkipped)
	if m.luma == modeBlocks {
		w.put(false, lumaModePaths[0][0].node)
	} else {
		putMode(w, lumaModePaths[m.luma])
	}
	for i, mode := range m.blocks {
		if m.luma == modeBlocks {
			putBlockMode(w, mode, above[i%4], left[i/4])
		}
		above[i%4], left[i/4] = mode, mode
	}
	putMode(w, chromaModePaths[m.chroma])
}
