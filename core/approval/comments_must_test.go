package approval_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
	"imprimatur/core/comments"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/test/newsroom"
)

// TestWhoSetsMust names steps: 1 is of admins, 2 of legal, 3 of department admins.
func TestWhoSetsMust(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		step int
		want string
	}{
		{"admin", 1, "ok"},
		{"admin", 2, "invalid must"},
		{"admin", 3, "invalid must"},
		{"department", 3, "ok"}, // a later step
		{"legal", 2, "ok"},
		{"viewer", 1, "invalid must"},
		{"editor", 1, "invalid must"}, // the submitter
		{"super", 4, "invalid must"},
		{"super", -1, "invalid must"},
	} {
		r, ref := discussed(t)
		_, err := r.say(c.name, ref, comments.Input{Text: "No.", Must: c.step})
		require.Equal(t, c.want, outcome(err), c)
	}
	r, ref := discussed(t)
	root, err := r.say("admin", ref, comments.Input{Text: "Why?"})
	require.NoError(t, err)
	_, err = r.say("admin", ref, comments.Input{Text: "No.", Parent: root.ID, Must: 1})
	require.Equal(t, "invalid parent", outcome(err), "a reply has no step")
	require.NoError(t, r.Approve("admin", ref.ID))
	_, err = r.say("super", ref, comments.Input{Text: "No.", Must: 1})
	require.Equal(t, "invalid must", outcome(err), "it is approved")
}

// TestMustKeepsTheStep checks that an open comment keeps its step, and only that one, from being approved.
func TestMustKeepsTheStep(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	first, err := r.say("super", ref, comments.Input{Text: "One", Must: 1})
	require.NoError(t, err)
	second, err := r.say("super", ref, comments.Input{Text: "Two", Must: 1})
	require.NoError(t, err)
	later, err := r.say("department", ref, comments.Input{Text: "Three", Must: 3})
	require.NoError(t, err)
	_, err = approve(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: []comments.Input{{Text: "Lost"}}})
	require.Equal(t, "must_open", outcome(err))
	require.ErrorContains(t, err, "2 comments must be resolved before step 1 is approved")
	require.Len(t, r.comments("admin", ref), 3, "nothing of the decision is stored")

	resolve := func(name string, id int64, reason string) error {
		_, err := r.Reviews.ResolveComment(r.Context(), r.Actor(name), ref, id, reason)
		return err
	}
	for _, name := range []string{"viewer", "editor", "legal"} {
		require.Equal(t, "forbidden", outcome(resolve(name, first.ID, "Please")), name)
	}
	require.NoError(t, resolve("admin", first.ID, ""), "who may decide the step")
	require.Equal(t, "must_open", outcome(r.Approve("admin", ref.ID)))
	require.NoError(t, r.Reviews.DeleteComment(r.Context(), r.Actor("super"), ref, second.ID))
	require.NoError(t, r.Approve("admin", ref.ID))
	require.NoError(t, r.Approve("legal", ref.ID))
	require.Equal(t, "must_open", outcome(r.Approve("department", ref.ID)))
	require.NoError(t, resolve("department", later.ID, ""), "the author")
	require.NoError(t, r.Approve("department", ref.ID))
	require.Equal(t, "Rain in May, rain in June", r.Public(ref.ID))

	r, ref = discussed(t)
	_, err = approve(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: []comments.Input{{Text: "No", Must: 1}}})
	require.Equal(t, "must_open", outcome(err), "an approval cannot bring what keeps it")
	_, err = reject(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: []comments.Input{{Text: "No", Must: 1}}})
	require.NoError(t, err)
	require.Len(t, r.comments("admin", ref), 1)
	// It comes along, and keeps the step of the next round; if the workflow has fewer steps, the last one.
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	r.Update(ref.ID, newsroom.Article("Rain in May", newsroom.Published(true)))
	require.Equal(t, "must_open", outcome(r.Approve("admin", ref.ID)))
}

// TestMustOfAnUnreachableStep lets an admin of the Project resolve a comment, with a reason, while no user can decide
// its step.
func TestMustOfAnUnreachableStep(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	c, err := r.say("legal", ref, comments.Input{Text: "Not yet", Must: 2})
	require.NoError(t, err)
	shown := func() comments.Shown { return r.comments("admin", ref)[0] }
	require.Equal(t, []bool{false, false}, []bool{shown().CanResolve, shown().ResolveNeedsReason})
	r.SetActive("legal", false)
	require.Equal(t, []bool{true, true}, []bool{shown().CanResolve, shown().ResolveNeedsReason})
	for _, reason := range []string{"", " ", "@[999999]"} {
		_, err := r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, c.ID, reason)
		require.Equal(t, "invalid reason", outcome(err), reason)
	}
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("viewer"), ref, c.ID, "Legal has left.")
	require.Equal(t, "forbidden", outcome(err))
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, c.ID, "Legal has left.")
	require.NoError(t, err)
	found := r.comments("admin", ref)
	require.Len(t, found, 2)
	require.Equal(t, []any{"Legal has left.", c.ID, r.IDs["admin"]}, []any{found[1].Text, found[1].Parent, found[1].By.ID})
	require.Equal(t, discussion.CommentResolved, found[0].State())
}

// TestCommentsAfterTheEnd refuses every change once the request has ended.
func TestCommentsAfterTheEnd(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	c, err := r.say("admin", ref, comments.Input{Text: "Why?"})
	require.NoError(t, err)
	require.True(t, r.comments("admin", ref)[0].CanResolve)
	_, err = reject(r.Reviews, r, "admin", ref.ID, approval.Decision{})
	require.NoError(t, err)
	_, added := r.say("admin", ref, comments.Input{Text: "And"})
	_, replied := r.say("admin", ref, comments.Input{Text: "And", Parent: c.ID})
	_, edited := r.Reviews.EditComment(r.Context(), r.Actor("admin"), ref, c.ID, "What?")
	_, resolved := r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, c.ID, "")
	for _, err := range []error{added, replied, edited, resolved, r.Reviews.DeleteComment(r.Context(), r.Actor("admin"), ref, c.ID)} {
		require.Equal(t, "not_open", outcome(err))
	}
	found := r.comments("viewer", ref)
	require.Len(t, found, 1)
	found = r.comments("admin", ref)
	require.Equal(t, []any{"Why?", false, false}, []any{found[0].Text, found[0].CanEdit, found[0].CanResolve})
}

// TestHashOfComments computes the hashes of decisions from what api/audit.md says.
func TestHashOfComments(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	hash := func() string {
		type comment struct {
			State discussion.CommentState `json:"state"`
			Hash  string                  `json:"hash"`
			ID    int64                   `json:"id"`
		}
		var all []comment
		for _, c := range r.comments("admin", ref) {
			all = append(all, comment{c.State(), c.Hash, c.ID})
		}
		text, err := json.Marshal(all)
		require.NoError(t, err)
		text, err = canonical.Transform(text)
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:])
	}
	c, err := r.say("viewer", ref, comments.Input{Text: "Why?"})
	require.NoError(t, err)
	_, err = r.say("editor", ref, comments.Input{Text: "Because", Parent: c.ID})
	require.NoError(t, err)
	_, err = approve(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: []comments.Input{{Text: "Two"}}})
	require.NoError(t, err)
	first := hash()
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("viewer"), ref, c.ID, "")
	require.NoError(t, err)
	require.NotEqual(t, first, hash())
	_, err = revise(r.Reviews, r, "legal", ref.ID, approval.Decision{Comment: "Again"})
	require.NoError(t, err)
	actions := r.Request(ref.ID).Actions
	require.Equal(t, []string{"", first, hash()}, []string{actions[0].CommentsHash, actions[1].CommentsHash, actions[2].CommentsHash})
	require.Equal(t, 2, r.Request(ref.ID).Request.RecordFormat)
	valid := func() []core.FieldError {
		a, err := r.Reviews.Audit(r.Context(), r.Actor("admin"), ref)
		require.NoError(t, err)
		return a.Faults
	}
	require.Empty(t, valid())

	// What happens in the next round does not concern the record of this one.
	ended, err := r.Stores.Requests.EntryRequests(r.Context(), r.Project.ID, ref.ID, 1)
	require.NoError(t, err)
	open := r.comments("admin", ref)[2]
	r.Update(ref.ID, newsroom.Article("Rain in May", newsroom.Published(true)))
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, open.ID, "")
	require.NoError(t, err)
	audited := func() (faults []string) {
		_, err := r.Exporter.Export(r.Context(), r.Project, func(e approval.Exported) error {
			if e.Request.ID == ended[0].ID {
				for _, f := range e.Audit.Faults {
					faults = append(faults, f.Location)
				}
			}
			return nil
		}, nil)
		require.NoError(t, err)
		return faults
	}
	require.Empty(t, audited())
	// A comment that is gone from the database is seen.
	forged, err := r.Stores.Comments.Comment(r.Context(), r.Project.ID, c.ID)
	require.NoError(t, err)
	forged.Hash = canonical.Hash([]byte("another text"))
	require.NoError(t, r.Stores.Comments.Update(r.Context(), &ended[0], &forged, event.CommentUpdated))
	require.Equal(t, []string{"actions[2].commentsHash"}, audited())

	// A request without a comment keeps its record to the byte.
	plain := r.submit("Plain")
	r.approveAll(plain, "admin", "legal", "department")
	a, err := r.Reviews.Audit(r.Context(), r.Actor("admin"), r.Ref(plain))
	require.NoError(t, err)
	text, err := core.EncodeJSON(a.Record())
	require.NoError(t, err)
	require.NotContains(t, string(text), "commentsHash")
	require.Empty(t, a.Faults)
}

// TestPeople lists who can be named: nobody who does not see the request.
func TestPeople(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	names := func(name, search string) (found []string) {
		people, err := r.Reviews.People(r.Context(), r.Actor(name), ref, search)
		require.NoError(t, err)
		for _, p := range people {
			found = append(found, p.Name)
			require.Equal(t, r.IDs[p.Name], p.ID)
			_, err := r.say("viewer", ref, comments.Input{Text: fmt.Sprintf("@[%d]", p.ID)})
			require.Equal(t, "ok", outcome(err), p.Name)
		}
		return found
	}
	require.Equal(t, []string{"admin", "department", "editor", "legal", "super", "tenant", "viewer"}, names("viewer", ""))
	require.Equal(t, []string{"editor"}, names("legal", "DIT"))
	require.Empty(t, names("legal", "outsider"))
	r.SetActive("legal", false)
	require.Empty(t, names("viewer", "legal"))
	_, err := r.Reviews.People(r.Context(), r.Actor("outsider"), ref, "")
	require.Equal(t, "not_found", outcome(err))
	_, err = r.Reviews.People(r.Context(), r.Token(), ref, "")
	require.Equal(t, "not_found", outcome(err))
}

// TestInboxOfComments counts open comments and selects requests that have some.
func TestInboxOfComments(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	r.clock.pass(time.Second)
	other := r.submit("Other")
	c, err := r.say("admin", ref, comments.Input{Text: "Why?"})
	require.NoError(t, err)
	_, err = r.say("admin", ref, comments.Input{Text: "And?", Parent: c.ID})
	require.NoError(t, err)
	counts := func(commented bool) (found []int) {
		page, err := r.Inbox.List(r.Context(), r.Actor("admin"), approval.InboxFilter{Commented: commented})
		require.NoError(t, err)
		require.Len(t, page.Items, int(page.Total))
		for _, v := range page.Items {
			found = append(found, v.Request.OpenComments)
		}
		return found
	}
	require.Equal(t, []int{1, 0}, counts(false))
	require.Equal(t, []int{1}, counts(true))
	require.Zero(t, r.Request(other).Request.OpenComments)
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, c.ID, "")
	require.NoError(t, err)
	require.Empty(t, counts(true))
}
