package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// Signatures by password, as a client sees them. Those of passkeys are tested in core/approval/proof.
func TestSignatures(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		const workflow, request = "/api/projects/{site}/approval-workflow", "{content}/{story}/approval"
		long := strings.Repeat("m", 201)
		for _, bad := range []string{`{}`, `{"meanings":[]}`, `{"meanings":[""]}`, `{"meanings":["a","a"]}`, `{"meanings":["` + long + `"]}`, `{"meanings":["1","2","3","4","5","6","7","8","9","10","11"]}`} {
			n.mustSend(t, "tenantAdmin", "PUT", workflow, `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","signature":`+bad+`}]}`, 422)
		}
		n.mustSend(t, "tenantAdmin", "PUT", workflow, `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","reauthenticate":true,"signature":{"meanings":["I reviewed this","I release this"]}}]}`, 200)
		n.submit(t, "story", "Story")
		refused := string(n.mustSend(t, "chief", "POST", request+"/approve", `{}`, 403).body)
		if !strings.Contains(refused, `"signature_required"`) {
			t.Errorf("without a signature: %s", refused)
		}
		n.mustSend(t, "viewer", "POST", request+"/challenge", `{"decision":"approve","meaning":"I reviewed this"}`, 403)
		for _, bad := range []string{`{"decision":"approve","meaning":"Other"}`, `{"decision":"publish","meaning":"I reviewed this"}`, `{"decision":"request_revision","meaning":"I reviewed this"}`, `{"meaning":"I reviewed this"}`} {
			n.mustSend(t, "chief", "POST", request+"/challenge", bad, 422)
		}
		type challenge struct{ Challenge, Payload, ExpiresAt string }
		begin := func(comment string) challenge {
			body, err := json.Marshal(map[string]any{"decision": "approve", "meaning": "I release this", "comment": comment})
			if err != nil {
				t.Fatal(err)
			}
			return decode[challenge](t, n.mustSend(t, "chief", "POST", request+"/challenge", string(body), 200))
		}
		answer := func(c challenge, secret, comment string) string {
			return `{"comment":"` + comment + `","signature":{"challenge":"` + c.Challenge + `","password":"` + secret + `"}}`
		}
		first := begin("Fine.")
		if !strings.Contains(first.Payload, `"decision":"approve"`) || !strings.Contains(first.Payload, `"meaning":"I release this"`) {
			t.Errorf("the payload: %s", first.Payload)
		}
		n.mustSend(t, "chief", "POST", request+"/approve", answer(first, "a wrong password", "Fine."), 422)
		n.mustSend(t, "chief", "POST", request+"/approve", answer(first, password, "Another comment."), 422)
		n.mustSend(t, "chief", "POST", request+"/reject", answer(first, password, "Fine."), 422)
		n.mustSend(t, "head", "POST", request+"/approve", answer(first, password, "Fine."), 410)
		second := begin("Fine.")
		n.mustSend(t, "chief", "POST", request+"/approve", answer(first, password, "Fine."), 410)
		n.mustSend(t, "chief", "POST", request+"/approve", answer(second, password, "Fine."), 200)
		n.wantProof(t, "viewer", "{content}/{story}/publications/1", "Story", "1 signed approvals, 0 of them by passkeys")
		if found, byNode := n.audit(t, "{content}/{story}"); found != "" || byNode != "" {
			t.Errorf("faults %q, verifier %q", found, byNode)
		}
		record := string(n.mustSend(t, "viewer", "GET", request+"/audit", "", 200).body)
		if strings.Contains(record, `"verified"`) || !strings.Contains(record, `"method":"password"`) || strings.Contains(record, password) {
			t.Errorf("the record: %s", record)
		}
	})
}
