package e2e

import (
	"strings"
	"testing"
)

// TestTakingOffline has a workflow say who takes published entries offline, and tries every way around it.
func TestTakingOffline(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		const workflow, public = "/api/projects/{site}/approval-workflow", "{public}/{story}"
		set := func(unpublishing string) {
			n.mustSend(t, "tenantAdmin", "PUT", workflow, `{"unpublishing":"`+unpublishing+`","steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`, 200)
			if a := n.mustSend(t, "viewer", "GET", workflow+"/effective", "", 200); !strings.Contains(string(a.body), `"unpublishing":"`+unpublishing+`"`) {
				t.Errorf("the workflow: %s", a.body)
			}
		}
		n.wantFaults(t, n.send(t, "tenantAdmin", "PUT", workflow, `{"unpublishing":"nobody","steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`), 422, "invalid", "unpublishing")
		refused := func(status int, code string, users ...string) {
			t.Helper()
			for _, user := range users {
				tries := []response{n.send(t, user, "PATCH", "{content}/{story}", `{"published":false}`), n.send(t, user, "POST", "{content}/{story}/unpublish", ""), n.send(t, user, "DELETE", "{content}/{story}", "")}
				if strings.HasPrefix(user, "token") {
					tries = []response{n.send(t, user, "PATCH", public, `{"published":false}`), n.send(t, user, "DELETE", public, "")}
				}
				for _, a := range tries {
					if a.status != status || !strings.Contains(string(a.body), `"code":"`+code+`"`) {
						t.Errorf("%s: %d %s, want %d %s", user, a.status, a.body, status, code)
					}
				}
			}
			n.wantPublic(t, "story", "Story")
		}
		set("admins")
		n.submit(t, "story", "Story")
		n.mustSend(t, "chief", "POST", "{content}/{story}/approval/approve", `{}`, 200)
		refused(403, "forbidden", "editor", "token full")
		n.release(t, siteReleases, "away")
		n.putMembers(t, "away", `{"entryId":{story},"action":"unpublish"}`)
		wantProblem(t, n.send(t, "editor", "POST", siteReleases+"/{away}/publish", ""), 403)

		set("reviewed")
		refused(409, "unpublish_reviewed", "editor", "chief", "head", "tenantAdmin", "root", "token full")
		wantProblem(t, n.send(t, "editor", "POST", "{content}/{story}/unpublish", `{"emergency":"Please."}`), 403)
		wantProblem(t, n.send(t, "editor", "PATCH", "{content}/{story}", `{"published":false,"emergency":"Please."}`), 403)
		wantProblem(t, n.send(t, "editor", "DELETE", "{content}/{story}?emergency=Please.", ""), 403)
		wantProblem(t, n.send(t, "token full", "PATCH", public, `{"published":false,"emergency":"Please."}`), 403)
		wantProblem(t, n.send(t, "chief", "POST", "{content}/{story}/unpublish", `{"emergency":"`+strings.Repeat("x", 501)+`"}`), 422)
		wantProblem(t, n.send(t, "chief", "DELETE", "/api/projects/{site}/collections/{siteArticles}?acknowledge=true", ""), 403)
		n.wantPublic(t, "story", "Story")

		n.mustSend(t, "editor", "POST", siteReleases+"/{away}/publish", "", 202)
		n.mustSend(t, "chief", "POST", siteReleases+"/{away}/approval/approve", `{}`, 200)
		n.wantPublic(t, "story", "")
		n.mustSend(t, "editor", "POST", "{content}/{story}/publish", "", 202)
		n.mustSend(t, "chief", "POST", "{content}/{story}/approval/approve", `{}`, 200)
		n.wantPublic(t, "story", "Story")
		n.mustSend(t, "chief", "POST", "{content}/{story}/unpublish", `{"emergency":"A court order."}`, 200)
		n.wantPublic(t, "story", "")
		if a := n.mustSend(t, "tenantAdmin", "GET", "/api/projects/{site}/events?type=entry.unpublished&order=newest", "", 200); !strings.Contains(string(a.body), "A court order.") {
			t.Errorf("the events do not say why: %s", a.body)
		}
		n.mustSend(t, "editor", "DELETE", "{content}/{story}", "", 204)
	})
}
