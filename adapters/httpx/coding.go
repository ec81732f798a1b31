package httpx

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	kgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Coding is a content coding of responses (RFC 9110, section 8.4.1).
type Coding uint8

// The codings. Identity means no coding. When a client accepts several with the same
// quality, the first one after Identity in this list is used.
const (
	Identity Coding = iota
	Zstandard
	Brotli
	Gzip
)

var codings = []Coding{Zstandard, Brotli, Gzip}

// codingNames are shared between responses: net/http only reads them.
var codingNames = [...][]string{{"identity"}, {"zstd"}, {"br"}, {"gzip"}}

// String returns the name of the coding as in Content-Encoding.
func (c Coding) String() string { return codingNames[c][0] }

// Header returns the value of Content-Encoding. Callers must not change it.
func (c Coding) Header() []string { return codingNames[c] }

// SmallestEncoded is the length in bytes of the shortest body that is encoded.
const SmallestEncoded = 1<<10 + 1

// AcceptedCoding returns the offered coding that the client prefers. Without offered codings, all
// are offered.
func AcceptedCoding(r *http.Request, offered ...Coding) Coding {
	headers := r.Header["Accept-Encoding"]
	if len(headers) == 0 {
		return Identity
	}
	if len(offered) == 0 {
		offered = codings
	}
	best, most := Identity, 0.0
	for _, coding := range offered {
		if q, _ := codingQuality(headers, coding); q > most {
			best, most = coding, q
		}
	}
	if q, named := codingQuality(headers, Identity); named && q > most {
		return Identity
	}
	return best
}

// codingQuality returns the quality, 0 to 1, that an Accept-Encoding header gives to a
// coding, by name or by "*". named reports whether the header names the coding.
func codingQuality(headers []string, coding Coding) (q float64, named bool) {
	name := coding.String()
	for _, header := range headers {
		for item := range strings.SplitSeq(header, ",") {
			token, params, _ := strings.Cut(item, ";")
			token = strings.TrimSpace(token)
			switch {
			case strings.EqualFold(token, name), coding == Gzip && strings.EqualFold(token, "x-gzip"):
				return Quality(params), true
			case token == "*":
				q = Quality(params)
			}
		}
	}
	return q, false
}

// Quality returns the parameter q of an item in an Accept header. It returns 1 when q is
// missing and 0 when q is invalid.
func Quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}

// Above these levels, encoding a response takes much longer than sending it: see
// BenchmarkEncode.
const (
	brotliLevel = 4
	gzipLevel   = 5
)

// encoders are pools of unused writers by coding, which have 0.6 and 1 MB. With new writers a page of
// 12 kB takes 0.9 ms of processor time instead of 0.12 by Brotli and 0.04 by gzip, and a whole read
// from the database 0.3 ms without a coding (BenchmarkEncode, with and without Put).
var encoders = [...]sync.Pool{
	Brotli: {New: func() any { return brotli.NewWriterLevel(nil, brotliLevel) }},
	Gzip: {New: func() any {
		w, _ := kgzip.NewWriterLevel(nil, gzipLevel) // the level is valid
		return w
	}},
}

// zstandard encodes whole bodies. It is safe for concurrent use.
var zstandard = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		panic("httpx: invalid zstd options: " + err.Error())
	}
	return w
})

// Encode returns body in the coding. It returns false when body is shorter than
// SmallestEncoded or the coding does not make it shorter.
func (c Coding) Encode(body []byte) ([]byte, bool) {
	if c == Identity || len(body) < SmallestEncoded {
		return nil, false
	}
	encoded := c.encode(body)
	return encoded, len(encoded) < len(body)
}

func (c Coding) encode(body []byte) []byte {
	if c == Zstandard {
		return zstandard().EncodeAll(body, make([]byte, 0, len(body)/2))
	}
	var encoded bytes.Buffer
	encoded.Grow(len(body) / 2)
	w := encoders[c].Get().(interface {
		io.WriteCloser
		Reset(io.Writer)
	})
	w.Reset(&encoded)
	_, _ = w.Write(body) // to memory
	_ = w.Close()
	encoders[c].Put(w)
	return encoded.Bytes()
}

// WriteBody writes a response with body, encoded as the client prefers. It sets
// Content-Length and Content-Encoding and adds to Vary. The entity tag, if any, is that
// of the body before encoding.
func WriteBody(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	coding := Identity
	if len(body) >= SmallestEncoded {
		varyByCoding(w.Header())
		coding = AcceptedCoding(r)
		if encoded, ok := coding.Encode(body); ok {
			body = encoded
		} else {
			coding = Identity
		}
	}
	WriteEncoded(w, status, coding, body)
}

// WriteEncoded writes a response with body, which is already in the coding.
func WriteEncoded(w http.ResponseWriter, status int, coding Coding, body []byte) {
	h := w.Header()
	if coding != Identity {
		h["Content-Encoding"] = codingNames[coding]
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client disconnected
}

// varyByCoding adds Accept-Encoding to Vary, so that caches store each coding separately.
func varyByCoding(h http.Header) {
	vary := h["Vary"]
	if !slices.ContainsFunc(vary, func(names string) bool { return strings.Contains(names, "Accept-Encoding") }) {
		h["Vary"] = append(slices.Clip(vary), "Accept-Encoding")
	}
}

// Unzip returns the content of a gzipped file that is embedded in the program. It panics
// when the file is invalid, which only a wrong build can cause.
func Unzip(zipped []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		panic("httpx: invalid embedded file: " + err.Error())
	}
	return readEmbedded(reader)
}

// Unbrotli is Unzip for a file compressed with Brotli.
func Unbrotli(compressed []byte) []byte {
	return readEmbedded(brotli.NewReader(bytes.NewReader(compressed)))
}

func readEmbedded(r io.Reader) []byte {
	content, err := io.ReadAll(r)
	if err != nil {
		panic("httpx: invalid embedded file: " + err.Error())
	}
	return content
}
