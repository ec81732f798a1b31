package e2e

import (
	"strings"
	"testing"
)

// TestExemptCollections has a workflow that leaves a collection out: its entries are published directly, alone and in
// releases of their own, and are reviewed with others in a release. Nobody gets around the workflow by a name.
func TestExemptCollections(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		const workflow, tags = "/api/projects/{site}/approval-workflow", "/api/projects/{site}/collections/{tags}/content"
		n.create(t, "tags", "/api/projects/{site}/collections", `{"slug":"tags","name":"Tags","fields":[{"name":"title","type":"text"}]}`)
		n.create(t, "waiting", tags, `{"fields":{"title":"Waiting"},"published":true}`)
		n.mustSend(t, "tenantAdmin", "PUT", workflow, `{"steps":[
			{"stepOrder":1,"requiredRoleKind":"admin"},
			{"stepOrder":2,"requiredRoleKind":"department_admin","when":{"collections":["articles"],"fields":["subtitle"],"actions":["unpublish"]}}],
			"exempt":{"collections":["tags","redirects"]}}`, 200)
		set := string(n.mustSend(t, "viewer", "GET", workflow, "", 200).body)
		if !strings.Contains(set, `"exempt":{"collections":["tags","redirects"]}`) {
			t.Errorf("the workflow: %s", set)
		}

		n.create(t, "tag", tags, `{"fields":{"title":"News"},"published":true}`)
		n.create(t, "other", tags, `{"fields":{"title":"Other"}}`)
		state := func(entry string) string {
			e := decode[struct {
				State    string
				Approval *struct{ Status string }
			}](t, n.mustSend(t, "viewer", "GET", tags+"/{"+entry+"}", "", 200))
			if e.Approval == nil {
				return e.State
			}
			return e.State + ", " + e.Approval.Status
		}
		if got := state("tag"); got != "published" {
			t.Errorf("an entry of an exempt collection is %s", got)
		}
		if got := state("waiting"); got != "draft, pending" {
			t.Errorf("an entry with an open request is %s", got)
		}
		for entry, want := range map[string]string{"tag": `"exempt":true`, "waiting": `"stepId":1`} {
			body := n.fill(`{"entryId":{` + entry + `}}`)
			effective := n.mustSend(t, "viewer", "GET", workflow+"/effective?entryId={"+entry+"}", "", 200)
			tried := n.mustSend(t, "viewer", "POST", workflow+"/try", body, 200)
			for _, a := range []response{effective, tried} {
				if !strings.Contains(string(a.body), want) || strings.Contains(string(a.body), `"exempt":true`) != (entry == "tag") {
					t.Errorf("%s: %s", entry, a.body)
				}
			}
		}

		n.submit(t, "story", "Story")
		n.mustSend(t, "editor", "PATCH", "{content}/{story}", `{"published":false}`, 200)
		n.release(t, siteReleases, "alone")
		n.putMembers(t, "alone", `{"entryId":{other}}`, `{"entryId":{tag},"action":"unpublish"}`)
		n.mustSend(t, "editor", "POST", siteReleases+"/{alone}/publish", "", 200)
		n.wantRelease(t, "alone", "published", 1)
		n.release(t, siteReleases, "mixed")
		n.putMembers(t, "mixed", `{"entryId":{tag}}`, `{"entryId":{story}}`)
		n.mustSend(t, "editor", "POST", siteReleases+"/{mixed}/publish", "", 202)
		n.mustSend(t, "chief", "POST", siteReleases+"/{mixed}/approval/approve", `{}`, 200)
		n.wantPublic(t, "story", "Story")
		n.wantProof(t, "viewer", tags+"/{tag}/publications/2", "News", `one of 2 members of the release "mixed"`)

		refuseNames(t, n)
		refuseTrials(t, n, workflow)
	})
}

// refuseNames creates and removes what the workflow names, without the right to set it and with it.
func refuseNames(t *testing.T, n *newsroom) {
	const articles = "/api/projects/{site}/collections/{siteArticles}"
	for _, user := range []string{"chief", "head"} {
		wantProblem(t, n.send(t, user, "POST", "/api/projects/{site}/collections", `{"slug":"redirects","name":"Redirects","fields":[]}`), 403)
		wantProblem(t, n.send(t, user, "POST", articles+"/fields", `{"name":"subtitle","type":"text"}`), 403)
	}
	n.mustSend(t, "tenantAdmin", "POST", "/api/projects/{site}/collections", `{"slug":"redirects","name":"Redirects","fields":[]}`, 201)
	n.mustSend(t, "tenantAdmin", "POST", articles+"/fields", `{"name":"subtitle","type":"text"}`, 201)
	wantProblem(t, n.send(t, "chief", "DELETE", articles+"/fields/subtitle?acknowledge=true", ""), 403)
	n.mustSend(t, "tenantAdmin", "DELETE", articles+"/fields/subtitle?acknowledge=true", "", 204)
	events := string(n.mustSend(t, "tenantAdmin", "GET", "/api/projects/{site}/events?limit=500", "", 200).body)
	if got := strings.Count(events, `"workflow.names_changed"`); got != 3 {
		t.Errorf("%d events of names: %s", got, events)
	}
}

// refuseTrials tries workflows that the caller may not try, and what is not there.
func refuseTrials(t *testing.T, n *newsroom, workflow string) {
	const unsaved = `"workflow":{"steps":[{"stepOrder":1,"requiredRoleKind":"tenant_admin"}]}`
	for body, status := range map[string]int{`{"entryId":999999}`: 404, `{"entryId":0}`: 422, `{}`: 422, `{"entryId":{story},` + unsaved + `}`: 403, `{"entryId":{story},"workflow":null}`: 422} {
		wantProblem(t, n.send(t, "chief", "POST", workflow+"/try", body), status)
	}
	wantProblem(t, n.send(t, "brand", "POST", workflow+"/try", `{"entryId":{story}}`), 404)
	n.wantFaults(t, n.send(t, "tenantAdmin", "POST", workflow+"/try", `{"entryId":{story},"workflow":{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","when":{}}]}}`), 422, "invalid", "workflow.steps", "workflow.steps[0].when")
	a := n.mustSend(t, "tenantAdmin", "POST", workflow+"/try", `{"entryId":{story},`+unsaved+`}`, 200)
	for _, want := range []string{`"stepId":1`, `"applies":true`, `"deciders":[{"id":`, `"barred":[]`, `"unreachable":false`} {
		if !strings.Contains(string(a.body), want) {
			t.Errorf("no %s in %s", want, a.body)
		}
	}
}
