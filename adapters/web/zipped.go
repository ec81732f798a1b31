package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// Unzip returns what a gzipped file holds that is embedded in the program. It panics
// when that is no such file, which only a wrong build makes.
func Unzip(zipped []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		panic("web: an embedded file is broken: " + err.Error())
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		panic("web: an embedded file is broken: " + err.Error())
	}
	return content
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
