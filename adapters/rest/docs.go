package rest

import (
	"embed"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
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
	a.static("/openapi.json", httpx.NewStatic("application/json", a.json))
	a.static("/openapi.yaml", httpx.NewStatic("application/yaml", a.yaml))
	a.static("/docs", httpx.NewStatic("text/html; charset=utf-8", element("index.html")))
	a.static("/docs/web-components.min.js", httpx.NewZippedStatic("text/javascript; charset=utf-8", element("web-components.min.js.gz")))
	a.static("/docs/styles.min.css", httpx.NewZippedStatic("text/css; charset=utf-8", element("styles.min.css.gz")))
}

// element returns how to read a file of elements.
func element(name string) func() []byte {
	return func() []byte { return written(elements.ReadFile("elements/" + name)) }
}

//go:embed welcome.html
var welcome []byte

// welcomePolicy lets the page style itself and show links, no more.
const welcomePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// serveWelcome shows browsers that open the address of the service what it is. Programs
// find nothing there.
func (a *API) serveWelcome() {
	page := httpx.NewStatic("text/html; charset=utf-8", func() []byte { return welcome })
	a.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept, Accept-Encoding")
		if !strings.Contains(r.Header.Get("Accept"), "text/html") {
			httpx.WriteProblem(w, r, core.NotFound("path"))
			return
		}
		httpx.WritePagePolicy(w.Header(), welcomePolicy)
		page.Write(w, r)
	})
}

// written returns body: what is embedded, and made of what is compiled in, is there.
func written(body []byte, err error) []byte {
	if err != nil {
		panic("rest: the documentation is broken: " + err.Error())
	}
	return body
}

// static serves a part of the documentation.
func (a *API) static(at string, body *httpx.Static) {
	a.mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
		httpx.WritePagePolicy(w.Header(), docsPolicy)
		body.Write(w, r)
	})
}
