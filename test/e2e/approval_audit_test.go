package e2e

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// audit is the verified audit trail of a request.
type audit struct {
	Valid, SnapshotValid bool
	Faults               []struct{ Location string }
	Actions              []struct{ ID int64 }
}

// tampering is a change written directly to the database.
type tampering struct {
	table, column, to string // to is an SQL expression
	path              string // of the audit; empty for the entry's own
	faults            string // expected locations, sorted
}

// tamperings apply to a request that a token submitted, that three users approved and that
// is scheduled. Those of approval_actions change its second action.
var tamperings = []tampering{
	{"approval_requests", "tenant_id", "tenant_id + 1", "", "terms"},
	{"request_items", "collection_id", "99", "/api/projects/{site}/collections/99/content/{audited}", "terms"},
	{"request_items", "entry_id", "9999", "{content}/9999", "terms"},
	{"request_items", "locale", "'de'", "", "terms"},
	{"approval_requests", "release_year", "1999", "", "terms"},
	{"approval_requests", "release_count", "4711", "", "terms"},
	{"approval_requests", "steps", `replace(steps, '"allowRejection":true', '"allowRejection":false')`, "", "terms"},
	{"approval_requests", "steps", "'[]'", "", "terms"},
	{"approval_requests", "allow_self_approval", "NOT allow_self_approval", "", "terms"},
	{"approval_requests", "submitter_kind", "'user'", "", "terms"},
	{"approval_requests", "submitter_id", "submitter_id + 1", "", "terms"},
	{"approval_requests", "submitter_name", "'Mallory'", "", "terms"},
	{"approval_requests", "submitter_maker", "0", "", "terms"},
	{"approval_requests", "submitted_at", "submitted_at + 1000", "", "terms"},
	{"approval_requests", "contributors", `'[{"kind":"user","id":1,"name":"Mallory"}]'`, "", "terms"},
	{"approval_requests", "status", "'rejected'", "", "state.status"},
	{"approval_requests", "status", "'pending'", "", "state.status"},
	{"approval_requests", "version", "version + 1", "", "state.version"},
	{"approval_requests", "current_step", "0", "", "state.stepIndex"},
	{"approval_requests", "scheduled_at", "scheduled_at - 3600000", "", "state.scheduledPublishAt"},
	{"approval_requests", "scheduled_at", "NULL", "", "state.scheduledPublishAt"},
	{"approval_requests", "unpublish_at", "unpublish_at + 1", "", "state.scheduledUnpublishAt"},
	{"approval_requests", "unpublish_at", "NULL", "", "state.scheduledUnpublishAt"},
	{"approval_requests", "published_at", "submitted_at", "", "state.publishedAt"},
	{"approval_requests", "approvals", `'[{"stepId":1,"person":1}]'`, "", "state.approvers"},
	{"approval_requests", "chain_hash", "'c0ffee'", "", "chainHash"},
	{"request_items", "content_hash", "'c0ffee'", "", "actions[0].contentHash actions[1].contentHash actions[2].contentHash actions[3].contentHash snapshot terms"},
	{"request_items", "snapshot", "replace(snapshot, 'Audited', 'Slipped in')", "", "snapshot"},

	{"approval_actions", "type", "'reject'", "", "actions[1]"},
	{"approval_actions", "step_order", "2", "", "actions[1]"},
	{"approval_actions", "actor_kind", "'token'", "", "actions[1]"},
	{"approval_actions", "actor_id", "1", "", "actions[1]"},
	{"approval_actions", "actor_name", "'Mallory'", "", "actions[1]"},
	{"approval_actions", "actor_maker", "1", "", "actions[1]"},
	{"approval_actions", "comment", "'Looks fine'", "", "actions[1]"},
	{"approval_actions", "content_hash", "'c0ffee'", "", "actions[1] actions[1].contentHash"},
	{"approval_actions", "draft_hash", "'c0ffee'", "", "actions[1]"},
	{"approval_actions", "scheduled_at", "created_at", "", "actions[1]"},
	{"approval_actions", "unpublish_at", "created_at", "", "actions[1]"},
	{"approval_actions", "created_at", "created_at + 1", "", "actions[1]"},
	{"approval_actions", "outcome", `replace(outcome, '"pending"', '"approved"')`, "", "actions[1]"},
}

// TestAuditFindsTampering changes the stored request directly in the database. The program
// and an independent verifier in JavaScript must both report each change.
func TestAuditFindsTampering(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		a := n.mustSend(t, "token full", "POST", "{public}", `{"published":true,"publishAt":"2100-01-02T15:04:05Z","unpublishAt":"2101-01-02T15:04:05Z","fields":{"title":"Audited ü <b>&</b> \u2028 😀"}}`, 201)
		n.ids["audited"] = int(decode[map[string]any](t, a)["id"].(float64))
		n.mustSend(t, "editor", "PATCH", "{content}/{audited}", `{"fields":{"note":"hidden"}}`, 200)
		n.decide(t, "chief", "audited", "approve", `{"comment":"\"Fine\" \\ <b>ü</b> \u2028\u007f😀\n"}`, 200)
		n.mustSend(t, "editor", "PATCH", "{content}/{audited}", `{"fields":{"title":"Edited"}}`, 200)
		n.decide(t, "legal", "audited", "approve", "", 200)
		n.decide(t, "head", "audited", "approve", "", 200)
		if found, byNode := n.audit(t, "{content}/{audited}"); found != "" || byNode != "" {
			t.Fatalf("before tampering: faults %q, verifier %q", found, byNode)
		}
		db := openDatabase(t, n.database)
		id := n.request(t, "audited").ID
		action := decode[audit](t, n.mustSend(t, "viewer", "GET", "{content}/{audited}/approval/audit", "", 200)).Actions[1].ID
		for _, c := range tamperings {
			row, path := any(id), "{content}/{audited}"
			if c.table == "approval_actions" {
				row = action
			}
			if c.path != "" {
				path = c.path
			}
			restore := tamper(t, db, c, row)
			found, byNode := n.audit(t, path)
			if found != c.faults || byNode != c.faults {
				t.Errorf("%s.%s = %s: faults %q, verifier %q, want %q", c.table, c.column, c.to, found, byNode, c.faults)
			}
			restore()
		}
		if found, byNode := n.audit(t, "{content}/{audited}"); found != "" || byNode != "" {
			t.Fatalf("after restoring: faults %q, verifier %q", found, byNode)
		}
		if _, err := db.ExecContext(t.Context(), "DELETE FROM approval_actions WHERE id = $1", action); err != nil {
			t.Fatal(err)
		}
		if found, byNode := n.audit(t, "{content}/{audited}"); found != "actions[1].previousHash" || byNode != found {
			t.Errorf("with an action deleted: faults %q, verifier %q", found, byNode)
		}
	})
}

// audit returns the sorted fault locations of the entry's request, as reported by the
// program and by the JavaScript verifier.
func (n *newsroom) audit(t *testing.T, entry string) (found, byNode string) {
	t.Helper()
	a := n.mustSend(t, "tenantAdmin", "GET", entry+"/approval/audit", "", 200)
	result := decode[audit](t, a)
	var places []string
	for _, f := range result.Faults {
		places = append(places, f.Location)
	}
	slices.Sort(places)
	if text := strings.Join(places, " "); result.Valid != (text == "") || result.SnapshotValid && strings.Contains(text, "snapshot") {
		t.Errorf("valid is %v and snapshotValid %v with faults at %q", result.Valid, result.SnapshotValid, places)
	}
	files := make([]string, 2)
	for i, text := range [][]byte{a.body, n.mustSend(t, "tenantAdmin", "GET", entry+"/approval", "", 200).body} {
		files[i] = filepath.Join(t.TempDir(), "response.json")
		if err := os.WriteFile(files[i], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output, err := exec.CommandContext(t.Context(), "node", append([]string{"../conformance/verify-audit.mjs"}, files...)...).Output()
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1 || len(failed.Stderr) > 0) {
		t.Fatalf("the verifier: %v", err)
	}
	lines := strings.Fields(string(output))
	slices.Sort(lines)
	return strings.Join(places, " "), strings.Join(lines, " ")
}

// openDatabase connects to the program's database.
func openDatabase(t *testing.T, database string) *sql.DB {
	t.Helper()
	driver, source := "pgx", database
	if file, ok := strings.CutPrefix(database, "sqlite:"); ok {
		driver, source = "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the test is over
	return db
}

// tamper changes one column of one row and returns a function that restores it.
func tamper(t *testing.T, db *sql.DB, c tampering, id any) (restore func()) {
	t.Helper()
	where := " WHERE id = $1"
	if c.table == "request_items" {
		where = " WHERE request_id = $1"
	}
	var before any
	if err := db.QueryRowContext(t.Context(), "SELECT "+c.column+" FROM "+c.table+where, id).Scan(&before); err != nil {
		t.Fatal(err)
	}
	set := func(to string, args ...any) {
		t.Helper()
		result, err := db.ExecContext(t.Context(), "UPDATE "+c.table+" SET "+c.column+" = "+to+where, append([]any{id}, args...)...)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if changed, err := result.RowsAffected(); err != nil || changed != 1 {
			t.Fatalf("%+v: %d rows, %v", c, changed, err)
		}
	}
	set(c.to)
	return func() { set("$2", before) }
}
