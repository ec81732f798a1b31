package pages

import (
	_ "embed" // signin.html
	"net/http"
	"net/url"
)

const signInPath = "sign-in"

//go:embed signin.html
var signInPage string

// signInView has the variable values of the sign-in page, except its language.
type signInView struct {
	email string
	next  string // the path to show after sign-in
	fault string
	leave string // the link that signs out at the provider, too
}

func (p *Pages) showSignIn(w http.ResponseWriter, r *http.Request) {
	p.writeSignIn(w, r, http.StatusOK, signInView{next: r.URL.Query().Get("next"), leave: p.signOutLink(r)})
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
	if !r.PostForm.Has("password") { // the form that asks for the address first
		p.writeSignIn(w, r, http.StatusOK, view)
		return
	}
	answer := p.callSignIn(r, view.email, r.PostForm.Get("password"))
	switch answer.status {
	case http.StatusOK:
		w.Header()["Set-Cookie"] = answer.header["Set-Cookie"]
		http.Redirect(w, r, p.nextPath(view.next), http.StatusSeeOther)
		return
	case http.StatusAccepted:
		p.toSecondStep(w, r, answer, view.next)
		return
	case http.StatusUnauthorized, http.StatusUnprocessableEntity:
		view.fault = words.wrong
	case http.StatusTooManyRequests:
		view.fault = words.limited
	default:
		if view.fault = signOnWordsFor(r).problems[answer.code()]; view.fault == "" {
			view.fault = words.failed
		}
	}
	p.writeSignIn(w, r, answer.status, view)
}

// callSignIn sends POST /api/session to the API.
func (p *Pages) callSignIn(r *http.Request, email, password string) *answer {
	return p.call(r, http.MethodPost, "/api/session", map[string]string{"email": email, "password": password})
}

func (p *Pages) writeSignIn(w http.ResponseWriter, r *http.Request, status int, view signInView) {
	words, ways := wordsFor(r), p.ways(r, view.email)
	if ways.Providers && view.email == "" {
		content := fill(addressForm, "emailLabel", words.email, "base", p.base, "email", "", "next", p.nextPath(view.next), "button", signOnWordsFor(r).proceed)
		p.write(w, r, status, page{words.signIn, words.lead, view.fault, content + p.passkeyButton(words, "/api/session", words.withPasskey, view.next) + p.forgotten(r) + view.leave})
		return
	}
	focusEmail, focusPassword := " autofocus", ""
	if view.email != "" {
		focusEmail, focusPassword = focusPassword, focusEmail
	}
	content := fill(signInPage,
		"title", words.signIn, "emailLabel", words.email, "passwordLabel", words.password, "base", p.base, "email", view.email, "next", p.nextPath(view.next),
		"focusEmail", focusEmail, "focusPassword", focusPassword,
	)
	content += p.passkeyButton(words, "/api/session", words.withPasskey, view.next) + p.forgotten(r)
	if !ways.Passwords { // for the few accounts that keep them
		content = fill("<details>\n<summary>{text}</summary>\n", "text", signOnWordsFor(r).others) + content + "</details>\n"
	}
	content = p.providerButton(r, ways, atProviderPath, url.Values{"email": {view.email}, "next": {p.nextPath(view.next)}}) + content
	p.write(w, r, status, page{words.signIn, words.lead, view.fault, content + view.leave})
}
