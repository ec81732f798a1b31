package contract

import (
	"context"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Comments checks a ports.CommentStore.
func Comments(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a comment":           keepsComments,
		"lists the comments of a round":             listsComments,
		"counts the open comments of requests":      countsComments,
		"closes replies with their comment":         closesReplies,
		"deletes comments with their project":       deletesComments,
		"holds a request":                           holdsRequest,
		"removes texts from notices":                blanksNotices,
		"reads the items of some entries":           readsSomeItems,
		"tells when a user got a mail of a request": tellsMails,
	})
}

// newComment returns a comment on r, which is not stored.
func newComment(r *review.Request, text string) discussion.Comment {
	c := discussion.Comment{
		ProjectID: r.ProjectID, RequestID: r.ID, EntryID: r.Items[0].EntryID, At: at(2), By: core.ActorRef{Kind: "user", ID: 4, Name: "Edda é"},
		Text: text, Salt: []byte("0123456789abcdef"), Hash: "c0ffee",
	}
	if r.Release != nil {
		c.ReleaseID = r.Release.ID
	}
	return c
}

func (w *fixture) comment(t reporter, r *review.Request, text string) discussion.Comment {
	t.Helper()
	c := newComment(r, text)
	requireNoError(t, w.Stores.Comments.Insert(t.Context(), r, &c))
	return c
}

func (w *fixture) commentsOf(t reporter, r *review.Request) (texts []string) {
	t.Helper()
	for _, c := range result(w.Stores.Comments.Comments(t.Context(), discussion.CommentsOf(r)))(t) {
		texts = append(texts, c.Text)
	}
	return texts
}

func keepsComments(t *testing.T, w *fixture) {
	r := w.newRequest(7)
	w.submit(t, &r)
	plain := w.comment(t, &r, "Plain")
	whole := newComment(&r, "All of it \u2028 'é'")
	whole.CommentPlace = discussion.CommentPlace{Field: "body[k1].title", FieldID: 3, Key: "k2", Quote: &discussion.Quote{Text: "é\n\"q\"", Occurrence: 2}}
	whole.Replace, whole.Parent, whole.Must = new(""), plain.ID, 2
	requireNoError(t, w.Stores.Comments.Insert(t.Context(), &r, &whole))
	if whole.ID <= plain.ID {
		t.Errorf("the ids are %d and %d", plain.ID, whole.ID)
	}
	for _, c := range []discussion.Comment{plain, whole} {
		assertEqual(t, result(w.Stores.Comments.Comment(t.Context(), w.project.ID, c.ID))(t), c)
	}
	next := whole
	next.Text, next.Salt, next.Hash, next.EditedAt = "New", []byte("fedcba9876543210"), "beef", at(5)
	next.Earlier = []discussion.EarlierText{{At: at(2), Text: whole.Text}}
	next.ClosedIn, next.ResolvedBy, next.ResolvedAt = r.ID, core.ActorRef{Kind: "user", ID: 9, Name: "Ada"}, at(6)
	requireNoError(t, w.Stores.Comments.Update(t.Context(), &r, &next, event.CommentUpdated))
	assertEqual(t, result(w.Stores.Comments.Comment(t.Context(), w.project.ID, whole.ID))(t), next)
	next.Text, next.Salt, next.Earlier, next.Quote, next.Replace, next.DeletedAt = "", nil, nil, nil, nil, at(7)
	requireNoError(t, w.Stores.Comments.Update(t.Context(), &r, &next, event.CommentDeleted))
	assertEqual(t, result(w.Stores.Comments.Comment(t.Context(), w.project.ID, whole.ID))(t), next)
	assertEqual(t, result(w.Stores.Comments.Comment(t.Context(), w.project.ID, plain.ID))(t), plain)

	other := w.otherProject(t)
	requireError(t, errorOf(w.Stores.Comments.Comment(t.Context(), other.project.ID, plain.ID)), core.ErrNotFound)
	gone := plain
	gone.ID = unknown
	requireError(t, w.Stores.Comments.Update(t.Context(), &r, &gone, event.CommentUpdated), core.ErrNotFound)
	lost := newComment(&r, "Lost")
	lost.RequestID = unknown
	requireError(t, w.Stores.Comments.Insert(t.Context(), &r, &lost), core.ErrNotFound)
}

// listsComments checks which comments come along into later rounds.
func listsComments(t *testing.T, w *fixture) {
	first, other := w.newRequest(7), w.newRequest(8)
	w.submit(t, &first)
	w.submit(t, &other)
	w.comment(t, &other, "Elsewhere")
	open, closed := w.comment(t, &first, "Open"), w.comment(t, &first, "Closed")
	closed.ClosedIn = first.ID
	requireNoError(t, w.Stores.Comments.Update(t.Context(), &first, &closed, event.CommentResolved))
	w.decide(t, &first, review.RequestRejected)
	second := w.newRequest(7)
	w.submit(t, &second)
	w.comment(t, &second, "Second")
	assertEqual(t, w.commentsOf(t, &first), []string{"Open", "Closed"})
	assertEqual(t, w.commentsOf(t, &second), []string{"Open", "Second"})
	assertEqual(t, w.commentsOf(t, &other), []string{"Elsewhere"})

	open.ClosedIn = second.ID
	requireNoError(t, w.Stores.Comments.Update(t.Context(), &second, &open, event.CommentResolved))
	w.decide(t, &second, review.RequestRejected)
	third := w.newRequest(7)
	w.submit(t, &third)
	assertEqual(t, w.commentsOf(t, &second), []string{"Open", "Second"})
	assertEqual(t, w.commentsOf(t, &third), []string{"Second"})

	together := w.newReleaseRequest(5, 7, 8)
	together.Release.ID = 12
	w.decide(t, &third, review.RequestRejected)
	w.decide(t, &other, review.RequestRejected)
	requireNoError(t, w.submitRelease(t, &together))
	w.comment(t, &together, "Release")
	whole := newComment(&together, "Whole release")
	whole.EntryID = 0
	requireNoError(t, w.Stores.Comments.Insert(t.Context(), &together, &whole))
	assertEqual(t, w.commentsOf(t, &together), []string{"Release", "Whole release"})
	assertEqual(t, w.commentsOf(t, &third), []string{"Second"})
}

// countsComments checks review.Request.OpenComments, and the lists of requests that have some.
func countsComments(t *testing.T, w *fixture) {
	first, other := w.newRequest(7), w.newRequest(8)
	w.submit(t, &first)
	w.submit(t, &other)
	root := w.comment(t, &first, "Root")
	reply := newComment(&first, "Reply")
	reply.Parent = root.ID
	requireNoError(t, w.Stores.Comments.Insert(t.Context(), &first, &reply))
	w.comment(t, &first, "Second")
	counts := func() (open []int) {
		for _, r := range result(w.Stores.Requests.ByIDs(t.Context(), w.project.ID, []int64{first.ID, other.ID}))(t) {
			open = append(open, r.OpenComments)
		}
		return open
	}
	lists := func(list review.InboxList, commented bool) (ids []int64) {
		q := review.InboxQuery{List: list, ProjectID: w.project.ID, Reach: review.Reach{UserID: first.SubmittedBy.ID, SuperAdmin: true}, Commented: commented, Limit: 10}
		for _, r := range result(w.Stores.Requests.Inbox(t.Context(), q))(t) {
			if ids = append(ids, r.ID); r.OpenComments == 0 && commented {
				t.Errorf("the request %d has no open comments", r.ID)
			}
		}
		assertEqual(t, result(w.Stores.Requests.InboxCount(t.Context(), q))(t), int64(len(ids)))
		return ids
	}
	assertEqual(t, counts(), []int{2, 0})
	assertEqual(t, lists(review.InboxSubmitted, true), []int64{first.ID})
	assertEqual(t, len(lists(review.InboxSubmitted, false)), 2)
	w.decide(t, &first, review.RequestRejected)
	assertEqual(t, len(lists(review.InboxReturned, true)), 0)
	assertEqual(t, lists(review.InboxDecided, true), []int64{first.ID})
	second := w.newRequest(7)
	w.submit(t, &second)
	assertEqual(t, result(w.Stores.Requests.Request(t.Context(), w.project.ID, second.ID))(t).OpenComments, 2)
	root.ClosedIn = second.ID
	requireNoError(t, w.Stores.Comments.Update(t.Context(), &second, &root, event.CommentResolved))
	assertEqual(t, counts(), []int{1, 0})
	w.decide(t, &second, review.RequestRejected)
	w.decide(t, &other, review.RequestRejected)

	together := w.newReleaseRequest(5, 7, 8)
	together.Release.ID = 12
	requireNoError(t, w.submitRelease(t, &together))
	open := func() int {
		return result(w.Stores.Requests.Request(t.Context(), w.project.ID, together.ID))(t).OpenComments
	}
	assertEqual(t, open(), 0)
	w.comment(t, &together, "Release")
	assertEqual(t, open(), 1)
}

func closesReplies(t *testing.T, w *fixture) {
	r := w.newRequest(7)
	w.submit(t, &r)
	root, alone := w.comment(t, &r, "Root"), w.comment(t, &r, "Alone")
	reply := newComment(&r, "Reply")
	reply.Parent = root.ID
	requireNoError(t, w.Stores.Comments.Insert(t.Context(), &r, &reply))
	root.ClosedIn = r.ID
	requireNoError(t, w.Stores.Comments.Update(t.Context(), &r, &root, event.CommentResolved))
	reply.ClosedIn = r.ID
	assertEqual(t, result(w.Stores.Comments.Comments(t.Context(), discussion.CommentsOf(&r)))(t), []discussion.Comment{root, alone, reply})
}

func deletesComments(t *testing.T, w *fixture) {
	r := w.newRequest(7)
	w.submit(t, &r)
	w.comment(t, &r, "Gone")
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, len(w.commentsOf(t, &r)), 0)
}

// holdsRequest checks that two transactions do not hold a request at the same time.
func holdsRequest(t *testing.T, w *fixture) {
	r := w.newRequest(7)
	w.submit(t, &r)
	held, second := make(chan struct{}), make(chan error, 1)
	var entered bool
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		if err := s.Comments.Hold(ctx, w.project.ID, r.ID); err != nil {
			return err
		}
		if !entered {
			entered = true
			go func() {
				close(held)
				second <- w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
					if err := s.Comments.Hold(ctx, w.project.ID, r.ID); err != nil {
						return err
					}
					found, err := s.Comments.Comments(ctx, discussion.CommentsOf(&r))
					if err == nil && len(found) != 1 {
						t.Errorf("the second transaction found %d comments", len(found))
					}
					return err
				})
			}()
			<-held
		}
		c := newComment(&r, "First")
		return s.Comments.Insert(ctx, &r, &c)
	}))
	requireNoError(t, <-second)
}

func blanksNotices(t *testing.T, w *fixture) {
	ada, otherUser := w.newUser(t), w.newUser(t)
	a, b := w.newNotice(t, ada, "comment 5", nil), w.newNotice(t, otherUser, "mention 5", nil)
	kept, elsewhere := w.newNotice(t, ada, "comment 6", nil), w.otherProject(t).newNotice(t, otherUser, "comment 5", nil)
	comments := func() (texts []string) {
		for _, n := range []*notice.Notice{a, b, kept, elsewhere} {
			texts = append(texts, result(w.Notices.Notice(t.Context(), n.ID))(t).Comment)
		}
		return texts
	}
	requireNoError(t, w.Notices.Blank(t.Context(), w.project.ID, b.At.Add(time.Hour), "comment 5", "mention 5"))
	assertEqual(t, comments(), []string{a.Comment, a.Comment, a.Comment, a.Comment})
	requireNoError(t, w.Notices.Blank(t.Context(), w.project.ID, a.At, "comment 5", "mention 5"))
	assertEqual(t, comments(), []string{"", "", a.Comment, a.Comment})
}

func readsSomeItems(t *testing.T, w *fixture) {
	r := w.newReleaseRequest(5, 7, 8, 9)
	requireNoError(t, w.submitRelease(t, &r))
	var ids []int64
	for _, i := range result(w.Requests.Items(t.Context(), w.project.ID, r.ID, 9, 7, unknown))(t) {
		ids = append(ids, i.EntryID)
	}
	assertEqual(t, ids, []int64{7, 9})
}

func tellsMails(t *testing.T, w *fixture) {
	user := w.newUser(t)
	n := w.newNotice(t, user, "comment 5", nil)
	mailed := func(userID, approvalID int64, within time.Duration) bool {
		return result(w.Mails.Mailed(t.Context(), userID, approvalID, within))(t)
	}
	assertEqual(t, mailed(user.ID, n.ApprovalID, time.Hour), false)
	requireNoError(t, w.Mails.Insert(t.Context(), n.ID))
	assertEqual(t, []bool{
		mailed(user.ID, n.ApprovalID, time.Hour), mailed(user.ID, n.ApprovalID, -time.Hour), mailed(user.ID, unknown, time.Hour), mailed(unknown, n.ApprovalID, time.Hour),
	}, []bool{true, false, false, false})
}
