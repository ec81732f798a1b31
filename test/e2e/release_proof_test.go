package e2e

import (
	"strings"
	"testing"
)

// TestProofsOfReleases has a release of three members reviewed. Both verifiers accept its record and the proof of
// each published member, and both report changes of the stored release.
func TestProofsOfReleases(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.submit(t, "away", "Away")
		n.approve(t, "away", 3)
		n.createEntry(t, "one", `{"fields":{"title":"First of two"}}`)
		n.createEntry(t, "two", `{"fields":{"title":"Second of two"}}`)
		n.release(t, siteReleases, "launch")
		n.putMembers(t, "launch", `{"entryId":{two}}`, `{"entryId":{away},"action":"unpublish"}`, `{"entryId":{one}}`)
		const launch = siteReleases + "/{launch}"
		n.mustSend(t, "editor", "POST", launch+"/publish", "", 202)
		for _, user := range []string{"chief", "legal", "head"} {
			n.mustSend(t, user, "POST", launch+"/approval/approve", `{"comment":"Fine <b>"}`, 200)
		}
		audited := string(n.mustSend(t, "viewer", "GET", launch+"/approval/audit", "", 200).body)
		for _, part := range []string{
			`"format":3`, `"kind":"release"`, `"entryId":null`, `"collectionId":null`, `"locale":null`, `"draftHash":null`, `"stepId":3`, `"approvals":[{"stepId":1,`,
			n.fill(`"release":{"id":{launch},"name":"launch","members":[{"entry":{away},"collection":"articles","locale":"en","action":"unpublish","base":{"number":1,"hash":"`),
			n.fill(`{"entry":{one},"collection":"articles","locale":"en","action":"publish","hash":"`),
		} {
			if !strings.Contains(audited, part) {
				t.Errorf("the record has no %s: %s", part, audited)
			}
		}
		if found, byNode := n.audit(t, launch); found != "" || byNode != "" {
			t.Errorf("faults %q, verifier %q", found, byNode)
		}
		for name, titles := range map[string][2]string{"one": {"First of two", "Second of two"}, "two": {"Second of two", "First of two"}} {
			n.wantProof(t, "viewer", "{content}/{"+name+"}/publications/1", titles[0], `one of 3 members of the release "launch"`)
			text := string(n.mustSend(t, "viewer", "GET", "{content}/{"+name+"}/publications/1/proof", "", 200).body)
			if strings.Contains(text, titles[1]) || strings.Contains(text, "Away") || !strings.Contains(text, `"format":3,"content"`) {
				t.Errorf("the proof of %s shows more than its content: %s", name, text)
			}
		}
		n.wantProof(t, "viewer", "{content}/{away}/publications/1", "Away", "approved at all 3 steps, 5 actions")
		n.changeRelease(t, launch)
	})
}

// changeRelease changes the stored request of a release directly in the database.
func (n *newsroom) changeRelease(t *testing.T, launch string) {
	t.Helper()
	db := openDatabase(t, n.database)
	id := decode[request](t, n.mustSend(t, "viewer", "GET", launch+"/approval", "", 200)).ID
	const all = "actions[0].contentHash actions[1].contentHash actions[2].contentHash actions[3].contentHash actions[4].contentHash terms terms.contentHash"
	for _, c := range []tampering{
		{"approval_requests", "release_name", "'other'", "", "terms terms.contentHash"},
		{"approval_requests", "release_hash", "'c0ffee'", "", all},
		{"approval_requests", "approvals", `'[{"stepId":1,"person":1}]'`, "", "state.approvals"},
		{"approval_requests", "record_format", "2", "", ""},
	} {
		restore := tamper(t, db, c, id)
		found, byNode := n.audit(t, launch)
		if c.faults != "" && (found != c.faults || byNode != c.faults) || found == "" || byNode == "" {
			t.Errorf("%s = %s: faults %q, verifier %q, want %q", c.column, c.to, found, byNode, c.faults)
		}
		restore()
	}
	for change, faults := range map[string]string{
		"collection = 'other'":                                "terms terms.contentHash",
		"content_hash = 'c0ffee'":                             "terms terms.contentHash terms.release.members[1]",
		"base_hash = 'c0ffee', base_number = 7":               "terms terms.contentHash",
		"action = 'unpublish'":                                "terms terms.contentHash terms.release.members[1]",
		"snapshot = replace(snapshot, 'First', 'Slipped in')": "terms.release.members[1]",
		"locale = 'de'":                                       "terms terms.contentHash",
	} {
		columns := strings.SplitN(change, " ", 2)[0]
		var before string
		if err := db.QueryRowContext(t.Context(), "SELECT "+columns+" FROM request_items WHERE request_id = $1 AND entry_id = $2", id, n.ids["one"]).Scan(&before); err != nil && columns != "base_hash" {
			t.Fatal(err)
		}
		set := func(to string, args ...any) {
			if _, err := db.ExecContext(t.Context(), "UPDATE request_items SET "+to+" WHERE request_id = $1 AND entry_id = $2", append([]any{id, n.ids["one"]}, args...)...); err != nil {
				t.Fatal(err)
			}
		}
		set(change)
		if found, _ := n.audit(t, launch); found != faults {
			t.Errorf("%s: faults %q, want %q", change, found, faults)
		}
		if columns == "base_hash" {
			set("base_hash = NULL, base_number = NULL")
		} else {
			set(columns+" = $3", before)
		}
	}
	if found, byNode := n.audit(t, launch); found != "" || byNode != "" {
		t.Errorf("after restoring: faults %q, verifier %q", found, byNode)
	}
}
