package web

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"net/http"
	"strings"
)

// Unzip returns what a gzipped file holds that is embedded in the program. It panics
// when that is no such file, which only a wrong build makes.
func Unzip(zipped []byte) []byte {
	content, err := io.ReadAll(Unzipping(zipped))
	if err != nil {
		panic("web: an embedded file is broken: " + err.Error())
	}
	return content
}

// Unzipping is Unzip for who sends it on, to as many as there are that take it slowly:
// nobody has all of it in memory.
func Unzipping(zipped []byte) io.Reader {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		panic("web: an embedded file is broken: " + err.Error())
	}
	return reader
}

// UnzippedSize returns how many bytes of less than 4 GB a gzipped file holds: its end
// says so.
func UnzippedSize(zipped []byte) int64 {
	return int64(binary.LittleEndian.Uint32(zipped[len(zipped)-4:]))
}

// AcceptsGzip reports whether the caller says that it takes gzip: by name, and not with
// a quality of nothing.
func AcceptsGzip(r *http.Request) bool {
	for _, header := range r.Header["Accept-Encoding"] {
		for coding := range strings.SplitSeq(header, ",") {
			name, quality, _ := strings.Cut(coding, ";")
			if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
				continue
			}
			value, _ := strings.CutPrefix(strings.ToLower(strings.TrimSpace(quality)), "q=")
			return value == "" || strings.Trim(value, "0.") != ""
		}
	}
	return false
}
