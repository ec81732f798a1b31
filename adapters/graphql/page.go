package graphql

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"

	"imprimatur/adapters/httpx"
)

// pageFiles are the published files, compressed with Brotli, of GraphiQL and React, and the script that
// starts them. GraphiQL's style sheet is without its fonts, which would take another 260 kB of the program:
// the page has those of the reader's system.
//
//go:embed page/*.br page/boot.js page/page.css
var pageFiles embed.FS

//go:embed page/LICENSE-graphiql
var licenceGraphiQL string

//go:embed page/LICENSE-react
var licenceReact string

// Licences returns the licences of the published files.
func Licences() string { return "GraphiQL\n\n" + licenceGraphiQL + "\nReact\n\n" + licenceReact }

// The files of the page, in their order.
var (
	pageStyles  = []string{"graphiql.min.css.br", "page.css"}
	pageScripts = []string{"react.production.min.js.br", "react-dom.production.min.js.br", "graphiql.min.js.br", "boot.js"}
)

// page is the GraphiQL page with all scripts inline. Its content security policy allows
// only these scripts, by hash.
type page struct {
	html   []byte
	policy string
}

// builtPage is built at the first request, because it takes tens of milliseconds.
var builtPage = sync.OnceValue(func() page {
	var html bytes.Buffer
	html.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Imprimatur: GraphQL</title>` +
		`<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">`)
	styles := inline(&html, "style", pageStyles)
	html.WriteString(`</head><body><div id="graphiql">Loading…</div>`)
	scripts := inline(&html, "script", pageScripts)
	html.WriteString(`</body></html>`)

	return page{
		html: html.Bytes(),
		policy: "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
			"frame-ancestors 'none'; script-src" + scripts + "; style-src" + styles,
	}
})

// inline writes each file into an element and returns the sources for the content
// security policy.
func inline(html *bytes.Buffer, element string, names []string) (sources string) {
	for _, name := range names {
		content, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		if strings.HasSuffix(name, ".br") {
			content = httpx.Unbrotli(content)
		}
		if cut := bytes.LastIndex(content, []byte("\n//# sourceMappingURL=")); cut >= 0 {
			content = content[:cut]
		}
		sum := sha256.Sum256(content)
		sources += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		html.WriteString("<" + element + ">")
		html.Write(content)
		html.WriteString("</" + element + ">")
	}
	return sources
}

var pageBody = httpx.NewStatic("text/html; charset=utf-8", func() []byte { return builtPage().html })

// servePage serves the page. It needs no authentication; its queries do.
func servePage(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	httpx.WritePagePolicy(header, builtPage().policy)
	header.Set("Vary", "Accept, Accept-Encoding")
	pageBody.Write(w, r)
}
