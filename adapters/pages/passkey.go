package pages

import (
	_ "embed" // passkey.html, newpasskey.html, passkey.js
	"net/http"
	"net/url"

	"imprimatur/adapters/httpx"
)

const passkeyScriptPath = "passkey.js"

var (
	//go:embed passkey.html
	passkeyForm string
	//go:embed newpasskey.html
	newPasskeyForm string
	//go:embed passkey.js
	passkeyScript []byte
)

// passkeyButton returns a button that asks for a passkey and sends it to finish, an address of the API.
// Only a script can use passkeys: without it, the button is hidden.
func (p *Pages) passkeyButton(words texts, finish, label, next string) string {
	return fill(passkeyForm, "base", p.base, "finish", finish, "next", p.nextPath(next), "button", label,
		"wrong", words.wrongPasskey, "limited", words.limited, "failed", words.failed, "expired", words.expired)
}

// newPasskeyButton returns a button that asks the browser for a new passkey of the user, and then shows new
// recovery codes. It is hidden like that of passkeyButton.
func (p *Pages) newPasskeyButton(words texts, next string) string {
	return fill(newPasskeyForm, "base", p.base, "next", next, "query", url.QueryEscape(next), "button", words.addPasskey,
		"known", words.knownPasskey, "limited", words.limited, "failed", words.failed)
}

// writePasskeyScript serves the script of both buttons.
func writePasskeyScript(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Vary", "Accept-Encoding")
	httpx.WriteBody(w, r, http.StatusOK, passkeyScript)
}
