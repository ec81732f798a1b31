package dashboard

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"strings"

	"golang.org/x/text/language"

	"imprimatur/adapters/httpx"
)

const signInPath = Base + "sign-in"

// The sign-in page is plain HTML, so that it needs no script and password managers recognize it.
const (
	signInPolicy = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	maxForm      = 16 << 10 // bytes
)

// signInView has the variable values of the sign-in page, except its language.
type signInView struct {
	email string
	next  string // the path to show after sign-in
	fault string
}

type signInWords struct {
	lang, title, lead, email, password, button string
	wrong, limited, failed                     string
}

var (
	languages = language.NewMatcher([]language.Tag{language.English, language.German})
	words     = [...]signInWords{
		{
			lang: "en", title: "Sign in", lead: "Nothing goes public that was not reviewed.", email: "E-mail", password: "Password", button: "Sign in",
			wrong: "The e-mail or the password is wrong.", limited: "Too many failed attempts. Try again in a few minutes.", failed: "Signing in failed. Try again.",
		},
		{
			lang: "de", title: "Anmelden", lead: "Nichts erscheint, was nicht geprüft wurde.", email: "E-Mail", password: "Passwort", button: "Anmelden",
			wrong: "E-Mail oder Passwort ist falsch.", limited: "Zu viele Fehlversuche. Bitte in einigen Minuten wieder versuchen.", failed: "Die Anmeldung ist fehlgeschlagen. Bitte noch einmal versuchen.",
		},
	}
)

func (h *Handler) showSignIn(w http.ResponseWriter, r *http.Request) {
	h.writeSignIn(w, r, http.StatusOK, signInView{next: r.URL.Query().Get("next")})
}

// submitSignIn signs in through the API with the values of the form, so that its limits and
// checks hold here too.
func (h *Handler) submitSignIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		h.writeSignIn(w, r, http.StatusBadRequest, signInView{fault: wordsFor(r).failed})
		return
	}
	view := signInView{email: r.PostForm.Get("email"), next: r.PostForm.Get("next")}
	answer := h.callSignIn(r, view.email, r.PostForm.Get("password"))
	switch answer.status {
	case http.StatusOK:
		w.Header()["Set-Cookie"] = answer.header["Set-Cookie"]
		http.Redirect(w, r, nextPath(view.next), http.StatusSeeOther)
		return
	case http.StatusUnauthorized, http.StatusUnprocessableEntity:
		view.fault = wordsFor(r).wrong
	case http.StatusTooManyRequests:
		view.fault = wordsFor(r).limited
	default:
		view.fault = wordsFor(r).failed
	}
	h.writeSignIn(w, r, answer.status, view)
}

// callSignIn sends POST /api/session to the API.
func (h *Handler) callSignIn(r *http.Request, email, password string) *answer {
	body, _ := json.Marshal(map[string]string{"email": email, "password": password}) // strings always encode
	call := r.Clone(r.Context())
	call.URL.Path, call.URL.RawPath, call.URL.RawQuery = "/api/session", "", ""
	call.RequestURI = call.URL.Path
	call.Header.Set("Content-Type", "application/json")
	call.Body, call.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	a := &answer{header: http.Header{}, status: http.StatusOK}
	h.api.ServeHTTP(a, call)
	return a
}

// nextPath returns the path to show after sign-in: a page of the application.
func nextPath(asked string) string {
	if strings.HasPrefix(asked, Base) && !strings.ContainsAny(asked, "\\\r\n") {
		return asked
	}
	return Base
}

func (h *Handler) writeSignIn(w http.ResponseWriter, r *http.Request, status int, view signInView) {
	httpx.WritePagePolicy(w.Header(), signInPolicy)
	w.Header().Set("Referrer-Policy", "same-origin") // with no-referrer, browsers would send the form with "Origin: null"
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept-Language, Accept-Encoding")
	httpx.WriteBody(w, r, status, []byte(h.signInPage(wordsFor(r), view)))
}

// signInPage returns the page. It does not use html/template, which prevents the linker from
// removing unused methods and makes the program 1.5 times as large.
func (h *Handler) signInPage(words signInWords, view signInView) string {
	focusEmail, focusPassword := " autofocus", ""
	if view.email != "" {
		focusEmail, focusPassword = focusPassword, focusEmail
	}
	return strings.NewReplacer(
		"{lang}", words.lang, "{title}", words.title, "{lead}", words.lead, "{emailLabel}", words.email,
		"{passwordLabel}", words.password, "{button}", words.button, "{styles}", h.styles,
		"{email}", html.EscapeString(view.email), "{next}", html.EscapeString(nextPath(view.next)), "{fault}", html.EscapeString(view.fault),
		"{focusEmail}", focusEmail, "{focusPassword}", focusPassword,
	).Replace(signInPage)
}

// wordsFor returns the words of the language that the browser prefers.
func wordsFor(r *http.Request) signInWords {
	_, index := language.MatchStrings(languages, r.Header.Get("Accept-Language"))
	return words[index]
}

// answer records the status and the header of a response of the API.
type answer struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter. The body is not needed.
func (a *answer) Write(p []byte) (int, error) { return len(p), nil }
