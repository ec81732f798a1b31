package e2e

import "testing"

// TestDefinitionChangesOfGovernedProjects makes each change of a definition that readers see
// through its route. It is refused until an admin of the project acknowledges it.
func TestDefinitionChangesOfGovernedProjects(t *testing.T) {
	t.Parallel()
	const collection = "/api/projects/{site}/collections/{siteArticles}"
	changes := []struct {
		name, method, path, body string
		acknowledged             [2]string // path and body of the acknowledged request
		location                 string    // of what readers would see
		status                   int
	}{
		{
			"defaultLocale", "PATCH", "/api/projects/{site}", `{"defaultLocale":"de"}`,
			[2]string{"/api/projects/{site}", `{"defaultLocale":"de","acknowledge":true}`}, "defaultLocale", 200,
		},
		{
			"fallbacks", "PATCH", "/api/projects/{site}", `{"fallbacks":{"de":["en"]}}`,
			[2]string{"/api/projects/{site}", `{"fallbacks":{"de":["en"]},"acknowledge":true}`}, "locales.de", 200,
		},
		{
			"removeField", "DELETE", collection + "/fields/views", "",
			[2]string{collection + "/fields/views?acknowledge=true", ""}, "fields.views", 204,
		},
		{
			"addField", "POST", collection + "/fields", `{"name":"views","type":"number"}`,
			[2]string{collection + "/fields?acknowledge=true", `{"name":"views","type":"number"}`}, "fields.views", 201,
		},
		{
			"updateField", "PATCH", collection + "/fields/views", `{"hidden":true}`,
			[2]string{collection + "/fields/views", `{"hidden":true,"acknowledge":true}`}, "fields.views", 200,
		},
		{
			"deleteCollection", "DELETE", collection, "",
			[2]string{collection + "?acknowledge=true", ""}, "collection", 204,
		},
	}
	type problem struct {
		Code   string
		Errors []struct{ Location string }
	}
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.submit(t, "seen", "Reviewed")
		n.approve(t, "seen", 3)
		for _, change := range changes {
			before := string(n.mustSend(t, "token read", "GET", "{public}/{seen}", "", 200).body)
			a := n.mustSend(t, "chief", change.method, change.path, change.body, 409)
			if p := decode[problem](t, a); p.Code != "governed" || len(p.Errors) == 0 || p.Errors[0].Location != change.location {
				t.Errorf("%s: got %s", change.name, a.body)
			}
			n.mustSend(t, "editor", change.method, change.acknowledged[0], change.acknowledged[1], 403)
			n.mustSend(t, "outsider", change.method, change.acknowledged[0], change.acknowledged[1], 404)
			if now := string(n.mustSend(t, "token read", "GET", "{public}/{seen}", "", 200).body); now != before {
				t.Errorf("%s: a refused change replaced %s with %s", change.name, before, now)
			}
			n.mustSend(t, "chief", change.method, change.acknowledged[0], change.acknowledged[1], change.status)
		}
		n.mustSend(t, "token read", "GET", "{public}/{seen}", "", 404)
		n.mustSend(t, "chief", "DELETE", collection+"?acknowledge=perhaps", "", 400)
	})
}
