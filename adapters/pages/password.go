package pages

import (
	_ "embed" // password.html
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

const passwordPath = "password"

//go:embed password.html
var passwordPage string

// passwordFaults are the faults of a new password by the beginning of the API's message.
var passwordFaults = []struct {
	message string
	text    func(texts) string
}{
	{"must have at least", func(w texts) string { return w.short }},
	{"must have at most", func(w texts) string { return w.long }},
	{"is a common password", func(w texts) string { return w.common }},
	{"must differ", func(w texts) string { return w.as }},
}

// showPassword shows the page on which users choose their own password in place of the one that
// an admin has set.
func (p *Pages) showPassword(w http.ResponseWriter, r *http.Request) {
	next := r.URL.Query().Get("next")
	if session, known := p.session(r); known && session == nil {
		redirect(w, r, p.base+signInPath, p.nextPath(next))
		return
	}
	p.writePassword(w, r, http.StatusOK, next, "")
}

// submitPassword changes the password through the API. That ends all sessions of the user, so it
// then signs in with the new password.
func (p *Pages) submitPassword(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		p.writePassword(w, r, http.StatusBadRequest, "", words.failed)
		return
	}
	next := p.nextPath(r.PostForm.Get("next"))
	session, known := p.session(r)
	if known && session == nil {
		redirect(w, r, p.base+signInPath, next)
		return
	}
	if !known {
		p.writePassword(w, r, http.StatusServiceUnavailable, next, words.failed)
		return
	}
	fresh := r.PostForm.Get("new")
	answer := p.call(r, http.MethodPut, "/api/users/"+strconv.FormatInt(session.ID, 10)+"/password",
		map[string]string{"current": r.PostForm.Get("current"), "new": fresh})
	if answer.status == http.StatusNoContent {
		if signedIn := p.callSignIn(r, session.Email, fresh); signedIn.status == http.StatusOK {
			w.Header()["Set-Cookie"] = signedIn.header["Set-Cookie"]
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	p.writePassword(w, r, answer.status, next, words.faultOf(answer))
}

// faultOf returns the text for a failed change of the password.
func (w texts) faultOf(a *answer) string {
	if a.status == http.StatusTooManyRequests {
		return w.limited
	}
	var problem struct {
		Errors []struct{ Location, Message string }
	}
	if err := json.Unmarshal(a.body.Bytes(), &problem); err != nil || a.status != http.StatusUnprocessableEntity {
		return w.failed
	}
	for _, fault := range problem.Errors {
		if fault.Location == "current" {
			return w.wrongCurrent
		}
		for _, known := range passwordFaults {
			if strings.HasPrefix(fault.Message, known.message) {
				return known.text(w)
			}
		}
	}
	return w.failed
}

func (p *Pages) writePassword(w http.ResponseWriter, r *http.Request, status int, next, fault string) {
	words := wordsFor(r)
	p.write(w, r, status, page{words.changeTitle, words.changeLead, fault, fill(passwordPage,
		"currentLabel", words.current, "newLabel", words.next, "hint", words.hint, "button", words.change, "base", p.base, "next", p.nextPath(next),
	)})
}
