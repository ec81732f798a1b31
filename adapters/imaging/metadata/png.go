package metadata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// pngChunks are the chunks that are copied: the picture, its colours, size and animation (Portable
// Network Graphics, third edition, section 11).
var pngChunks = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true, "acTL": true, "fcTL": true, "fdAT": true,
	"cHRM": true, "cICP": true, "cLLI": true, "gAMA": true, "iCCP": true, "mDCV": true, "sBIT": true, "sRGB": true,
	"bKGD": true, "hIST": true, "pHYs": true, "sPLT": true, "tIME": true,
}

// pngTexts are the keywords of the texts that are copied.
var pngTexts = []string{"Title", "Author", "Description", "Copyright", "Creation Time", "Software", "Disclaimer", "Source"}

// pngXMP is the keyword of a text that contains XMP.
const pngXMP = "XML:com.adobe.xmp"

// maxKeyword is the maximum length of a keyword in bytes.
const maxKeyword = 79

// pngWalker walks the chunks of a PNG.
type pngWalker struct{ started, ended, data bool }

func (w *pngWalker) begun() bool { return w.data }

func (w *pngWalker) step(r *reader) error {
	switch {
	case w.ended:
		return io.EOF
	case !w.started:
		w.started = true
		magic, err := r.next(len(pngMagic))
		if err != nil || string(magic) != pngMagic {
			return ErrInvalid
		}
		r.emit(magic)
		return nil
	}
	const checksum = 4
	header, err := r.next(8)
	if err != nil {
		return err
	}
	header = bytes.Clone(header)
	length, name := int64(binary.BigEndian.Uint32(header)), string(header[4:])
	w.ended, w.data = name == "IEND", w.data || name == "IDAT"
	var keyword []byte
	if name == "tEXt" || name == "zTXt" || name == "iTXt" {
		keyword, _, _ = bytes.Cut(r.peek(int(min(length, maxKeyword+1))), []byte{0})
	}
	switch {
	case pngChunks[name], slices.Contains(pngTexts, string(keyword)):
		r.emit(header)
		r.pass(length + checksum)
		return nil
	case length > maxMetadata, name != "eXIf" && (name != "iTXt" || string(keyword) != pngXMP):
		return r.drop(length + checksum)
	}
	body, err := r.next(int(length))
	if err != nil {
		return err
	}
	if name == "eXIf" {
		body = cleanExif(body)
	} else {
		body = pngPacket(body)
	}
	if len(body) > 0 {
		r.emit(pngChunk(name, body))
	}
	return r.drop(checksum)
}

// pngChunk returns a complete chunk.
func pngChunk(name string, body []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, name...), body...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// pngPacket returns the body of an iTXt chunk with the clean XMP of body, another one, or nil. It
// has the keyword, a byte for compressed text, the method, the language and the translated
// keyword, both of which end with a zero byte, and the text.
func pngPacket(body []byte) []byte {
	rest, found := bytes.CutPrefix(body, []byte(pngXMP+"\x00"))
	if !found || len(rest) < 2 {
		return nil
	}
	compressed, rest := rest[0] != 0, rest[2:]
	for range 2 {
		_, after, found := bytes.Cut(rest, []byte{0})
		if !found {
			return nil
		}
		rest = after
	}
	if compressed {
		rest = inflate(rest)
	}
	return prefixed(pngXMP+"\x00\x00\x00\x00\x00", cleanXMP(rest))
}

// inflate returns the decompressed bytes, or nil if they are invalid or more than maxMetadata.
func inflate(packed []byte) []byte {
	unpacker, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(unpacker, maxMetadata+1))
	if err != nil || len(b) > maxMetadata {
		return nil
	}
	return b
}
