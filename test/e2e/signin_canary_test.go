package e2e

import (
	"database/sql"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

// linkInMail matches the links of letters.
var linkInMail = regexp.MustCompile(`/(invite|reset|address)/([A-Z2-7]{26})`)

// TestSecretsOfSignInsStaySecret goes through all ways of coming in, and searches for what must stay
// secret in everything that is written or told about it: the log with all its details, events, audits,
// metrics, messages to webhooks and their log, notices, answers with an error, and the database.
func TestSecretsOfSignInsStaySecret(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			mails := startMailServer(t)
			n := newNewsroom(t, engine, append(mails.settings(), "--log-level", "debug")...)
			told := n.tell(t, mails)
			s := &secrets{newsroom: n, mails: mails}
			ida := s.invited(t)
			s.addApp(t, ida)
			s.secondSteps(t, ida)
			s.moved(t, ida)
			s.reset(t, ida)
			n.mustSend(t, "editor", "POST", "{content}", `{"published":true,"fields":{"title":"Something to tell"}}`, 201)
			n.process.Await(t, "the end of deliveries and mails", func() bool {
				return told.has("request.submitted") && strings.Contains(string(call(t, "GET", n.ops+"/metrics", "").body), "imprimatur_mails_waiting 0")
			})
			s.browse(t, 404, "GET", "/api/last", "", "")
			n.process.Await(t, "the log, which is written in portions", func() bool { return strings.Contains(n.process.Output(), `"/api/last"`) })
			s.search(t, told)
			n.checkLog(t)
		})
	}
}

// has reports whether a message has the text.
func (a *told) has(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.messages, func(m string) bool { return strings.Contains(m, text) })
}

// secrets collects the secrets that were used, and the answers in which none may be.
type secrets struct {
	*newsroom
	mails   *mailServer
	texts   []string
	answers []string
}

// keep adds a secret.
func (s *secrets) keep(texts ...string) {
	for _, text := range texts {
		if text != "" {
			s.texts = append(s.texts, text)
		}
	}
}

// browse sends a request as browsers do, but follows no redirect. A body that is no JSON is a form.
func (s *secrets) browse(t *testing.T, status int, method, path, body string, cookies string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", s.base)
	if r.Header.Set("Content-Type", "application/json"); body != "" && body[0] != '{' {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if cookies != "" {
		r.Header.Set("Cookie", cookies)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != status {
		t.Fatalf("%s %s answered %d, want %d: %.600s", method, path, resp.StatusCode, status, text)
	}
	return response{resp.StatusCode, resp.Header, text}
}

// fails sends a request that must be refused.
func (s *secrets) fails(t *testing.T, status int, method, path, body, cookies string) {
	t.Helper()
	a := s.browse(t, status, method, path, body, cookies)
	s.answers = append(s.answers, fmt.Sprint(a.header)+string(a.body))
}

// cookies returns the cookies of an answer, which are secrets.
func (s *secrets) cookies(a response) string {
	var all []string
	for _, line := range a.header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(line, ";")
		name, value, _ := strings.Cut(pair, "=")
		if value == "" {
			continue // deleted
		}
		all = append(all, name+"="+value)
		if name != "imprimatur_device" || strings.Contains(value, ".") { // the id of a browser alone is no secret: it counts failures
			s.keep(value)
		}
	}
	return strings.Join(all, "; ")
}

// link waits for the newest link of a kind and returns its secret.
func (s *secrets) link(t *testing.T, kind string) (text string) {
	t.Helper()
	s.process.Await(t, "a mail with a link of "+kind, func() bool {
		for _, found := range linkInMail.FindAllStringSubmatch(s.mails.text(), -1) {
			if found[1] == kind {
				text = found[2]
			}
		}
		return text != ""
	})
	s.keep(text)
	return text
}

// follow opens the page of a link and returns the header with its cookie.
func (s *secrets) follow(t *testing.T, link, path, text string) string {
	t.Helper()
	a := s.browse(t, 303, "GET", link+text, "", "")
	if a.header.Get("Location") != path {
		t.Fatalf("the link leads to %q", a.header.Get("Location"))
	}
	return s.cookies(a)
}

// person is a signed-in person.
type person struct{ email, password, cookies, app string }

// post sends a request of the person.
func (s *secrets) post(t *testing.T, p *person, status int, path, body string) response {
	t.Helper()
	return s.browse(t, status, "POST", path, body, p.cookies)
}

// form sends a form of a page.
func (s *secrets) form(t *testing.T, status int, path, cookies string, values url.Values) response {
	t.Helper()
	return s.browse(t, status, "POST", path, values.Encode(), cookies)
}

// invited accepts an invitation by its page.
func (s *secrets) invited(t *testing.T) *person {
	t.Helper()
	p := &person{email: "ida@example.com", password: "canary of a password"}
	s.keep(p.password)
	s.mustSend(t, "root", "POST", "/api/invitations", `{"email":"ida@example.com","roles":[{"role":"editor","projectId":{site}}]}`, 201)
	text := s.link(t, "invite")
	cookie := s.follow(t, "/invite/", "/dashboard/invitation", text)
	s.fails(t, 422, "POST", "/api/invitations/accept", `{"secret":"`+text+`","name":"Ida","password":"short"}`, "")
	s.fails(t, 422, "POST", "/api/invitations/accept", `{"secret":"`+text+`","name":"`+strings.Repeat("x", 300)+`","password":"`+p.password+`"}`, "")
	a := s.form(t, 303, "/dashboard/invitation", cookie, url.Values{"secret": {text}, "name": {"Ida"}, "password": {p.password}})
	p.cookies = s.cookies(a)
	s.fails(t, 410, "GET", "/dashboard/invitation", "", cookie)
	s.fails(t, 410, "POST", "/api/invitations/accept", `{"secret":"`+text+`","name":"Ida","password":"`+p.password+`"}`, "")
	return p
}

// addApp sets up an authenticator app.
func (s *secrets) addApp(t *testing.T, p *person) {
	t.Helper()
	app := decode[struct{ Secret, URI string }](t, s.post(t, p, 201, "/api/me/totp", ""))
	s.keep(app.Secret)
	p.app = app.Secret
	s.fails(t, 422, "POST", "/api/me/totp/confirm", `{"code":"9 1 4 7 5"}`, p.cookies)
	s.keep("9 1 4 7 5")
	codes := decode[struct{ RecoveryCodes []string }](t, s.post(t, p, 200, "/api/me/totp/confirm", `{"code":"`+s.code(t, p, 0)+`"}`)).RecoveryCodes
	for _, code := range codes {
		s.keep(code, strings.ReplaceAll(code, "-", ""))
	}
	s.recover(t, p, codes[0])
	half := s.half(t, p)
	s.fails(t, 401, "POST", "/api/session/second", `{"recovery":"`+codes[0]+`"}`, half)
	s.fails(t, 422, "POST", "/api/session/second", `{"recovery":"`+codes[1]+`","totp":"9 1 4 7 5"}`, half)
}

// code returns a code of the app, spaced so that no other text is like it.
func (s *secrets) code(t *testing.T, p *person, after time.Duration) string {
	t.Helper()
	code, err := totp.GenerateCode(p.app, time.Now().Add(after))
	if err != nil {
		t.Fatal(err)
	}
	code = strings.Join(strings.Split(code, ""), " ")
	s.keep(code)
	return code
}

// half takes the first step of a sign-in and returns the header with its ticket.
func (s *secrets) half(t *testing.T, p *person) string {
	t.Helper()
	return s.cookies(s.browse(t, 202, "POST", "/api/session", `{"email":"`+p.email+`","password":"`+p.password+`"}`, ""))
}

func (s *secrets) recover(t *testing.T, p *person, code string) {
	t.Helper()
	p.cookies = s.cookies(s.browse(t, 200, "POST", "/api/session/second", `{"recovery":"`+code+`"}`, s.half(t, p)))
}

// secondSteps takes second steps that fail, and one that does not, by its page.
func (s *secrets) secondSteps(t *testing.T, p *person) {
	t.Helper()
	half := s.half(t, p)
	s.fails(t, 401, "POST", "/api/session/second", `{"totp":"0 0 0 0 0 0"}`, half)
	s.fails(t, 401, "POST", "/dashboard/second-step", "totp=0+0+0+0+0+0&ways=totp,recovery", half)
	s.fails(t, 401, "POST", "/api/session/second", `{"recovery":"mfrg-gzdf-mztw-q2lk"}`, half)
	s.keep("mfrg-gzdf-mztw-q2lk", "0 0 0 0 0 0")
	// The code of the present half minute may have confirmed the app.
	done := s.form(t, 303, "/dashboard/second-step", half, url.Values{"totp": {s.code(t, p, 30*time.Second)}, "next": {"/dashboard/"}})
	p.cookies = s.cookies(done)
	s.fails(t, 401, "POST", "/api/session/second", `{"totp":"`+s.code(t, p, 30*time.Second)+`"}`, half)
	s.fails(t, 422, "POST", "/api/session/verify", `{"totp":"0 0 0 0 0 0"}`, p.cookies)
	s.fails(t, 422, "POST", "/api/session/verify", `{"password":"`+p.password+`"}`, p.cookies)
	s.fails(t, 401, "POST", "/api/session", `{"passkey":{"id":"canary-credential","rawId":"canary-credential","type":"public-key","response":{"clientDataJSON":"canary-client"}}}`, "")
	s.keep("canary-credential", "canary-client")
}

// moved changes the address.
func (s *secrets) moved(t *testing.T, p *person) {
	t.Helper()
	s.post(t, p, 202, "/api/me/email", `{"email":"moved@example.com"}`)
	text := s.link(t, "address")
	cookie := s.follow(t, "/dashboard/address/", "/dashboard/address", text)
	s.form(t, 200, "/dashboard/address", cookie, url.Values{"secret": {text}})
	p.email = "moved@example.com"
	s.fails(t, 410, "GET", "/dashboard/address", "", cookie)
	s.fails(t, 410, "POST", "/api/me/email/confirm", `{"secret":"`+text+`"}`, "")
}

// reset sets a new password by a link.
func (s *secrets) reset(t *testing.T, p *person) {
	t.Helper()
	s.post(t, p, 202, "/api/password-reset", `{"email":"`+p.email+`"}`)
	text := s.link(t, "reset")
	cookie := s.follow(t, "/reset/", "/dashboard/reset", text)
	s.browse(t, 422, "POST", "/dashboard/reset", "secret="+text+"&new=canary", cookie) // has the form again, with the secret
	s.keep("canary of another password")
	s.cookies(s.form(t, 303, "/dashboard/reset", cookie, url.Values{"secret": {text}, "new": {"canary of another password"}}))
	s.fails(t, 410, "GET", "/dashboard/reset", "", cookie)
	s.fails(t, 410, "POST", "/api/password-reset/finish", `{"secret":"`+text+`","password":"canary of another password"}`, "")
	s.fails(t, 401, "POST", "/api/session", `{"email":"`+p.email+`","password":"`+p.password+`"}`, "")
	s.fails(t, 400, "POST", "/api/password-reset/finish", `{"secret":"`+text+`","password":"canary of another password"`, "")
	s.fails(t, 405, "PUT", "/reset/"+text, "", "")
}

// search searches for the secrets.
func (s *secrets) search(t *testing.T, told *told) {
	t.Helper()
	told.mu.Lock()
	defer told.mu.Unlock()
	places := map[string]string{
		"log": s.process.Output(), "metrics": string(call(t, "GET", s.ops+"/metrics", "").body), "answers": strings.Join(s.answers, "\n"), "messages": strings.Join(told.messages, "\n"),
		"database": s.dump(t),
	}
	for name, path := range map[string]string{
		"deliveries": told.deliveries + "?limit=500", "events of the project": "/api/projects/{site}/events?limit=500", "events of the tenant": "/api/tenants/{tenant}/events?limit=500",
		"notices": "/api/me/notices?perPage=100", "invitations": "/api/invitations", "users": "/api/users?search=ida",
	} {
		places[name] = string(s.mustSend(t, "root", "GET", path, "", 200).body)
	}
	for name, want := range map[string]string{"log": "/dashboard/reset", "events of the tenant": "session.failed", "database": "moved@example.com", "messages": "request.submitted"} {
		if !strings.Contains(places[name], want) {
			t.Errorf("the %s has no %s: nothing would be found in it", name, want)
		}
	}
	if len(s.texts) < 30 {
		t.Errorf("only %d secrets", len(s.texts))
	}
	for name, place := range places {
		for _, text := range s.texts {
			for _, form := range []string{text, html.EscapeString(text), url.QueryEscape(text), strings.ToLower(text)} {
				if strings.Contains(place, form) {
					at := strings.Index(place, form)
					t.Errorf("the %s shows %q: %s", name, text, place[max(0, at-200):min(len(place), at+200)])
					break
				}
			}
		}
	}
}

// dump returns all that the database stores.
func (s *secrets) dump(t *testing.T) string {
	t.Helper()
	if path, ok := strings.CutPrefix(s.database, "sqlite:"); ok {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return string(content) + string(log)
	}
	db := open(t, s.database)
	var all strings.Builder
	for _, table := range column(t, db, "SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public'") {
		for _, row := range column(t, db, "SELECT t::text FROM "+table+" t") {
			all.WriteString(row + "\n")
		}
	}
	return all.String()
}

// column returns the texts of the only column of a query.
func column(t *testing.T, db *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}
