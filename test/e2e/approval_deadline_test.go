package e2e

import (
	"strings"
	"testing"
	"time"

	"imprimatur/core"
)

// Deadlines and escalations, as a client sees them. The test sets the clock forward by setting the request back.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		const workflow = "/api/projects/{site}/approval-workflow"
		const steps = `{"steps":[{"stepOrder":1,"requiredRoleKind":"department_admin","dueIn":24,"escalate":{"after":48,"requiredRoleKind":"admin"}},{"stepOrder":2,"requiredRoleKind":"department_admin"}]}`
		for _, bad := range []string{`"dueIn":0`, `"dueIn":2161`, `"dueIn":1.5`, `"escalate":{"after":1}`, `"escalate":{"requiredRoleKind":"admin"}`} {
			n.mustSend(t, "tenantAdmin", "PUT", workflow, `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin",`+bad+`}]}`, 422)
		}
		n.mustSend(t, "tenantAdmin", "PUT", workflow, steps, 200)
		n.submit(t, "story", "Story")
		tried := string(n.mustSend(t, "editor", "POST", workflow+"/try", n.fill(`{"entryId":{story}}`), 200).body)
		if !strings.Contains(tried, `"dueIn":24`) {
			t.Errorf("the trial: %s", tried)
		}
		const request = "{content}/{story}/approval"
		view := string(n.mustSend(t, "viewer", "GET", request, "", 200).body)
		for _, want := range []string{`"overdue":false`, `"dueIn":24`, `"escalate":{"after":48,"requiredRoleKind":"admin"}`, `"escalatesAt":"20`, `"dueAt":"20`} {
			if !strings.Contains(view, want) {
				t.Errorf("the request lacks %s: %s", want, view)
			}
		}
		n.mustSend(t, "chief", "POST", request+"/approve", `{}`, 403)
		for _, list := range []string{"pending", "pending?overdue=true", "submitted?overdue=true"} {
			for _, user := range []string{"chief", "editor"} {
				if got := string(n.mustSend(t, user, "GET", "/api/approvals/"+list, "", 200).body); !strings.Contains(got, `"total":0`) {
					t.Errorf("%s of %s: %s", list, user, got)
				}
			}
		}

		n.backdate(t, "story", 49)
		for list, user := range map[string]string{"pending?sort=dueAt:asc": "chief", "pending?overdue=true": "head", "submitted?overdue=true&sort=dueAt:desc": "editor"} {
			if got := string(n.mustSend(t, user, "GET", "/api/approvals/"+list, "", 200).body); !strings.Contains(got, `"total":1`) || !strings.Contains(got, `"overdue":true`) {
				t.Errorf("%s of %s: %s", list, user, got)
			}
		}
		n.mustSend(t, "chief", "GET", "/api/approvals/pending?sort=due", "", 400)
		n.mustSend(t, "chief", "GET", "/api/approvals/pending?overdue=false", "", 400)
		n.mustSend(t, "viewer", "POST", request+"/approve", `{}`, 403)
		n.mustSend(t, "chief", "POST", request+"/approve", `{}`, 200)
		n.mustSend(t, "head", "POST", request+"/approve", `{}`, 200)
		n.wantProof(t, "viewer", "{content}/{story}/publications/1", "Story", "approved at all 2 steps, 4 actions")
		if found, byNode := n.audit(t, "{content}/{story}"); found != "" || byNode != "" {
			t.Errorf("faults %q, verifier %q", found, byNode)
		}
		record := string(n.mustSend(t, "viewer", "GET", request+"/audit", "", 200).body)
		if strings.Count(record, `"by":"escalation"`) != 1 || !strings.Contains(record, `"format":3`) || strings.Contains(record, `"dueIn"`) {
			t.Errorf("the record: %s", record)
		}
	})
}

// backdate makes the request of an entry, which is at its first step, some hours older, with its record.
func (n *newsroom) backdate(t *testing.T, entry string, hours int) {
	t.Helper()
	a := decode[struct {
		Terms   map[string]any
		Actions []map[string]any
	}](t, n.mustSend(t, "viewer", "GET", "{content}/{"+entry+"}/approval/audit", "", 200))
	submitted, err := time.Parse(time.RFC3339, a.Terms["submittedAt"].(string))
	if err != nil || len(a.Actions) != 1 {
		t.Fatalf("%d actions, %v", len(a.Actions), err)
	}
	at := submitted.Add(-time.Duration(hours) * time.Hour)
	action := a.Actions[0]
	id := int64(action["id"].(float64))
	a.Terms["submittedAt"], action["createdAt"] = core.FormatTime(at), core.FormatTime(at)
	delete(action, "id")
	delete(action, "hash")
	action["previousHash"] = canonicalHash(t, a.Terms)
	hash, db := canonicalHash(t, action), openDatabase(t, n.database)
	for _, statement := range []struct {
		text string
		args []any
	}{
		{"UPDATE approval_actions SET created_at = $1, previous_hash = $2, hash = $3 WHERE id = $4", []any{at.UnixMilli(), action["previousHash"], hash, id}},
		{"UPDATE approval_requests SET submitted_at = $1, chain_hash = $2, open_since = $1, due_at = due_at - $3, escalate_at = escalate_at - $3" +
			" WHERE id IN (SELECT request_id FROM request_items WHERE entry_id = $4)", []any{at.UnixMilli(), hash, int64(hours) * 3_600_000, n.ids[entry]}},
		{"UPDATE approval_waits SET since = $1, escalate_at = escalate_at - $2 WHERE request_id IN (SELECT request_id FROM request_items WHERE entry_id = $3)", []any{at.UnixMilli(), int64(hours) * 3_600_000, n.ids[entry]}},
	} {
		if _, err := db.ExecContext(t.Context(), statement.text, statement.args...); err != nil {
			t.Fatal(err)
		}
	}
}
