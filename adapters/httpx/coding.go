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

// Coding is a content coding of answers, RFC 9110, section 8.4.1.
type Coding uint8

// The codings, Identity being none. Of those that a caller takes equally the first one
// that follows it here is chosen.
const (
	Identity Coding = iota
	Zstandard
	Brotli
	Gzip
)

var codings = []Coding{Zstandard, Brotli, Gzip}

// codingNames are shared between answers: net/http only reads them.
var codingNames = [...][]string{{"identity"}, {"zstd"}, {"br"}, {"gzip"}}

// String returns the coding's name as in Content-Encoding.
func (c Coding) String() string { return codingNames[c][0] }

// Header returns the value of Content-Encoding, which answers share.
func (c Coding) Header() []string { return codingNames[c] }

// SmallestEncoded is how many bytes a body that is worth encoding has at least.
const SmallestEncoded = 1<<10 + 1

// AcceptedCoding returns the coding of those offered, by default all, that the caller
// prefers.
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

// codingQuality returns how much an Accept-Encoding header wants a coding, 0 to 1, by
// name or else as one of all others, and whether it names the coding.
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

// Quality reads the q among the parameters of a thing that a caller accepts; it is 1 when
// left out and 0 when it makes no sense.
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

// The levels are those beyond which an answer takes much longer to make than to send:
// BenchmarkEncode.
const (
	brotliLevel = 4
	gzipLevel   = 5
)

// encoders are the writers of a coding that are not in use.
var encoders = [...]sync.Pool{
	Brotli: {New: func() any { return brotli.NewWriterLevel(nil, brotliLevel) }},
	Gzip: {New: func() any {
		w, _ := kgzip.NewWriterLevel(nil, gzipLevel) // a level that there is
		return w
	}},
}

// zstandard encodes whole bodies, several at a time.
var zstandard = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		panic("httpx: zstd refuses its options: " + err.Error())
	}
	return w
})

// Encode returns body in the coding, and false when that is of no use: body is short, or
// no shorter then.
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

// WriteBody answers with body, encoded as the caller likes it when that is of use. It sets
// what the header says of the length and the coding, and adds to Vary. The ETag is of the
// body itself, in whatever coding it goes.
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

// WriteEncoded answers with body, which is in the coding.
func WriteEncoded(w http.ResponseWriter, status int, coding Coding, body []byte) {
	h := w.Header()
	if coding != Identity {
		h["Content-Encoding"] = codingNames[coding]
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller that hung up needs no answer
}

// varyByCoding has caches keep the codings of an answer apart.
func varyByCoding(h http.Header) {
	vary := h["Vary"]
	if !slices.ContainsFunc(vary, func(names string) bool { return strings.Contains(names, "Accept-Encoding") }) {
		h["Vary"] = append(slices.Clip(vary), "Accept-Encoding")
	}
}

// Unzip returns what a gzipped file holds that is embedded in the program. It panics
// when that is no such file, which only a wrong build makes.
func Unzip(zipped []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		panic("httpx: an embedded file is broken: " + err.Error())
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		panic("httpx: an embedded file is broken: " + err.Error())
	}
	return content
}
