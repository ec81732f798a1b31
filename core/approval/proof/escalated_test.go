package proof_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// TestEscalatedApprovals has approvals that their users could give only because a step was escalated.
func TestEscalatedApprovals(t *testing.T) {
	t.Parallel()
	f := setup(t)
	text := f.reviewed(t)
	signer := f.signer(t)
	steps := func(escalate any) list {
		return list{rule(1, 1, object{"escalate": escalate}), rule(2, 2, object{"escalate": escalate}), rule(3, 3, nil)}
	}
	after := func(hours any) object { return object{"after": hours, "requiredRoleKind": "tenant_admin"} }
	var all []judged
	for _, c := range []struct {
		name     string
		escalate any
		passed   []time.Duration // from the submission to the approvals
		by       map[int]any
		want     string
	}{
		{"at the time", after(2), []time.Duration{2 * time.Hour, 4 * time.Hour, 4 * time.Hour}, map[int]any{0: "escalation", 1: "escalation"}, ""},
		{"long after", after(2), []time.Duration{20 * time.Hour, 40 * time.Hour, 40 * time.Hour}, map[int]any{0: "escalation", 1: "escalation"}, ""},
		{"of those who could from the start", after(2), []time.Duration{0, 0, 0}, nil, ""},
		{"a moment too early", after(2), []time.Duration{2*time.Hour - time.Millisecond, 9 * time.Hour, 9 * time.Hour}, map[int]any{0: "escalation"}, "before the step is escalated"},
		{"counted from the submission", after(2), []time.Duration{2 * time.Hour, 3 * time.Hour, 9 * time.Hour}, map[int]any{1: "escalation"}, "before the step is escalated"},
		{"a step without", after(2), []time.Duration{2 * time.Hour, 4 * time.Hour, 9 * time.Hour}, map[int]any{2: "escalation"}, "not escalated"},
		{"another word", after(2), []time.Duration{9 * time.Hour, 9 * time.Hour, 9 * time.Hour}, map[int]any{0: "chance"}, "must be escalation"},
		{"null", after(2), []time.Duration{9 * time.Hour, 9 * time.Hour, 9 * time.Hour}, map[int]any{0: nil}, "must be escalation"},
		{"at once", after(0), []time.Duration{9 * time.Hour, 9 * time.Hour, 9 * time.Hour}, nil, "escalate"},
		{"in words", after("2"), []time.Duration{9 * time.Hour, 9 * time.Hour, 9 * time.Hour}, nil, "escalate"},
		{"no object", "tenant_admin", []time.Duration{9 * time.Hour, 9 * time.Hour, 9 * time.Hour}, nil, "escalate"},
	} {
		p := released(t, text, steps(c.escalate), approving{1, 3, 0}, approving{2, 4, 0}, approving{3, 5, 0})
		submitted, err := time.Parse(time.RFC3339, part(p, "request", "terms")["submittedAt"].(string))
		require.NoError(t, err)
		for i, passed := range c.passed {
			a := action(p, i+1)
			a["createdAt"] = core.FormatTime(submitted.Add(passed))
			if by, has := c.by[i]; has {
				a["by"] = by
			}
		}
		published := core.FormatTime(submitted.Add(c.passed[2]))
		action(p, 4)["createdAt"], part(p, "publication")["publishedAt"] = published, published
		for _, o := range []object{action(p, 3)["outcome"].(object), action(p, 4)["outcome"].(object), part(p, "request", "state")} {
			o["publishedAt"] = published
		}
		regroup(p)
		all = append(all, judged{c.name, p, c.want})
	}
	judge(t, signer, all...)
}
