package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"imprimatur/adapters/rest"
	"imprimatur/test/program"
)

// publishAttempts maps each route that can change content to a function that tries to
// publish unreviewed content through it. Each uses an entry of its own; canary must not
// become public.
var publishAttempts = map[string]func(t *testing.T, n *newsroom, canary string){
	"createContent": func(t *testing.T, n *newsroom, canary string) {
		n.mustSend(t, "editor", "POST", "{content}", `{"published":true,"fields":{"title":"`+canary+`"}}`, 201)
		n.mustSend(t, "editor", "POST", "{content}", `{"published":true,"publishAt":"2020-01-01T00:00:00Z","fields":{"title":"`+canary+`"}}`, 201)
		n.mustSend(t, "root", "POST", "{content}", `{"published":true,"fields":{"title":"`+canary+`"}}`, 201)
		n.mustSend(t, "editor", "POST", "{content}", `{"published":true,"locale":"de","translationOf":{seen},"fields":{"title":"`+canary+`"}}`, 201)
	},
	"createEntry": func(t *testing.T, n *newsroom, canary string) {
		n.mustSend(t, "token full", "POST", "{public}", `{"published":true,"fields":{"title":"`+canary+`"}}`, 201)
		n.mustSend(t, "token full", "POST", "{public}", `{"published":true,"publishAt":"2020-01-01T00:00:00Z","fields":{"title":"`+canary+`"}}`, 201)
		n.mustSend(t, "token full", "POST", "{public}", `{"published":true,"locale":"de","translationOf":{other},"fields":{"title":"`+canary+`"}}`, 201)
	},
	"updateContent": func(t *testing.T, n *newsroom, canary string) {
		n.mustSend(t, "editor", "PATCH", "{content}/{seen}", `{"fields":{"title":"`+canary+`"}}`, 200)
		n.mustSend(t, "editor", "PATCH", "{content}/{seen}", `{"published":true,"fields":{"title":"`+canary+`"}}`, 200)
		n.createEntry(t, "draft", `{"fields":{"title":"`+canary+`"}}`)
		n.mustSend(t, "editor", "PATCH", "{content}/{draft}", `{"published":true}`, 200)
		n.mustSend(t, "root", "PATCH", "{content}/{draft}", `{"published":true}`, 200)
	},
	"updateEntry": func(t *testing.T, n *newsroom, canary string) {
		n.mustSend(t, "token full", "PATCH", "{public}/{other}", `{"fields":{"title":"`+canary+`"}}`, 200)
		n.mustSend(t, "token full", "PATCH", "{public}/{other}", `{"published":true}`, 200)
		n.createEntry(t, "draft", `{"fields":{"title":"`+canary+`"}}`)
		n.mustSend(t, "token full", "PATCH", "{public}/{draft}", `{"published":true,"publishAt":"2020-01-01T00:00:00Z"}`, 200)
	},
	"publishContent": func(t *testing.T, n *newsroom, canary string) {
		n.createEntry(t, "draft", `{"fields":{"title":"`+canary+`"}}`)
		for _, user := range []string{"editor", "chief", "head", "tenantAdmin", "root"} {
			n.mustSend(t, user, "POST", "{content}/{draft}/publish", "", 202)
			n.mustSend(t, user, "POST", "{content}/{draft}/publish", `{"publishAt":"2020-01-01T00:00:00Z"}`, 202)
		}
		n.wantStatus(t, "draft", "pending", 1)
	},
	"unpublishContent": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		n.mustSend(t, "editor", "POST", "{content}/{draft}/unpublish", "", 200)
		n.wantStatus(t, "draft", "withdrawn", 0)
	},
	"restoreContent": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		n.mustSend(t, "editor", "DELETE", "{content}/{draft}", "", 204)
		n.mustSend(t, "editor", "POST", "{content}/{draft}/restore", "", 200)
		n.wantStatus(t, "draft", "withdrawn", 0)
		// An entry that was public before it was trashed is restored as a draft.
		n.mustSend(t, "editor", "PATCH", "{content}/{lost}", `{"fields":{"title":"`+canary+`"}}`, 200)
		n.mustSend(t, "editor", "DELETE", "{content}/{lost}", "", 204)
		n.mustSend(t, "editor", "POST", "{content}/{lost}/restore", "", 200)
		n.wantPublic(t, "lost", "")
	},
	"restoreRevision": func(t *testing.T, n *newsroom, canary string) {
		n.createEntry(t, "draft", `{"note":"first","fields":{"title":"`+canary+`"}}`)
		n.mustSend(t, "editor", "PATCH", "{content}/{draft}", `{"published":true,"fields":{"title":"Restored"}}`, 200)
		n.mustSend(t, "root", "POST", "{content}/{draft}/revisions/1/restore", "", 200)
		n.approve(t, "draft", 3)
		n.wantPublic(t, "draft", "Restored")
	},
	"approve": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		for _, user := range []string{"chief", "head", "tenantAdmin", "root", "legal", "chief", "head"} { // step 2 takes only holders of Legal
			n.send(t, user, "POST", "{content}/{draft}/approval/approve", `{"stepOrder":1}`)
		}
		n.wantStatus(t, "draft", "pending", 2)
	},
	"reject": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		n.decide(t, "chief", "draft", "reject", "", 200)
		n.decide(t, "chief", "draft", "approve", "", 409)
	},
	"requestRevision": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		n.decide(t, "chief", "draft", "request-revision", `{"comment":"no"}`, 200)
		n.decide(t, "chief", "draft", "approve", "", 409)
	},
	"addComment": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		quoted := `{"text":"Better so.","field":"title","quote":{"text":"canary","occurrence":1},"replace":"` + canary + `"}`
		n.mustSend(t, "chief", "POST", "{content}/{draft}/approval/comments", quoted, 201)
		n.mustSend(t, "chief", "POST", "{content}/{draft}/approval/approve", `{"comments":[`+quoted+`]}`, 200)
		n.wantStatus(t, "draft", "pending", 2)
	},
	"editComment": func(t *testing.T, n *newsroom, canary string) {
		n.commented(t, canary)
		n.mustSend(t, "chief", "PATCH", "{content}/{draft}/approval/comments/{comment}", `{"text":"`+canary+`"}`, 200)
		n.wantStatus(t, "draft", "pending", 1)
	},
	"resolveComment": func(t *testing.T, n *newsroom, canary string) {
		n.commented(t, canary)
		n.mustSend(t, "chief", "POST", "{content}/{draft}/approval/comments/{comment}/resolve", "", 200)
		n.wantStatus(t, "draft", "pending", 1)
	},
	"publishNow": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		for _, user := range []string{"chief", "head", "tenantAdmin", "root"} {
			n.decide(t, user, "draft", "publish-now", "", 409)
		}
		n.approve(t, "draft", 2)
		n.decide(t, "root", "draft", "publish-now", "", 409)
	},
	"scheduleApproval": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		for _, user := range []string{"editor", "head", "root"} {
			n.mustSend(t, user, "PUT", "{content}/{draft}/approval/schedule", `{"publishAt":"2020-01-01T00:00:00Z"}`, 200)
		}
		n.wantStatus(t, "draft", "pending", 1)
	},
	// Hidden fields are excluded from review: showing the field must not publish its
	// unreviewed value.
	"updateField": func(t *testing.T, n *newsroom, canary string) {
		n.create(t, "fields", "/api/projects/{site}/collections", `{"slug":"fields","name":"Fields","fields":[{"name":"title","type":"text"},{"name":"note","type":"text","hidden":true}]}`)
		path := "/api/projects/{site}/collections/{fields}/content"
		made := n.mustSend(t, "editor", "POST", path, `{"published":true,"fields":{"title":"Shown","note":"`+canary+`"}}`, 201)
		n.ids["held"] = int(decode[map[string]any](t, made)["id"].(float64))
		for _, user := range []string{"chief", "legal", "head"} {
			n.mustSend(t, user, "POST", path+"/{held}/approval/approve", "", 200)
		}
		wantProblem(t, n.send(t, "chief", "PATCH", "/api/projects/{site}/collections/{fields}/fields/note", `{"hidden":false,"acknowledge":true}`), 422)
		n.wantUnseen(t, "/collections/fields/entries", canary)
	},
	"addField": func(t *testing.T, n *newsroom, _ string) { // runs after updateField
		n.mustSend(t, "chief", "DELETE", "/api/projects/{site}/collections/{fields}/fields/note", "", 204)
		wantProblem(t, n.send(t, "chief", "POST", "/api/projects/{site}/collections/{fields}/fields?acknowledge=true", `{"name":"note","label":"Note","type":"text"}`), 422)
		n.wantUnseen(t, "/collections/fields/entries", "canary updateField")
	},
	"fillField": func(t *testing.T, n *newsroom, canary string) {
		n.createEntry(t, "draft", `{"fields":{"title":"`+canary+`"}}`)
		n.mustSend(t, "editor", "PATCH", "{content}/{seen}", `{"fields":{"title":"`+canary+`"}}`, 200)
		n.mustSend(t, "chief", "POST", "/api/projects/{site}/components", `{"slug":"top","name":"Top","fields":[{"name":"title","type":"text"}]}`, 201)
		n.mustSend(t, "chief", "POST", "/api/projects/{site}/collections/{siteArticles}/fields", `{"name":"top","type":"group","component":"top"}`, 201)
		filled := n.mustSend(t, "chief", "POST", "/api/projects/{site}/collections/{siteArticles}/fields/top/fill", `{"fields":["title"]}`, 200)
		if !strings.Contains(string(filled.body), `"release":{"id":`) {
			t.Errorf("nothing publishes what was filled: %s", filled.body)
		}
		if draft := n.mustSend(t, "editor", "GET", "{content}/{seen}", "", 200); !strings.Contains(string(draft.body), `"top":{"title":"`+canary) {
			t.Errorf("the draft is %s", draft.body)
		}
	},
	// A preview shows what is typed, to its token alone.
	"previewContent": func(t *testing.T, n *newsroom, canary string) {
		n.createEntry(t, "draft", `{"fields":{"title":"`+canary+`"}}`)
		made := n.mustSend(t, "editor", "POST", "{content}/{draft}/preview", `{"of":"draft","others":"drafts"}`, 201)
		if token := decode[map[string]any](t, made)["token"].(string); !strings.HasPrefix(token, "imv_") {
			t.Errorf("the token is %s", token)
		}
	},
	// A challenge decides nothing, and the step asks for none.
	"challengeApproval": func(t *testing.T, n *newsroom, canary string) {
		n.submit(t, "draft", canary)
		wantProblem(t, n.send(t, "chief", "POST", "{content}/{draft}/approval/challenge", `{"decision":"approve","meaning":"I reviewed this for accuracy"}`), 422)
	},
	"createCollection": nil, // creates no entries
	"updateCollection": nil, // changes names only
}

// commented submits {draft}, on which the chief writes {comment}.
func (n *newsroom) commented(t *testing.T, canary string) {
	t.Helper()
	n.submit(t, "draft", canary)
	made := n.mustSend(t, "chief", "POST", "{content}/{draft}/approval/comments", `{"text":"Is this so?"}`, 201)
	n.ids["comment"] = int(decode[map[string]any](t, made)["id"].(float64))
}

// contentRoute reports whether a route can change public content.
func contentRoute(route rest.Route) bool {
	changes := []string{http.MethodPost, http.MethodPut, http.MethodPatch}
	return slices.Contains(changes, route.Method) && (strings.Contains(route.Path, "/collections"))
}

// TestUnreviewedContentStaysPrivate tries to publish through every route that writes content.
func TestUnreviewedContentStaysPrivate(t *testing.T) {
	t.Parallel()
	var names []string
	for _, route := range rest.New(rest.Deps{}).Routes() {
		if contentRoute(route) {
			names = append(names, route.ID)
			if _, known := publishAttempts[route.ID]; !known {
				t.Errorf("no test covers the route %s %s", route.Method, route.Path)
			}
		}
	}
	for name := range publishAttempts {
		if !slices.Contains(names, name) {
			t.Errorf("route %s does not exist", name)
		}
	}
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		for _, entry := range []string{"seen", "other", "lost"} {
			n.submit(t, entry, "Reviewed "+entry)
			n.approve(t, entry, 3)
			n.wantPublic(t, entry, "Reviewed "+entry)
		}
		slices.Sort(names)
		slices.Reverse(names) // runs updateField before addField
		for _, name := range names {
			if publishAttempts[name] == nil {
				continue
			}
			t.Run(name, func(t *testing.T) {
				canary := "canary " + name
				publishAttempts[name](t, n, canary)
				n.wantUnseen(t, "/collections/articles/entries", canary)
			})
		}
		t.Run("import", func(t *testing.T) { n.attemptImport(t) })
		n.wantPublic(t, "seen", "Reviewed seen")
		n.wantPublic(t, "other", "Reviewed other")
	})
}

// wantUnseen fails when public reads of a collection contain the text in any locale.
func (n *newsroom) wantUnseen(t *testing.T, entries, text string) {
	t.Helper()
	for _, query := range []string{"?limit=500", "?limit=500&locale=*", "?limit=500&locale=de"} {
		a := n.mustSend(t, "token read", "GET", "/public/v2/projects/"+n.uuid+entries+query, "", 200)
		if strings.Contains(string(a.body), text) {
			t.Errorf("%s shows %q: %s", entries+query, text, a.body)
		}
	}
}

// attemptImport imports entries that request publication.
func (n *newsroom) attemptImport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "articles.jsonl")
	lines := `{"key":"k1","published":true,"fields":{"code":"k1","title":"canary import"},"translations":{"de":{"code":"k1","title":"canary import de"}}}
{"key":"k2","published":true,"locale":"de","fields":{"code":"k2","title":"canary import"}}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out, diagnostics, err := program.Run(t, "", "import", "--database-url", n.database, "--project", n.uuid, "--collection", "articles", file)
		if err != nil {
			t.Fatalf("import: %v\n%s%s", err, out, diagnostics)
		}
	}
	n.wantUnseen(t, "/collections/articles/entries", "canary import")
	found := decode[struct {
		Data []struct {
			State    string
			Approval *struct{ Status string }
		}
	}](t, n.mustSend(t, "editor", "GET", "{content}?where[title][like]=canary+import&locale=*", "", 200))
	if len(found.Data) != 3 {
		t.Fatalf("imported %d entries", len(found.Data))
	}
	for _, e := range found.Data {
		if e.State != "draft" || e.Approval == nil || e.Approval.Status != "pending" {
			t.Errorf("an imported entry is %+v, want a draft under review", e)
		}
	}
}
