package imaging

import (
	"encoding/binary"
	"io"
	"math"
)

// decodeReduced decodes a JPEG of the common kind to a picture of one k-th of its size, k being 2, 4 or
// 8: it transforms only the lowest frequencies of each block to that many samples, as libjpeg does. It
// returns errInvalid for a file that it does not understand; the other decoders may. From 12 megapixels
// to 640 pixels, a rendition takes 60 ms with it and 97 ms with the whole decoder; see BenchmarkRender.
func decodeReduced(source io.ReadSeeker, s survey, k int) (d decoded, err error) {
	parts := &partsReader{source: source, parts: s.parts}
	data := make([]byte, parts.Len())
	if _, err := io.ReadFull(parts, data); err != nil {
		return d, err
	}
	r := reducer{data: data, side: 8 / k}
	r.prepare()
	if err := r.headers(); err != nil {
		return d, err
	}
	if r.width != s.width || r.height != s.height {
		return d, errInvalid
	}
	if err := r.scan(); err != nil {
		return d, err
	}
	d = decoded{model: modelYCbCr, width: r.width, height: r.height}
	for _, c := range r.components {
		subX, subY := k*r.maxX/c.x, k*r.maxY/c.y
		c.plane.width, c.plane.height = (r.width+subX-1)/subX, (r.height+subY-1)/subY
		d.planes, d.subX, d.subY = append(d.planes, c.plane), append(d.subX, subX), append(d.subY, subY)
	}
	return d, nil
}

// reducer decodes one file.
type reducer struct {
	data []byte
	pos  int
	side int // samples of a block along each axis

	width, height int
	maxX, maxY    int
	components    []component
	quantizers    [4][64]float32 // in the order of the file
	huffman       [8]*prefixTable
	restart       int // units between two restart markers; 0: none

	basis  [4][4]float32 // by sample and frequency
	places [64]int8      // of each coefficient in the order of the file: frequencies 4·v+u, or -1: not used

	bits  uint64 // the upper count bits are the next ones
	count int
}

type component struct {
	id, quantizer int
	x, y          int // blocks of a unit
	dc, ac        int // tables
	last          int // DC of the block before
	plane         plane
}

// zigzag is the order of coefficients in a file (ITU-T T.81, figure A.6), as 8·v+u.
var zigzag = [64]int8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

func (r *reducer) prepare() {
	n := float64(r.side)
	for x := range r.side {
		for u := range r.side {
			scale := math.Sqrt(2 / n)
			if u == 0 {
				scale = math.Sqrt(1 / n)
			}
			// A coefficient of 8 samples is that of n samples times the root of 8/n along each axis.
			r.basis[x][u] = float32(math.Sqrt(n/8) * scale * math.Cos(float64(2*x+1)*float64(u)*math.Pi/(2*n)))
		}
	}
	for i, at := range zigzag {
		r.places[i] = -1
		if u, v := int(at&7), int(at>>3); u < r.side && v < r.side {
			r.places[i] = int8(4*v + u)
		}
	}
}

// headers reads the segments up to the scan.
func (r *reducer) headers() error {
	r.pos = 2
	for {
		if r.pos+4 > len(r.data) || r.data[r.pos] != 0xff {
			return errInvalid
		}
		marker, length := r.data[r.pos+1], int(binary.BigEndian.Uint16(r.data[r.pos+2:]))
		if length < 2 || r.pos+2+length > len(r.data) {
			return errInvalid
		}
		body := r.data[r.pos+4 : r.pos+2+length]
		r.pos += 2 + length
		ok := true
		switch marker {
		case 0xdb:
			ok = r.quantization(body)
		case 0xc4:
			ok = r.prefixes(body)
		case markerSOF0:
			ok = r.frame(body)
		case 0xdd:
			if ok = len(body) >= 2; ok {
				r.restart = int(binary.BigEndian.Uint16(body))
			}
		case markerSOS:
			if !r.tables(body) {
				return errInvalid
			}
			return nil
		}
		if !ok {
			return errInvalid
		}
	}
}

func (r *reducer) quantization(body []byte) bool {
	for len(body) > 0 {
		wide, id := int(body[0]>>4), body[0]&15
		size := 64 << wide
		if wide > 1 || id > 3 || len(body) < 1+size {
			return false
		}
		for i := range 64 {
			if wide == 1 {
				r.quantizers[id][i] = float32(binary.BigEndian.Uint16(body[1+2*i:]))
			} else {
				r.quantizers[id][i] = float32(body[1+i])
			}
		}
		body = body[1+size:]
	}
	return true
}

func (r *reducer) prefixes(body []byte) bool {
	for len(body) > 0 {
		if len(body) < 17 || body[0]&15 > 3 || body[0]>>4 > 1 {
			return false
		}
		total := 0
		for _, n := range body[1:17] {
			total += int(n)
		}
		if len(body) < 17+total || total > 256 {
			return false
		}
		table, ok := newPrefixTable([16]byte(body[1:17]), body[17:17+total])
		if !ok {
			return false
		}
		r.huffman[body[0]>>4<<2|body[0]&3] = table
		body = body[17+total:]
	}
	return true
}

// frame reads the size and the components. The survey has checked their sampling.
func (r *reducer) frame(body []byte) bool {
	if r.components != nil || len(body) < 6+9 || body[0] != 8 || body[5] != 3 {
		return false
	}
	r.height, r.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	for i := range 3 {
		b := body[6+3*i:]
		c := component{id: int(b[0]), x: int(b[1] >> 4), y: int(b[1] & 15), quantizer: int(b[2])}
		if c.x < 1 || c.x > 2 || c.y < 1 || c.y > 2 || c.quantizer > 3 {
			return false
		}
		r.maxX, r.maxY = max(r.maxX, c.x), max(r.maxY, c.y)
		r.components = append(r.components, c)
	}
	return r.width > 0 && r.height > 0
}

// tables reads which tables the components of the scan use.
func (r *reducer) tables(body []byte) bool {
	if len(r.components) != 3 || len(body) < 1+6 || body[0] != 3 {
		return false
	}
	for i := range r.components {
		c := &r.components[i]
		dc, ac := body[2+2*i]>>4, body[2+2*i]&15
		if int(body[1+2*i]) != c.id || dc > 3 || ac > 3 {
			return false
		}
		c.dc, c.ac = int(dc), 4+int(ac)
		if r.huffman[c.dc] == nil || r.huffman[c.ac] == nil {
			return false
		}
	}
	return true
}

// scan decodes all blocks.
func (r *reducer) scan() error {
	across := (r.width + 8*r.maxX - 1) / (8 * r.maxX)
	down := (r.height + 8*r.maxY - 1) / (8 * r.maxY)
	for i := range r.components {
		c := &r.components[i]
		c.plane = newPlane(across*c.x*r.side, down*c.y*r.side, 1)
	}
	for unit := range across * down {
		if r.restart > 0 && unit > 0 && unit%r.restart == 0 && !r.skipRestart() {
			return errInvalid
		}
		column, row := unit%across, unit/across
		for i := range r.components {
			c := &r.components[i]
			for y := range c.y {
				for x := range c.x {
					at := (row*c.y+y)*r.side*c.plane.stride + (column*c.x+x)*r.side
					if !r.block(c, at) {
						return errInvalid
					}
				}
			}
		}
	}
	return nil
}

// skipRestart reads a restart marker.
func (r *reducer) skipRestart() bool {
	r.bits, r.count = 0, 0
	if r.pos+2 > len(r.data) || r.data[r.pos] != 0xff || r.data[r.pos+1]&0xf8 != 0xd0 {
		return false
	}
	r.pos += 2
	for i := range r.components {
		r.components[i].last = 0
	}
	return true
}

// fill adds bytes to bits, until there are more than 48 or a marker follows. Missing bits are 0.
func (r *reducer) fill() {
	if r.pos+8 <= len(r.data) {
		next := binary.BigEndian.Uint64(r.data[r.pos:])
		const ones = 0x0101010101010101
		if (^next-ones)&next&(ones<<7) == 0 { // no byte is 0xff
			r.bits |= next >> r.count // the bits after count are those of the next byte, which is added later
			n := (64 - r.count) / 8
			r.pos += n
			r.count += 8 * n
			return
		}
	}
	for r.count <= 56 && r.pos < len(r.data) {
		b := r.data[r.pos]
		if b == 0xff {
			if r.pos+1 >= len(r.data) || r.data[r.pos+1] != 0 {
				return
			}
			r.pos++
		}
		r.pos++
		r.bits |= uint64(b) << (56 - r.count)
		r.count += 8
	}
}

// symbol decodes a symbol and the value that follows it: as many bits as its lower half says.
func (r *reducer) symbol(t *prefixTable) (symbol byte, value int, ok bool) {
	if r.count < 32 {
		r.fill()
	}
	entry := t.fast[r.bits>>(64-fastBits)]
	length := int(entry >> 8)
	if length == 0 {
		if entry, length = t.slow(r.bits); length == 0 {
			return 0, 0, false
		}
	}
	symbol = byte(entry)
	size := int(symbol & 15)
	if r.count -= length + size; r.count < 0 {
		return 0, 0, false
	}
	r.bits <<= length
	if size > 0 {
		value = int(r.bits >> (64 - size))
		r.bits <<= size
		if value < 1<<(size-1) {
			value += 1 - 1<<size
		}
	}
	return symbol, value, true
}

// block decodes a block and writes its samples at the offset in its plane.
func (r *reducer) block(c *component, at int) bool {
	symbol, value, ok := r.symbol(r.huffman[c.dc])
	if !ok || symbol > 11 {
		return false
	}
	c.last += value
	quantizer := &r.quantizers[c.quantizer]
	var coefficients [16]float32
	coefficients[0] = float32(c.last) * quantizer[0]
	flat := true
	table := r.huffman[c.ac]
	for i := 1; i < 64; i++ {
		symbol, value, ok := r.symbol(table)
		if !ok {
			return false
		}
		if symbol&15 == 0 {
			if symbol != 0xf0 {
				break
			}
			i += 15
			continue
		}
		if i += int(symbol >> 4); i > 63 {
			return false
		}
		if place := r.places[i]; place >= 0 {
			coefficients[place] = float32(value) * quantizer[i]
			flat = false
		}
	}
	out, stride, n := c.plane.pix[at:], c.plane.stride, r.side
	if flat {
		v := clamp(int(math.Floor(float64(coefficients[0]/8) + 128.5)))
		for y := range n {
			for x := range n {
				out[y*stride+x] = v
			}
		}
		return true
	}
	var half [16]float32 // transformed along each row
	for v := range n {
		row := coefficients[4*v : 4*v+4 : 4*v+4]
		for x := range n {
			b := &r.basis[x]
			half[4*v+x] = row[0]*b[0] + row[1]*b[1] + row[2]*b[2] + row[3]*b[3]
		}
	}
	for y := range n {
		b := &r.basis[y]
		for x := range n {
			out[y*stride+x] = clamp(int(half[x]*b[0] + half[4+x]*b[1] + half[8+x]*b[2] + half[12+x]*b[3] + 128.5))
		}
	}
	return true
}

// fastBits is the length of codes that are decoded with one look.
const fastBits = 10

// prefixTable decodes a Huffman code. Entries have the length of the code in their upper byte and the
// symbol in the lower one.
type prefixTable struct {
	fast    [1 << fastBits]uint16
	ends    [17]uint32 // by length: the first code that is too large for it, as 16 bits
	offsets [17]int    // by length: added to a code, the index of its symbol
	symbols []byte
}

func newPrefixTable(counts [16]byte, symbols []byte) (*prefixTable, bool) {
	t := &prefixTable{symbols: symbols}
	code, index := 0, 0
	for length := 1; length <= 16; length++ {
		n := int(counts[length-1])
		if code+n > 1<<length {
			return nil, false
		}
		t.offsets[length] = index - code
		for range n {
			if length <= fastBits {
				first := code << (fastBits - length)
				for i := range 1 << (fastBits - length) {
					t.fast[first+i] = uint16(length)<<8 | uint16(symbols[index])
				}
			}
			code++
			index++
		}
		t.ends[length] = uint32(code) << (16 - length)
		code <<= 1
	}
	return t, true
}

// slow decodes a code of any length. length is 0 for an invalid one.
func (t *prefixTable) slow(bits uint64) (entry uint16, length int) {
	code := uint32(bits >> 48)
	for length = fastBits + 1; length <= 16; length++ {
		if code < t.ends[length] {
			index := int(code>>(16-length)) + t.offsets[length]
			if index < 0 || index >= len(t.symbols) {
				return 0, 0
			}
			return uint16(t.symbols[index]), length
		}
	}
	return 0, 0
}
