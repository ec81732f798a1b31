package rest

import (
	"embed"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
)

// The reader of the OpenAPI document: @stoplight/elements 9.0.25 as published, gzipped.
//
//go:embed elements/index.html elements/*.gz
var elements embed.FS

// docsPolicy is the Content-Security-Policy of the reader. It allows its own scripts and styles,
// and requests to this service.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

// serveDocument serves the OpenAPI document and its reader without authentication. It creates the
// document at the first request, to save start time and memory.
func (a *API) serveDocument() {
	document := sync.OnceValue(func() *huma.OpenAPI { return a.set.Document(emptyDocument()) })
	a.yaml = sync.OnceValue(func() []byte { return must(document().YAML()) })
	a.static("/openapi.json", httpx.NewStatic("application/json", func() []byte { return must(json.Marshal(document())) }))
	a.static("/openapi.yaml", httpx.NewStatic("application/yaml", a.yaml))
	a.static("/docs", httpx.NewStatic("text/html; charset=utf-8", element("index.html")))
	a.static("/docs/web-components.min.js", httpx.NewZippedStatic("text/javascript; charset=utf-8", element("web-components.min.js.gz")))
	a.static("/docs/styles.min.css", httpx.NewZippedStatic("text/css; charset=utf-8", element("styles.min.css.gz")))
}

// element returns a function that reads a file of elements.
func element(name string) func() []byte {
	return func() []byte { return must(elements.ReadFile("elements/" + name)) }
}

// must returns body. It panics on an error, which would be a bug: all data is compiled in.
func must(body []byte, err error) []byte {
	if err != nil {
		panic("rest: the documentation is broken: " + err.Error())
	}
	return body
}

// static serves one file of the documentation at a path.
func (a *API) static(at string, body *httpx.Static) {
	a.mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
		httpx.WritePagePolicy(w.Header(), docsPolicy)
		body.Write(w, r)
	})
}
