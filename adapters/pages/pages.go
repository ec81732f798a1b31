// Package pages serves the pages around signing in: plain HTML, so that they need no script and
// password managers recognize them. They use only the API under /api.
package pages

import (
	"bytes"
	_ "embed" // layout.html
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"imprimatur/adapters/httpx"
)

const (
	policy  = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	maxForm = 16 << 10 // bytes
)

// Pages are the pages of one application. They are safe for concurrent use.
type Pages struct {
	api     http.Handler
	cookies httpx.Cookies
	base    string // the path of the application, which all pages are below
	styles  string // the path of the style sheet
	mails   bool   // the installation sends e-mails
}

// New returns the pages below base, the path of the application. api serves the API with the same cookies;
// styles is the path of the style sheet; mails says whether the installation sends e-mails.
func New(api http.Handler, cookies httpx.Cookies, base, styles string, mails bool) *Pages {
	return &Pages{api, cookies, base, styles, mails}
}

// Register adds the pages to a router.
func (p *Pages) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET "+p.base+signInPath, p.showSignIn)
	mux.HandleFunc("POST "+p.base+signInPath, p.submitSignIn)
	mux.HandleFunc("GET "+p.base+passwordPath, p.showPassword)
	mux.HandleFunc("POST "+p.base+passwordPath, p.submitPassword)
	mux.HandleFunc("GET "+p.base+secondStepPath, p.showSecondStep)
	mux.HandleFunc("POST "+p.base+secondStepPath, p.submitSecondStep)
	mux.HandleFunc("GET "+p.base+passkeyScriptPath, writePasskeyScript)
	mux.HandleFunc("GET "+p.base+factorPath, p.showFactor)
	mux.HandleFunc("POST "+p.base+factorPath, p.submitFactor)
	p.registerLinks(mux)
	p.registerSignOn(mux)
}

// SignedIn serves next to browsers with a session. It sends others to the sign-in page, and users
// that must change their password or need a second factor to the page for that. The application therefore makes no
// request without a session.
func (p *Pages) SignedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch session, known := p.session(r); {
		case known && session == nil:
			redirect(w, r, p.base+signInPath, r.URL.RequestURI())
		case known && session.MustChangePassword:
			redirect(w, r, p.base+passwordPath, r.URL.RequestURI())
		case known && session.MustAddFactor:
			redirect(w, r, p.base+factorPath, r.URL.RequestURI())
		default:
			next(w, r)
		}
	}
}

// redirect sends the browser to a page that later sends it to next.
func redirect(w http.ResponseWriter, r *http.Request, page, next string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, page+"?next="+url.QueryEscape(next), http.StatusSeeOther)
}

// nextPath returns the path to show after a form: a page of the application.
func (p *Pages) nextPath(asked string) string {
	if !strings.HasPrefix(asked, p.base) || strings.ContainsAny(asked, "\\\r\n") {
		return p.base
	}
	// Browsers resolve dot segments, encoded ones too.
	if target, err := url.Parse(asked); err != nil || !strings.HasPrefix(path.Clean(target.Path)+"/", p.base) {
		return p.base
	}
	return asked
}

// session is the response of GET /api/session.
type session struct {
	ID                 int64
	Email              string
	MustChangePassword bool
	MustAddFactor      bool
}

// session returns the session of the request, nil for none. It returns false when the API does not
// say.
func (p *Pages) session(r *http.Request) (s *session, known bool) {
	a := p.call(r, http.MethodGet, "/api/session", nil)
	known = a.status == http.StatusOK && json.Unmarshal(a.body.Bytes(), &s) == nil
	return s, known
}

// Get reads a path of the API into a value with the credentials of the request, and reports whether it could.
func (p *Pages) Get(r *http.Request, path string, into any) bool {
	a := p.call(r, http.MethodGet, path, nil)
	return a.status == http.StatusOK && json.Unmarshal(a.body.Bytes(), into) == nil
}

// call calls the API with the credentials of the request, so that its limits and checks hold for
// the pages too.
func (p *Pages) call(r *http.Request, method, path string, body any) *answer {
	call := r.Clone(r.Context())
	call.Method, call.URL = method, &url.URL{Path: path}
	call.RequestURI = path
	call.Header.Del("Accept-Encoding") // the pages read the answer
	call.Body, call.ContentLength = http.NoBody, 0
	if body != nil {
		content, _ := json.Marshal(body) // strings always encode
		call.Header.Set("Content-Type", "application/json")
		call.Body, call.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
	}
	a := &answer{header: http.Header{}, status: http.StatusOK}
	p.api.ServeHTTP(a, call)
	return a
}

//go:embed layout.html
var layout string

// page is what differs between pages. content is HTML, all else text.
type page struct{ title, lead, fault, content string }

// write writes a page.
func (p *Pages) write(w http.ResponseWriter, r *http.Request, status int, shown page) {
	text := fill(layout, "lang", wordsFor(r).lang, "title", shown.title, "lead", shown.lead, "fault", shown.fault, "styles", p.styles)
	text = strings.Replace(text, "{content}", shown.content, 1)
	httpx.WritePagePolicy(w.Header(), policy) // the layout relaxes its no-referrer to same-origin: without, browsers would send the forms with "Origin: null"
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept-Language, Accept-Encoding")
	httpx.WriteBody(w, r, status, []byte(text))
}

// fill returns the HTML of a template with each {name} replaced by the text that follows name in
// values. It does not use html/template, which prevents the linker from removing unused methods and
// makes the program 1.5 times as large.
func fill(template string, values ...string) string {
	pairs := make([]string, len(values))
	for i := 0; i < len(values); i += 2 {
		pairs[i], pairs[i+1] = "{"+values[i]+"}", html.EscapeString(values[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// answer records a response of the API.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// code returns the code of a problem.
func (a *answer) code() string {
	var problem struct{ Code string }
	_ = json.Unmarshal(a.body.Bytes(), &problem) // "" for anything else
	return problem.Code
}
