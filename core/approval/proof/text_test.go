package proof_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/comments"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/test/newsroom"
)

// record returns the record of the latest request of a subject as the API answers it, with the comments on it and their
// random bytes.
func (s *signers) record(t testing.TB, ref review.Subject) object {
	t.Helper()
	audit, err := s.Reviews.Audit(t.Context(), s.Actor("super"), ref)
	require.NoError(t, err)
	require.Empty(t, audit.Faults)
	said, err := s.Reviews.Comments(t.Context(), s.Actor("super"), ref)
	require.NoError(t, err)
	all := list{}
	for _, shown := range said {
		c, err := s.Stores.Comments.Comment(t.Context(), s.Project.ID, shown.ID)
		require.NoError(t, err)
		one := object{"id": c.ID, "hash": c.Hash, "state": shown.State(), "text": c.Text, "salt": nil}
		if c.Salt != nil {
			one["salt"] = base64.StdEncoding.EncodeToString(c.Salt)
		}
		all = append(all, one)
	}
	text, err := core.EncodeJSON(audit.Record())
	require.NoError(t, err)
	return object{"record": json.RawMessage(text), "comments": all}
}

// TestRecordsAreAsTheTextSays compares records that have every member with api/audit.md and api/proof.md, byte by byte, by
// a program that knows only the texts.
func TestRecordsAreAsTheTextSays(t *testing.T) {
	t.Parallel()
	s := newSigners(t)
	all := list{s.fullEntry(t), s.fullRelease(t), s.plainEntry(t)}
	var proofs list
	for _, of := range []struct{ id, number int64 }{{s.released, 2}, {s.plain, 1}} {
		proofs = append(proofs, json.RawMessage(s.proof(t, of.id, of.number)))
	}
	input, err := json.Marshal(object{"records": all, "proofs": proofs})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "records.json")
	require.NoError(t, os.WriteFile(file, input, 0o600))
	output, err := exec.CommandContext(t.Context(), "node", "../../../test/conformance/record-text.mjs", "../../../api/audit.md", "../../../api/proof.md", file).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// fullEntry is a request of an entry whose steps and decisions use everything.
func (s *signers) fullEntry(t *testing.T) object {
	t.Helper()
	self := true
	first := newsroom.DelegableStep(1, core.RoleDepartmentAdmin)
	first.Approvals, first.Escalate, first.StepLabel = new(2), &approval.EscalationInput{After: 2, RequiredRoleKind: string(core.RoleAdmin)}, new("Desk \u201c\u00e9\u201d")
	beside := newsroom.CustomRoleStep(1, s.Legal)
	beside.Escalate = &approval.EscalationInput{After: 4, RequiredCustomRoleID: &s.Legal.ID}
	left := newsroom.Step(2, core.RoleAdmin)
	left.When = &review.Condition{Collections: []string{s.Articles.Slug}, Locales: []string{"de"}, Actions: []review.ChangeAction{"first", "publish", "unpublish"}}
	titled := newsroom.DelegableStep(3, core.RoleTenantAdmin)
	titled.When, titled.Meanings = &review.Condition{Collections: []string{s.Articles.Slug}, Fields: []string{"title"}}, []string{accurate, releases}
	byPassword := newsroom.CustomRoleStep(4, s.Legal)
	byPassword.Meanings = []string{accurate}
	verified := newsroom.Step(5, core.RoleAdmin)
	verified.Reauthenticate = true
	_, err := s.Workflows.SetProject(t.Context(), core.Actor{System: true}, s.Project, approval.WorkflowInput{
		Steps: []approval.StepInput{first, beside, left, titled, byPassword, verified}, AllowSelfApproval: &self,
	})
	require.NoError(t, err)
	made, err := s.Writer.Create(t.Context(), s.TokenOf("viewer"), s.Project, s.Articles.ID, newsroom.Article("A"))
	require.NoError(t, err)
	id := s.Show(made).ID
	end := s.clock.now.AddDate(0, 1, 0)
	s.Update(id, newsroom.Article("A \u2028 \U0001f600", newsroom.Published(true), newsroom.At(s.clock.now.Add(time.Hour)), newsroom.Until(&end)))
	ref := s.Ref(id)
	say := func(name string, in comments.Input) int64 {
		c, err := s.Reviews.AddComment(t.Context(), s.Actor(name), ref, in)
		require.NoError(t, err)
		return c.ID
	}
	root, gone := say("viewer", comments.Input{Text: "Why \u00e9?", Field: "title"}), say("viewer", comments.Input{Text: "Gone"})
	say("editor", comments.Input{Text: "Because", Parent: root})
	_, err = s.Reviews.ResolveComment(t.Context(), s.Actor("viewer"), ref, root, "")
	require.NoError(t, err)
	say("admin", comments.Input{Text: "Open"})
	say("editor", comments.Input{Text: "Kept", Parent: gone})
	require.NoError(t, s.Reviews.DeleteComment(t.Context(), s.Actor("viewer"), ref, gone))

	s.Lend("tenant", "viewer")
	approve := func(name string, in approval.Decision) {
		_, err := s.Reviews.Approve(t.Context(), s.actor(name), ref, in)
		require.NoError(t, err, name)
	}
	approve("viewer", approval.Decision{Comment: "For the \u201ctenant\u201d", For: new(s.IDs["tenant"])})
	s.clock.now = s.clock.now.Add(3 * time.Hour)
	approve("admin", approval.Decision{StepID: new(1)})
	approve("legal", approval.Decision{})
	_, err = s.Reviews.Reschedule(t.Context(), s.Actor("admin"), ref, schedule.Times{PublishAt: core.Optional[time.Time]{Given: true, Value: new(s.clock.now.Add(time.Hour))}})
	require.NoError(t, err)
	sign := func(name, meaning, comment string, behalf *int64) {
		document, err := s.keys.Document(t.Context())
		require.NoError(t, err)
		in := approval.Decision{Comment: comment, For: behalf}
		c, err := s.Reviews.Challenge(t.Context(), s.actor(name), ref, approval.ChallengeInput{What: review.ActionApprove, Meaning: meaning, Installation: document.Installation, Decision: in})
		require.NoError(t, err)
		in.Signature, err = s.sign(t, name, c, s.proven(name, c))
		require.NoError(t, err)
		approve(name, in)
	}
	s.Lend("tenant", "department")
	sign("department", releases, "Signed \u2028", new(s.IDs["tenant"]))
	sign("legal", accurate, "", nil)
	require.NoError(t, s.Stores.Sessions.Verify(t.Context(), sessionOf("admin"), core.Proof{At: s.clock.now, Way: core.WayPasskey}))
	approve("admin", approval.Decision{Comments: []comments.Input{{Text: "With the decision", Field: "title"}}})
	return s.record(t, ref)
}

// fullRelease is the request of a release that publishes, publishes again and unpublishes. A token submitted nothing, but
// contributed.
func (s *signers) fullRelease(t *testing.T) object {
	t.Helper()
	rs := releasing.New(s.Stores, s.Tx, s.Writer, s.Requests, s.Publisher)
	_, err := s.Workflows.SetProject(t.Context(), core.Actor{System: true}, s.Project, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}})
	require.NoError(t, err)
	var ids []int64
	for _, title := range []string{"again", "away"} {
		id := s.submit(title)
		require.NoError(t, s.Approve("department", id))
		ids = append(ids, id)
	}
	s.released = ids[0]
	_, err = s.Writer.Update(t.Context(), s.TokenOf("viewer"), s.Ref(ids[0]), nil, newsroom.Article("once more"))
	require.NoError(t, err)
	ids = append(ids, s.Create(newsroom.Article("new")).ID)
	made, err := rs.Create(t.Context(), s.Actor("editor"), s.Project, releasing.Change{Name: new("Spring <launch>")})
	require.NoError(t, err)
	ref := releasing.Ref{Project: s.Project, ID: made.ID}
	_, err = rs.PutMembers(t.Context(), s.Actor("editor"), ref, []releasing.MemberInput{{EntryID: ids[0]}, {EntryID: ids[1], Action: schedule.Unpublish}, {EntryID: ids[2]}})
	require.NoError(t, err)
	_, err = rs.Publish(t.Context(), s.Actor("editor"), ref, releasing.Publication{Comment: "please"})
	require.NoError(t, err)
	subject := review.ReleaseRef{Project: s.Project, ID: made.ID}
	_, err = s.Reviews.Approve(t.Context(), s.Actor("admin"), subject, approval.Decision{})
	require.NoError(t, err)
	return s.record(t, subject)
}

// plainEntry is a request of an entry in format 2.
func (s *signers) plainEntry(t *testing.T) object {
	t.Helper()
	s.plain = s.submit("Plain")
	require.NoError(t, s.Approve("admin", s.plain))
	return s.record(t, s.Ref(s.plain))
}
