package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestPreviewURL sets and reads the preview URL of a Project as users with different roles.
func TestPreviewURL(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		const site = "/api/projects/{site}"
		set := func(t *testing.T, user, url string) response {
			t.Helper()
			body, err := json.Marshal(map[string]string{"previewUrl": url})
			if err != nil {
				t.Fatal(err)
			}
			return n.send(t, user, "PATCH", site, string(body))
		}
		shown := func(t *testing.T, user string) string {
			t.Helper()
			return string(n.mustSend(t, user, "GET", site, "", 200).body)
		}
		if body := shown(t, "viewer"); !strings.Contains(body, `"previewUrl":null`) {
			t.Errorf("a new project: %s", body)
		}
		for user, status := range map[string]int{"editor": 403, "viewer": 403, "outsider": 404, "": 401} {
			if a := set(t, user, "https://www.example.com/{id}"); a.status != status {
				t.Errorf("%q: %d, want %d", user, a.status, status)
			}
		}

		const url = "https://www.example.com/{locale}/news/{title}?preview={id}&version={version}"
		if a := set(t, "chief", url); a.status != 200 {
			t.Fatalf("%d: %s", a.status, a.body)
		}
		for _, hostile := range []string{
			"javascript:alert(document.cookie)", "javascript://www.example.com/%0aalert(1)", "data:text/html,<script>alert(1)</script>", "//www.example.com/",
			"https://user:secret@www.example.com/{id}", "https://{locale}.example.com/", "https://www.example.com\\@evil.example/{id}", "https://www.example.com/\r\n{id}",
			"https://www.example.com/{nothing}", "https://www.example.com/{id", "https://www.example.com/" + strings.Repeat("a", 2000),
		} {
			if a := set(t, "chief", hostile); a.status != 422 || !strings.Contains(string(a.body), `"location":"previewUrl"`) {
				t.Errorf("%.80q: %d, %s", hostile, a.status, a.body)
			}
		}
		if a := set(t, "chief", "https://www.example.com/{titel}"); !strings.Contains(string(a.body), "unknown placeholder {titel}") {
			t.Errorf("%d: %s", a.status, a.body)
		}
		for _, body := range []string{`{"previewUrl":7}`, `{"previewUrl":["https://www.example.com"]}`} {
			n.mustSend(t, "chief", "PATCH", site, body, 422)
		}
		var project struct{ PreviewURL string }
		if err := json.Unmarshal([]byte(shown(t, "viewer")), &project); err != nil || project.PreviewURL != url {
			t.Errorf("%+v, %v", project, err)
		}

		events, diagnostics, err := program.Run(t, "", "events", "export", "--project", n.uuid, "--database-url", n.database)
		if err != nil || strings.Count(events, `"project.updated"`) != 1 {
			t.Errorf("%v: %s: %s", err, diagnostics, events)
		}
		n.mustSend(t, "chief", "PATCH", site, `{"name":"Site of news"}`, 200)
		if body := shown(t, "editor"); !strings.Contains(body, "https://www.example.com/") {
			t.Errorf("a change of the name: %s", body)
		}
		n.mustSend(t, "chief", "PATCH", site, `{"previewUrl":null}`, 200)
		if body := shown(t, "editor"); !strings.Contains(body, `"previewUrl":null`) {
			t.Errorf("null: %s", body)
		}
	})
}
