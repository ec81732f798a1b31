package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/core/canonical"
	"imprimatur/test/program"
)

// TestFourEyes runs the rules of allowSelfApproval false against a running program.
func TestFourEyes(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.mustSend(t, "tenantAdmin", "PUT", "/api/projects/{site}/approval-workflow", `{"allowSelfApproval":false,"steps":[
			{"stepOrder":1,"requiredRoleKind":"admin"},{"stepOrder":2,"requiredRoleKind":"admin"},{"stepOrder":3,"requiredRoleKind":"department_admin"}]}`, 200)
		n.headers(t, "second")
		n.barsContributors(t)
		n.barsCreatorsOfTokens(t)
		n.guardsTimes(t)
		n.verifiesBothFormats(t)
	})
}

// shownRequest has the members of a request that say what the caller may do.
type shownRequest struct {
	CanAct, CanReschedule, CanPublishNow bool
	Reason                               string
	Contributors                         []struct {
		Kind, Name string
		ID, MadeBy int
	}
	Steps []struct{ Unreachable bool }
}

// waiting reports whether the request of the entry is in the inbox of the user.
func (n *newsroom) waiting(t *testing.T, user, entry string) bool {
	t.Helper()
	page := decode[struct{ Data []struct{ EntryID int } }](t, n.mustSend(t, user, "GET", "/api/approvals/pending?perPage=100", "", 200))
	for _, r := range page.Data {
		if r.EntryID == n.ids[entry] {
			return true
		}
	}
	return false
}

// wantBarred checks that the user can do nothing with the request of the entry, and is told why.
func (n *newsroom) wantBarred(t *testing.T, user, entry, reason string) {
	t.Helper()
	r := decode[shownRequest](t, n.mustSend(t, user, "GET", "{content}/{"+entry+"}/approval", "", 200))
	if r.CanAct || !strings.HasPrefix(r.Reason, reason) || n.waiting(t, user, entry) {
		t.Errorf("%s sees %+v, want the reason %q", user, r, reason)
	}
	for _, action := range []string{"approve", "reject", "request-revision"} {
		wantProblem(t, n.send(t, user, "POST", "{content}/{"+entry+"}/approval/"+action, `{"comment":"x"}`), 403)
	}
}

func (n *newsroom) barsContributors(t *testing.T) {
	t.Helper()
	a := n.mustSend(t, "chief", "POST", "{content}", `{"fields":{"title":"Written by the chief"}}`, 201)
	n.ids["pair"] = int(decode[map[string]any](t, a)["id"].(float64))
	n.mustSend(t, "editor", "PATCH", "{content}/{pair}", `{"published":true}`, 200)
	n.mustSend(t, "second", "PATCH", "{content}/{pair}", `{"fields":{"title":"After the submission"}}`, 200)
	n.wantBarred(t, "chief", "pair", "You changed the entry since its last publication")
	if n.waiting(t, "second", "pair") != true {
		t.Error("a write after the submission bars from the next request only")
	}
	n.decide(t, "second", "pair", "approve", "", 200)
	n.wantBarred(t, "second", "pair", "You approved an earlier step")
	n.decide(t, "tenantAdmin", "pair", "approve", "", 200)
	n.decide(t, "head", "pair", "approve", "", 200)
	n.wantPublic(t, "pair", "Written by the chief")
	n.mustSend(t, "editor", "PATCH", "{content}/{pair}", `{"published":true}`, 200)
	n.wantBarred(t, "second", "pair", "You changed the entry since its last publication")
	r := decode[shownRequest](t, n.mustSend(t, "chief", "GET", "{content}/{pair}/approval", "", 200))
	if !r.CanAct || len(r.Contributors) != 1 || r.Contributors[0].Name != "second" {
		t.Errorf("the next request has the contributors %v", r.Contributors)
	}
	n.mustSend(t, "editor", "POST", "{content}/{pair}/unpublish", "", 200)
}

// barsCreatorsOfTokens writes with a token over REST v2, as the head of the department.
func (n *newsroom) barsCreatorsOfTokens(t *testing.T) {
	t.Helper()
	a := n.mustSend(t, "head", "POST", "/api/projects/{site}/tokens", `{"name":"of the head","abilities":["read","create","update"],"allowDrafts":true}`, 201)
	made := decode[struct {
		ID     int
		Secret string
	}](t, a)
	n.users.mutex.Lock()
	n.users.headers["token of the head"] = []string{"Authorization: Bearer " + made.Secret}
	n.users.mutex.Unlock()
	a = n.mustSend(t, "token of the head", "POST", "{public}", `{"fields":{"title":"By a token"}}`, 201)
	n.ids["machine"] = int(decode[map[string]any](t, a)["id"].(float64))
	n.mustSend(t, "editor", "POST", "{content}/{machine}/publish", `{"publishAt":"2100-01-01T00:00:00Z","unpublishAt":"2101-01-01T00:00:00Z"}`, 202)
	n.wantBarred(t, "head", "machine", "A token that you created changed the entry since its last publication")
	r := decode[shownRequest](t, n.mustSend(t, "chief", "GET", "{content}/{machine}/approval", "", 200))
	if len(r.Contributors) != 1 || r.Contributors[0].ID != made.ID || r.Contributors[0].MadeBy == 0 || r.Steps[2].Unreachable {
		t.Errorf("the request is %+v", r)
	}
}

// guardsTimes changes the times of the request of "machine", which the editor submitted.
func (n *newsroom) guardsTimes(t *testing.T) {
	t.Helper()
	const entry = "{content}/{machine}"
	type door struct{ method, path, body string }
	doors := []door{
		{"PUT", entry + "/approval/schedule", `{"unpublishAt":null}`},
		{"PUT", entry + "/approval/schedule", `{"publishAt":"2099-01-01T00:00:00Z"}`},
		{"PATCH", entry, `{"published":true,"unpublishAt":null}`},
		{"PATCH", entry, `{"published":true,"publishAt":"2099-01-01T00:00:00Z","fields":{"title":"Slipped in"}}`},
		{"POST", entry + "/publish", `{"unpublishAt":null}`},
		{"POST", entry + "/publish", `{"publishAt":"2099-01-01T00:00:00Z"}`},
		{"DELETE", entry + "/schedule", ""},
	}
	refused := func(users ...string) {
		t.Helper()
		before := n.request(t, "machine")
		for _, user := range users {
			for _, d := range doors {
				wantProblem(t, n.send(t, user, d.method, d.path, d.body), 403)
			}
		}
		for _, body := range []string{`{"published":true,"unpublishAt":null}`, `{"published":true,"publishAt":"2099-01-01T00:00:00Z"}`} {
			wantProblem(t, n.send(t, "token of the head", "PATCH", "{public}/{machine}", body), 403)
			wantProblem(t, n.send(t, "token full", "PATCH", "{public}/{machine}", body), 403)
		}
		after := n.request(t, "machine")
		if len(after.Actions) != len(before.Actions) || *after.ScheduledUnpublishAt != *before.ScheduledUnpublishAt || *after.ScheduledPublishAt != *before.ScheduledPublishAt {
			t.Errorf("the request became %+v", after)
		}
	}
	refused("chief", "head")
	n.mustSend(t, "editor", "PATCH", entry, `{"published":true,"unpublishAt":"2102-01-01T00:00:00Z"}`, 200)
	if r := n.request(t, "machine"); *r.ScheduledUnpublishAt != "2102-01-01T00:00:00.000Z" || r.Actions[len(r.Actions)-1].Type != "reschedule" {
		t.Errorf("the submitter's change left %+v", r)
	}
	n.decide(t, "chief", "machine", "approve", "", 200)
	refused("editor", "chief", "head")
	n.decide(t, "second", "machine", "approve", "", 200)
	refused("editor", "second", "head")
	n.mustSend(t, "editor", "PATCH", entry, `{"published":true,"unpublishAt":"2102-01-01T00:00:00Z"}`, 200) // the present time
	n.decide(t, "tenantAdmin", "machine", "approve", "", 200)
	refused("editor", "chief", "second", "head")
	for _, user := range []string{"editor", "chief", "second", "head"} {
		wantProblem(t, n.send(t, user, "POST", entry+"/approval/publish-now", ""), 403)
	}
	wantProblem(t, n.send(t, "tenantAdmin", "DELETE", entry+"/schedule", ""), 409)
	n.mustSend(t, "tenantAdmin", "PUT", entry+"/approval/schedule", `{"unpublishAt":null}`, 200)
	n.decide(t, "tenantAdmin", "machine", "publish-now", "", 200)
	n.wantPublic(t, "machine", "By a token")
}

// verifiesBothFormats rewrites a record as it was before format 2 in the database. The program, its
// command and the verifiers in JavaScript accept it beside a record of format 2.
func (n *newsroom) verifiesBothFormats(t *testing.T) {
	t.Helper()
	if found, byNode := n.audit(t, "{content}/{machine}"); found != "" || byNode != "" {
		t.Fatalf("format 2: faults %q, verifier %q", found, byNode)
	}
	n.createEntry(t, "old", `{"published":true,"fields":{"title":"From before"}}`)
	n.approveAs(t, "old", "chief", "second", "head")
	db := openDatabase(t, n.database)
	n.toFormat1(t, db, "old")
	for entry, format := range map[string]float64{"old": 1, "machine": 2} {
		if found, byNode := n.audit(t, "{content}/{"+entry+"}"); found != "" || byNode != "" {
			t.Errorf("%s: faults %q, verifier %q", entry, found, byNode)
		}
		terms := decode[struct{ Terms map[string]any }](t, n.mustSend(t, "viewer", "GET", "{content}/{"+entry+"}/approval/audit", "", 200)).Terms
		if _, has := terms["contributors"]; terms["format"] != format || has != (format == 2) {
			t.Errorf("%s has the terms %v", entry, terms)
		}
		proof := filepath.Join(t.TempDir(), "proof.json")
		if err := os.WriteFile(proof, n.mustSend(t, "viewer", "GET", "{content}/{"+entry+"}/publications/1/proof", "", 200).body, 0o600); err != nil {
			t.Fatal(err)
		}
		if output, _, err := program.Run(t, "", "verify", proof); err != nil && !strings.Contains(output, "consistent") {
			t.Errorf("%s: verify says %s, %v", entry, output, err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE approval_requests SET contributors = '[]' WHERE id IN (SELECT request_id FROM request_items WHERE entry_id = $1)", n.ids["machine"]); err != nil {
		t.Fatal(err)
	}
	if found, byNode := n.audit(t, "{content}/{machine}"); found != "terms" || byNode != found {
		t.Errorf("without the contributors: faults %q, verifier %q", found, byNode)
	}
}

// approveAs approves the entry's request as the users, in order.
func (n *newsroom) approveAs(t *testing.T, entry string, users ...string) {
	t.Helper()
	for _, user := range users {
		n.decide(t, user, entry, "approve", "", 200)
	}
}

// toFormat1 gives the record of the entry's request the format 1: terms without contributors, and
// all hashes of the chain.
func (n *newsroom) toFormat1(t *testing.T, db *sql.DB, entry string) {
	t.Helper()
	a := decode[struct {
		Terms   map[string]any
		Actions []map[string]any
	}](t, n.mustSend(t, "viewer", "GET", "{content}/{"+entry+"}/approval/audit", "", 200))
	a.Terms["format"] = 1
	delete(a.Terms, "contributors")
	previous := canonicalHash(t, a.Terms)
	for _, action := range a.Actions {
		id := action["id"]
		delete(action, "id")
		delete(action, "hash")
		action["previousHash"] = previous
		hash := canonicalHash(t, action)
		if _, err := db.ExecContext(t.Context(), "UPDATE approval_actions SET previous_hash = $1, hash = $2 WHERE id = $3", previous, hash, int64(id.(float64))); err != nil {
			t.Fatal(err)
		}
		previous = hash
	}
	if _, err := db.ExecContext(t.Context(), "UPDATE approval_requests SET record_format = 1, contributors = '[]', chain_hash = $1"+
		" WHERE id IN (SELECT request_id FROM request_items WHERE entry_id = $2)", previous, n.ids[entry]); err != nil {
		t.Fatal(err)
	}
}

func canonicalHash(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err == nil {
		raw, err = canonical.Transform(raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	return canonical.Hash(raw)
}

// TestDraftsAreForReaders checks that a holder of a custom role who may not read the entry sees
// nothing of its draft.
func TestDraftsAreForReaders(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.submit(t, "shown", "Submitted")
		n.mustSend(t, "editor", "PATCH", "{content}/{shown}", `{"fields":{"title":"canary"}}`, 200)
		wantProblem(t, n.send(t, "legal", "GET", "{content}/{shown}", ""), 404)
		for _, view := range []string{"", "/diff", "/changes", "/audit", "/history"} {
			if a := n.mustSend(t, "legal", "GET", "{content}/{shown}/approval"+view, "", 200); strings.Contains(string(a.body), "canary") {
				t.Errorf("approval%s: %s", view, a.body)
			}
		}
		d := decode[map[string]any](t, n.mustSend(t, "legal", "GET", "{content}/{shown}/approval/diff", "", 200))
		if d["draft"] != nil || d["snapshotToDraft"] != nil || !strings.Contains(fmt.Sprint(d["publishedToSnapshot"]), "Submitted") {
			t.Errorf("the comparison is %v", d)
		}
		if a := n.mustSend(t, "viewer", "GET", "{content}/{shown}/approval/diff", "", 200); !strings.Contains(string(a.body), "canary") {
			t.Errorf("a viewer sees %s", a.body)
		}
	})
}

// TestDeactivationRevokesTokens deactivates the creator of tokens that are in use.
func TestDeactivationRevokesTokens(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.headers(t, "second")
		secrets := map[string]string{}
		for name, in := range map[string]string{
			"site": `"abilities":["read"]`, "drafts": `"abilities":["read"],"allowDrafts":true`, "history": `"abilities":["read"],"allowHistory":true`, "writer": `"abilities":["read","update"]`,
		} {
			secrets[name] = decode[struct{ Secret string }](t, n.mustSend(t, "second", "POST", "/api/projects/{site}/tokens", `{"name":"`+name+`",`+in+`}`, 201)).Secret
			n.users.mutex.Lock()
			n.users.headers["token "+name] = []string{"Authorization: Bearer " + secrets[name]}
			n.users.mutex.Unlock()
			n.mustSend(t, "token "+name, "GET", "{public}", "", 200)
		}
		path := fmt.Sprint("/api/users/", n.users.ids["second"])
		before := decode[struct {
			Data []struct {
				Name, ProjectName string
				ReadOnly          bool
			}
		}](t, n.mustSend(t, "tenantAdmin", "GET", path+"/tokens", "", 200)).Data
		if len(before) != 4 || before[0].ProjectName != "Site" {
			t.Errorf("before: %+v", before)
		}
		for _, token := range before {
			if token.ReadOnly != (token.Name == "site") {
				t.Errorf("before: %+v", token)
			}
		}
		for _, body := range []string{`{"tokens":"revoke"}`, `{"active":true,"tokens":"keep"}`, `{"active":false,"tokens":"some"}`} {
			wantProblem(t, n.send(t, "tenantAdmin", "PATCH", path, body), 422)
		}
		type list struct{ Data []struct{ Name string } }
		ended := decode[struct{ Tokens struct{ Revoked, Kept list } }](t, n.mustSend(t, "tenantAdmin", "PATCH", path, `{"active":false}`, 200)).Tokens
		if len(ended.Revoked.Data) != 3 || len(ended.Kept.Data) != 1 || ended.Kept.Data[0].Name != "site" {
			t.Errorf("the answer is %+v", ended)
		}
		for name := range secrets {
			want := 401
			if name == "site" {
				want = 200
			}
			if a := n.send(t, "token "+name, "GET", "{public}", ""); a.status != want {
				t.Errorf("%s: %d, want %d", name, a.status, want)
			}
		}
		n.mustSend(t, "tenantAdmin", "PATCH", path, `{"active":false,"tokens":"revoke"}`, 200)
		wantProblem(t, n.send(t, "token site", "GET", "{public}", ""), 401)
	})
}
