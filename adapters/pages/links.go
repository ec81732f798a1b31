package pages

import (
	_ "embed" // the forms
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The pages of the links in e-mails. A link has its secret at the end of the path. Its page keeps the
// secret in a cookie and sends the browser on to the path without it: no history, no log and no
// Referer then has the secret, and the form comes from a page that may send its origin.
const (
	invitationPath = "invitation"
	resetPath      = "reset"
	addressPath    = "address"
	forgotPath     = "forgot"

	linkAge = time.Hour
)

var (
	//go:embed forgot.html
	forgotForm string
	//go:embed reset.html
	resetForm string
	//go:embed invitation.html
	invitationForm string
	//go:embed confirm.html
	acceptForm string
	//go:embed leave.html
	leaveForm string
)

func (p *Pages) registerLinks(mux *http.ServeMux) {
	for _, l := range []struct {
		link, path string
		show       http.HandlerFunc
	}{
		{"/invite/", invitationPath, p.showInvitation},
		{"/reset/", resetPath, p.showReset},
		{p.base + addressPath + "/", addressPath, p.showAddress},
	} {
		mux.HandleFunc("GET "+l.link+"{secret}", discreet(p.follow(l.path)))
		mux.HandleFunc("GET "+p.base+l.path, discreet(l.show))
	}
	mux.HandleFunc("POST "+p.base+invitationPath, discreet(p.form(p.submitInvitation)))
	mux.HandleFunc("POST "+p.base+resetPath, discreet(p.form(p.submitReset)))
	mux.HandleFunc("POST "+p.base+addressPath, discreet(p.form(p.submitAddress)))
	mux.HandleFunc("GET "+p.base+forgotPath, p.showForgot)
	mux.HandleFunc("POST "+p.base+forgotPath, p.form(p.submitForgot))
}

// discreet serves the pages of a link: nothing stores or lists what they answer, and no other page learns
// where its visitor was.
func discreet(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex")
		next(w, r)
	}
}

// form calls next with the parsed form.
func (p *Pages) form(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			p.write(w, r, http.StatusBadRequest, page{title: wordsFor(r).signIn, fault: wordsFor(r).failed})
			return
		}
		next(w, r)
	}
}

// follow serves the links of a page.
func (p *Pages) follow(path string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value := ""
		if text := r.PathValue("secret"); len(text) <= 64 {
			value = url.QueryEscape(text)
		}
		p.cookies.SetLink(w, p.base+path, value, linkAge)
		http.Redirect(w, r, p.base+path, http.StatusSeeOther)
	}
}

// secretOf returns the secret of the form, else of the link that the browser has followed.
func (p *Pages) secretOf(r *http.Request) string {
	if text := r.PostForm.Get("secret"); text != "" {
		return text
	}
	text, _ := url.QueryUnescape(p.cookies.Link(r)) // "" for another value
	return text
}

// look asks the API about a link and reads the answer into found. Otherwise it writes a page that
// says why the link does not work, and returns false.
func (p *Pages) look(w http.ResponseWriter, r *http.Request, title, path string, found any) bool {
	a := p.call(r, http.MethodPost, path, map[string]string{"secret": p.secretOf(r)})
	if a.status == http.StatusOK && json.Unmarshal(a.body.Bytes(), found) == nil {
		return true
	}
	p.refuse(w, r, a, title)
	return false
}

// refuse writes a page without a form that says why a link does not work.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, a *answer, title string) {
	words, fault := wordsFor(r), linkWordsFor(r).problems[a.code()]
	if fault == "" {
		fault = words.failed
	}
	p.write(w, r, a.status, page{title: title, fault: fault, content: fill(backLink, "base", p.base, "text", linkWordsFor(r).toSignIn)})
}

// faultOfLink returns the text for a fault of the new account or password.
func faultOfLink(r *http.Request, a *answer) string {
	if text := linkWordsFor(r).problems[a.code()]; text != "" {
		return text
	}
	if strings.Contains(a.body.String(), `"location":"name"`) {
		return linkWordsFor(r).nameFault
	}
	return wordsFor(r).faultOf(a)
}

const backLink = "<p><a href=\"{base}sign-in\">{text}</a></p>\n"

// forgotten returns the part of the sign-in page about forgotten passwords.
func (p *Pages) forgotten(r *http.Request) string {
	words := linkWordsFor(r)
	if !p.mails {
		return "<p class=\"hint\">" + html.EscapeString(words.askAdmin) + "</p>\n"
	}
	return fill("<p><a href=\"{base}forgot\">{text}</a></p>\n", "base", p.base, "text", words.forgot)
}

func (p *Pages) showForgot(w http.ResponseWriter, r *http.Request) {
	words := linkWordsFor(r)
	if !p.mails {
		p.write(w, r, http.StatusOK, page{words.forgot, words.askAdmin, "", fill(backLink, "base", p.base, "text", words.toSignIn)})
		return
	}
	p.write(w, r, http.StatusOK, page{words.forgot, words.forgotLead, "", fill(forgotForm, "base", p.base, "emailLabel", wordsFor(r).email, "button", words.send)})
}

func (p *Pages) submitForgot(w http.ResponseWriter, r *http.Request) {
	words := linkWordsFor(r)
	a := p.call(r, http.MethodPost, "/api/password-reset", map[string]string{"email": r.PostForm.Get("email")})
	if a.status != http.StatusAccepted {
		p.write(w, r, a.status, page{words.forgot, words.forgotLead, wordsFor(r).failed, fill(forgotForm, "base", p.base, "emailLabel", wordsFor(r).email, "button", words.send)})
		return
	}
	p.write(w, r, http.StatusOK, page{words.sentTitle, words.sentLead, "", fill(backLink, "base", p.base, "text", words.toSignIn)})
}

func (p *Pages) showReset(w http.ResponseWriter, r *http.Request) {
	p.writeReset(w, r, http.StatusOK, "")
}

func (p *Pages) writeReset(w http.ResponseWriter, r *http.Request, status int, fault string) {
	words := linkWordsFor(r)
	var account struct{ Email string }
	if !p.look(w, r, words.resetTitle, "/api/password-reset/look", &account) {
		return
	}
	p.write(w, r, status, page{words.resetTitle, strings.ReplaceAll(words.resetLead, "{email}", account.Email), fault, fill(resetForm,
		"base", p.base, "secret", p.secretOf(r), "email", account.Email, "newLabel", wordsFor(r).next, "hint", wordsFor(r).hint, "button", words.resetButton)})
}

// submitReset sets the password, then signs in with it. A second factor is asked for as at each
// sign-in.
func (p *Pages) submitReset(w http.ResponseWriter, r *http.Request) {
	fresh := r.PostForm.Get("new")
	a := p.call(r, http.MethodPost, "/api/password-reset/finish", map[string]string{"secret": p.secretOf(r), "password": fresh})
	var account struct{ Email string }
	switch {
	case a.status == http.StatusOK && json.Unmarshal(a.body.Bytes(), &account) == nil:
		p.cookies.ClearLink(w, p.base+resetPath)
		p.enter(w, r, account.Email, fresh)
	case a.status == http.StatusGone:
		p.refuse(w, r, a, linkWordsFor(r).resetTitle)
	default:
		p.writeReset(w, r, a.status, faultOfLink(r, a))
	}
}

// enter signs in with a new password, and sends the browser to the second step or to the application.
func (p *Pages) enter(w http.ResponseWriter, r *http.Request, email, password string) {
	a := p.callSignIn(r, email, password)
	cookies := w.Header()["Set-Cookie"]
	switch a.status {
	case http.StatusOK:
		w.Header()["Set-Cookie"] = append(cookies, a.header["Set-Cookie"]...)
		http.Redirect(w, r, p.base, http.StatusSeeOther)
	case http.StatusAccepted:
		p.toSecondStep(w, r, a, p.base)
		w.Header()["Set-Cookie"] = append(w.Header()["Set-Cookie"], cookies...)
	default:
		redirect(w, r, p.base+signInPath, p.base)
	}
}

func (p *Pages) showAddress(w http.ResponseWriter, r *http.Request) {
	words := linkWordsFor(r)
	var found struct{ Email string }
	if !p.look(w, r, words.addressTitle, "/api/me/email/look", &found) {
		return
	}
	p.write(w, r, http.StatusOK, page{words.addressTitle, strings.ReplaceAll(words.addressLead, "{email}", found.Email), "", fill(acceptForm,
		"base", p.base, "path", addressPath, "secret", p.secretOf(r), "button", words.addressButton)})
}

func (p *Pages) submitAddress(w http.ResponseWriter, r *http.Request) {
	words := linkWordsFor(r)
	a := p.call(r, http.MethodPost, "/api/me/email/confirm", map[string]string{"secret": p.secretOf(r)})
	if a.status != http.StatusOK {
		p.refuse(w, r, a, words.addressTitle)
		return
	}
	p.cookies.ClearLink(w, p.base+addressPath)
	p.write(w, r, http.StatusOK, page{words.addressTitle, words.addressDone, "", fill("<p><a href=\"{base}\">{text}</a></p>\n", "base", p.base, "text", words.open)})
}

// offer is the answer of POST /api/invitations/look.
type offer struct {
	Email, Name, Inviter string
	HasAccount           bool
	Roles                []struct{ Role, CustomRole, Place string }
}

func (p *Pages) showInvitation(w http.ResponseWriter, r *http.Request) {
	p.writeInvitation(w, r, http.StatusOK, "", "")
}

func (p *Pages) writeInvitation(w http.ResponseWriter, r *http.Request, status int, name, fault string) {
	words := linkWordsFor(r)
	var o offer
	if !p.look(w, r, words.invitationTitle, "/api/invitations/look", &o) {
		return
	}
	var roles strings.Builder
	for _, role := range o.Roles {
		text := role.CustomRole
		if text == "" {
			text = words.roles[role.Role]
		}
		roles.WriteString(fill("<li><b>{place}</b>: {role}</li>\n", "place", role.Place, "role", text))
	}
	content := "<ul class=\"offered\">\n" + roles.String() + "</ul>\n"
	lead := strings.NewReplacer("{who}", o.Inviter, "{email}", o.Email).Replace(words.invitationLead)
	session, known := p.session(r)
	switch {
	case known && session != nil && session.Email != o.Email:
		fault = strings.NewReplacer("{own}", session.Email, "{email}", o.Email).Replace(words.otherAccount)
		content += fill(leaveForm, "base", p.base, "secret", p.secretOf(r), "button", words.leave)
	case known && session != nil:
		content += fill(acceptForm, "base", p.base, "path", invitationPath, "secret", p.secretOf(r), "button", words.accept)
	case o.HasAccount:
		content += "<p>" + html.EscapeString(words.signInToAccept) + "</p>\n" +
			fill("<p><a class=\"button\" href=\"{base}sign-in?next={next}\">{text}</a></p>\n", "base", p.base, "next", url.QueryEscape(p.base+invitationPath), "text", wordsFor(r).signIn)
	default:
		if name == "" {
			name = o.Name
		}
		content += fill(invitationForm, "base", p.base, "secret", p.secretOf(r), "email", o.Email, "name", name, "nameLabel", words.name,
			"passwordLabel", wordsFor(r).password, "hint", wordsFor(r).hint, "button", words.accept)
		content = p.providerButton(r, p.ways(r, o.Email), invitationPath+"/provider", url.Values{}) + content
	}
	p.write(w, r, status, page{words.invitationTitle, lead, fault, content})
}

// submitInvitation accepts the invitation. A new account is then signed in.
func (p *Pages) submitInvitation(w http.ResponseWriter, r *http.Request) {
	if r.PostForm.Has("leave") {
		p.leave(w, r)
		return
	}
	body := map[string]string{"secret": p.secretOf(r)}
	if r.PostForm.Has("password") || r.PostForm.Has("name") {
		body["name"], body["password"] = r.PostForm.Get("name"), r.PostForm.Get("password")
	}
	a := p.call(r, http.MethodPost, "/api/invitations/accept", body)
	switch a.status {
	case http.StatusOK:
		p.cookies.ClearLink(w, p.base+invitationPath)
		w.Header()["Set-Cookie"] = append(w.Header()["Set-Cookie"], a.header["Set-Cookie"]...)
		http.Redirect(w, r, p.base, http.StatusSeeOther)
	case http.StatusGone:
		p.refuse(w, r, a, linkWordsFor(r).invitationTitle)
	default:
		p.writeInvitation(w, r, a.status, r.PostForm.Get("name"), faultOfLink(r, a))
	}
}

// leave ends the session of another person than the invited one, and shows the invitation again.
func (p *Pages) leave(w http.ResponseWriter, r *http.Request) {
	a := p.call(r, http.MethodDelete, "/api/session", nil)
	w.Header()["Set-Cookie"] = a.header["Set-Cookie"]
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, p.base+invitationPath, http.StatusSeeOther)
}
