package webp

// header returns the first partition: what holds for the frame, and the modes.
func (f *frame) header(probs *tokenProbs) []byte {
	w := newBoolWriter(8 * f.columns * f.rows)
	w.putValue(0, 2) // colours as usual, to be clamped
	w.putValue(0, 1) // no segments
	w.putValue(0, 1) // the normal loop filter
	w.putValue(f.filterLevel(), 6)
	w.putValue(0, 3) // its sharpness
	w.putValue(0, 1) // the same level for all modes
	w.putValue(f.partitionBits(), 2)
	w.putValue(f.index, 7)
	w.putValue(0, 3) // no deltas of the quantizer but for the mean of chroma
	w.putValue(1, 1)
	w.putValue(finerChroma<<1|1, 5)
	w.putValue(0, 1) // nor for its other coefficients
	w.putValue(0, 1) // the probabilities hold for this frame
	eachProb(func(kind, band, context, i int) {
		p := probs[kind][band][context][i]
		update := p != defaultProbs[kind][band][context][i]
		w.put(update, updateProbs[kind][band][context][i])
		if update {
			w.putValue(int(p), 8)
		}
	})
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

// write writes the modes of a macroblock, by those of the blocks above and to the
// left, and leaves its own there.
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
