package dashboard

import (
	_ "embed" // signin.html
	"html"
	"net/http"
	"strings"
)

const signInPath = Base + "sign-in"

//go:embed signin.html
var signInPage string

// signInView has the variable values of the sign-in page, except its language.
type signInView struct {
	email string
	next  string // the path to show after sign-in
	fault string
}

func (h *Handler) showSignIn(w http.ResponseWriter, r *http.Request) {
	h.writeSignIn(w, r, http.StatusOK, signInView{next: r.URL.Query().Get("next")})
}

// submitSignIn signs in through the API with the values of the form.
func (h *Handler) submitSignIn(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		h.writeSignIn(w, r, http.StatusBadRequest, signInView{fault: words.failed})
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
		view.fault = words.wrong
	case http.StatusTooManyRequests:
		view.fault = words.limited
	default:
		view.fault = words.failed
	}
	h.writeSignIn(w, r, answer.status, view)
}

// callSignIn sends POST /api/session to the API.
func (h *Handler) callSignIn(r *http.Request, email, password string) *answer {
	return h.call(r, http.MethodPost, "/api/session", map[string]string{"email": email, "password": password})
}

// writeSignIn writes the page. It does not use html/template, which prevents the linker from
// removing unused methods and makes the program 1.5 times as large.
func (h *Handler) writeSignIn(w http.ResponseWriter, r *http.Request, status int, view signInView) {
	words := wordsFor(r)
	focusEmail, focusPassword := " autofocus", ""
	if view.email != "" {
		focusEmail, focusPassword = focusPassword, focusEmail
	}
	writePlain(w, r, status, strings.NewReplacer(
		"{lang}", words.lang, "{title}", words.signIn, "{lead}", words.lead, "{emailLabel}", words.email,
		"{passwordLabel}", words.password, "{styles}", h.styles,
		"{email}", html.EscapeString(view.email), "{next}", html.EscapeString(nextPath(view.next)), "{fault}", html.EscapeString(view.fault),
		"{focusEmail}", focusEmail, "{focusPassword}", focusPassword,
	).Replace(signInPage))
}
