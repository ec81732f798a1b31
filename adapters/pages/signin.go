package pages

import (
	_ "embed" // signin.html
	"html"
	"net/http"
	"strings"
)

const signInPath = "sign-in"

//go:embed signin.html
var signInPage string

// signInView has the variable values of the sign-in page, except its language.
type signInView struct {
	email string
	next  string // the path to show after sign-in
	fault string
}

func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request) {
	p.writeSignIn(w, r, http.StatusOK, signInView{next: r.URL.Query().Get("next")})
}

// submitSignIn signs in through the API with the values of the form.
func (p *Pages) submitSignIn(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		p.writeSignIn(w, r, http.StatusBadRequest, signInView{fault: words.failed})
		return
	}
	view := signInView{email: r.PostForm.Get("email"), next: r.PostForm.Get("next")}
	answer := p.callSignIn(r, view.email, r.PostForm.Get("password"))
	switch answer.status {
	case http.StatusOK:
		w.Header()["Set-Cookie"] = answer.header["Set-Cookie"]
		http.Redirect(w, r, p.nextPath(view.next), http.StatusSeeOther)
		return
	case http.StatusUnauthorized, http.StatusUnprocessableEntity:
		view.fault = words.wrong
	case http.StatusTooManyRequests:
		view.fault = words.limited
	default:
		view.fault = words.failed
	}
	p.writeSignIn(w, r, answer.status, view)
}

// callSignIn sends POST /api/session to the API.
func (p *Pages) callSignIn(r *http.Request, email, password string) *answer {
	return p.call(r, http.MethodPost, "/api/session", map[string]string{"email": email, "password": password})
}

// writeSignIn writes the page. It does not use html/template, which prevents the linker from
// removing unused methods and makes the program 1.5 times as large.
func (p *Pages) writeSignIn(w http.ResponseWriter, r *http.Request, status int, view signInView) {
	words := wordsFor(r)
	focusEmail, focusPassword := " autofocus", ""
	if view.email != "" {
		focusEmail, focusPassword = focusPassword, focusEmail
	}
	write(w, r, status, strings.NewReplacer(
		"{lang}", words.lang, "{title}", words.signIn, "{lead}", words.lead, "{emailLabel}", words.email,
		"{passwordLabel}", words.password, "{base}", p.base, "{styles}", p.styles,
		"{email}", html.EscapeString(view.email), "{next}", html.EscapeString(p.nextPath(view.next)), "{fault}", html.EscapeString(view.fault),
		"{focusEmail}", focusEmail, "{focusPassword}", focusPassword,
	).Replace(signInPage))
}
