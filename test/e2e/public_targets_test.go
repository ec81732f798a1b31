package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestRequiredRelationsNeedPublicTargets goes through the doors of the program by which content becomes
// public, with a required relation to a draft.
func TestRequiredRelationsNeedPublicTargets(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.create(t, "stories", "/api/projects/{site}/collections", `{"slug":"stories","name":"Stories","fields":[{"name":"title","type":"text","unique":true},
			{"name":"about","type":"relation","collection":"articles","required":true},{"name":"next","type":"relation","collection":"stories"}]}`)
		n.createEntry(t, "draft", `{"fields":{"title":"Draft"}}`)
		stories := "/api/projects/{site}/collections/{stories}/content"
		public := "/public/v2/projects/" + n.uuid + "/collections/stories/entries"
		wantFault := func(a response, status int) {
			t.Helper()
			found := decode[struct {
				Errors []struct {
					Message, Location string
					Value             int
				}
			}](t, a)
			if a.status != status || len(found.Errors) != 1 || found.Errors[0].Location != "fields.about" ||
				!strings.HasPrefix(found.Errors[0].Message, "is not published yet") || found.Errors[0].Value != n.ids["draft"] {
				t.Errorf("%d: %s", a.status, a.body)
			}
		}
		for _, governed := range []bool{true, false} {
			if !governed {
				n.mustSend(t, "tenantAdmin", http.MethodDelete, "/api/departments/{newsroom}/approval-workflow", "", 204)
			}
			name := fmt.Sprint("story", governed)
			a := n.mustSend(t, "editor", http.MethodPost, stories, `{"fields":{"title":"`+name+`","about":{draft}}}`, 201)
			n.ids[name] = int(decode[map[string]any](t, a)["id"].(float64))
			if !strings.Contains(string(a.body), `is not published yet: \"Draft\"`) {
				t.Errorf("the faults of the draft: %s", a.body)
			}
			one := "/{" + name + "}"
			for _, door := range []struct{ user, method, path, body string }{
				{"editor", http.MethodPost, stories + one + "/publish", `{}`},
				{"editor", http.MethodPost, stories + one + "/publish", `{"publishAt":"2099-01-01T00:00:00Z"}`},
				{"editor", http.MethodPatch, stories + one, `{"published":true}`},
				{"editor", http.MethodPatch, stories + one + "?check=publish", `{"published":true,"publishAt":"2099-01-01T00:00:00Z"}`},
				{"editor", http.MethodPost, stories, `{"published":true,"fields":{"about":{draft}}}`},
				{"token full", http.MethodPost, public, `{"published":true,"fields":{"about":{draft}}}`},
				{"token full", http.MethodPatch, public + one, `{"published":true}`},
				{"token full", http.MethodPatch, public + one, `{"published":true,"fields":{"about":{draft}}}`},
			} {
				wantFault(n.send(t, door.user, door.method, door.path, door.body), 422)
			}
		}
		n.importStories(t)

		n.mustSend(t, "editor", http.MethodPost, "{content}/{draft}/publish", "", 200)
		n.mustSend(t, "token full", http.MethodPatch, public+"/{storyfalse}", `{"published":true}`, 200)
		n.mustSend(t, "editor", http.MethodPost, "{content}/{draft}/unpublish", "", 200)
		n.mustSend(t, "token full", http.MethodPatch, public+"/{storyfalse}", `{"fields":{"title":"Other fields may change"}}`, 200)
		wantFault(n.send(t, "token full", http.MethodPatch, public+"/{storyfalse}", `{"fields":{"title":"A","about":{draft}}}`), 422)
		n.mustSend(t, "editor", http.MethodDelete, stories+"/{storyfalse}", "", 204)
		if a := n.mustSend(t, "editor", http.MethodPost, stories+"/{storyfalse}/restore", "", 200); !strings.Contains(string(a.body), `"state":"draft"`) {
			t.Errorf("restored: %s", a.body)
		}
	})
}

// importStories imports a story about a draft.
func (n *newsroom) importStories(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stories.jsonl")
	line := n.fill(`{"key":"imported","published":true,"fields":{"about":{draft}}}`)
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	out, diagnostics, err := program.Run(t, "", "import", "--database-url", n.database, "--project", n.uuid, "--collection", "stories", file)
	if err == nil || !strings.Contains(out+diagnostics, "is not published yet") {
		t.Errorf("import: %v: %s%s", err, out, diagnostics)
	}
}
