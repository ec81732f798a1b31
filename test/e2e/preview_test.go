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

// TestPreviewOrigins connects sites to a Project and its collections as users with different roles.
func TestPreviewOrigins(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		const project, articles = "/api/projects/{site}", "/api/projects/{site}/collections/{siteArticles}"
		refused := func(method, path, body, location, message string) {
			t.Helper()
			a := n.send(t, "chief", method, path, body)
			if a.status != 422 || !strings.Contains(string(a.body), `"location":"`+location+`"`) || !strings.Contains(string(a.body), message) {
				t.Errorf("%s: %d, %s", body, a.status, a.body)
			}
		}
		if body := string(n.mustSend(t, "viewer", "GET", project, "", 200).body); !strings.Contains(body, `"previewOrigins":[]`) {
			t.Errorf("a new project: %s", body)
		}
		for user, status := range map[string]int{"editor": 403, "viewer": 403, "outsider": 404, "": 401} {
			n.mustSend(t, user, "PATCH", project, `{"previewOrigins":["https://www.example.com"]}`, status)
		}
		for _, origin := range []string{
			"*", "https://*.example.com", "http://www.example.com", "https://www.example.com/", "https://WWW.example.com", "https://www.example.com:443", "https://a@www.example.com",
			"ftp://localhost", "http://localhost.example.com", "http://128.0.0.1", "null", "", "https://www.example.com; script-src *",
		} {
			refused("PATCH", project, `{"previewOrigins":["`+origin+`"]}`, "previewOrigins[0]", "must be an https origin")
		}
		refused("PATCH", project, `{"previewOrigins":["https://a.example","https://a.example"]}`, "previewOrigins[1]", "is named twice")
		eleven := `"https://a.example"` + strings.Repeat(`,"https://a.example"`, 10)
		refused("PATCH", project, `{"previewOrigins":[`+eleven+`]}`, "previewOrigins", "")
		const template = `{"previewUrl":"https://www.example.com/preview/{slug}?of={id}&group={group}&locale={locale}"}`
		refused("PATCH", articles, template, "previewUrl", "must begin with one of the previewOrigins")

		origins := []string{"https://www.example.com", "http://localhost:4321", "http://127.0.0.1", "http://[::1]:8080", "http://site.localhost:3000", "https://www.example.com:8443"}
		list, err := json.Marshal(origins)
		if err != nil {
			t.Fatal(err)
		}
		changed := n.mustSend(t, "chief", "PATCH", project, `{"previewOrigins":`+string(list)+`}`, 200)
		if !strings.Contains(string(changed.body), `"previewOrigins":`+string(list)) {
			t.Errorf("%s", changed.body)
		}
		for _, wrong := range []string{
			"https://{locale}.example.com/", "https://www.example.com:{id}/", "https://www.example.com@evil.example/", "https://www.example.com.evil.example/", "javascript:alert(1)",
			"http://www.example.com/", "https://www.example.com/{nothing}", "https://www.example.com/{version}", "https://www.example.com/{collection}", "https://www.example.com/{id",
		} {
			refused("PATCH", articles, `{"previewUrl":"`+wrong+`"}`, "previewUrl", "")
			refused("POST", "/api/projects/{site}/collections", `{"slug":"other","name":"Other","previewUrl":"`+wrong+`"}`, "previewUrl", "")
		}
		if body := string(n.mustSend(t, "viewer", "GET", articles, "", 200).body); !strings.Contains(body, `"previewUrl":null`) {
			t.Errorf("a collection: %s", body)
		}
		n.mustSend(t, "editor", "PATCH", articles, template, 403)
		n.mustSend(t, "chief", "PATCH", articles, template, 200)
		var collection struct{ PreviewURL string }
		if err := json.Unmarshal(n.mustSend(t, "viewer", "GET", articles, "", 200).body, &collection); err != nil || collection.PreviewURL == "" || !strings.Contains(template, collection.PreviewURL) {
			t.Errorf("%+v, %v", collection, err)
		}
		n.mustSend(t, "chief", "POST", "/api/projects/{site}/collections", `{"slug":"other","name":"Other","previewUrl":"http://localhost:4321/{id}"}`, 201)

		// What the template needs stays.
		refused("PATCH", project, `{"previewOrigins":["http://localhost:4321"]}`, "previewOrigins", "the collection articles")
		refused("PATCH", project, `{"previewOrigins":["https://www.example.com"]}`, "previewOrigins", "the collection other")
		if a := n.mustSend(t, "chief", "DELETE", articles+"/fields/slug?acknowledge=true", "", 409); !strings.Contains(string(a.body), "preview_needs_field") {
			t.Errorf("%s", a.body)
		}
		refused("PATCH", articles+"/fields/slug", `{"hidden":true,"acknowledge":true}`, "hidden", "previewUrl")
		n.mustSend(t, "chief", "PATCH", project, `{"previewOrigins":["http://localhost:4321","https://www.example.com"]}`, 200)
		n.mustSend(t, "chief", "PATCH", articles, `{"previewUrl":null}`, 200)
		n.mustSend(t, "chief", "PATCH", project, `{"previewOrigins":["http://localhost:4321"]}`, 200)

		events, diagnostics, err := program.Run(t, "", "events", "export", "--project", n.uuid, "--database-url", n.database)
		if err != nil || strings.Count(events, `"project.updated"`) != 3 || strings.Count(events, `"collection.updated"`) != 2 {
			t.Errorf("%v: %s: %s", err, diagnostics, events)
		}
	})
}
