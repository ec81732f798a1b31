package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestHostileApproval tries to publish content past its review, on both engines. The cases
// run in order: some change memberships.
func TestHostileApproval(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		for _, c := range []struct {
			name   string
			attack func(*testing.T, *newsroom)
		}{
			{"steps", attackSteps}, {"closed requests", attackClosedRequests}, {"wrong paths", attackWrongPaths}, {"callers", attackCallers},
			{"self-approval", attackSelfApproval}, {"edits", attackEdits}, {"double clicks", attackDoubleClicks}, {"numbers", attackNumbers},
			{"lost roles", attackLostRoles}, {"approver deactivated", attackApproverDeactivated}, {"workflow replaced", attackWorkflowReplaced},
			{"workflow removed", attackWorkflowRemoved}, {"role deleted", attackRoleDeleted}, {"department changed", attackDepartmentChanged},
		} {
			t.Run(c.name, func(t *testing.T) { c.attack(t, n) })
		}
	})
}

// attackSteps decides steps out of order, twice, and without the required role.
func attackSteps(t *testing.T, n *newsroom) {
	n.submit(t, "steps", "Steps")
	for _, c := range []struct {
		user, action, body string
		status             int
	}{
		{"legal", "approve", "", 403}, // step 1 takes project admins
		{"editor", "approve", "", 403},
		{"viewer", "approve", "", 403},
		{"editor", "reject", "", 403},
		{"viewer", "request-revision", `{"comment":"no"}`, 403},
		{"outsider", "approve", "", 404},
		{"brand", "approve", "", 404},
		{"blogger", "approve", "", 404},
		{"head", "approve", `{"stepOrder":3}`, 409},
		{"head", "approve", `{"stepOrder":2}`, 409},
		{"head", "approve", `{"stepOrder":0}`, 409},
		{"head", "approve", `{"stepOrder":-1}`, 409},
		{"chief", "approve", `{"contentHash":"` + strings.Repeat("0", 64) + `"}`, 409},
		{"chief", "approve", `{"contentHash":""}`, 409},
		{"chief", "publish-now", "", 409},
		{"chief", "approve", `{"comment":1}`, 422},
		{"chief", "approve", `{"stepOrder":1,"status":"published"}`, 422},
		{"chief", "approve", `{"stepOrder":1,"stepOrder":1}`, 400},
		{"chief", "approve", `[]`, 422},
	} {
		wantProblem(t, n.send(t, c.user, "POST", "{content}/{steps}/approval/"+c.action, c.body), c.status)
	}
	n.wantStatus(t, "steps", "pending", 1)
	n.decide(t, "chief", "steps", "approve", `{"stepOrder":1}`, 200)
	for user, status := range map[string]int{"chief": 403, "head": 403, "tenantAdmin": 403, "root": 403, "brand": 404} { // step 2 takes only holders of Legal
		wantProblem(t, n.send(t, user, "POST", "{content}/{steps}/approval/approve", ""), status)
	}
	if r := decode[request](t, n.mustSend(t, "root", "GET", "{content}/{steps}/approval", "", 200)); r.CanAct {
		t.Error("canAct is true for a super admin at the step of Legal")
	}
	n.decide(t, "legal", "steps", "approve", "", 200)
	for _, user := range []string{"legal", "chief"} {
		wantProblem(t, n.send(t, user, "POST", "{content}/{steps}/approval/approve", ""), 403)
	}
	r := n.wantStatus(t, "steps", "pending", 3)
	if len(r.Actions) != 3 {
		t.Errorf("the request has %d actions, want 3", len(r.Actions))
	}
	n.wantPublic(t, "steps", "")
	n.decide(t, "head", "steps", "approve", "", 200)
	n.wantPublic(t, "steps", "Steps")
}

// attackClosedRequests acts on requests in each of the final states.
func attackClosedRequests(t *testing.T, n *newsroom) {
	for name, end := range map[string]func(){
		"published":          func() { n.approve(t, "published", 3) },
		"rejected":           func() { n.decide(t, "chief", "rejected", "reject", "", 200) },
		"revision_requested": func() { n.decide(t, "chief", "revision_requested", "request-revision", `{"comment":"more"}`, 200) },
		"withdrawn":          func() { n.mustSend(t, "editor", "PATCH", "{content}/{withdrawn}", `{"published":false}`, 200) },
	} {
		n.submit(t, name, "End "+name)
		end()
		for _, action := range []string{"approve", "reject", "request-revision", "publish-now"} {
			a := n.send(t, "head", "POST", "{content}/{"+name+"}/approval/"+action, `{"comment":"x"}`)
			wantProblem(t, a, 409)
			if now := decode[struct{ Request request }](t, a).Request; now.Status != name {
				t.Errorf("%s after the end shows the request as %q, want %q", action, now.Status, name)
			}
		}
		wantProblem(t, n.send(t, "head", "PUT", "{content}/{"+name+"}/approval/schedule", `{"publishAt":"2100-01-01T00:00:00Z"}`), 409)
		n.wantStatus(t, name, name, 0)
		if name != "published" {
			n.wantPublic(t, name, "")
		}
	}
}

// attackWrongPaths addresses a request under the path of another project, collection or entry.
func attackWrongPaths(t *testing.T, n *newsroom) {
	n.submit(t, "placed", "Placed")
	n.create(t, "besides", "/api/projects/{site}/collections", `{"slug":"besides","name":"Besides","fields":[{"name":"title","type":"text"}]}`)
	for _, path := range []string{
		"/api/projects/{open}/collections/{openArticles}/content/{placed}/approval",
		"/api/projects/{open}/collections/{siteArticles}/content/{placed}/approval",
		"/api/projects/{site}/collections/{openArticles}/content/{placed}/approval",
		"/api/projects/{site}/collections/{besides}/content/{placed}/approval",
		"/api/projects/999/collections/{siteArticles}/content/{placed}/approval",
		"{content}/999999/approval", "{content}/x/approval", "{content}/0{placed}/approval",
	} {
		for _, user := range []string{"root", "chief", "legal", "blogger"} {
			wantProblem(t, n.send(t, user, "GET", path, ""), 404)
			for _, part := range []string{"/diff", "/audit"} {
				wantProblem(t, n.send(t, user, "GET", path+part, ""), 404)
			}
			for _, action := range []string{"/approve", "/reject", "/publish-now"} {
				wantProblem(t, n.send(t, user, "POST", path+action, ""), 404)
			}
		}
	}
	// Holders of a custom role see requests, and nothing else of the project.
	for _, path := range []string{"/api/projects/{site}", "{content}", "{content}/{placed}", "{content}/{placed}/versions", "/api/projects/{site}/collections", "/api/projects/{site}/approval-workflow", "/api/projects/{site}/approval-workflow/effective", "/api/departments/{newsroom}/approval-workflow", "/api/departments/{newsroom}"} {
		wantProblem(t, n.send(t, "legal", "GET", path, ""), 404)
	}
	n.mustSend(t, "legal", "GET", "{content}/{placed}/approval", "", 200)
	for _, user := range []string{"brand", "outsider", "blogger"} {
		for _, part := range []string{"", "/diff", "/changes", "/audit", "/history"} {
			wantProblem(t, n.send(t, user, "GET", "{content}/{placed}/approval"+part, ""), 404)
		}
	}
	n.wantStatus(t, "placed", "pending", 1)
}

// attackCallers decides without a session, or with a session from another origin.
func attackCallers(t *testing.T, n *newsroom) {
	a := n.mustSend(t, "token full", "POST", "{public}", `{"published":true,"fields":{"title":"By token"}}`, 201)
	n.ids["byToken"] = int(decode[map[string]any](t, a)["id"].(float64))
	record := decode[struct {
		SubmittedBy struct{ Kind, Name string }
	}](t, n.mustSend(t, "chief", "GET", "{content}/{byToken}/approval", "", 200))
	if record.SubmittedBy.Kind != "token" || record.SubmittedBy.Name != "full" {
		t.Errorf("submitted by %+v", record.SubmittedBy)
	}
	const approve = "{content}/{byToken}/approval/approve"
	for _, user := range []string{"", "token full", "token read"} {
		wantProblem(t, n.send(t, user, "POST", approve, ""), 401)
		wantProblem(t, n.send(t, user, "GET", "{content}/{byToken}/approval", ""), 401)
		wantProblem(t, n.send(t, user, "GET", "/api/approvals/pending", ""), 401)
	}
	cookie := n.headers(t, "chief")[0]
	for _, from := range [][]string{{}, {"Origin: http://evil.example"}, {"Origin: null"}, {"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site"}} {
		wantProblem(t, n.send(t, "", "POST", approve, "", append(from, cookie)...), 403)
		wantProblem(t, n.send(t, "", "PUT", "/api/departments/{newsroom}/approval-workflow", `{"steps":[]}`, append(from, cookie)...), 403)
	}
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		wantProblem(t, n.send(t, "chief", method, approve, ""), 405)
	}
	for _, override := range []string{"X-HTTP-Method-Override: POST", "X-Method-Override: POST"} {
		wantProblem(t, n.send(t, "chief", "GET", approve, "", override), 405)
	}
	for _, path := range []string{approve + "/", "{content}//{byToken}/approval/approve", "{content}/{byToken}/approval/APPROVE", "{content}/{byToken}/approval%2Fapprove", "{content}/{byToken}/approval/approve%00"} {
		wantProblem(t, n.send(t, "chief", "POST", path, ""), 404)
	}
	wantProblem(t, n.send(t, "chief", "POST", approve+"?stepOrder=1", ""), 400)
	n.wantStatus(t, "byToken", "pending", 1)
}

// attackSelfApproval approves own submissions and approves twice under a workflow that
// forbids both.
func attackSelfApproval(t *testing.T, n *newsroom) {
	n.mustSend(t, "tenantAdmin", "PUT", "/api/projects/{site}/approval-workflow", `{"allowSelfApproval":false,"steps":[
		{"stepOrder":10,"requiredRoleKind":"admin","allowRejection":false},{"stepOrder":20,"requiredRoleKind":"admin","allowRevision":false}]}`, 200)
	defer n.mustSend(t, "tenantAdmin", "DELETE", "/api/projects/{site}/approval-workflow", "", 204)
	for _, user := range []string{"chief", "head", "viewer", "editor"} { // only tenant admins may change it
		wantProblem(t, n.send(t, user, "PUT", "/api/projects/{site}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`), 403)
		wantProblem(t, n.send(t, user, "DELETE", "/api/projects/{site}/approval-workflow", ""), 403)
		wantProblem(t, n.send(t, user, "PUT", "/api/departments/{newsroom}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`), 403)
	}
	a := n.mustSend(t, "chief", "POST", "{content}", `{"published":true,"fields":{"title":"My own"}}`, 201)
	n.ids["own"] = int(decode[map[string]any](t, a)["id"].(float64))
	wantProblem(t, n.send(t, "chief", "POST", "{content}/{own}/approval/approve", ""), 403)
	wantProblem(t, n.send(t, "second", "POST", "{content}/{own}/approval/reject", ""), 422)
	n.decide(t, "second", "own", "approve", `{"stepOrder":10}`, 200)
	wantProblem(t, n.send(t, "second", "POST", "{content}/{own}/approval/approve", ""), 403)
	wantProblem(t, n.send(t, "chief", "POST", "{content}/{own}/approval/approve", ""), 403)
	wantProblem(t, n.send(t, "head", "POST", "{content}/{own}/approval/request-revision", `{"comment":"x"}`), 422)
	n.wantStatus(t, "own", "pending", 20)
	n.decide(t, "head", "own", "approve", `{"stepOrder":20}`, 200)
	n.wantPublic(t, "own", "My own")
}

// attackEdits edits content after submission, between steps and before it is due. The
// submitted version is published.
func attackEdits(t *testing.T, n *newsroom) {
	n.createEntry(t, "edited", `{"published":true,"fields":{"title":"Reviewed ü <b>&</b> \u2028","views":1.5,"note":"withheld","pass":"a password"}}`)
	submitted := n.mustSend(t, "chief", "GET", "{content}/{edited}/approval", "", 200)
	before := decode[request](t, submitted)
	raw := decode[struct{ Snapshot json.RawMessage }](t, submitted).Snapshot
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != before.ContentHash {
		t.Errorf("the snapshot %s does not have the hash %s", raw, before.ContentHash)
	}
	if strings.Contains(string(submitted.body), "withheld") || strings.Contains(string(submitted.body), "pass") {
		t.Errorf("the request contains hidden values: %s", submitted.body)
	}
	edit := func(title string) {
		n.mustSend(t, "editor", "PATCH", "{content}/{edited}", `{"published":true,"fields":{"title":"`+title+`"}}`, 200)
		n.mustSend(t, "token full", "PATCH", "{public}/{edited}", `{"published":true,"fields":{"views":7}}`, 200)
		r := n.request(t, "edited")
		if r.ID != before.ID || r.ContentHash != before.ContentHash || fmt.Sprint(r.Snapshot) != fmt.Sprint(before.Snapshot) || !r.ContentChanged {
			t.Errorf("after an edit the request is %+v", r)
		}
	}
	edit("Edited after submission")
	n.decide(t, "chief", "edited", "approve", `{"contentHash":"`+before.ContentHash+`"}`, 200)
	edit("Edited between the steps")
	n.decide(t, "legal", "edited", "approve", "", 200)
	wantProblem(t, n.send(t, "editor", "PUT", "{content}/{edited}/approval/schedule", `{"publishAt":"2100-01-01T00:00:00Z"}`), 403)
	n.mustSend(t, "head", "PUT", "{content}/{edited}/approval/schedule", `{"publishAt":"2100-01-01T00:00:00Z"}`, 200)
	n.decide(t, "head", "edited", "approve", "", 200)
	edit("Edited before it is due")
	n.wantPublic(t, "edited", "")
	n.decide(t, "head", "edited", "publish-now", "", 200)
	seen := n.public(t, "edited")
	if seen["title"] != "Reviewed ü <b>&</b> \u2028" || seen["views"] != 1.5 || seen["note"] != nil {
		t.Errorf("public content is %v", seen)
	}
	r := n.request(t, "edited")
	for _, action := range r.Actions {
		if action.ContentHash != before.ContentHash {
			t.Errorf("%s has the content hash %s", action.Type, action.ContentHash)
		}
	}
	// The published version stays public while the next request is open.
	n.mustSend(t, "editor", "PATCH", "{content}/{edited}", `{"published":true,"fields":{"title":"The next one"}}`, 200)
	if again := n.request(t, "edited"); again.ID == r.ID || again.step() != 1 {
		t.Errorf("the next request is %+v", again)
	}
	n.wantPublic(t, "edited", "Reviewed ü <b>&</b> \u2028")
}

// attackDoubleClicks sends the same decision concurrently: one succeeds.
func attackDoubleClicks(t *testing.T, n *newsroom) {
	const clients = 8
	n.submit(t, "clicked", "Clicked")
	for step, user := range []string{"chief", "legal", "head"} {
		statuses := make([]int, clients)
		var running sync.WaitGroup
		for i := range clients {
			running.Go(func() {
				a := n.send(t, user, "POST", "{content}/{clicked}/approval/approve", fmt.Sprintf(`{"stepOrder":%d}`, step+1))
				statuses[i] = a.status
				if a.status == 409 && decode[struct{ Request request }](t, a).Request.ID == 0 {
					t.Errorf("the 409 response lacks the request: %s", a.body)
				}
			})
		}
		running.Wait()
		slices.Sort(statuses)
		if statuses[0] != 200 || statuses[1] != 409 || statuses[clients-1] != 409 {
			t.Errorf("step %d: statuses %v, want one 200 and the rest 409", step+1, statuses)
		}
	}
	r := n.wantStatus(t, "clicked", "published", 0)
	if len(r.Actions) != 5 { // submit, three approvals, publish
		t.Errorf("the request has %d actions, want 5", len(r.Actions))
	}
	audit := decode[struct{ Valid, SnapshotValid bool }](t, n.mustSend(t, "viewer", "GET", "{content}/{clicked}/approval/audit", "", 200))
	if !audit.Valid || !audit.SnapshotValid {
		t.Errorf("the audit trail does not verify: %+v", audit)
	}
	// Concurrent submissions open one request.
	n.createEntry(t, "submitted", `{"fields":{"title":"Submitted"}}`)
	ids := make([]int, clients)
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			ids[i] = decode[request](t, n.mustSend(t, "editor", "POST", "{content}/{submitted}/publish", "", 202)).ID
		})
	}
	running.Wait()
	if slices.Sort(ids); ids[0] != ids[clients-1] {
		t.Errorf("%d concurrent submissions opened the requests %v", clients, ids)
	}
}

// attackNumbers submits again after each final state: a new request with the next release
// number, starting at the first step.
func attackNumbers(t *testing.T, n *newsroom) {
	n.submit(t, "counted", "Counted")
	for _, end := range []func(){
		func() { n.decide(t, "chief", "counted", "reject", "", 200) },
		func() {
			n.decide(t, "chief", "counted", "approve", "", 200)
			n.decide(t, "legal", "counted", "request-revision", `{"comment":"more"}`, 200)
		},
		func() { n.mustSend(t, "editor", "POST", "{content}/{counted}/unpublish", "", 200) },
		func() {
			n.mustSend(t, "editor", "DELETE", "{content}/{counted}", "", 204)
			n.mustSend(t, "editor", "POST", "{content}/{counted}/restore", "", 200)
		},
	} {
		before := n.request(t, "counted")
		end()
		n.mustSend(t, "editor", "POST", "{content}/{counted}/publish", "", 202)
		after := n.wantStatus(t, "counted", "pending", 1)
		if number(t, after) != number(t, before)+1 || after.ID == before.ID {
			t.Errorf("%s came after %s", after.ReleaseNumber, before.ReleaseNumber)
		}
	}
	history := decode[struct{ Data []request }](t, n.mustSend(t, "legal", "GET", "{content}/{counted}/approval/history", "", 200)).Data
	var statuses []string
	for _, r := range history {
		statuses = append(statuses, r.Status)
	}
	if want := []string{"pending", "withdrawn", "withdrawn", "revision_requested", "rejected"}; !slices.Equal(statuses, want) {
		t.Errorf("the history is %v, want %v", statuses, want)
	}
}

// number returns the sequence part of a release number.
func number(t *testing.T, r request) (sequence int) {
	t.Helper()
	var year int
	if _, err := fmt.Sscanf(r.ReleaseNumber, "CR-%d-%d", &year, &sequence); err != nil || year < 2026 {
		t.Fatalf("release number %q: %v", r.ReleaseNumber, err)
	}
	return sequence
}

// attackLostRoles decides with a role that was just revoked.
func attackLostRoles(t *testing.T, n *newsroom) {
	n.submit(t, "lostRoles", "Lost roles")
	n.createUser(t, "former", inSite("admin"))
	n.createUser(t, "demoted", inSite("admin"))
	n.createUser(t, "counsel", memberships["legal"])
	n.mustSend(t, "root", "DELETE", "/api/projects/{site}/members/{former}", "", 204)
	n.mustSend(t, "root", "PUT", "/api/projects/{site}/members/{demoted}", `{"role":"viewer"}`, 200)
	wantProblem(t, n.send(t, "former", "POST", "{content}/{lostRoles}/approval/approve", ""), 404)
	wantProblem(t, n.send(t, "demoted", "POST", "{content}/{lostRoles}/approval/approve", ""), 403)
	n.decide(t, "chief", "lostRoles", "approve", "", 200)
	n.mustSend(t, "counsel", "GET", "{content}/{lostRoles}/approval", "", 200)
	n.mustSend(t, "root", "DELETE", "/api/departments/{newsroom}/custom-roles/{legalRole}/holders/{counsel}", "", 204)
	wantProblem(t, n.send(t, "counsel", "GET", "{content}/{lostRoles}/approval", ""), 404)
	wantProblem(t, n.send(t, "counsel", "POST", "{content}/{lostRoles}/approval/approve", ""), 404)
	n.wantStatus(t, "lostRoles", "pending", 2)
}

// attackApproverDeactivated deactivates the only approver of a step: the request waits, and
// another user can receive the role.
func attackApproverDeactivated(t *testing.T, n *newsroom) {
	n.submit(t, "waiting", "Waiting")
	n.decide(t, "chief", "waiting", "approve", "", 200)
	n.headers(t, "legal")
	n.mustSend(t, "root", "PATCH", "/api/users/{legal}", `{"active":false}`, 200)
	wantProblem(t, n.send(t, "legal", "POST", "{content}/{waiting}/approval/approve", ""), 401)
	n.wantStatus(t, "waiting", "pending", 2)
	n.createUser(t, "successor", memberships["legal"])
	inbox := decode[struct{ Meta struct{ Total int } }](t, n.mustSend(t, "successor", "GET", "/api/approvals/pending", "", 200))
	if inbox.Meta.Total == 0 {
		t.Error("the inbox of the new role holder is empty")
	}
	n.decide(t, "successor", "waiting", "approve", "", 200)
	n.decide(t, "head", "waiting", "approve", "", 200)
	n.wantPublic(t, "waiting", "Waiting")
	n.mustSend(t, "root", "PATCH", "/api/users/{legal}", `{"active":true}`, 200)
	n.headers(t, "legal")[0] = signIn(t, n.base, "legal@example.com", password)
}

// attackWorkflowReplaced shortens the workflow while a request is open: the request keeps
// the steps it was submitted with.
func attackWorkflowReplaced(t *testing.T, n *newsroom) {
	n.submit(t, "kept", "Kept")
	n.mustSend(t, "tenantAdmin", "PUT", "/api/departments/{newsroom}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`, 200)
	n.mustSend(t, "editor", "PATCH", "{content}/{kept}", `{"published":true}`, 200)
	n.decide(t, "chief", "kept", "approve", "", 200)
	n.wantStatus(t, "kept", "pending", 2)
	n.wantPublic(t, "kept", "")
	n.submit(t, "short", "Short")
	n.decide(t, "chief", "short", "approve", "", 200)
	n.wantPublic(t, "short", "Short")
	n.mustSend(t, "tenantAdmin", "PUT", "/api/projects/{site}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"tenant_admin"}]}`, 200)
	n.submit(t, "override", "Override")
	wantProblem(t, n.send(t, "head", "POST", "{content}/{override}/approval/approve", ""), 403)
	n.mustSend(t, "tenantAdmin", "DELETE", "/api/projects/{site}/approval-workflow", "", 204)
	wantProblem(t, n.send(t, "head", "POST", "{content}/{override}/approval/approve", ""), 403)
	n.decide(t, "tenantAdmin", "override", "approve", "", 200)
	n.wantPublic(t, "override", "Override")
	n.decide(t, "legal", "kept", "approve", "", 200)
	n.decide(t, "head", "kept", "approve", "", 200)
	n.wantPublic(t, "kept", "Kept")
	n.setWorkflow(t)
}

// attackWorkflowRemoved deletes the workflow while requests are open: they still must be
// approved or withdrawn.
func attackWorkflowRemoved(t *testing.T, n *newsroom) {
	first := n.submit(t, "orphan", "Orphan")
	n.submit(t, "back", "Back")
	n.mustSend(t, "tenantAdmin", "DELETE", "/api/departments/{newsroom}/approval-workflow", "", 204)
	for _, user := range []string{"editor", "chief", "root"} {
		n.mustSend(t, user, "PATCH", "{content}/{orphan}", `{"published":true,"fields":{"title":"Changed"}}`, 200)
		if again := decode[request](t, n.mustSend(t, user, "POST", "{content}/{orphan}/publish", "", 202)); again.ID != first.ID {
			t.Errorf("%s opened request %d", user, again.ID)
		}
	}
	n.wantPublic(t, "orphan", "")
	n.approve(t, "orphan", 3)
	n.wantPublic(t, "orphan", "Orphan")
	n.mustSend(t, "tenantAdmin", "PATCH", "{content}/{back}", `{"published":false}`, 200)
	n.wantStatus(t, "back", "withdrawn", 0)
	n.mustSend(t, "editor", "POST", "{content}/{back}/publish", "", 200)
	n.wantPublic(t, "back", "Back")
	n.setWorkflow(t)
	n.mustSend(t, "editor", "PATCH", "{content}/{back}", `{"fields":{"title":"Changed again"}}`, 200)
	n.wantPublic(t, "back", "Back")
}

// attackRoleDeleted deletes the custom role that an open request requires: it is in use
// until the workflow is deleted and the request withdrawn.
func attackRoleDeleted(t *testing.T, n *newsroom) {
	n.create(t, "ethicsRole", "/api/departments/{newsroom}/custom-roles", `{"name":"Ethics"}`)
	n.headers(t, "legal")
	n.mustSend(t, "root", "PUT", "/api/departments/{newsroom}/custom-roles/{ethicsRole}/holders/{legal}", "", 204)
	n.mustSend(t, "tenantAdmin", "PUT", "/api/projects/{site}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","requiredCustomRoleId":{ethicsRole}}]}`, 200)
	n.submit(t, "ethics", "Ethics")
	for _, user := range []string{"head", "tenantAdmin", "root"} {
		n.wantInUse(t, n.send(t, user, "DELETE", "/api/departments/{newsroom}/custom-roles/{ethicsRole}", ""),
			"projects/{site}/approval-workflow", "projects/{site}/collections/{siteArticles}/content/{ethics}/approval")
	}
	n.mustSend(t, "tenantAdmin", "DELETE", "/api/projects/{site}/approval-workflow", "", 204)
	n.wantInUse(t, n.send(t, "head", "DELETE", "/api/departments/{newsroom}/custom-roles/{ethicsRole}", ""),
		"projects/{site}/collections/{siteArticles}/content/{ethics}/approval")
	n.wantStatus(t, "ethics", "pending", 1)
	n.mustSend(t, "tenantAdmin", "POST", "{content}/{ethics}/unpublish", "", 200)
	n.wantStatus(t, "ethics", "withdrawn", 0)
	n.wantPublic(t, "ethics", "")
	n.mustSend(t, "head", "DELETE", "/api/departments/{newsroom}/custom-roles/{ethicsRole}", "", 204)
}

// wantInUse fails unless the response is 409 in_use with these locations.
func (n *newsroom) wantInUse(t *testing.T, a response, places ...string) {
	t.Helper()
	p := wantProblem(t, a, 409)
	var named []string
	for _, e := range p.Errors {
		named = append(named, e.Location)
	}
	for i := range places {
		places[i] = n.fill(places[i])
	}
	if p.Code != "in_use" || !slices.Equal(named, places) {
		t.Errorf("code %s with locations %q, want in_use with %q", p.Code, named, places)
	}
}

// attackDepartmentChanged moves a project to a department where steps of its workflow or of
// an open request would be invalid: both block the move.
func attackDepartmentChanged(t *testing.T, n *newsroom) {
	const content, workflow = "/api/projects/{moved}/collections/{movedArticles}/content", "/api/projects/{moved}/approval-workflow"
	n.create(t, "moved", "/api/tenants/{tenant}/projects", `{"name":"Moved","departmentId":{newsroom},"defaultLocale":"en","locales":["en"]}`)
	n.create(t, "movedArticles", "/api/projects/{moved}/collections", `{"slug":"articles","name":"Articles","fields":[{"name":"title","type":"text"}]}`)
	n.create(t, "movedEntry", content, `{"published":true,"fields":{"title":"Moved"}}`)
	open := "projects/{moved}/collections/{movedArticles}/content/{movedEntry}/approval"
	move := func(user, department string) response {
		return n.send(t, user, "PATCH", "/api/projects/{moved}", `{"departmentId":`+department+`}`)
	}
	wantProblem(t, move("head", "{marketing}"), 403)
	for _, user := range []string{"tenantAdmin", "root"} {
		n.wantInUse(t, move(user, "{marketing}"), open)
		n.wantInUse(t, move(user, "null"), open)
	}
	n.mustSend(t, "tenantAdmin", "PUT", workflow, `{"steps":[{"stepOrder":1,"requiredRoleKind":"department_admin"}]}`, 200)
	n.wantInUse(t, move("tenantAdmin", "{marketing}"), open) // the other department has admins, too
	n.wantInUse(t, move("tenantAdmin", "null"), "projects/{moved}/approval-workflow", open)
	n.mustSend(t, "tenantAdmin", "PATCH", content+"/{movedEntry}", `{"published":false}`, 200)
	n.wantInUse(t, move("tenantAdmin", "null"), "projects/{moved}/approval-workflow")
	if a := move("tenantAdmin", "{marketing}"); a.status != 200 {
		t.Errorf("moved without open requests: %d %s", a.status, a.body)
	}
}
