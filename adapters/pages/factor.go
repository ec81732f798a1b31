package pages

import (
	_ "embed" // factor.html, factorcode.html
	"encoding/json"
	"html"
	"net/http"
	"strings"
)

const factorPath = "second-factor"

var (
	//go:embed factor.html
	startForm string
	//go:embed factorcode.html
	confirmForm string
)

// showFactor shows the page on which users set up an authenticator app, above all those of whom a tenant
// requires a second factor.
func (p *Pages) showFactor(w http.ResponseWriter, r *http.Request) {
	next := p.nextPath(r.URL.Query().Get("next"))
	if session, known := p.session(r); known && session == nil {
		redirect(w, r, p.base+signInPath, next)
		return
	}
	p.writeFactor(w, r, http.StatusOK, next, "")
}

// submitFactor makes a new authenticator app, and then confirms it with its first code.
func (p *Pages) submitFactor(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		p.writeFactor(w, r, http.StatusBadRequest, "", words.failed)
		return
	}
	next := p.nextPath(r.PostForm.Get("next"))
	switch r.PostForm.Get("step") {
	case "confirm":
		p.confirmFactor(w, r, next)
	case "codes":
		p.renewCodes(w, r, next)
	default:
		p.startFactor(w, r, next)
	}
}

// confirmFactor confirms the app with the code of the form. A form that is sent twice finds the app
// confirmed: its user has not seen the recovery codes, and can make new ones.
func (p *Pages) confirmFactor(w http.ResponseWriter, r *http.Request, next string) {
	words := wordsFor(r)
	answer := p.call(r, http.MethodPost, "/api/me/totp/confirm", map[string]string{"code": r.PostForm.Get("code")})
	var made struct{ RecoveryCodes []string }
	switch {
	case answer.status == http.StatusOK && json.Unmarshal(answer.body.Bytes(), &made) == nil:
		p.writeCodes(w, r, next, made.RecoveryCodes)
	case answer.status == http.StatusUnauthorized:
		redirect(w, r, p.base+signInPath, next)
	case answer.status == http.StatusUnprocessableEntity:
		p.writeConfirm(w, r, answer.status, next, app{}, words.wrongAppCode)
	case answer.code() == "no_pending_factor":
		form := fill(startForm, "base", p.base, "next", next, "step", "codes", "button", words.makeCodes)
		p.write(w, r, answer.status, page{title: words.factorTitle, lead: words.confirmed, content: form})
	default:
		p.writeFactor(w, r, answer.status, next, words.failed)
	}
}

// renewCodes shows new recovery codes.
func (p *Pages) renewCodes(w http.ResponseWriter, r *http.Request, next string) {
	answer := p.call(r, http.MethodPost, "/api/me/recovery-codes", nil)
	var made struct{ RecoveryCodes []string }
	switch {
	case answer.status == http.StatusOK && json.Unmarshal(answer.body.Bytes(), &made) == nil:
		p.writeCodes(w, r, next, made.RecoveryCodes)
	case answer.code() == "no_factor":
		p.writeFactor(w, r, http.StatusOK, next, "")
	default:
		redirect(w, r, p.base+signInPath, next)
	}
}

// app is the response of POST /api/me/totp.
type app struct{ Secret, QR string }

func (p *Pages) startFactor(w http.ResponseWriter, r *http.Request, next string) {
	answer := p.call(r, http.MethodPost, "/api/me/totp", nil)
	var made app
	switch {
	case answer.status == http.StatusCreated && json.Unmarshal(answer.body.Bytes(), &made) == nil:
		p.writeConfirm(w, r, http.StatusOK, next, made, "")
	case answer.status == http.StatusUnauthorized, answer.code() == "verify_first":
		redirect(w, r, p.base+signInPath, next)
	case answer.code() == "factor_exists":
		http.Redirect(w, r, next, http.StatusSeeOther)
	default:
		p.writeFactor(w, r, answer.status, next, wordsFor(r).failed)
	}
}

func (p *Pages) writeFactor(w http.ResponseWriter, r *http.Request, status int, next, fault string) {
	words := wordsFor(r)
	lead := words.factorLead
	if session, known := p.session(r); known && session != nil && session.MustAddFactor {
		lead = words.factorRequired + " " + lead
	}
	p.write(w, r, status, page{words.factorTitle, lead, fault, fill(startForm, "base", p.base, "next", next, "step", "start", "button", words.setUp)})
}

// writeConfirm writes the page with the QR code, or without it after a wrong code: the app knows the
// secret by then.
func (p *Pages) writeConfirm(w http.ResponseWriter, r *http.Request, status int, next string, made app, fault string) {
	words := wordsFor(r)
	lead := words.scan
	content := fill(confirmForm, "base", p.base, "next", next, "secretLabel", words.secret, "secret", made.Secret, "codeLabel", words.code, "button", words.confirm)
	content = strings.Replace(content, "{qr}", made.QR, 1) // SVG that the API has drawn
	if made.Secret == "" {
		lead = words.codeNow
		_, content, _ = strings.Cut(content, "</p>\n")
		content += fill(startForm, "base", p.base, "next", next, "step", "start", "button", words.startAgain)
	}
	p.write(w, r, status, page{words.factorTitle, lead, fault, content})
}

// writeCodes writes the page with the recovery codes.
func (p *Pages) writeCodes(w http.ResponseWriter, r *http.Request, next string, codes []string) {
	words := wordsFor(r)
	list := `<ol class="codes"><li><code>` + strings.Join(codes, "</code></li><li><code>") + "</code></li></ol>\n"
	list += `<p><a class="button" href="` + html.EscapeString(next) + `">` + html.EscapeString(words.proceed) + "</a></p>\n"
	p.write(w, r, http.StatusOK, page{words.codesTitle, words.codesLead, "", list})
}
