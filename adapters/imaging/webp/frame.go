package webp

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"imprimatur/adapters/imaging/parallel"
)

// frame is a picture during encoding.
type frame struct {
	picture       Picture
	columns, rows int // of macroblocks
	quantizers    *quantizers
	index         int // of the quantizer

	// The bottom samples and modes of the macroblocks above.
	above      [3][]byte
	aboveModes []uint8

	encoded []row
	mu      sync.Mutex
	counts  tokenCounts
}

// row is an encoded row of macroblocks.
type row struct {
	macroblocks []macroblock
	contexts    []contexts
	levels      []byte        // packed
	ready       chan struct{} // receives once per completed stretch
}

// stretch is the number of macroblocks between two synchronizations of rows.
const stretch = 8

func newFrame(p Picture, quality int) *frame {
	columns, rows := (p.Width+15)/16, (p.Height+15)/16
	index := quantizerIndex(quality)
	return &frame{
		picture: p, columns: columns, rows: rows,
		quantizers: newQuantizers(index), index: index,
		above:      [3][]byte{make([]byte, 16*columns), make([]byte, 8*columns), make([]byte, 8*columns)},
		aboveModes: make([]uint8, 4*columns),
		encoded:    make([]row, rows),
	}
}

// encode returns the picture without its alpha as a key frame of VP8. It encodes all rows
// concurrently. Each row follows the row above at a small distance.
func (f *frame) encode() ([]byte, error) {
	stretches := (f.columns + stretch - 1) / stretch
	for y := range f.encoded {
		f.encoded[y].ready = make(chan struct{}, stretches)
	}
	var next atomic.Int64
	parallel.Shares(f.rows, func(_, _ int) {
		w := &worker{frame: f}
		for y := int(next.Add(1)) - 1; y < f.rows; y = int(next.Add(1)) - 1 {
			w.encodeRow(y, stretches)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.counts.merge(&w.counts)
	})
	return f.bytes()
}

func (w *worker) encodeRow(y, stretches int) {
	f, row := w.frame, &w.frame.encoded[y]
	defer close(row.ready) // also after a panic, so that waiting rows continue
	row.macroblocks, row.contexts = make([]macroblock, f.columns), make([]contexts, f.columns)
	w.packed = w.packed[:0]
	w.left, w.leftModes = contexts{}, [4]uint8{}
	seen := 0
	for x := range row.macroblocks {
		if x%stretch == 0 {
			for ; y > 0 && seen < min(x/stretch+2, stretches); seen++ {
				<-f.encoded[y-1].ready
			}
		}
		w.encode(x, y)
		if x%stretch == stretch-1 || x == f.columns-1 {
			row.ready <- struct{}{}
		}
	}
	row.levels = bytes.Clone(w.packed)
}

// contextsAbove returns the contexts of the macroblock above column x of row y.
func (f *frame) contextsAbove(x, y int) contexts {
	if y == 0 {
		return contexts{}
	}
	return f.encoded[y-1].contexts[x]
}

// writeRow writes the tokens of a row.
func (f *frame) writeRow(w *boolWriter, y int, probs *[tokenValues]uint8) {
	var r residue
	var left contexts
	var tokens []token
	packed := f.encoded[y].levels
	for x := range f.encoded[y].macroblocks {
		m, above := &f.encoded[y].macroblocks[x], f.contextsAbove(x, y)
		packed = r.unpack(packed, m)
		tokens = r.appendTokens(tokens[:0], m, &above, &left)
		w.putTokens(tokens, probs)
	}
}

// partitionBits returns the binary logarithm of the number of token partitions, which are
// written concurrently.
func (f *frame) partitionBits() int {
	if f.rows < 32 {
		return 0
	}
	return 2
}

// bytes returns the encoded frame (section 9).
func (f *frame) bytes() ([]byte, error) {
	probs := f.adaptProbs()
	header := f.header(probs)
	if len(header) >= 1<<19 {
		return nil, ErrSize
	}
	table := probs.table()
	partitions := make([][]byte, 1<<f.partitionBits())
	var work []func()
	for i := range partitions {
		work = append(work, func() {
			w := newBoolWriter(1 << 16)
			for y := i; y < f.rows; y += len(partitions) {
				f.writeRow(w, y, table)
			}
			partitions[i] = w.finish()
		})
	}
	parallel.Run(work...)
	tag := uint32(len(header))<<5 | 1<<4 // a key frame that is shown
	const tagSize, lengthSize = 10, 3
	size := tagSize + len(header)
	for _, p := range partitions {
		size += lengthSize + len(p)
	}
	out := append(make([]byte, 0, size), byte(tag), byte(tag>>8), byte(tag>>16), 0x9d, 0x01, 0x2a)
	out = binary.LittleEndian.AppendUint16(out, uint16(f.picture.Width))
	out = binary.LittleEndian.AppendUint16(out, uint16(f.picture.Height))
	out = append(out, header...)
	for _, p := range partitions[:len(partitions)-1] {
		if len(p) >= 1<<24 {
			return nil, ErrSize
		}
		out = append(out, byte(len(p)), byte(len(p)>>8), byte(len(p)>>16))
	}
	for _, p := range partitions {
		out = append(out, p...)
	}
	return out, nil
}

// filterLevel returns the strength of the loop filter: enough to hide quantization steps
// without blurring texture.
func (f *frame) filterLevel() int { return min(int(acSteps[f.index]+4)/5, 63) }
