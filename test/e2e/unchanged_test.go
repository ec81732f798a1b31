package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// change is a request that changes a resource.
type change struct{ user, path, body string }

// changes has requests for every PATCH and PUT, and for each POST that sets a state, by operation.
var changes = map[string][]change{
	"PATCH /api/tenants/{tenantId}": {{"root", "/api/tenants/{tenant}", `{"name":"Meridian Media"}`}},
	"PATCH /api/tenants/{tenantId}/identity-providers/{providerId}": {
		{"root", "/api/tenants/{tenant}/identity-providers/{staff}", `{"name":"All","issuer":"https://other.example.org","clientSecret":"b","domains":["BÜCHER.example"],"scopes":["email"],"groupsClaim":"groups",
			"createUsers":true,"passwords":"forbidden","secondFactor":"theirs","mappings":[{"group":"a","role":"department_admin","departmentId":{newsroom}},{"group":"b","customRoleId":{legalRole}}],"state":"off"}`},
		{"root", "/api/tenants/{tenant}/identity-providers/{staff}", `{"clientSecret":"c","domains":[],"groupsClaim":null,"mappings":[],"state":"draft"}`},
	},
	"POST /api/tenants/{tenantId}/identity-providers/{providerId}/domains": {
		{"root", "/api/tenants/{tenant}/identity-providers/{beside}/domains", `{"domain":"meridian.example","means":"admin"}`},
	},
	"PUT /api/tenants/{tenantId}/members/{userId}":         {{"root", "/api/tenants/{tenant}/members/{outsider}", `{"role":"tenant_admin"}`}},
	"PATCH /api/departments/{departmentId}":                {{"root", "/api/departments/{newsroom}", `{"name":"Desk"}`}},
	"PUT /api/departments/{departmentId}/members/{userId}": {{"root", "/api/departments/{newsroom}/members/{outsider}", `{"role":"department_admin"}`}},
	"PUT /api/departments/{departmentId}/approval-workflow": {
		{"root", "/api/departments/{marketing}/approval-workflow", `{"steps":[{"stepOrder":2,"requiredRoleKind":"admin"},{"stepOrder":1,"requiredRoleKind":"admin","requiredCustomRoleId":{brandRole},"stepLabel":"Brand"}]}`},
		{"root", "/api/departments/{marketing}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}],"allowSelfApproval":false}`},
	},
	"PATCH /api/departments/{departmentId}/custom-roles/{customRoleId}":                {{"root", "/api/departments/{newsroom}/custom-roles/{legalRole}", `{"name":"Lawyers"}`}},
	"PUT /api/departments/{departmentId}/custom-roles/{customRoleId}/holders/{userId}": {{"root", "/api/departments/{newsroom}/custom-roles/{legalRole}/holders/{outsider}", ""}},
	"PATCH /api/me/settings": {{"outsider", "/api/me/settings", `{"language":"de","timeZone":"Europe/Berlin","theme":"dark"}`}, {"outsider", "/api/me/settings", `{"language":null,"theme":"system","notices":{"approved":"now"},"reach":"above"}`}},
	"PATCH /api/users/{userId}": {
		{"root", "/api/users/{outsider}", `{"name":"Otto","email":"OTTO@example.com","superAdmin":true}`}, {"root", "/api/users/{outsider}", `{"superAdmin":false,"active":false,"tokens":"revoke"}`},
	},
	"PATCH /api/projects/{projectId}": {
		{"root", "/api/projects/{open}", `{"name":"Blog","locales":["en","fr"],"fallbacks":{"fr":[]},"uploadLimit":1000,"allowedOrigins":["https://a.example"],"revisionLimit":7,
			"publicationDays":400,"keepLocation":true,"previewUrl":"https://a.example/{slug}","previewOrigins":["https://a.example"],"departmentId":{newsroom},"acknowledge":true}`},
		{"root", "/api/projects/{open}", `{"fallbacks":{},"allowedOrigins":[],"revisionLimit":0,"publicationDays":null,"previewUrl":null,"previewOrigins":[],"departmentId":null,"acknowledge":true}`},
		{"root", "/api/projects/{open}", `{"revisionLimit":9}`},
	},
	"PUT /api/projects/{projectId}/members/{userId}":  {{"root", "/api/projects/{open}/members/{outsider}", `{"role":"editor"}`}, {"root", "/api/projects/{open}/members/{outsider}", `{"role":"viewer"}`}},
	"PUT /api/projects/{projectId}/approval-workflow": {{"root", "/api/projects/{open}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`}},
	"PATCH /api/projects/{projectId}/tokens/{tokenId}": {
		{"root", "/api/projects/{open}/tokens/{key}", `{"name":"App","abilities":["read","create"],"allowDrafts":true,"allowHistory":true,"rateLimit":5,"expiresAt":"2090-01-01T00:00:00.1234Z"}`},
		{"root", "/api/projects/{open}/tokens/{key}", `{"rateLimit":null,"expiresAt":null,"allowDrafts":false}`},
	},
	"PATCH /api/projects/{projectId}/webhooks/{webhookId}": {
		{"root", "/api/projects/{open}/webhooks/{hook}", `{"name":"Site","events":["collection.deleted"],"locales":["en"],"coalesce":{"quiet":5,"most":60},"headers":{"X-Key":"a"}}`},
		{"root", "/api/projects/{open}/webhooks/{hook}", `{"url":"https://hooks.example.org/b","headers":{},"coalesce":null,"active":false}`},
	},
	"PATCH /api/projects/{projectId}/media/{mediaId}":         {{"root", "/api/projects/{site}/media/{picture}", `{"caption":"Dawn","tags":["b"," a ","b"],"alt":"Pier","focalPoint":{"x":0.10,"y":1e-7},"folder":"Press/2026"}`}, {"root", "/api/projects/{site}/media/{picture}", `{"caption":"","tags":[],"alt":"","focalPoint":null,"folder":null}`}},
	"PATCH /public/v2/projects/{projectUuid}/media/{mediaId}": {{"token full", "/public/v2/projects/{uuid}/media/{picture}", `{"caption":"Dusk"}`}},
	"PATCH /api/projects/{projectId}/collections/{collectionId}": {
		{"root", "/api/projects/{open}/collections/{openArticles}", `{"name":"Posts","description":"All","order":["slug","title","views","code","note","pass","next","many"]}`},
	},
	"PATCH /api/projects/{projectId}/collections/{collectionId}/fields/{name}": {
		{"root", "/api/projects/{open}/collections/{openArticles}/fields/title", `{"label":"Heading","min":1,"max":200,"pattern":".+","default":"none"}`},
		{"root", "/api/projects/{open}/collections/{openArticles}/fields/title", `{"min":null,"pattern":"","required":false,"acknowledge":true}`},
		{"root", "/api/projects/{open}/collections/{openArticles}/fields/many", `{"max":3,"label":"More"}`},
	},
	"PATCH /api/projects/{projectId}/components/{componentId}": {
		{"root", "/api/projects/{open}/components/{part}", `{"name":"Hero","description":"Top","order":["title","text"]}`},
	},
	"PATCH /api/projects/{projectId}/components/{componentId}/fields/{name}": {
		{"root", "/api/projects/{open}/components/{part}/fields/title", `{"label":"Heading","max":200,"default":"none","filterable":true}`},
	},
	"PATCH /api/projects/{projectId}/collections/{collectionId}/content/{contentId}": {
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}", `{"fields":{"title":"B","views":1.50,"many":[{shown}]}}`},
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}", `{"fields":{"title":"C","many":[]},"keepPublished":true}`},
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}", `{"published":true,"fields":{"pass":"a \u0070assword","views":2}}`},
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}", `{"fields":{"pass":"another password"},"keepPublished":true}`},
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}", `{"published":true}`},
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}", `{"published":false,"fields":{"next":null,"code":"7"}}`},
		{"editor", "{content}/{pending}", `{"fields":{"title":"Later"}}`},
	},
	"PATCH /public/v2/projects/{projectUuid}/collections/{slug}/entries/{entryId}": {{"token full", "{public}/{pending}", `{"fields":{"views":3,"pass":"a password"}}`}},
	"POST /api/projects/{projectId}/collections/{collectionId}/content/{contentId}/publish": {
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}/publish", ""},
	},
	"POST /api/projects/{projectId}/collections/{collectionId}/content/{contentId}/revisions/{number}/restore": {
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}/revisions/1/restore", ""},
	},
	"POST /api/projects/{projectId}/collections/{collectionId}/content/{contentId}/unpublish": {
		{"root", "/api/projects/{open}/collections/{openArticles}/content/{shown}/unpublish", ""},
	},
	"PUT /api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval/schedule": {
		{"editor", "{content}/{pending}/approval/schedule", `{"publishAt":"2090-01-01T00:00:00Z","unpublishAt":"2091-01-01T00:00:00.0004Z"}`},
		{"editor", "{content}/{pending}/approval/schedule", `{"publishAt":null,"unpublishAt":null}`},
	},
	"PATCH /api/projects/{projectId}/releases/{releaseId}": {
		{"root", "/api/projects/{open}/releases/{spring}", `{"name":"Spring","description":"All","publishAt":"2090-01-01T00:00:00.0004Z"}`},
		{"root", "/api/projects/{open}/releases/{spring}", `{"description":"","publishAt":null}`},
	},
	"PATCH /api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval/comments/{commentId}": {
		{"editor", "{content}/{pending}/approval/comments/{remark}", `{"text":"New"}`},
	},
	"PATCH /api/projects/{projectId}/releases/{releaseId}/approval/comments/{commentId}": {
		{"root", "/api/projects/{site}/releases/{launch}/approval/comments/{wish}", `{"text":"New"}`},
	},
	"PUT /api/projects/{projectId}/releases/{releaseId}/approval/schedule": {
		{"root", "/api/projects/{site}/releases/{launch}/approval/schedule", `{"publishAt":"2090-01-01T00:00:00Z"}`},
		{"root", "/api/projects/{site}/releases/{launch}/approval/schedule", `{"publishAt":null}`},
	},
}

// untried has the operations that change something each time (a new password has a new hash and ends
// the sessions), and those without events (the name of a passkey).
var untried = []string{"PUT /api/users/{userId}/password", "PATCH /api/me/passkeys/{passkeyId}"}

// TestRepeatedChangesHaveNoEffect sends each change twice. The second one answers the same and leaves
// no event.
func TestRepeatedChangesHaveNoEffect(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		for _, user := range []string{"outsider", "editor"} {
			n.headers(t, user) // the sign-in is an event
		}
		n.submit(t, "pending", "Pending")
		n.ids["shown"] = int(decode[map[string]any](t, n.mustSend(t, "root", "POST", "/api/projects/{open}/collections/{openArticles}/content", `{"published":true,"fields":{"title":"A"}}`, 201))["id"].(float64))
		n.create(t, "key", "/api/projects/{open}/tokens", `{"name":"Key","abilities":["read"]}`)
		n.create(t, "hook", "/api/projects/{open}/webhooks", `{"name":"Hook","url":"https://hooks.example.org/a","events":["token.created"]}`)
		for _, name := range []string{"staff", "beside"} {
			n.create(t, name, "/api/tenants/{tenant}/identity-providers", `{"name":"Staff","issuer":"https://login.example.org","clientId":"a","clientSecret":"b","domains":["meridian.example"]}`)
		}
		n.create(t, "part", "/api/projects/{open}/components", `{"slug":"part","name":"Part","fields":[{"name":"title","type":"text"},{"name":"text","type":"text"}]}`)
		n.ids["picture"] = upload(t, n.base+n.fill("/api/projects/{site}/media/upload"), newForm().file("a.png", pngOf(8, 8)).end(), n.headers(t, "root")...).ID
		n.create(t, "spring", "/api/projects/{open}/releases", `{"name":"A"}`)
		n.ids["member"] = int(decode[map[string]any](t, n.mustSend(t, "editor", "POST", "{content}", `{"fields":{"title":"Member"}}`, 201))["id"].(float64))
		n.create(t, "launch", "/api/projects/{site}/releases", `{"name":"Launch"}`)
		n.mustSend(t, "root", "POST", "/api/projects/{site}/releases/{launch}/members", `{"members":[{"entryId":{member}}]}`, 200)
		n.mustSend(t, "root", "POST", "/api/projects/{site}/releases/{launch}/publish", "", 202)
		n.create(t, "wish", "/api/projects/{site}/releases/{launch}/approval/comments", `{"text":"Old"}`)
		n.ids["remark"] = int(decode[map[string]any](t, n.mustSend(t, "editor", "POST", "{content}/{pending}/approval/comments", `{"text":"Old"}`, 201))["id"].(float64))
		for _, operation := range operations(t, n) {
			all := changes[operation]
			if len(all) == 0 && !slices.Contains(untried, operation) {
				t.Errorf("%s has no request in this test", operation)
			}
			for _, c := range all {
				method, _, _ := strings.Cut(operation, " ")
				n.repeat(t, method, c)
			}
		}
	})
}

// operations returns the operations of the API that PATCH and PUT, and those of changes; that on
// users comes last.
func operations(t *testing.T, n *newsroom) []string {
	t.Helper()
	document := decode[struct{ Paths map[string]map[string]any }](t, call(t, "GET", n.base+"/openapi.json", ""))
	var found []string
	for path, methods := range document.Paths {
		for method := range methods {
			operation := strings.ToUpper(method) + " " + path
			if method == "patch" || method == "put" || changes[operation] != nil {
				found = append(found, operation)
			}
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		last := func(s string) bool { return s == "PATCH /api/users/{userId}" }
		if last(a) != last(b) {
			return map[bool]int{true: 1, false: -1}[last(a)]
		}
		return strings.Compare(a, b)
	})
	if len(found) < 20 {
		t.Fatalf("%d operations", len(found))
	}
	return found
}

// repeat sends a change twice.
func (n *newsroom) repeat(t *testing.T, method string, c change) {
	t.Helper()
	path := strings.ReplaceAll(c.path, "{uuid}", n.uuid)
	before := n.countEvents(t)
	first := n.send(t, c.user, method, path, c.body)
	after := n.countEvents(t)
	if first.status >= 300 || after == before {
		t.Fatalf("%s %s %s answered %d and left %d events: %s", method, c.path, c.body, first.status, after-before, first.body)
	}
	second := n.send(t, c.user, method, path, c.body)
	if again := n.countEvents(t) - after; again != 0 || second.status != first.status || string(second.body) != string(first.body) || second.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("%s %s %s again left %d events and answered %d %s, was\n%d %s", method, c.path, c.body, again, second.status, second.body, first.status, first.body)
	}
}

// countEvents returns the number of events of the tenant and its projects.
func (n *newsroom) countEvents(t *testing.T) (count int) {
	t.Helper()
	for _, path := range []string{"/api/tenants/{tenant}", "/api/projects/{site}", "/api/projects/{open}"} {
		for after := ""; ; {
			page := decode[listedEvents](t, n.mustSend(t, "root", "GET", path+"/events?limit=500"+after, "", 200))
			count += len(page.Data)
			if !page.Meta.HasMore {
				break
			}
			after = fmt.Sprint("&after=", *page.Meta.Next)
		}
	}
	return count
}
