package e2e

import (
	"strings"
	"testing"
)

// TestConditionalSteps has an entry and a release pass workflows with conditions. The steps that do not apply are in
// the requests with the reason, in the records with their conditions, and both verifiers accept records and proofs.
func TestConditionalSteps(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.mustSend(t, "tenantAdmin", "PUT", "/api/projects/{site}/approval-workflow", `{"steps":[
			{"stepOrder":1,"requiredRoleKind":"admin"},
			{"stepOrder":2,"requiredRoleKind":"department_admin","stepLabel":"Titles","when":{"collections":["articles"],"fields":["title"],"actions":["publish"]}},
			{"stepOrder":3,"requiredRoleKind":"department_admin","stepLabel":"Withdrawals","when":{"actions":["unpublish"]}}]}`, 200)
		n.submit(t, "story", "Story")
		view := string(n.mustSend(t, "viewer", "GET", "{content}/{story}/approval", "", 200).body)
		if !strings.Contains(view, `"applies":false,"because":"The submitted change does not meet the condition of the step."`) || strings.Count(view, `"applies":false`) != 1 {
			t.Errorf("the request: %s", view)
		}
		for _, user := range []string{"chief", "head"} {
			n.mustSend(t, user, "POST", "{content}/{story}/approval/approve", `{}`, 200)
		}
		n.wantProof(t, "viewer", "{content}/{story}/publications/1", "Story", "approved at all 2 steps, 4 actions")
		audited := string(n.mustSend(t, "viewer", "GET", "{content}/{story}/approval/audit", "", 200).body)
		if !strings.Contains(audited, `"when":{"actions":["unpublish"]},"applies":false`) || !strings.Contains(audited, `"format":3`) {
			t.Errorf("the record: %s", audited)
		}

		n.createEntry(t, "other", `{"fields":{"title":"Other"}}`)
		n.release(t, siteReleases, "launch")
		n.putMembers(t, "launch", `{"entryId":{other}}`, `{"entryId":{story},"action":"unpublish"}`)
		const launch = siteReleases + "/{launch}"
		n.mustSend(t, "editor", "POST", launch+"/publish", "", 202)
		for _, user := range []string{"chief", "head", "head"} {
			n.mustSend(t, user, "POST", launch+"/approval/approve", `{}`, 200)
		}
		if found, byNode := n.audit(t, launch); found != "" || byNode != "" {
			t.Errorf("faults %q, verifier %q", found, byNode)
		}
		n.wantProof(t, "viewer", "{content}/{other}/publications/1", "Other", `one of 2 members of the release "launch"`)
	})
}
