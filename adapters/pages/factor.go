package pages

import (
	_ "embed" // factor.html, factorcode.html, codes.html
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"imprimatur/adapters/wire"
)

const factorPath = "second-factor"

var (
	//go:embed factor.html
	startForm string
	//go:embed factorcode.html
	confirmForm string
	//go:embed codes.html
	keptForm string
)

// showFactor shows the page on which users set up an authenticator app or a passkey, above all those of
// whom a tenant requires a second factor.
func (p *Pages) showFactor(w http.ResponseWriter, r *http.Request) {
	next := p.nextPath(r.URL.Query().Get("next"))
	if session, known := p.session(r); known && session == nil {
		redirect(w, r, p.base+signInPath, next)
		return
	}
	p.writeFactor(w, r, http.StatusOK, next, "")
}

// submitFactor makes a new authenticator app, confirms it with its first code, and shows recovery codes.
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
	case "done":
		http.Redirect(w, r, next, http.StatusSeeOther)
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
		p.writeConfirm(w, r, answer.status, next, appOf(r.PostForm.Get("uri")), words.wrongAppCode)
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
type app struct{ Secret, URI, QR string }

// longestURI is the largest length of the address of an app in bytes: that of an address of 254 bytes fits.
const longestURI = 1200

var base32Key = regexp.MustCompile(`^[A-Z2-7]{16,64}$`)

// appOf returns the app of an address that the form sends back after a wrong code, because the API shows it
// once. It returns the zero app for any other text.
func appOf(uri string) app {
	parsed, err := url.Parse(uri)
	if err != nil || len(uri) > longestURI || parsed.Scheme != "otpauth" || parsed.Host != "totp" {
		return app{}
	}
	key := parsed.Query().Get("secret")
	picture, err := wire.QRCode(uri)
	if err != nil || !base32Key.MatchString(key) {
		return app{}
	}
	return app{key, uri, picture}
}

// inFours returns the text in groups of four characters.
func inFours(text string) string {
	var b strings.Builder
	for i, c := range []byte(text) {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteByte(c)
	}
	return b.String()
}

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
	content := fill(startForm, "base", p.base, "next", next, "step", "start", "button", words.setUp)
	p.write(w, r, status, page{words.factorTitle, lead, fault, content + p.newPasskeyButton(words, next)})
}

// writeConfirm writes the page with the QR code and the form for the first code. After a wrong code, it
// has them again. Without an app it has the form alone.
func (p *Pages) writeConfirm(w http.ResponseWriter, r *http.Request, status int, next string, made app, fault string) {
	words := wordsFor(r)
	lead := words.scan
	content := fill(confirmForm, "base", p.base, "next", next, "uri", made.URI, "open", words.openApp, "secretLabel", words.secret, "secret", inFours(made.Secret),
		"codeLabel", words.code, "button", words.confirm)
	content = strings.Replace(content, "{qr}", made.QR, 1) // SVG that package wire has drawn
	if made.Secret == "" {
		lead = words.codeNow
		_, form, _ := strings.Cut(content, "</code></p>\n")
		content = form
	}
	if fault != "" {
		content += fill(startForm, "base", p.base, "next", next, "step", "start", "button", words.startAgain)
	}
	p.write(w, r, status, page{words.factorTitle, lead, fault, content})
}

// writeCodes writes the page with the recovery codes, which goes on after the user has said to have kept them.
func (p *Pages) writeCodes(w http.ResponseWriter, r *http.Request, next string, codes []string) {
	words := wordsFor(r)
	list := `<ol class="codes">`
	for _, code := range codes {
		list += "<li><code>" + html.EscapeString(code) + "</code></li>"
	}
	list += "</ol>\n"
	list += fill(keptForm, "base", p.base, "next", next, "kept", words.kept, "button", words.proceed)
	p.write(w, r, http.StatusOK, page{words.codesTitle, words.codesLead, "", list})
}
