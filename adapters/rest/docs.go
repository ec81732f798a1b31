package rest

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"

	"imprimatur/adapters/web"
)

// The reader of the OpenAPI document: @stoplight/elements 9.0.25, as published.
//
//go:embed elements/index.html elements/web-components.min.js elements/styles.min.css
var elements embed.FS

// docsPolicy lets the reader run its own script, style itself and call this
// service; nothing comes from anywhere else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

// finishDocument writes the OpenAPI document down, once.
func (a *API) finishDocument() {
	var err error
	if a.json, err = json.Marshal(a.huma.OpenAPI()); err != nil {
		panic(fmt.Sprintf("rest: the OpenAPI document is no JSON: %v", err))
	}
	if a.yaml, err = a.huma.OpenAPI().YAML(); err != nil {
		panic(fmt.Sprintf("rest: the OpenAPI document is no YAML: %v", err))
	}
}

// serveDocument serves the document and its reader to everybody.
func (a *API) serveDocument() {
	a.static("/openapi.json", "application/json", a.json)
	a.static("/openapi.yaml", "application/yaml", a.yaml)
	for at, file := range map[string]struct{ name, contentType string }{
		"/docs":                       {"index.html", "text/html; charset=utf-8"},
		"/docs/web-components.min.js": {"web-components.min.js", "text/javascript; charset=utf-8"},
		"/docs/styles.min.css":        {"styles.min.css", "text/css; charset=utf-8"},
	} {
		body, err := elements.ReadFile(path.Join("elements", file.name))
		if err != nil {
			panic("rest: the reader of the document is not embedded")
		}
		a.static(at, file.contentType, body)
	}
}

// static serves bytes that only change with the program.
func (a *API) static(at, contentType string, body []byte) {
	tag := web.ContentETag(body)
	a.mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("ETag", tag)
		h.Set("Cache-Control", "no-cache")
		if web.NotModified(r, tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Type", contentType)
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}
