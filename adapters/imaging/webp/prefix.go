package webp

import (
	"cmp"
	"math/bits"
	"slices"
)

// bitWriter writes bits, the lowest first.
type bitWriter struct {
	out     []byte
	bits    uint64
	pending uint8
}

// put writes the count lowest bits of value, at most 32.
func (w *bitWriter) put(value uint32, count uint8) {
	w.bits |= uint64(value) << w.pending
	if w.pending += count; w.pending >= 32 {
		w.out = append(w.out, byte(w.bits), byte(w.bits>>8), byte(w.bits>>16), byte(w.bits>>24))
		w.bits >>= 32
		w.pending -= 32
	}
}

func (w *bitWriter) finish() []byte {
	for ; w.pending > 0; w.pending -= min(w.pending, 8) {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
	return w.out
}

// codeWord is the code of a symbol. Its first bit is the lowest bit.
type codeWord struct {
	bits   uint32
	length uint8
}

// lengthOrder is the order of the lengths of the code that encodes code lengths.
var lengthOrder = [19]uint8{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// Symbols of code lengths for runs of zeros.
const (
	fewZeros  = 17 // 3 to 10, in three bits
	manyZeros = 18 // 11 to 138, in seven
)

// putCode writes the optimal prefix code for the counts of symbols and returns it.
func (w *bitWriter) putCode(counts []int) []codeWord {
	lengths := codeLengths(counts, maxCodeLength)
	used := make([]int, len(lengthOrder))
	eachLength(lengths, func(symbol int, _ uint32, _ uint8) { used[symbol]++ })
	lengthLengths := codeLengths(used, maxLengthLength)
	written := len(lengthOrder)
	for written > 4 && lengthLengths[lengthOrder[written-1]] == 0 {
		written--
	}
	w.put(0, 1) // not a simple code
	w.put(uint32(written-4), 4)
	for _, symbol := range lengthOrder[:written] {
		w.put(uint32(lengthLengths[symbol]), 3)
	}
	w.put(0, 1) // all lengths follow
	lengthCode := canonical(lengthLengths)
	eachLength(lengths, func(symbol int, extra uint32, extraBits uint8) {
		w.put(lengthCode[symbol].bits, lengthCode[symbol].length)
		w.put(extra, extraBits)
	})
	return canonical(lengths)
}

// eachLength calls put for each symbol that encodes a list of code lengths.
func eachLength(lengths []uint8, put func(symbol int, extra uint32, extraBits uint8)) {
	for i := 0; i < len(lengths); {
		run := 0
		for run < 138 && i+run < len(lengths) && lengths[i+run] == 0 {
			run++
		}
		switch {
		case run >= 11:
			put(manyZeros, uint32(run-11), 7)
		case run >= 3:
			put(fewZeros, uint32(run-3), 3)
		default:
			run = 1
			put(int(lengths[i]), 0, 0)
		}
		i += run
	}
}

// codeLengths returns the lengths of a Huffman code for the counts of symbols. No length
// exceeds most, and at least two symbols have a code.
func codeLengths(counts []int, most int) []uint8 {
	type node struct{ count, symbol, left, right int }
	for least := 1; ; least *= 2 {
		var nodes []node
		for symbol, n := range counts {
			if n > 0 {
				nodes = append(nodes, node{count: max(n, least), symbol: symbol})
			}
		}
		for symbol := 0; len(nodes) < 2; symbol++ {
			if counts[symbol] == 0 {
				nodes = append(nodes, node{count: 1, symbol: symbol})
			}
		}
		slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(a.count, b.count) })
		// Join the two lightest of the remaining leaves and inner nodes.
		leaves := len(nodes)
		leaf, joined := 0, leaves
		lightest := func() int {
			if leaf < leaves && (joined >= len(nodes) || nodes[leaf].count <= nodes[joined].count) {
				leaf++
				return leaf - 1
			}
			joined++
			return joined - 1
		}
		for range leaves - 1 {
			a := lightest()
			b := lightest()
			nodes = append(nodes, node{count: nodes[a].count + nodes[b].count, left: a, right: b})
		}
		depths, deepest := make([]int, len(nodes)), 0
		lengths := make([]uint8, len(counts))
		for i := len(nodes) - 1; i >= leaves; i-- {
			depths[nodes[i].left], depths[nodes[i].right] = depths[i]+1, depths[i]+1
		}
		for i, n := range nodes[:leaves] {
			lengths[n.symbol] = uint8(depths[i])
			deepest = max(deepest, depths[i])
		}
		if deepest <= most {
			return lengths
		}
	}
}

// canonical returns the code words of a canonical Huffman code with these lengths.
func canonical(lengths []uint8) []codeWord {
	var counts, next [maxCodeLength + 2]uint32
	for _, length := range lengths {
		counts[length]++
	}
	counts[0] = 0
	for length := 1; length <= maxCodeLength; length++ {
		next[length+1] = (next[length] + counts[length]) << 1
	}
	code := make([]codeWord, len(lengths))
	for symbol, length := range lengths {
		if length > 0 {
			code[symbol] = codeWord{bits.Reverse32(next[length]) >> (32 - length), length}
			next[length]++
		}
	}
	return code
}
