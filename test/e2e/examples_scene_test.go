package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pquerna/otp/totp"

	"imprimatur/test/openid"
	"imprimatur/test/program"
)

// exampleHouse is a running program with a super admin, Edda. Each scene has a tenant of its own.
type exampleHouse struct {
	document *openapi3.T
	process  *program.Process
	base     string
	root     []string // headers of Edda's session
	mails    *mailServer
	receiver string // the address of a server that takes messages and has a picture
	scenes   atomic.Int64
	compared compared
}

// publicBase is the address of the service in its own links, and the origin of its pages.
const publicBase = "https://cms.example.org"

func newExampleHouse(t *testing.T) *exampleHouse {
	t.Helper()
	database := "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db")
	if _, diagnostics, err := program.Run(t, "", "migrate", "up", "--database-url", database); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	if _, diagnostics, err := program.Run(t, password+"\n", "user", "create", "--email", "edda@meridian.example", "--name", "Edda Editor", "--super-admin", "--database-url", database); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write(jpegOf(480, 320)) // a client that has gone is none of ours
		}
	}))
	t.Cleanup(receiver.Close)
	h := &exampleHouse{mails: startMailServer(t), receiver: receiver.URL, compared: compared{names: map[string]bool{}, outdated: map[string]map[string]any{}}}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	h.base = "http://" + address
	h.process = program.Launch(t, append([]string{
		"serve", "--database-url", database, "--listen", address, "--ops-listen", "127.0.0.1:0", "--rate-limit", "0", "--base-url", publicBase, "--webhook-allow", "127.0.0.0/8", "--oidc-allow", "127.0.0.0/8",
	}, h.mails.settings()...)...)
	h.process.Await(t, "the service", func() bool { return serving.MatchString(h.process.Output()) })
	h.root = []string{signIn(t, h.base, "edda@meridian.example", password), "Origin: " + publicBase}
	document, err := openapi3.NewLoader().LoadFromData(call(t, "GET", h.base+"/openapi.json", "").body)
	if err != nil {
		t.Fatal(err)
	}
	h.document = document
	return h
}

// scene is what one request finds.
type scene struct {
	*exampleHouse
	t        *testing.T
	number   int64
	ids      map[string]string // by the name of the parameter
	header   []string          // of the request
	body     map[string]any    // members of the request that have other values than in the example
	provider *openid.Provider  // of providerOn
	person                     // the editor of the scene, once edda is called
}

// prepare returns a scene for an operation.
func (h *exampleHouse) prepare(t *testing.T, o documented) *scene {
	t.Helper()
	s := &scene{exampleHouse: h, t: t, number: h.scenes.Add(1), ids: map[string]string{}, body: map[string]any{}, header: h.root}
	if strings.HasPrefix(o.path, "/public/v2/") {
		s.header = []string{"Authorization: Bearer " + s.token()}
	}
	if o.Tags[0] == "Me" || o.Tags[0] == "Session" {
		s.header = s.edda()
	}
	if arrange := arrangements[o.OperationID]; arrange != nil {
		arrange(s)
	}
	return s
}

// send sends the request of the example. change may change the query and the headers.
func (s *scene) send(o documented, change func(query url.Values, header *[]string)) response {
	s.t.Helper()
	query, header := url.Values{}, slices.Clone(s.header)
	for _, ref := range o.Parameters {
		p := ref.Value
		// Other scenes are in the lists of the whole installation, too.
		if p.In == "query" && (p.Required || p.Name == "project" || p.Name == "tenantId") {
			query.Set(p.Name, fmt.Sprint(p.Example))
			s.realise(o, p.Name, query)
		}
		if p.Name == "Idempotency-Key" { // the key of the example in its form: a caller uses a key once
			key := fmt.Sprint(p.Example)
			header = append(header, "Idempotency-Key: "+key[:len(key)-12]+fmt.Sprintf("%012d", s.number))
		}
	}
	if change != nil {
		change(query, &header)
	}
	target := s.base + s.fill(o.path)
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if o.RequestBody == nil {
		return call(s.t, o.method, target, "", header...)
	}
	body := s.example(o.OperationID, nil)
	if file := body["file"]; file != nil {
		form := newForm().file("harbour.jpg", jpegOf(480, 320))
		for name, value := range body {
			for _, one := range listOf(value) {
				if name != "file" {
					form = form.text(name, fmt.Sprint(one))
				}
			}
		}
		return post(s.t, target, form.end(), header...)
	}
	return call(s.t, o.method, target, toJSON(s.t, s.real(body)), header...)
}

func listOf(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// real replaces ids and addresses in an example of a request by those of the scene.
func (s *scene) real(body map[string]any) map[string]any {
	for name, value := range body {
		switch name {
		case "tenantId", "departmentId", "projectId", "userId":
			body[name] = json.Number(s.id(name))
		case "requiredCustomRoleId":
			body[name] = json.Number(s.id("customRoleId"))
		case "customRoleIds":
			body[name] = []any{json.Number(s.id("customRoleId"))}
		case "email":
			body[name] = s.address(fmt.Sprint(value))
		case "entryId":
			body[name] = json.Number(s.id("contentId"))
		case "entryIds":
			body[name] = []any{json.Number(s.id("contentId"))}
		case "members", "roles", "steps":
			for _, item := range listOf(value) {
				s.real(item.(map[string]any))
			}
		}
		if value, ok := s.body[name]; ok {
			if body[name] = value; value == nil {
				delete(body, name)
			}
		}
	}
	return body
}

// address returns an address as of the example, which no other scene has.
func (s *scene) address(example string) string {
	return strings.Replace(example, "@", fmt.Sprintf("+%d@", s.number), 1)
}

// realise replaces values in a query that name what does not exist.
func (s *scene) realise(o documented, name string, query url.Values) {
	switch name {
	case "project", "tenantId":
		query.Set(name, s.id(map[string]string{"project": "projectId", "tenantId": "tenantId"}[name]))
	case "entryId":
		switch o.OperationID {
		case "getEffectiveWorkflow":
			query.Set(name, s.id(name))
		case "getApprovalDiffRelease", "listApprovalChangesRelease":
			s.submittedRelease(nil)
			query.Set(name, s.id("contentId"))
		}
	case "collection":
		if o.OperationID == "listSchedules" {
			query.Set(name, s.id("collectionId"))
		}
	case "from":
		if o.OperationID == "getApprovalDiff" || o.OperationID == "listApprovalChanges" {
			query.Set(name, fmt.Sprint(s.get("/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval")["id"]))
		}
		if o.OperationID == "getReleaseMember" || strings.HasSuffix(o.OperationID, "Release") {
			s.submittedRelease(nil)
			query.Set(name, fmt.Sprint(s.get(sceneRelease + "/approval")["id"]))
		}
	case "field":
		if o.OperationID == "listReferrers" {
			query.Set("collection", "articles")
		}
	case "zone": // applies to times
		query.Set("by", "publishedAt:month")
	case "since", "after":
		if o.OperationID == "listChanges" || o.OperationID == "listEntries" { // a cursor of another list is a fault
			first := call(s.t, "GET", s.base+s.fill(o.path)+"?limit=1", "", s.header...)
			query.Set(name, fmt.Sprint(decode[struct{ Meta map[string]any }](s.t, first).Meta["next"]))
		}
		if o.OperationID == "searchEntries" {
			first := call(s.t, "GET", s.base+s.fill(o.path)+"?limit=1&q="+url.QueryEscape(query.Get("q")), "", s.header...)
			query.Set(name, fmt.Sprint(decode[struct{ Meta map[string]any }](s.t, first).Meta["next"]))
		}
	}
	if query.Has("done") {
		query.Set("from", "2026-01-01T00:00:00Z")
	}
	if query.Has("from") && !query.Has("to") && strings.HasSuffix(o.path, "schedules") {
		query.Set("to", "2026-02-01T00:00:00Z")
	}
	if query.Has("to") && !query.Has("from") && strings.HasSuffix(o.path, "schedules") {
		query.Set("from", "2026-01-01T00:00:00Z")
	}
}

// do sends a request with a body as the super admin, which must succeed.
func (s *scene) do(method, path string, body any, header ...string) response {
	s.t.Helper()
	text := ""
	if body != nil {
		text = toJSON(s.t, body)
	}
	if header == nil {
		header = s.root
	}
	a := call(s.t, method, s.base+s.fill(path), text, header...)
	if a.status < 200 || a.status > 299 {
		s.t.Fatalf("%s %s answered %d: %s (%s)", method, path, a.status, a.body, text)
	}
	return a
}

func (s *scene) get(path string, header ...string) map[string]any {
	s.t.Helper()
	return decodeNumbers(s.t, s.do("GET", path, nil, header...))
}

// make creates something and returns its id.
func (s *scene) make(path string, body any) string {
	s.t.Helper()
	return fmt.Sprint(decodeNumbers(s.t, s.do("POST", path, body))["id"])
}

func decodeNumbers(t *testing.T, a response) map[string]any {
	t.Helper()
	var value map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(a.body)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return value
}

const sceneContent = "/api/projects/{projectId}/collections/{collectionId}/content"

// id returns the value of a parameter of paths. It creates what the value names.
func (s *scene) id(name string) string {
	s.t.Helper()
	if s.ids[name] == "" {
		s.ids[name] = s.create(name)
	}
	return s.ids[name]
}

func (s *scene) create(name string) string {
	s.t.Helper()
	of := func(op string) map[string]any { return s.real(s.example(op, nil)) }
	switch name {
	case "tenantId":
		return s.make("/api/tenants", of("createTenant"))
	case "departmentId":
		return s.make("/api/tenants/{tenantId}/departments", of("createDepartment"))
	case "customRoleId":
		return s.make("/api/departments/{departmentId}/custom-roles", of("createCustomRole"))
	case "projectId":
		return s.make("/api/tenants/{tenantId}/projects", of("createProject"))
	case "projectUuid":
		return fmt.Sprint(s.get("/api/projects/{projectId}")["uuid"])
	case "componentId":
		return s.make("/api/projects/{projectId}/components", of("createComponent"))
	case "collectionId":
		s.id("componentId")
		s.make("/api/projects/{projectId}/collections", map[string]any{"slug": "countries", "name": "Countries", "fields": []any{
			map[string]any{"name": "name", "type": "text", "searchable": true}, map[string]any{"name": "region", "type": "text"},
		}})
		s.make("/api/projects/{projectId}/collections", map[string]any{"slug": "pages", "name": "Pages", "fields": []any{map[string]any{"name": "title", "type": "text", "searchable": true}}})
		return s.make("/api/projects/{projectId}/collections", of("createCollection"))
	case "slug":
		s.id("collectionId")
		return "articles"
	case "contentId", "entryId":
		fields := map[string]any{
			"title": "Harbour to close for repairs", "category": "news", "views": 3, "publishedOn": "2026-01-02",
			"body": []any{map[string]any{"_type": "hero", "_key": "k1", "title": "Harbour lights", "text": "<p>At dawn.</p>"}},
		}
		if picture := s.ids["mediaId"]; picture != "" {
			fields["cover"] = json.Number(picture)
		}
		entry := s.make(sceneContent, map[string]any{"published": true, "fields": fields})
		s.ids["contentId"], s.ids["entryId"] = entry, entry
		return entry
	case "mediaId":
		return fmt.Sprint(upload(s.t, s.base+s.fill("/api/projects/{projectId}/media/upload"), newForm().text("caption", "The harbour at dawn").
			text("alt", "Fishing boats in a harbour, the sun low behind them").text("focalPoint", `{"x":0.25,"y":0.4}`).text("folder", "Press/2026").
			text("tags", "harbour").file("harbour.jpg", jpegOf(480, 320)).end(), s.root...).ID)
	case "tokenId":
		return s.make("/api/projects/{projectId}/tokens", of("createToken"))
	case "releaseId":
		release := s.make("/api/projects/{projectId}/releases", of("createRelease"))
		s.ids["releaseId"] = release
		s.do("POST", sceneRelease+"/members", map[string]any{"members": []any{map[string]any{"entryId": json.Number(s.id("contentId"))}}})
		return release
	case "webhookId":
		body := of("createWebhook")
		body["url"], body["collections"], body["locales"], body["coalesce"] = s.receiver+"/hook", []any{}, []any{}, nil
		return s.make("/api/projects/{projectId}/webhooks", body)
	case "deliveryId":
		return fmt.Sprint(s.delivered()["id"])
	case "userId":
		body := of("createUser")
		body["password"] = firstPassword
		return s.make("/api/users", body)
	case "providerId":
		body := of("createIdentityProvider")
		body["mappings"], body["passwordUserId"] = []any{}, nil
		return s.make("/api/tenants/{tenantId}/identity-providers", body)
	case "invitationId":
		return s.make("/api/invitations", of("invite"))
	case "passkeyId":
		return s.passkey()
	case "sessionId":
		id := s.ids["userId"]
		signIn(s.t, s.base, s.email, s.password)
		for _, session := range s.get("/api/me/sessions", s.edda()...)["data"].([]any) {
			if session := session.(map[string]any); session["current"] == false {
				id = fmt.Sprint(session["id"])
			}
		}
		return id
	case "name":
		return "title"
	case "number":
		return "1"
	}
	s.t.Fatalf("the test does not know how to make a %s", name)
	return ""
}

// token returns the secret of a token of the project that may do everything.
func (s *scene) token() string {
	s.t.Helper()
	return fmt.Sprint(decodeNumbers(s.t, s.do("POST", "/api/projects/{projectId}/tokens", map[string]any{
		"name": "Everything", "abilities": []any{"read", "create", "update", "delete"}, "allowDrafts": true, "allowHistory": true,
	}))["secret"])
}

// schemaToken returns the secret of a token of the project that may change its definitions.
func (s *scene) schemaToken() string {
	s.t.Helper()
	return fmt.Sprint(decodeNumbers(s.t, s.do("POST", "/api/projects/{projectId}/tokens", map[string]any{
		"name": "Deploy", "abilities": []any{"read"}, "allowSchema": "destructive", "expiresAt": time.Now().Add(time.Hour),
	}))["secret"])
}

// edda returns the headers of an editor with an account of the tenant, and with the password of the examples.
func (s *scene) edda() []string {
	s.t.Helper()
	if s.cookies != "" {
		return []string{s.cookies, "Origin: " + publicBase}
	}
	s.email = s.address("editor@meridian.example")
	s.password = fmt.Sprint(s.example("signIn", nil)["password"])
	first := []string{"", "Origin: " + publicBase}
	s.do("PUT", "/api/projects/{projectId}/members/{userId}", map[string]any{"role": "editor"})
	first[0] = signIn(s.t, s.base, s.email, firstPassword)
	s.do("PUT", "/api/users/{userId}/password", map[string]any{"current": firstPassword, "new": s.password}, first...)
	s.cookies = signIn(s.t, s.base, s.email, s.password)
	return s.edda()
}

// withApp gives Edda an authenticator app, and returns her recovery codes.
func (s *scene) withApp() (codes []string) {
	s.t.Helper()
	s.app = fmt.Sprint(decodeNumbers(s.t, s.do("POST", "/api/me/totp", nil, s.edda()...))["secret"])
	return decode[struct{ RecoveryCodes []string }](s.t, s.do("POST", "/api/me/totp/confirm", map[string]any{"code": s.code(0)}, s.edda()...)).RecoveryCodes
}

func (s *scene) code(after time.Duration) string {
	s.t.Helper()
	code, err := totp.GenerateCode(s.app, time.Now().Add(after))
	if err != nil {
		s.t.Fatal(err)
	}
	return code
}

// half takes the first step of signing in.
func (s *scene) half() []string {
	s.t.Helper()
	a := s.do("POST", "/api/session", map[string]any{"email": s.email, "password": s.password}, "Origin: "+publicBase)
	var cookies []string
	for _, cookie := range a.header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(cookie, ";")
		cookies = append(cookies, pair)
	}
	return []string{"Cookie: " + strings.Join(cookies, "; "), "Origin: " + publicBase}
}

// newPasskey lets a browser create a passkey.
func (s *scene) newPasskey() json.RawMessage {
	s.t.Helper()
	options := s.get0("POST", "/api/me/passkeys", s.edda()...)
	bytesOf := func(text any) []byte {
		content, err := base64.RawURLEncoding.DecodeString(fmt.Sprint(text))
		if err != nil {
			s.t.Fatal(err)
		}
		return content
	}
	site := virtualwebauthn.RelyingParty{ID: "cms.example.org", Origin: publicBase}
	browser := virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: bytesOf(options["user"].(map[string]any)["id"])})
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(key.Key.AttestationData()) != 77 { // virtualwebauthn drops leading zeros of coordinates
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return json.RawMessage(virtualwebauthn.CreateAttestationResponse(site, browser, key, virtualwebauthn.AttestationOptions{Challenge: bytesOf(options["challenge"])}))
}

func (s *scene) get0(method, path string, header ...string) map[string]any {
	s.t.Helper()
	return decodeNumbers(s.t, s.do(method, path, nil, header...))
}

func (s *scene) passkey() string {
	s.t.Helper()
	return fmt.Sprint(decodeNumbers(s.t, s.do("POST", "/api/me/passkeys/finish", map[string]any{"credential": s.newPasskey(), "name": "Phone"}, s.edda()...))["id"])
}

// linkOf waits for the link of a kind to an address and returns its secret.
func (s *scene) linkOf(kind, address string) (text string) {
	s.t.Helper()
	s.process.Await(s.t, "a mail with a link of "+kind, func() bool {
		s.mails.mu.Lock()
		defer s.mails.mu.Unlock()
		for _, mail := range s.mails.mails {
			mail = strings.ReplaceAll(mail, "=\r\n", "")
			for _, found := range linkInMail.FindAllStringSubmatch(mail, -1) {
				if found[1] == kind && strings.Contains(mail, "<"+address+">") {
					text = found[2]
				}
			}
		}
		return text != ""
	})
	return text
}

// govern lets a workflow of two steps govern the project.
func (s *scene) govern() {
	s.t.Helper()
	s.do("PUT", "/api/departments/{departmentId}/approval-workflow", map[string]any{"steps": []any{
		map[string]any{"stepOrder": 1, "requiredRoleKind": "admin", "stepLabel": "Desk editor", "remindAfter": 24},
		map[string]any{"stepOrder": 2, "requiredRoleKind": "department_admin", "stepLabel": "Head of the newsroom"},
	}})
}

// governSigned is govern with a step whose decisions are signed.
func (s *scene) governSigned() {
	s.t.Helper()
	s.do("PUT", "/api/departments/{departmentId}/approval-workflow", map[string]any{"steps": []any{
		map[string]any{"stepOrder": 1, "requiredRoleKind": "admin", "stepLabel": "Quality", "signature": map[string]any{"meanings": []any{"I reviewed this for accuracy"}}},
	}})
}

// sceneRelease is the path of the release of the scene.
const sceneRelease = "/api/projects/{projectId}/releases/{releaseId}"

// submittedRelease submits the release under a workflow.
func (s *scene) submittedRelease(body any) {
	s.t.Helper()
	s.id("releaseId")
	s.govern()
	s.do("POST", sceneRelease+"/publish", body)
}

// comment adds a comment to a request.
func (s *scene) comment(of string) {
	s.t.Helper()
	s.ids["commentId"] = s.make(of+"/approval/comments", map[string]any{"text": "Is this the official name?"})
}

// tomorrow is a time to which decisions can be lent.
func tomorrow() string {
	return time.Now().Add(24 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
}

// mappings has a mapping of a group to a role in the project.
func (s *scene) mappings() []any {
	return []any{map[string]any{"group": "newsroom-editors", "role": "editor", "projectId": json.Number(s.id("projectId"))}}
}

// provided makes an identity provider that has a mapping.
func (s *scene) provided() {
	s.id("providerId")
	s.do("PATCH", "/api/tenants/{tenantId}/identity-providers/{providerId}", map[string]any{"mappings": s.mappings(), "groupsClaim": "groups"})
}

// lends has the members of a delegation to the user of the scene.
func (s *scene) lends() map[string]any {
	s.t.Helper()
	return map[string]any{"to": json.Number(s.id("userId")), "until": tomorrow()}
}

// admitAssistants lets the tenant of the scene have assistants.
func (s *scene) admitAssistants() {
	s.t.Helper()
	s.do("PATCH", "/api/tenants/{tenantId}", map[string]any{"assistants": true})
}

// assistant makes an assistant of the user and sets its id.
func (s *scene) assistant() {
	s.t.Helper()
	s.id("projectId")
	s.admitAssistants()
	s.ids["assistantId"] = s.make("/api/me/assistants", map[string]any{"name": "Claude", "projects": []any{json.Number(s.id("projectId"))}, "expiresIn": 30, "drafts": true})
}

// assisted has an assistant of the user change a draft, and sets the id of the run.
func (s *scene) assisted() {
	s.t.Helper()
	s.id("contentId")
	s.admitAssistants()
	made := map[string]any{"name": "Claude", "projects": []any{json.Number(s.id("projectId"))}, "expiresIn": 30, "drafts": true}
	token := fmt.Sprint(decodeNumbers(s.t, s.do("POST", "/api/me/assistants", made))["secret"])
	s.do("PATCH", "/api/projects/{projectId}/collections/{collectionId}/content/{contentId}", map[string]any{"fields": map[string]any{"title": "By an assistant"}}, "Authorization: Bearer "+token)
	s.ids["runId"] = fmt.Sprint(s.get("/api/projects/{projectId}/assistant-runs", s.root...)["data"].([]any)[0].(map[string]any)["id"])
}

// absent has the members of a delegation of an admin of the department to another user.
func (s *scene) absent() map[string]any {
	s.t.Helper()
	s.do("PUT", "/api/departments/{departmentId}/members/{userId}", map[string]any{"role": "department_admin"})
	other := s.make("/api/users", s.example("createUser", map[string]any{"email": s.address("paul@meridian.example"), "tenantId": json.Number(s.id("tenantId"))}))
	return map[string]any{"for": json.Number(s.id("userId")), "to": json.Number(other), "until": tomorrow()}
}

// submitted submits a changed entry under a workflow.
func (s *scene) submitted() {
	s.t.Helper()
	s.submittedUnder(s.govern)
}

// submittedUnder submits the entry under a workflow that govern sets.
func (s *scene) submittedUnder(govern func()) {
	s.t.Helper()
	s.id("contentId")
	govern()
	s.do("PATCH", sceneContent+"/{contentId}", map[string]any{"fields": map[string]any{
		"title": "Harbour closes for repairs", "body": []any{
			map[string]any{"_type": "hero", "_key": "k7", "title": "It holds."}, map[string]any{"_type": "hero", "_key": "k1", "title": "Harbour at dawn", "text": "<p>At dawn.</p>"},
		},
	}})
	s.do("POST", sceneContent+"/{contentId}/publish", map[string]any{"comment": "Please check the figures."})
}

func (s *scene) decide(action string, body map[string]any) {
	s.t.Helper()
	s.do("POST", sceneContent+"/{contentId}/approval/"+action, body)
}

// delivered lets a message reach the webhook, and returns its delivery.
func (s *scene) delivered() (delivery map[string]any) {
	s.t.Helper()
	s.id("webhookId")
	s.id("contentId")
	s.process.Await(s.t, "a delivery", func() bool {
		list, _ := s.get("/api/projects/{projectId}/webhooks/{webhookId}/deliveries")["data"].([]any)
		if len(list) > 0 {
			delivery, _ = list[0].(map[string]any)
		}
		return delivery["status"] == "delivered"
	})
	return delivery
}

// scheduled schedules a draft.
func (s *scene) scheduled() {
	s.t.Helper()
	s.ids["contentId"] = s.make(sceneContent, map[string]any{"fields": map[string]any{"title": "Harbour reopens"}})
	s.do("POST", sceneContent+"/{contentId}/publish", map[string]any{"publishAt": "2099-01-02T15:04:05.000Z", "unpublishAt": "2099-04-03T06:00:00.000Z"})
}

// fails lets a publication fail when it is due: a field is required since it was scheduled.
func (s *scene) fails() {
	s.t.Helper()
	s.ids["contentId"] = s.make(sceneContent, map[string]any{"fields": map[string]any{"title": "Harbour reopens"}})
	s.do("POST", sceneContent+"/{contentId}/publish", map[string]any{"publishAt": time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)})
	s.do("PATCH", "/api/projects/{projectId}/collections/{collectionId}/fields/category", map[string]any{"required": true})
	s.process.Await(s.t, "the failure", func() bool {
		return s.get(sceneContent + "/{contentId}")["scheduledPublishFault"] != nil
	})
}

func (s *scene) trashed() {
	s.t.Helper()
	s.do("DELETE", sceneContent+"/{contentId}", nil)
}

// revised gives the entry a second revision with a note.
func (s *scene) revised() {
	s.t.Helper()
	s.do("PATCH", sceneContent+"/{contentId}", map[string]any{"note": "Figures checked with the ministry", "keepPublished": true, "fields": map[string]any{
		"title": "Harbour closes for repairs", "body": []any{
			map[string]any{"_type": "hero", "_key": "k7", "title": "It holds."}, map[string]any{"_type": "hero", "_key": "k1", "title": "Harbour at dawn", "text": "<p>At dawn.</p>"},
		},
	}})
}

// arrangements prepare the scenes of operations that need more than what the path names.
var arrangements = map[string]func(*scene){
	"acceptInvitation":    func(s *scene) { s.byLink("invite", "invite", "/api/invitations", "ida@example.org") },
	"lookAtInvitation":    func(s *scene) { s.byLink("invite", "invite", "/api/invitations", "ida@example.org") },
	"changeMyEmail":       func(s *scene) {},
	"confirmMyEmail":      func(s *scene) { s.byLink("changeMyEmail", "address", "/api/me/email", "edda@meridian.example") },
	"lookAtMyEmail":       func(s *scene) { s.byLink("changeMyEmail", "address", "/api/me/email", "edda@meridian.example") },
	"lookAtPasswordReset": func(s *scene) { s.resets() },
	"finishPasswordReset": func(s *scene) { s.resets() },
	"requestPasswordReset": func(s *scene) {
		s.body["email"] = s.email
	},
	"listInvitations": func(s *scene) { s.id("invitationId") },

	"approve": func(s *scene) {
		s.submitted()
		s.body["contentHash"] = s.get(sceneContent + "/{contentId}/approval")["contentHash"]
	},
	"getApproval":         (*scene).submitted,
	"reject":              (*scene).submitted,
	"requestRevision":     (*scene).submitted,
	"auditApproval":       (*scene).approved,
	"getApprovalDiff":     func(s *scene) { s.id("mediaId"); s.submitted() },
	"listApprovalChanges": (*scene).submitted,
	"listApprovalHistory": (*scene).approved,
	"scheduleApproval":    (*scene).submitted,
	"publishNow": func(s *scene) {
		s.submitted()
		s.do("PUT", sceneContent+"/{contentId}/approval/schedule", map[string]any{"publishAt": "2099-01-02T15:04:05.000Z"})
		s.decide("approve", map[string]any{"stepOrder": 1})
		s.decide("approve", map[string]any{"stepOrder": 2})
	},
	"listPendingApprovals":   (*scene).submitted,
	"listSubmittedApprovals": (*scene).submitted,
	"listDecidedApprovals":   (*scene).approved,
	"listReturnedApprovals": func(s *scene) {
		s.submitted()
		s.decide("request-revision", map[string]any{"comment": "Please name the source of the second quote."})
	},
	"listUnreachableApprovals": (*scene).submitted,
	"listScheduledApprovals": func(s *scene) {
		s.submitted()
		s.do("PUT", sceneContent+"/{contentId}/approval/schedule", map[string]any{"publishAt": "2099-01-02T15:04:05.000Z"})
		s.decide("approve", map[string]any{"stepOrder": 1})
		s.decide("approve", map[string]any{"stepOrder": 2})
	},
	"listReleases": func(s *scene) { s.id("releaseId") },
	"markReleaseMembers": func(s *scene) {
		s.submittedRelease(nil)
		s.body["contentHash"] = s.get(sceneRelease + "/members")["data"].([]any)[0].(map[string]any)["contentHash"]
	},
	"unscheduleRelease": func(s *scene) {
		s.id("releaseId")
		s.do("POST", sceneRelease+"/publish", map[string]any{"publishAt": "2099-01-02T15:04:05.000Z"})
	},
	"revertRelease": func(s *scene) {
		s.id("releaseId")
		s.do("POST", sceneRelease+"/publish", nil)
	},
	"approveRelease": func(s *scene) {
		s.submittedRelease(nil)
		s.body["contentHash"] = s.get(sceneRelease + "/approval")["contentHash"]
	},
	"listComments":               func(s *scene) { s.submitted(); s.comment(sceneContent + "/{contentId}") },
	"addComment":                 (*scene).submitted,
	"listMentionable":            (*scene).submitted,
	"editComment":                func(s *scene) { s.submitted(); s.comment(sceneContent + "/{contentId}") },
	"deleteComment":              func(s *scene) { s.submitted(); s.comment(sceneContent + "/{contentId}") },
	"resolveComment":             func(s *scene) { s.submitted(); s.comment(sceneContent + "/{contentId}") },
	"listCommentsRelease":        func(s *scene) { s.submittedRelease(nil); s.comment(sceneRelease) },
	"addCommentRelease":          func(s *scene) { s.submittedRelease(nil) },
	"listMentionableRelease":     func(s *scene) { s.submittedRelease(nil) },
	"editCommentRelease":         func(s *scene) { s.submittedRelease(nil); s.comment(sceneRelease) },
	"deleteCommentRelease":       func(s *scene) { s.submittedRelease(nil); s.comment(sceneRelease) },
	"resolveCommentRelease":      func(s *scene) { s.submittedRelease(nil); s.comment(sceneRelease) },
	"getApprovalRelease":         func(s *scene) { s.submittedRelease(nil) },
	"rejectRelease":              func(s *scene) { s.submittedRelease(nil) },
	"requestRevisionRelease":     func(s *scene) { s.submittedRelease(nil) },
	"scheduleApprovalRelease":    func(s *scene) { s.submittedRelease(nil) },
	"withdrawRelease":            func(s *scene) { s.submittedRelease(nil) },
	"auditApprovalRelease":       func(s *scene) { s.submittedRelease(nil) },
	"listApprovalHistoryRelease": func(s *scene) { s.submittedRelease(nil) },
	"publishNowRelease": func(s *scene) {
		s.submittedRelease(map[string]any{"publishAt": "2099-01-02T15:04:05.000Z"})
		s.do("POST", sceneRelease+"/approval/approve", map[string]any{"stepOrder": 1})
		s.do("POST", sceneRelease+"/approval/approve", map[string]any{"stepOrder": 2})
	},
	"listFailedPublications": (*scene).fails,
	"listSchedules":          (*scene).scheduled,
	"listCalendar":           (*scene).scheduled,
	"unscheduleContent":      (*scene).scheduled,
	"getApprovalSummary":     (*scene).submitted,

	"getDepartmentWorkflow":    (*scene).govern,
	"removeDepartmentWorkflow": (*scene).govern,
	"getEffectiveWorkflow":     func(s *scene) { s.id("entryId"); s.govern() },
	"challengeApproval":        func(s *scene) { s.submittedUnder(s.governSigned) },
	"challengeApprovalRelease": func(s *scene) { s.id("releaseId"); s.governSigned(); s.do("POST", sceneRelease+"/publish", nil) },
	"tryWorkflow":              func(s *scene) { s.id("entryId"); s.govern() },
	"getProjectWorkflow":       (*scene).governProject,
	"removeProjectWorkflow":    (*scene).governProject,
	"listHolders":              (*scene).give,
	"takeCustomRole":           (*scene).give,
	"previewCustomRoleRemoval": (*scene).give,
	"listCustomRoles":          func(s *scene) { s.id("customRoleId") },
	"listDepartments":          func(s *scene) { s.id("departmentId") },
	"listTenants":              func(s *scene) { s.id("tenantId") },
	"listTenantProjects":       func(s *scene) { s.id("projectId") },
	"listProjects":             func(s *scene) { s.id("projectId") },
	"deleteDepartment":         func(s *scene) {},

	"findTenantCandidates":           func(s *scene) { s.id("userId") },
	"findDepartmentCandidates":       func(s *scene) { s.id("userId") },
	"findProjectCandidates":          func(s *scene) { s.id("userId") },
	"listTenantMembers":              func(s *scene) { s.member("tenants/{tenantId}", "tenant_admin") },
	"removeTenantMember":             func(s *scene) { s.member("tenants/{tenantId}", "tenant_admin") },
	"listDepartmentMembers":          func(s *scene) { s.member("departments/{departmentId}", "department_admin") },
	"removeDepartmentMember":         func(s *scene) { s.member("departments/{departmentId}", "department_admin") },
	"listProjectMembers":             func(s *scene) { s.member("projects/{projectId}", "editor") },
	"removeProjectMember":            func(s *scene) { s.member("projects/{projectId}", "editor") },
	"previewTenantMemberRemoval":     func(s *scene) { s.member("tenants/{tenantId}", "tenant_admin") },
	"previewDepartmentMemberRemoval": func(s *scene) { s.member("departments/{departmentId}", "department_admin") },
	"previewProjectMemberRemoval":    func(s *scene) { s.member("projects/{projectId}", "admin") },
	"previewDeactivation":            func(s *scene) { s.edda() },
	"listUsers":                      func(s *scene) { s.edda() },
	"getUser":                        func(s *scene) { s.edda() },
	"updateUser":                     func(s *scene) { s.edda() },
	"setPassword":                    func(s *scene) { s.header = s.edda() },
	"resetFactors": func(s *scene) {
		s.edda()
		s.withApp()
	},

	"listMyFactors":  func(s *scene) { s.withApp() },
	"listMyPasskeys": func(s *scene) { s.passkey() },
	"finishPasskey":  func(s *scene) { s.body["credential"] = s.newPasskey() },
	"removePasskey":  func(s *scene) { s.withApp(); s.id("passkeyId"); s.verify() },
	"removeApp":      func(s *scene) { s.withApp(); s.verify() },
	"renewRecoveryCodes": func(s *scene) {
		s.withApp()
	},
	"confirmApp": func(s *scene) {
		s.app = fmt.Sprint(s.get0("POST", "/api/me/totp", s.edda()...)["secret"])
		s.body["code"] = s.code(0)
	},
	"endMySession": func(s *scene) { s.id("sessionId") },

	"listMyAssistants": func(s *scene) { s.assistant() },
	"createMyAssistant": func(s *scene) {
		s.admitAssistants()
		s.body["projects"] = []any{json.Number(s.id("projectId"))}
	},
	"revokeMyAssistant": func(s *scene) { s.assistant() },
	"listAssistantRuns": (*scene).assisted,
	"undoAssistantRun":  (*scene).assisted,

	"listMyDelegations": func(s *scene) { // has all members, whichever operations run before
		lent := s.lends()
		lent["projects"], lent["note"] = []any{json.Number(s.id("projectId"))}, "On holiday"
		s.make("/api/me/delegations", lent)
		s.make("/api/departments/{departmentId}/delegations", s.absent())
	},
	"createMyDelegation": func(s *scene) {
		s.body = s.lends()
		s.body["projects"] = []any{json.Number(s.id("projectId"))}
	},
	"endMyDelegation":           func(s *scene) { s.ids["delegationId"] = s.make("/api/me/delegations", s.lends()) },
	"listDepartmentDelegations": func(s *scene) { s.make("/api/departments/{departmentId}/delegations", s.absent()) },
	"createDepartmentDelegation": func(s *scene) {
		s.body = s.absent()
	},

	"createIdentityProvider": func(s *scene) { s.body["mappings"], s.body["passwordUserId"] = s.mappings(), nil },
	"updateIdentityProvider": func(s *scene) { s.body["mappings"], s.body["passwordUserId"] = s.mappings(), nil },
	"listIdentityProviders":  (*scene).provided,
	"getIdentityProvider":    (*scene).provided,

	"lookUpSignIn": func(s *scene) {
		s.providerOn()
		s.body["email"] = "ann@" + s.domain()
	},
	"beginProviderSignIn": func(s *scene) {
		s.providerOn()
		s.body["providerId"], s.body["email"] = json.Number(s.id("providerId")), "ann@"+s.domain()
		s.header = []string{"Origin: " + publicBase}
	},
	"finishProviderSignIn": func(s *scene) {
		s.providerOn()
		s.arrives(s.begun("/api/session/provider", map[string]any{"providerId": json.Number(s.id("providerId"))}, "Origin: "+publicBase))
	},
	"endProviderSessions": func(s *scene) {
		s.providerOn()
		s.body["logout_token"], s.header = s.provider.LogoutToken(s.t, "ann"), nil
	},
	"lookUpProviderSignOut": func(s *scene) {
		s.providerOn()
		s.body["providerId"], s.header = json.Number(s.id("providerId")), nil
	},
	"requestProviderLink": func(s *scene) {
		s.providerOn()
		s.body["providerId"], s.body["email"] = json.Number(s.id("providerId")), s.email
	},
	"tryIdentityProvider":     (*scene).tryable,
	"listMyIdentityProviders": (*scene).providerOn,
	"linkMyAccount": func(s *scene) {
		s.providerOn()
		s.do("POST", "/api/session/verify", map[string]any{"password": s.password}, s.edda()...)
	},
	"verifyAtProvider":          (*scene).linked,
	"listUserIdentityProviders": (*scene).linkedEdda,
	"unlinkUser":                (*scene).linkedEdda,
	"unlinkMyAccount": func(s *scene) {
		s.linked()
		s.do("POST", "/api/session/verify", map[string]any{"password": s.password}, s.header...)
	},

	"signIn": func(s *scene) { s.header = []string{"Origin: " + publicBase} },
	"finishSignIn": func(s *scene) {
		s.withApp()
		s.body["totp"] = s.code(30 * time.Second)
		s.header = s.half()
	},
	"verifySession": func(s *scene) {
		s.withApp()
		s.body["totp"] = s.code(30 * time.Second)
	},
	"updateMySettings": func(s *scene) {},
	"listMyNotices":    func(s *scene) { s.notified() },
	"readMyNotices": func(s *scene) {
		s.body["ids"] = []any{s.notified()}
	},

	"listContent":         (*scene).draft,
	"getContent":          (*scene).draft,
	"listContentVersions": (*scene).revised,
	"listTranslations": func(s *scene) {
		s.do("POST", sceneContent, map[string]any{"locale": "de", "translationOf": json.Number(s.id("contentId")), "fields": map[string]any{"title": "Hafen schließt"}})
	},
	"listContentUses": func(s *scene) {
		s.do("POST", "/api/projects/{projectId}/collections/{collectionId}/fields", map[string]any{"name": "related", "type": "relation", "collection": "articles"})
		s.do("POST", sceneContent, map[string]any{"fields": map[string]any{"title": "Harbour reopens", "related": json.Number(s.id("contentId"))}})
	},
	"listMediaUses":          func(s *scene) { s.id("mediaId"); s.id("contentId") },
	"restoreContent":         (*scene).trashed,
	"destroyContent":         (*scene).trashed,
	"getTrashed":             (*scene).trashed,
	"listTrash":              (*scene).trashed,
	"publishContent":         (*scene).draft,
	"getRevision":            (*scene).revised,
	"listRevisions":          (*scene).revised,
	"diffRevision":           (*scene).revised,
	"listRevisionChanges":    (*scene).revised,
	"restoreRevision":        (*scene).revised,
	"getPublication":         func(s *scene) { s.id("mediaId"); s.republished() },
	"listPublications":       (*scene).republished,
	"provePublication":       (*scene).republished,
	"listPublicationChanges": func(s *scene) { s.republished(); s.ids["number"] = "1" },
	"fillField": func(s *scene) {
		s.make("/api/projects/{projectId}/components", map[string]any{"slug": "seo", "name": "SEO", "fields": []any{
			map[string]any{"name": "seoTitle", "type": "text"}, map[string]any{"name": "seoText", "type": "longtext"},
		}})
		for _, field := range []map[string]any{{"name": "seoTitle", "type": "text"}, {"name": "seoText", "type": "longtext"}, {"name": "seo", "type": "group", "component": "seo"}} {
			s.do("POST", "/api/projects/{projectId}/collections/{collectionId}/fields", field)
		}
		s.ids["name"] = "seo"
		s.do("POST", sceneContent, map[string]any{"fields": map[string]any{"title": "Harbour reopens", "seoTitle": "Harbour"}})
	},
	"removeField":      func(s *scene) { s.ids["name"] = "category" },
	"updateProject":    func(s *scene) { s.id("collectionId") },
	"listCollections":  func(s *scene) { s.id("collectionId") },
	"createCollection": func(s *scene) { s.withCountries() },
	"listComponents":   func(s *scene) { s.id("componentId") },
	"getPublicSchema":  func(s *scene) { s.header = []string{"Authorization: Bearer " + s.schemaToken()} },
	"planPublicSchema": func(s *scene) { s.header = []string{"Authorization: Bearer " + s.schemaToken()} },
	"applyPublicSchema": func(s *scene) {
		s.header = []string{"Authorization: Bearer " + s.schemaToken()}
		s.body["base"] = s.get("/api/projects/{projectId}/schema")["base"]
	},
	"applySchema":          func(s *scene) { s.body["base"] = s.get("/api/projects/{projectId}/schema")["base"] },
	"listPublicComponents": func(s *scene) { s.id("componentId") },
	"getPublicComponent":   func(s *scene) { s.id("componentId"); s.ids["slug"] = "hero" },
	"deleteComponent":      func(s *scene) {},
	"listPublicCollections": func(s *scene) {
		s.id("collectionId")
	},

	"copyMedia":         func(s *scene) { s.body["url"] = s.receiver + "/harbour.jpg" },
	"moveMedia":         func(s *scene) { s.body["ids"] = []any{json.Number(s.id("mediaId"))} },
	"listMedia":         func(s *scene) { s.id("mediaId") },
	"listPublicMedia":   func(s *scene) { s.id("mediaId") },
	"listMediaFolders":  func(s *scene) { s.id("mediaId") },
	"listTokens":        func(s *scene) { s.id("tokenId") },
	"getTokenUsage":     (*scene).used,
	"listUserTokens":    (*scene).ownToken,
	"createWebhook":     func(s *scene) { s.id("collectionId"); s.body["url"] = s.receiver + "/hook" },
	"updateWebhook":     func(s *scene) { s.body["url"] = s.receiver + "/hook" },
	"listWebhooks":      func(s *scene) { s.delivered() },
	"listDeliveries":    func(s *scene) { s.delivered() },
	"replayWebhook":     func(s *scene) { s.body["since"] = time.Now().Add(-time.Hour).UTC().Format(time.RFC3339) },
	"listProjectEvents": func(s *scene) { s.id("contentId") },
	"listTenantEvents":  func(s *scene) { s.id("contentId") },
	"getOverview":       (*scene).submitted,
	"searchEverything":  func(s *scene) { s.id("mediaId"); s.submitted() },

	"listEntries":     (*scene).two,
	"countEntries":    (*scene).two,
	"listReferrers":   (*scene).referring,
	"searchEntries":   func(s *scene) { s.two(); s.two() },
	"listFormerSlugs": (*scene).renamed,
	"listChanges":     (*scene).two,
	"getEntry":        func(s *scene) { s.id("mediaId"); s.id("entryId") },
	"getSingleEntry":  (*scene).single,
	"deleteEntry":     func(s *scene) { s.id("entryId") },
}

// otherOutcome is a response that the example of the operation does not get.
type otherOutcome struct {
	operation string
	arrange   func(*scene)
}

var otherOutcomes = map[string]otherOutcome{
	"signIn 202":              {"signIn", func(s *scene) { s.header = s.edda(); s.withApp(); s.header = []string{"Origin: " + publicBase} }},
	"publishContent 202":      {"publishContent", func(s *scene) { s.draft(); s.govern() }},
	"publishRelease 202":      {"publishRelease", func(s *scene) { s.id("releaseId"); s.govern() }},
	"SessionStaleRelease 412": {"updateRelease", func(s *scene) { s.id("releaseId"); s.header = append(slices.Clone(s.header), `If-Match: "77"`) }},
	"RequestConflict 409": {"approve", func(s *scene) {
		s.submitted()
		s.body["contentHash"] = nil
		s.decide("approve", map[string]any{"stepOrder": 1})
	}},
	"SessionStaleEntry 412": {"updateContent", func(s *scene) { s.draft(); s.header = append(slices.Clone(s.header), `If-Match: "77"`) }},
	"TokenStaleEntry 412":   {"updateEntry", func(s *scene) { s.draft(); s.header = append(slices.Clone(s.header), `If-Match: "77"`) }},
}

// otherOutcome gets a response and compares it with the example of name.
func (h *exampleHouse) otherOutcome(t *testing.T, name string, outcome otherOutcome) {
	t.Helper()
	component, status, _ := strings.Cut(name, " ")
	for path, item := range h.document.Paths.Map() {
		for method, op := range item.Operations() {
			if op.OperationID != outcome.operation {
				continue
			}
			o := documented{method, path, op}
			s := &scene{exampleHouse: h, t: t, number: h.scenes.Add(1), ids: map[string]string{}, body: map[string]any{}, header: h.root}
			if strings.HasPrefix(path, "/public/v2/") {
				s.header = []string{"Authorization: Bearer " + s.token()}
			}
			outcome.arrange(s)
			a := s.send(o, nil)
			if strconv.Itoa(a.status) != status {
				t.Fatalf("%s answered %d, want %s: %s", outcome.operation, a.status, status, a.body)
			}
			h.compare(t, component, a, op.Responses.Value(status).Value)
		}
	}
}

func (s *scene) byLink(op, kind, path, address string) {
	s.t.Helper()
	body, header := s.real(s.example(op, nil)), s.root
	if kind == "address" {
		header = s.edda()
	}
	s.do("POST", path, body, header...)
	s.body["secret"] = s.linkOf(kind, s.address(address))
	s.header = []string{"Origin: " + publicBase}
}

func (s *scene) resets() {
	s.t.Helper()
	s.do("POST", "/api/password-reset", map[string]any{"email": s.email})
	s.body["secret"] = s.linkOf("reset", s.email)
	s.header = []string{"Origin: " + publicBase}
}

func (s *scene) approved() {
	s.t.Helper()
	s.submitted()
	s.decide("approve", map[string]any{"stepOrder": 1, "comment": "Quotes are cleared."})
	s.decide("approve", map[string]any{"stepOrder": 2})
}

func (s *scene) governProject() {
	s.t.Helper()
	s.do("PUT", "/api/projects/{projectId}/approval-workflow", s.real(s.example("setProjectWorkflow", nil)))
}

func (s *scene) give() {
	s.t.Helper()
	s.do("PUT", "/api/departments/{departmentId}/custom-roles/{customRoleId}/holders/{userId}", nil)
}

func (s *scene) member(place, role string) {
	s.t.Helper()
	s.do("PUT", "/api/"+place+"/members/{userId}", map[string]any{"role": role})
}

func (s *scene) verify() {
	s.t.Helper()
	s.do("POST", "/api/session/verify", map[string]any{"totp": s.code(30 * time.Second)}, s.edda()...)
}

// notified gives Edda a notice and returns its id.
func (s *scene) notified() json.Number {
	s.t.Helper()
	s.do("PUT", "/api/projects/{projectId}/members/{userId}", map[string]any{"role": "admin"})
	s.submitted()
	var id any
	s.process.Await(s.t, "a notice", func() bool {
		list, _ := s.get("/api/me/notices", s.edda()...)["data"].([]any)
		for _, notice := range list { // others tell of the account
			if notice := notice.(map[string]any); notice["kind"] == "your_turn" {
				id = notice["id"]
			}
		}
		return id != nil
	})
	return json.Number(fmt.Sprint(id))
}

// draft makes an incomplete draft the entry of the scene.
func (s *scene) draft() {
	s.t.Helper()
	id := s.make(sceneContent, map[string]any{"fields": map[string]any{"title": "Harbour reopens", "category": "news", "views": 3}})
	s.ids["contentId"], s.ids["entryId"] = id, id
	s.id("slug")
}

func (s *scene) republished() {
	s.t.Helper()
	s.do("PATCH", sceneContent+"/{contentId}", map[string]any{"published": true, "fields": map[string]any{"title": "Harbour closes for repairs"}})
	s.ids["number"] = "2"
}

func (s *scene) withCountries() {
	s.t.Helper()
	s.id("componentId")
	s.make("/api/projects/{projectId}/collections", map[string]any{"slug": "countries", "name": "Countries", "fields": []any{map[string]any{"name": "name", "type": "text"}}})
}

// used lets a token read.
func (s *scene) used() {
	s.t.Helper()
	made := decodeNumbers(s.t, s.do("POST", "/api/projects/{projectId}/tokens", s.real(s.example("createToken", nil))))
	s.ids["tokenId"] = fmt.Sprint(made["id"])
	s.get("/public/v2/projects/{projectUuid}/collections", "Authorization: Bearer "+fmt.Sprint(made["secret"]))
}

// ownToken lets Edda, as an admin, make a token.
func (s *scene) ownToken() {
	s.t.Helper()
	header := s.edda()
	s.do("PUT", "/api/projects/{projectId}/members/{userId}", map[string]any{"role": "admin"})
	s.do("POST", "/api/projects/{projectId}/tokens", s.real(s.example("createToken", nil)), header...)
}

// two publishes two entries that the words of the examples find.
func (s *scene) two() {
	s.t.Helper()
	s.id("entryId")
	s.do("POST", sceneContent, map[string]any{"published": true, "fields": map[string]any{"title": "The harbour of the old town"}})
}

// referring adds an entry with a link to another.
func (s *scene) referring() {
	s.t.Helper()
	id := s.id("entryId")
	s.do("POST", sceneContent, map[string]any{"published": true, "fields": map[string]any{
		"title": "The old town", "body": []any{map[string]any{"_type": "hero", "title": "Old town", "text": `<p><a data-entry="` + id + `">The harbour</a></p>`}},
	}})
}

// renamed adds an entry that had another slug.
func (s *scene) renamed() {
	s.t.Helper()
	s.id("collectionId")
	id := s.make(sceneContent, map[string]any{"published": true, "fields": map[string]any{"title": "Harbour", "slug": "harbour-closes"}})
	s.do("PATCH", sceneContent+"/"+id, map[string]any{"published": true, "fields": map[string]any{"slug": "harbour-reopens"}})
}

func (s *scene) single() {
	s.t.Helper()
	s.id("entryId")
	s.do("PATCH", "/api/projects/{projectId}/collections/{collectionId}", map[string]any{"singleton": true})
}
