package httpx

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"imprimatur/core"
)

// Cookies reads and writes the cookies of sessions, devices, tickets and links, and decides which pages
// may use the session.
type Cookies struct {
	name      string // of the session cookie
	device    string // name of the device cookie
	ticket    string // name of the cookie with the first step of a sign-in
	flow      string // name of the cookie with a sign-in at an identity provider
	link      string // name of the cookie with the secret of a link in an e-mail
	origin    string // of the pages of this service: "https://cms.example.org"
	secure    bool
	challenge string // WWW-Authenticate of a 401
}

// NewCookies returns the Cookies of a service with the public address base. With https,
// the name of the cookie has the __Host- prefix, so that no other host can set it.
func NewCookies(base *url.URL) Cookies {
	c := Cookies{
		name: "imprimatur_session", device: "imprimatur_device", ticket: "imprimatur_ticket", flow: "imprimatur_flow", link: "imprimatur_link",
		origin: strings.ToLower(base.Scheme + "://" + base.Host),
		secure: strings.EqualFold(base.Scheme, "https"),
	}
	if c.secure {
		c.name, c.device, c.ticket, c.flow = "__Host-"+c.name, "__Host-"+c.device, "__Host-"+c.ticket, "__Host-"+c.flow
		c.link = "__Secure-" + c.link // it has a path
	}
	c.challenge = `Cookie realm="imprimatur", cookie-name="` + c.name + `"`
	return c
}

// Read returns the session id of the request. It returns false when the request has two
// session cookies: an attacker must have set one of them.
func (c Cookies) Read(r *http.Request) (string, bool) {
	id := only(r.CookiesNamed(c.name))
	return id, id != ""
}

// Device returns the value of the device cookie of the request, or "".
func (c Cookies) Device(r *http.Request) string { return only(r.CookiesNamed(c.device)) }

// Ticket returns the value of the ticket cookie of the request, or "".
func (c Cookies) Ticket(r *http.Request) string { return only(r.CookiesNamed(c.ticket)) }

func only(cookies []*http.Cookie) string {
	if len(cookies) != 1 || len(cookies[0].Value) > maxSecret {
		return ""
	}
	return cookies[0].Value
}

// Set sends the session id to the client. The cookie expires after lifetime.
func (c Cookies) Set(w http.ResponseWriter, id string, lifetime time.Duration) {
	http.SetCookie(w, c.cookie(c.name, id, int(lifetime.Seconds())))
}

// SetDevice sends a value of the device cookie to the client. The cookie expires after lifetime.
func (c Cookies) SetDevice(w http.ResponseWriter, value string, lifetime time.Duration) {
	http.SetCookie(w, c.cookie(c.device, value, int(lifetime.Seconds())))
}

// SetTicket sends a value of the ticket cookie to the client. The cookie expires after lifetime.
func (c Cookies) SetTicket(w http.ResponseWriter, value string, lifetime time.Duration) {
	http.SetCookie(w, c.cookie(c.ticket, value, int(lifetime.Seconds())))
}

// ClearTicket deletes the ticket cookie in the client.
func (c Cookies) ClearTicket(w http.ResponseWriter) {
	http.SetCookie(w, c.cookie(c.ticket, "", -1))
}

// maxFlow is the longest value of the flow cookie.
const maxFlow = 3 << 10

// Flow returns the value of the flow cookie of the request, or "".
func (c Cookies) Flow(r *http.Request) string {
	cookies := r.CookiesNamed(c.flow)
	if len(cookies) != 1 || len(cookies[0].Value) > maxFlow {
		return ""
	}
	return cookies[0].Value
}

// SetFlow sends a value of the flow cookie to the client. The cookie expires after lifetime. A page of another site may
// send the browser back with it.
func (c Cookies) SetFlow(w http.ResponseWriter, value string, lifetime time.Duration) {
	http.SetCookie(w, c.cookie(c.flow, value, int(lifetime.Seconds())))
}

// ClearFlow deletes the flow cookie in the client.
func (c Cookies) ClearFlow(w http.ResponseWriter) {
	http.SetCookie(w, c.cookie(c.flow, "", -1))
}

// Link returns the value of the link cookie of the request, or "".
func (c Cookies) Link(r *http.Request) string { return only(r.CookiesNamed(c.link)) }

// SetLink sends a value of the link cookie to the client, for the page with that path only. The cookie
// expires after lifetime.
func (c Cookies) SetLink(w http.ResponseWriter, path, value string, lifetime time.Duration) {
	http.SetCookie(w, c.linkCookie(path, value, int(lifetime.Seconds())))
}

// ClearLink deletes the link cookie of the page with that path in the client.
func (c Cookies) ClearLink(w http.ResponseWriter, path string) {
	http.SetCookie(w, c.linkCookie(path, "", -1))
}

func (c Cookies) linkCookie(path, value string, maxAge int) *http.Cookie {
	cookie := c.cookie(c.link, value, maxAge)
	cookie.Path = path
	return cookie
}

// Clear deletes the session cookie in the client.
func (c Cookies) Clear(w http.ResponseWriter) {
	http.SetCookie(w, c.cookie(c.name, "", -1))
}

func (c Cookies) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

// ownPage reports whether the browser states that a page of this service, or the user
// directly, made the request. Sec-Fetch-Site decides when it is present; browsers without
// it send Origin. A request with neither, or with two of one, is not trusted.
func (c Cookies) ownPage(r *http.Request) bool {
	if len(r.Header["Origin"]) > 1 || len(r.Header["Sec-Fetch-Site"]) > 1 {
		return false
	}
	origin := strings.ToLower(r.Header.Get("Origin"))
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		_, host, _ := strings.Cut(origin, "://")
		return origin == "" || origin == c.origin || strings.EqualFold(host, r.Host)
	case "":
		return origin == c.origin
	default:
		return false
	}
}

func crossOrigin() *core.Error {
	return &core.Error{
		Kind: core.KindForbidden, Code: "cross_origin",
		Message: "a session can only be used from pages of this service",
	}
}
