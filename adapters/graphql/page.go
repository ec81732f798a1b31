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

// pageFiles are GraphiQL and React as they are published, gzipped, and what starts them.
//
//go:embed page/*.gz page/boot.js page/page.css
var pageFiles embed.FS

// The parts of the page, in the order they are put into it.
var (
	pageStyles  = []string{"graphiql.min.css.gz", "page.css"}
	pageScripts = []string{"react.production.min.js.gz", "react-dom.production.min.js.gz", "graphiql.min.js.gz", "boot.js"}
)

// page is the one document that GraphiQL is: everything is in it, and its policy
// names by their hashes the only scripts that may run.
type page struct {
	html   []byte
	policy string
}

// builtPage is made when the first browser asks: it takes some tens of milliseconds
// that a start can do without.
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
		policy: "default-src 'none'; connect-src 'self'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'; " +
			"frame-ancestors 'none'; script-src" + scripts + "; style-src" + styles,
	}
})

// inline writes each file into an element of its own and returns the sources that
// a content security policy lists for them.
func inline(html *bytes.Buffer, element string, names []string) (sources string) {
	for _, name := range names {
		content, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		if strings.HasSuffix(name, ".gz") {
			content = httpx.Unzip(content)
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

// servePage answers a browser. The page is open to all; its queries are not.
func servePage(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	httpx.WritePagePolicy(header, builtPage().policy)
	header.Set("Vary", "Accept, Accept-Encoding")
	pageBody.Write(w, r)
}
