package webp

// Prediction modes of 4 × 4 blocks. The first four are also the modes of macroblocks.
const (
	modeDC         = iota // the mean
	modeTrue              // left + above - corner
	modeVertical          // the samples above
	modeHorizontal        // the samples to the left
	modeRightDown
	modeVerticalRight
	modeLeftDown
	modeVerticalLeft
	modeHorizontalDown
	modeHorizontalUp
	blockModes

	macroModes = 4
	modeBlocks = 255 // of a macroblock: each block has its own
)

// branch is one bit of a mode.
type branch struct {
	bit  bool
	node uint8 // index or value of its probability
}

// blockModePaths are the bits of the modes of blocks (section 11.2).
var blockModePaths = [blockModes][]branch{
	modeDC:             {{false, 0}},
	modeTrue:           {{true, 0}, {false, 1}},
	modeVertical:       {{true, 0}, {true, 1}, {false, 2}},
	modeHorizontal:     {{true, 0}, {true, 1}, {true, 2}, {false, 3}, {false, 4}},
	modeRightDown:      {{true, 0}, {true, 1}, {true, 2}, {false, 3}, {true, 4}, {false, 5}},
	modeVerticalRight:  {{true, 0}, {true, 1}, {true, 2}, {false, 3}, {true, 4}, {true, 5}},
	modeLeftDown:       {{true, 0}, {true, 1}, {true, 2}, {true, 3}, {false, 6}},
	modeVerticalLeft:   {{true, 0}, {true, 1}, {true, 2}, {true, 3}, {true, 6}, {false, 7}},
	modeHorizontalDown: {{true, 0}, {true, 1}, {true, 2}, {true, 3}, {true, 6}, {true, 7}, {false, 8}},
	modeHorizontalUp:   {{true, 0}, {true, 1}, {true, 2}, {true, 3}, {true, 6}, {true, 7}, {true, 8}},
}

// lumaModePaths and chromaModePaths are the bits of the modes of macroblocks with their
// probabilities. The first bit of luma excludes modeBlocks.
var (
	lumaModePaths = [macroModes][]branch{
		modeDC:         {{true, 145}, {false, 156}, {false, 163}},
		modeVertical:   {{true, 145}, {false, 156}, {true, 163}},
		modeHorizontal: {{true, 145}, {true, 156}, {false, 128}},
		modeTrue:       {{true, 145}, {true, 156}, {true, 128}},
	}
	chromaModePaths = [macroModes][]branch{
		modeDC:         {{false, 142}},
		modeVertical:   {{true, 142}, {false, 114}},
		modeHorizontal: {{true, 142}, {true, 114}, {false, 183}},
		modeTrue:       {{true, 142}, {true, 114}, {true, 183}},
	}
)

// blockModeCosts are the costs of a block's mode in 256ths of a bit, by the modes above and
// to the left.
var blockModeCosts = func() (costs [blockModes][blockModes][blockModes]int32) {
	for above := range costs {
		for left := range costs[above] {
			for mode, path := range blockModePaths {
				for _, b := range path {
					costs[above][left][mode] += costOf(b.bit, blockModeProbs[above][left][b.node])
				}
			}
		}
	}
	return costs
}()

var lumaModeCosts, chromaModeCosts = pathCosts(lumaModePaths), pathCosts(chromaModePaths)

func pathCosts(paths [macroModes][]branch) (costs [macroModes]int32) {
	for mode, path := range paths {
		for _, b := range path {
			costs[mode] += costOf(b.bit, b.node)
		}
	}
	return costs
}

func putBlockMode(w *boolWriter, mode, above, left uint8) {
	for _, b := range blockModePaths[mode] {
		w.put(b.bit, blockModeProbs[above][left][b.node])
	}
}

func putMode(w *boolWriter, path []branch) {
	for _, b := range path {
		w.put(b.bit, b.node)
	}
}
