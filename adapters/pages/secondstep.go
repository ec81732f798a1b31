package pages

import (
	_ "embed" // secondstep.html, recovery.html
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const secondStepPath = "second-step"

var (
	//go:embed secondstep.html
	codeForm string
	//go:embed recovery.html
	recoveryForm string
)

const againLink = "<p class=\"hint\"><a href=\"{base}sign-in?next={next}\">{again}</a></p>\n"

// toSecondStep sends the browser on to the second step of a sign-in that the API has answered with 202.
func (p *Pages) toSecondStep(w http.ResponseWriter, r *http.Request, first *answer, next string) {
	var step struct{ Next []string }
	_ = json.Unmarshal(first.body.Bytes(), &step) // without ways, the page has the forms for codes
	w.Header()["Set-Cookie"] = first.header["Set-Cookie"]
	w.Header().Set("Cache-Control", "no-store")
	query := url.Values{"ways": {strings.Join(step.Next, ",")}, "next": {p.nextPath(next)}}
	http.Redirect(w, r, p.base+secondStepPath+"?"+query.Encode(), http.StatusSeeOther)
}

// showSecondStep shows the forms for the ways of which one finishes the sign-in. A browser that has not
// taken the first step is sent to it.
func (p *Pages) showSecondStep(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if p.cookies.Ticket(r) == "" {
		redirect(w, r, p.base+signInPath, p.nextPath(query.Get("next")))
		return
	}
	p.writeSecondStep(w, r, http.StatusOK, query.Get("ways"), query.Get("next"), "")
}

// submitSecondStep finishes the sign-in through the API.
func (p *Pages) submitSecondStep(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		p.writeSecondStep(w, r, http.StatusBadRequest, "", "", words.failed)
		return
	}
	next, ways := p.nextPath(r.PostForm.Get("next")), r.PostForm.Get("ways")
	proof := map[string]string{"totp": r.PostForm.Get("totp")}
	if code := r.PostForm.Get("recovery"); code != "" {
		proof = map[string]string{"recovery": code}
	}
	answer := p.call(r, http.MethodPost, "/api/session/second", proof)
	fault := words.failed
	switch {
	case answer.status == http.StatusOK:
		w.Header()["Set-Cookie"] = answer.header["Set-Cookie"]
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	case answer.code() == "sign_in_again":
		p.writeSignIn(w, r, answer.status, signInView{next: next, fault: words.expired})
		return
	case answer.status == http.StatusUnauthorized, answer.status == http.StatusUnprocessableEntity:
		fault = words.wrongCode
	case answer.status == http.StatusTooManyRequests:
		fault = words.limited
	}
	p.writeSecondStep(w, r, answer.status, ways, next, fault)
}

// writeSecondStep writes the page. ways are the names of ways, separated by commas; without a known one it
// has both forms for codes.
func (p *Pages) writeSecondStep(w http.ResponseWriter, r *http.Request, status int, ways, next, fault string) {
	words, known := wordsFor(r), strings.Split(ways, ",")
	next = p.nextPath(next)
	content, open := "", " open"
	unknown := !slices.ContainsFunc(known, func(way string) bool { return way == "totp" || way == "passkey" || way == "recovery" })
	if unknown || slices.Contains(known, "totp") {
		content += fill(codeForm, "base", p.base, "next", next, "ways", ways, "codeLabel", words.code, "button", words.byCode)
		open = ""
	}
	if slices.Contains(known, "passkey") {
		content += p.passkeyButton(words, "/api/session/second", words.usePasskey, next)
		open = ""
	}
	if unknown || slices.Contains(known, "recovery") {
		content += fill(recoveryForm, "base", p.base, "next", next, "ways", ways, "open", open, "summary", words.noApp, "recoveryLabel", words.recovery,
			"recoveryHint", words.recoveryHint, "button", words.byRecovery)
	}
	content += fill(againLink, "base", p.base, "next", url.QueryEscape(next), "again", words.again)
	p.write(w, r, status, page{words.secondStep, words.secondLead, fault, content})
}
