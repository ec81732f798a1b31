package rest

import (
	"bytes"
	"embed"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/web"
)

// The reader of the OpenAPI document: @stoplight/elements 9.0.25 as published, gzipped.
//
//go:embed elements/index.html elements/*.gz
var elements embed.FS

// docsPolicy lets the reader run its own script, style itself and call this
// service; nothing comes from anywhere else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

// serveDocument serves the document and its reader to everybody. The document is made
// when it is first asked for: a start has better things to do, and who asks for nothing
// but content needs no memory for it.
func (a *API) serveDocument() {
	a.openAPI = sync.OnceValue(func() *huma.OpenAPI { return newDocument(a.documented) })
	a.json = sync.OnceValue(func() []byte { return written(json.Marshal(a.openAPI())) })
	a.yaml = sync.OnceValue(func() []byte { return written(a.openAPI().YAML()) })
	a.static("/openapi.json", "application/json", a.json)
	a.static("/openapi.yaml", "application/yaml", a.yaml)
	for at, file := range map[string]struct{ name, contentType string }{
		"/docs":                       {"index.html", "text/html; charset=utf-8"},
		"/docs/web-components.min.js": {"web-components.min.js.gz", "text/javascript; charset=utf-8"},
		"/docs/styles.min.css":        {"styles.min.css.gz", "text/css; charset=utf-8"},
	} {
		a.static(at, file.contentType, func() []byte { return written(elements.ReadFile("elements/" + file.name)) })
	}
}

// written returns body: what is embedded, and made of what is compiled in, is there.
func written(body []byte, err error) []byte {
	if err != nil {
		panic("rest: the documentation is broken: " + err.Error())
	}
	return body
}

// static serves bytes that only change with the program. Those that are kept gzipped
// are sent as they are to everybody who takes that; they are unzipped once, and all
// callers share them: those who take them slowly would else have a copy each.
func (a *API) static(at, contentType string, read func() []byte) {
	read = sync.OnceValue(read)
	unzipped := sync.OnceValue(func() []byte { return web.Unzip(read()) })
	tag := sync.OnceValue(func() string { return web.ContentETag(read()) })
	a.mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
		body, tag := read(), tag()
		zipped := bytes.HasPrefix(body, gzipMagic)
		h := w.Header()
		h.Set("Cache-Control", "no-cache")
		if zipped {
			h.Set("Vary", "Accept-Encoding")
			h.Set("ETag", "W/"+tag) // of either form
		} else {
			h.Set("ETag", tag)
		}
		if web.NotModified(r, tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		switch {
		case zipped && web.AcceptsGzip(r):
			h.Set("Content-Encoding", "gzip")
		case zipped:
			body = unzipped()
		}
		h.Set("Content-Type", contentType)
		web.WritePagePolicy(h, docsPolicy)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}

// gzipMagic is how a gzipped file begins, and no document does.
var gzipMagic = []byte{0x1f, 0x8b}
