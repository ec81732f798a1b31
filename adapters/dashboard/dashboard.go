// Package dashboard serves the web application in which editors write and reviewers decide. Its
// pages use only the API under /api. The sources are in web, the built files in dist.
package dashboard

import (
	"embed"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/andybalholm/brotli"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/pages"
	"imprimatur/core"
	"imprimatur/core/fileurl"
)

// Base is the path of the application. All its pages and files are below it.
const Base = "/dashboard/"

// Patterns are the patterns of the paths that a Handler serves. "/" sends a browser to Base. Links of
// mails begin with /invite/ and /reset/, and identity providers send browsers back to /sso/.
var Patterns = []string{Base, "GET " + strings.TrimSuffix(Base, "/"), "GET /{$}", "/invite/", "/reset/", "/sso/"}

// The built application. Each file is compressed with Brotli and has the suffix .br.
//
//go:embed all:dist
var dist embed.FS

// Licences returns the licences of the packages in the built application.
func Licences() (string, error) {
	file, err := dist.Open("dist/licences.txt.br")
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // it is only read
	text, err := io.ReadAll(brotli.NewReader(file))
	return string(text), err
}

// contentTypes are the content types of the built files. Package mime would read those of the
// machine, which differ and take memory.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

// Handler serves the application. It is safe for concurrent use.
type Handler struct {
	mux    *http.ServeMux
	index  *httpx.Static
	policy string
}

// New returns a Handler. api serves the API with these cookies, which the pages around signing in use; media
// is the base URL of media; mails says whether the installation sends e-mails.
func New(api http.Handler, cookies httpx.Cookies, media fileurl.Base, mails bool) (*Handler, error) {
	h := &Handler{
		mux:    http.NewServeMux(),
		policy: policy(media),
	}
	files, err := readManifest()
	if err != nil {
		return nil, err
	}
	around := pages.New(api, cookies, Base, Base+files["src/styles/sign-in.css"].File, mails)
	around.Register(h.mux)
	h.mux.HandleFunc("GET "+Base, around.SignedIn(h.page))
	h.mux.HandleFunc("GET "+Base+"frame/{project}", around.SignedIn(framePage(around, Base+files["src/frame.ts"].File)))
	h.mux.HandleFunc("GET "+Base+"assets/", noFile)
	h.mux.Handle("GET "+strings.TrimSuffix(Base, "/"), http.RedirectHandler(Base, http.StatusPermanentRedirect))
	h.mux.HandleFunc("GET /{$}", toDashboard)
	h.addStarts(files, around.SignedIn)
	return h, fs.WalkDir(dist, "dist", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".br") && path.Base(name) != manifest+".br" {
			h.addFile(strings.TrimPrefix(strings.TrimSuffix(name, ".br"), "dist/"), name)
		}
		return err
	})
}

// toDashboard redirects browsers to the application. Other clients get 404.
func toDashboard(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		httpx.WriteProblem(w, r, core.NotFound("path"))
		return
	}
	http.Redirect(w, r, Base, http.StatusFound)
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

func (h *Handler) addFile(name, embedded string) {
	read := func() []byte {
		content, err := dist.ReadFile(embedded)
		if err != nil {
			panic("dashboard: " + err.Error()) // the directory lists it
		}
		return content
	}
	if name == "index.html" {
		h.index = httpx.NewBrotliStatic("text/html; charset=utf-8", read)
		return
	}
	contentType, known := contentTypes[path.Ext(name)]
	if !known {
		panic("dashboard: no content type for " + name)
	}
	static := httpx.NewBrotliStatic(contentType, read)
	h.mux.HandleFunc("GET "+Base+name, static.WriteImmutable)
}

// noFile serves paths under assets/ that are not files.
func noFile(w http.ResponseWriter, r *http.Request) { httpx.WriteProblem(w, r, core.NotFound("path")) }

// page serves index.html at every path that is not a file; its scripts then show the page of the
// path.
func (h *Handler) page(w http.ResponseWriter, r *http.Request) {
	httpx.WritePagePolicy(w.Header(), h.policy)
	h.index.WriteUnstored(w, r)
}

// policy returns the Content-Security-Policy of the pages. It allows only their own files, requests
// to this service, frames of it (see framePage), and pictures and films of the media library.
func policy(files fileurl.Base) string {
	media := origin(files)
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:" + media,
		"media-src 'self' blob:" + media, "font-src 'self'", "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'",
		"frame-ancestors 'none'", "require-trusted-types-for 'script'",
	}, "; ")
}

// origin returns a space and the origin of media, or "" when it has none.
func origin(files fileurl.Base) string {
	u, err := url.Parse(string(files))
	if err != nil || u.Host == "" {
		return ""
	}
	return " " + u.Scheme + "://" + u.Host
}
