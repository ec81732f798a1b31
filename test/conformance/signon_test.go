package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/test/program"
)

// TestExampleProvider runs api/examples/oidc-provider by the command of app/docs/sign-on.md, and signs a person in by it,
// with a role by a group, as that page describes.
func TestExampleProvider(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t, "--oidc-allow", "127.0.0.0/8")
	issuer := startProvider(t, facts.BaseURL)

	admin := newBrowser(t, facts.BaseURL)
	admin.call("POST", "/api/session", map[string]any{"email": facts.Users["tenantAdmin"].Email, "password": facts.Users["tenantAdmin"].Password})
	super := newBrowser(t, facts.BaseURL)
	super.call("POST", "/api/session", map[string]any{"email": facts.Users["superAdmin"].Email, "password": facts.Users["superAdmin"].Password})
	all := fmt.Sprintf("/api/tenants/%d/identity-providers", facts.TenantID)
	made := admin.call("POST", all, map[string]any{
		"name": "Staff", "issuer": issuer, "clientId": "imprimatur", "clientSecret": "a secret of the example", "domains": []string{"staff.example"},
		"scopes": []string{"profile", "email", "groups"}, "groupsClaim": "groups", "createUsers": true, "secondFactor": "theirs",
		"mappings": []any{map[string]any{"group": "editors", "role": "editor", "projectId": facts.Projects.WorldDesk.ID}},
	})
	one := all + "/" + number(made["id"])
	super.call("POST", one+"/domains", map[string]any{"domain": "staff.example", "means": "admin"})

	tried := admin.arrive(admin.call("POST", one+"/try", nil)["url"], "lena+editors@staff.example")
	for _, shown := range []string{"What the identity provider says", "auth_time", "lena@staff.example", "editors"} {
		require.Contains(t, tried, shown)
	}
	admin.call("PATCH", one, map[string]any{"state": "on"})

	person := newBrowser(t, facts.BaseURL)
	ways := person.call("POST", "/api/session/ways", map[string]any{"email": "lena@staff.example"})
	require.Equal(t, made["id"], ways["provider"].(map[string]any)["id"], ways)
	begun := person.call("POST", "/api/session/provider", map[string]any{"providerId": made["id"]})
	person.arrive(begun["url"], "lena+editors@staff.example")
	session := person.call("GET", "/api/session", nil)
	require.Equal(t, "lena@staff.example", session["email"], session)
	person.call("GET", fmt.Sprintf("/api/projects/%d", facts.Projects.WorldDesk.ID), nil)

	// A sign-out at the provider ends the session here, by a back-channel logout.
	out := person.call("POST", "/api/session/provider/sign-out", map[string]any{"providerId": made["id"]})
	person.leave(out["url"])
	require.Empty(t, person.call("GET", "/api/session", nil))
}

var atAddress = regexp.MustCompile(`identity provider at (\S+)`)

// startProvider runs the example for a service, and returns its issuer.
func startProvider(t *testing.T, service string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "npm", "--prefix", "api/examples/oidc-provider", "start", "--", service)
	command.Dir, command.Env, command.WaitDelay = root, append(os.Environ(), "PORT="+strconv.Itoa(port)), 10*time.Second
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // npm does not pass signals on
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Wait() }) // it was told to end
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if found := atAddress.FindStringSubmatch(lines.Text()); found != nil {
			return found[1]
		}
	}
	t.Fatal("the provider has ended")
	return ""
}

// browser is a browser with cookies, without scripts.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
}

func newBrowser(t *testing.T, base string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{t, base, &http.Client{Jar: jar}}
}

// call sends a request to the API of the service and returns the answer, which must not be a fault.
func (b *browser) call(method, path string, body any) map[string]any {
	b.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(b.t, err)
	if body == nil {
		text = nil
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, bytes.NewReader(text))
	require.NoError(b.t, err)
	r.Header.Set("Origin", b.base)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := b.client.Do(r)
	require.NoError(b.t, err)
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	require.NoError(b.t, err)
	require.Less(b.t, a.StatusCode, 300, "%s %s: %s", method, path, answer)
	var members map[string]any
	if len(answer) > 0 {
		require.NoError(b.t, json.Unmarshal(answer, &members))
	}
	return members
}

var (
	formAction = regexp.MustCompile(`<form[^>]*\saction="([^"]+)"`)
	promptName = regexp.MustCompile(`name="prompt" value="([^"]+)"`)
)

// arrive signs in at the provider by the pages of the example, and returns the page of the service to which they lead.
func (b *browser) arrive(address any, name string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address.(string), nil)
	require.NoError(b.t, err)
	for range 5 {
		a, err := b.client.Do(r)
		require.NoError(b.t, err)
		page, err := io.ReadAll(a.Body)
		require.NoError(b.t, err)
		require.NoError(b.t, a.Body.Close())
		if strings.HasPrefix(a.Request.URL.String(), b.base) {
			require.Equal(b.t, http.StatusOK, a.StatusCode, "%s: %s", a.Request.URL, page)
			return string(page)
		}
		form, prompt := formAction.FindSubmatch(page), promptName.FindSubmatch(page)
		require.True(b.t, form != nil && prompt != nil, "no form at %s: %d %.2000s", a.Request.URL, a.StatusCode, page)
		target, err := a.Request.URL.Parse(string(form[1]))
		require.NoError(b.t, err)
		values := url.Values{"prompt": {string(prompt[1])}, "login": {name}, "password": {"any"}}
		r, err = http.NewRequestWithContext(b.t.Context(), http.MethodPost, target.String(), strings.NewReader(values.Encode()))
		require.NoError(b.t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	b.t.Fatal("the provider asks without end")
	return ""
}

var logoutSecret = regexp.MustCompile(`name="xsrf" value="([^"]+)"`)

// leave signs out at the provider by the page of the example.
func (b *browser) leave(address any) {
	b.t.Helper()
	send := func(method, to string, body io.Reader) (page []byte) {
		r, err := http.NewRequestWithContext(b.t.Context(), method, to, body)
		require.NoError(b.t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		a, err := b.client.Do(r)
		require.NoError(b.t, err)
		defer a.Body.Close()
		page, err = io.ReadAll(a.Body)
		require.NoError(b.t, err)
		require.Equal(b.t, http.StatusOK, a.StatusCode, "%s: %s", to, page)
		return page
	}
	page := send(http.MethodGet, address.(string), nil)
	form, xsrf := formAction.FindSubmatch(page), logoutSecret.FindSubmatch(page)
	require.True(b.t, form != nil && xsrf != nil, "no form: %.2000s", page)
	send(http.MethodPost, string(form[1]), strings.NewReader(url.Values{"xsrf": {string(xsrf[1])}, "logout": {"yes"}}.Encode()))
}

func number(v any) string { return strconv.FormatInt(int64(v.(float64)), 10) }
