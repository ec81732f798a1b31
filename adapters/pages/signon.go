package pages

import (
	_ "embed" // the forms
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// The pages of sign-ins at identity providers. Those that send the browser to a provider are links, not forms: the policy
// of the pages forbids forms that lead elsewhere.
const (
	atProviderPath = "sign-in/provider"
	connectPath    = "connect"
)

var (
	//go:embed signinemail.html
	addressForm string
	//go:embed connectrequest.html
	connectForm string
)

func (p *Pages) registerSignOn(mux *http.ServeMux) {
	mux.HandleFunc("GET /sso/{provider}/callback", discreet(p.showArrival))
	mux.HandleFunc("GET "+p.base+atProviderPath, discreet(p.toProvider))
	mux.HandleFunc("GET "+p.base+invitationPath+"/provider", discreet(p.acceptAtProvider))
	mux.HandleFunc("GET "+p.base+connectPath+"/{provider}/{secret}", discreet(p.followConnect))
	mux.HandleFunc("GET "+p.base+connectPath, discreet(p.showConnect))
	mux.HandleFunc("GET "+p.base+connectPath+"/provider", discreet(p.connectAtProvider))
	mux.HandleFunc("POST "+p.base+connectPath+"/request", discreet(p.form(p.requestConnect)))
}

// signInWays is the answer of POST /api/session/ways.
type signInWays struct {
	Providers bool
	Passwords bool
	Provider  *struct {
		ID   int64
		Name string
	}
}

// ways returns how an address signs in. Without an answer of the API there are only passwords.
func (p *Pages) ways(r *http.Request, email string) (ways signInWays) {
	a := p.call(r, http.MethodPost, "/api/session/ways", map[string]string{"email": email})
	if a.status != http.StatusOK || json.Unmarshal(a.body.Bytes(), &ways) != nil {
		return signInWays{Passwords: true}
	}
	return ways
}

const providerLink = "<p><a class=\"button\" href=\"{base}{path}?{query}\">{text}</a></p>\n"

// providerButton returns the link to a provider, "" for none.
func (p *Pages) providerButton(r *http.Request, ways signInWays, path string, query url.Values) string {
	if ways.Provider == nil {
		return ""
	}
	query.Set("provider", strconv.FormatInt(ways.Provider.ID, 10))
	return fill(providerLink, "base", p.base, "path", path, "query", query.Encode(), "text", strings.ReplaceAll(signOnWordsFor(r).with, "{name}", ways.Provider.Name))
}

const leaveLink = "<p><a href=\"{to}\">{text}</a></p>\n"

// signOutLink returns the link that signs a person out at the provider, too, after a sign-out here; "" for none.
func (p *Pages) signOutLink(r *http.Request) string {
	id, err := strconv.ParseInt(p.cookies.Link(r), 10, 64)
	if err != nil {
		return ""
	}
	a := p.call(r, http.MethodPost, "/api/session/provider/sign-out", map[string]int64{"providerId": id})
	var to struct{ Name, URL string }
	if a.status != http.StatusOK || json.Unmarshal(a.body.Bytes(), &to) != nil {
		return ""
	}
	return fill(leaveLink, "to", to.URL, "text", strings.ReplaceAll(signOnWordsFor(r).leave, "{name}", to.Name))
}

// toProvider sends the browser to the provider of the query.
func (p *Pages) toProvider(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	p.sendAway(w, r, query.Get("provider"), map[string]any{"email": query.Get("email"), "next": p.nextPath(query.Get("next"))})
}

// acceptAtProvider sends the browser to the provider of the query, to accept the invitation whose link it has followed.
func (p *Pages) acceptAtProvider(w http.ResponseWriter, r *http.Request) {
	p.sendAway(w, r, r.URL.Query().Get("provider"), map[string]any{"invitation": p.secretOf(r), "next": p.base})
}

// sendAway begins a sign-in at a provider through the API and sends the browser there.
func (p *Pages) sendAway(w http.ResponseWriter, r *http.Request, provider string, body map[string]any) {
	body["providerId"], _ = strconv.ParseInt(provider, 10, 64) // 0 is that of none
	a := p.call(r, http.MethodPost, "/api/session/provider", body)
	var to struct{ URL string }
	if a.status != http.StatusOK || json.Unmarshal(a.body.Bytes(), &to) != nil {
		p.refuseSignOn(w, r, a, provider)
		return
	}
	w.Header()["Set-Cookie"] = append(w.Header()["Set-Cookie"], a.header["Set-Cookie"]...)
	http.Redirect(w, r, to.URL, http.StatusSeeOther)
}

// arrival is the answer of POST /api/session/provider/finish.
type arrival struct {
	Outcome, Page string
	Next          []string
	Trial         *trial
}

type trial struct {
	TenantID int64
	Name     string
	Claims   []struct{ Name, Value string }
	AuthTime bool
	Would    string
	Account  *string
	Roles    []struct {
		Role       *string
		CustomRole *string
		Place      string
	}
}

// showArrival finishes a sign-in when the provider sends the browser back.
func (p *Pages) showArrival(w http.ResponseWriter, r *http.Request) {
	query, provider := r.URL.Query(), r.PathValue("provider")
	body := map[string]any{"state": query.Get("state"), "code": query.Get("code"), "iss": query.Get("iss"), "error": query.Get("error")}
	body["providerId"], _ = strconv.ParseInt(provider, 10, 64)
	a := p.call(r, http.MethodPost, "/api/session/provider/finish", body)
	var arrived arrival
	if a.status != http.StatusOK || json.Unmarshal(a.body.Bytes(), &arrived) != nil {
		p.refuseSignOn(w, r, a, provider)
		return
	}
	switch arrived.Outcome {
	case "tried":
		w.Header()["Set-Cookie"] = a.header["Set-Cookie"]
		p.showTrial(w, r, arrived.Trial)
	case "verified":
		w.Header()["Set-Cookie"] = a.header["Set-Cookie"]
		words := signOnWordsFor(r)
		p.write(w, r, http.StatusOK, page{title: words.provenTitle, lead: words.provenLead})
	case "second_step":
		p.toSecondStep(w, r, a, arrived.Page)
	default:
		p.cookies.ClearLink(w, p.base+invitationPath)
		p.cookies.ClearLink(w, p.base+connectPath)
		w.Header()["Set-Cookie"] = append(w.Header()["Set-Cookie"], a.header["Set-Cookie"]...)
		http.Redirect(w, r, p.nextPath(arrived.Page), http.StatusSeeOther)
	}
}

// showTrial shows what a provider says about the admin that has tried it.
func (p *Pages) showTrial(w http.ResponseWriter, r *http.Request, t *trial) {
	words := signOnWordsFor(r)
	var rows strings.Builder
	for _, c := range t.Claims {
		rows.WriteString(fill("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>\n", "name", c.Name, "value", c.Value))
	}
	would := words.would[t.Would]
	if t.Account != nil {
		would = strings.ReplaceAll(would, "{account}", *t.Account)
	}
	time := words.noAuthTime
	if t.AuthTime {
		time = words.authTime
	}
	roles := ""
	if len(t.Roles) > 0 {
		var list strings.Builder
		for _, role := range t.Roles {
			name := ""
			switch {
			case role.Role != nil:
				name = words.roles[*role.Role]
			case role.CustomRole != nil:
				name = *role.CustomRole
			}
			list.WriteString(fill("<li>{role}: {place}</li>\n", "role", name, "place", role.Place))
		}
		roles = fill("<p>{text}</p>\n", "text", words.groupRoles) + "<ul>\n" + list.String() + "</ul>\n"
	}
	content := fill("<p>{would}</p>\n", "would", would) + roles + fill("<p>{time}</p>\n<table class=\"claims\">\n<caption>{claims}</caption>\n", "time", time, "claims", words.claims) +
		rows.String() + "</table>\n" + fill("<p>{text}</p>\n", "text", words.close)
	p.write(w, r, http.StatusOK, page{words.trialTitle, strings.ReplaceAll(words.trialLead, "{name}", t.Name), "", content})
}

// refuseSignOn writes a page that says why a sign-in at a provider has failed.
func (p *Pages) refuseSignOn(w http.ResponseWriter, r *http.Request, a *answer, provider string) {
	words := signOnWordsFor(r)
	fault := words.problems[a.code()]
	if fault == "" {
		fault = linkWordsFor(r).problems[a.code()]
	}
	if fault == "" {
		fault = wordsFor(r).failed
	}
	content := ""
	if a.code() == "not_linked" && p.mails {
		content = fill(connectForm, "base", p.base, "provider", provider, "lead", words.requestLead, "emailLabel", wordsFor(r).email, "button", words.request)
	}
	content += fill(backLink, "base", p.base, "text", linkWordsFor(r).toSignIn)
	p.write(w, r, a.status, page{title: words.title, fault: fault, content: content})
}

// requestConnect asks for a link that connects an account.
func (p *Pages) requestConnect(w http.ResponseWriter, r *http.Request) {
	words := signOnWordsFor(r)
	id, _ := strconv.ParseInt(r.PostForm.Get("provider"), 10, 64)
	a := p.call(r, http.MethodPost, "/api/session/provider/link", map[string]any{"providerId": id, "email": r.PostForm.Get("email")})
	back := fill(backLink, "base", p.base, "text", linkWordsFor(r).toSignIn)
	if a.status != http.StatusAccepted {
		p.write(w, r, a.status, page{title: words.title, fault: wordsFor(r).failed, content: back})
		return
	}
	p.write(w, r, http.StatusOK, page{linkWordsFor(r).sentTitle, linkWordsFor(r).sentLead, "", back})
}

// followConnect keeps the secret of a link that connects an account in a cookie, as follow does.
func (p *Pages) followConnect(w http.ResponseWriter, r *http.Request) {
	value := ""
	if text := r.PathValue("provider") + "." + r.PathValue("secret"); len(text) <= 64 {
		value = url.QueryEscape(text)
	}
	p.cookies.SetLink(w, p.base+connectPath, value, linkAge)
	http.Redirect(w, r, p.base+connectPath, http.StatusSeeOther)
}

func (p *Pages) showConnect(w http.ResponseWriter, r *http.Request) {
	words := signOnWordsFor(r)
	p.write(w, r, http.StatusOK, page{words.connectTitle, words.connectLead, "", fill("<p><a class=\"button\" href=\"{base}connect/provider\">{text}</a></p>\n", "base", p.base, "text", words.connect)})
}

// connectAtProvider sends the browser to the provider of the link that it has followed.
func (p *Pages) connectAtProvider(w http.ResponseWriter, r *http.Request) {
	text, _ := url.QueryUnescape(p.cookies.Link(r)) // "" for another value
	provider, secret, _ := strings.Cut(text, ".")
	if secret == "" { // not a link that was followed: the API refuses it, and would begin a sign-in without
		secret = "none"
	}
	p.sendAway(w, r, provider, map[string]any{"link": secret, "next": p.base})
}
