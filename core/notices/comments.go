package notices

import (
	"context"
	"slices"
	"time"

	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/notice"
)

// quietMails is how long a user gets no mail of a comment after one about its request.
const quietMails = 10 * time.Minute

// comment makes the notices of an event of a comment: for the users that its text names and, if it is new, for the
// submitter and the contributors of the request and for those who commented on it; if it was resolved, for the users of
// its thread.
func (n *round) comment(ctx context.Context, e *event.Event) error {
	c, err := n.stores.Comments.Comment(ctx, e.ProjectID, e.SubjectID)
	if err != nil || !c.DeletedAt.IsZero() {
		return err
	}
	r, project, actions, err := n.find(ctx, e.ProjectID, c.RequestID)
	if err != nil || len(actions) == 0 {
		return err
	}
	all, err := n.stores.Comments.Comments(ctx, discussion.CommentsOf(r))
	if err != nil {
		return err
	}
	about := aboutRequest(r, &actions[0])
	about.ActionID, about.Event, about.Actor = 0, e.Type, e.Actor
	tell := func(kind notice.Kind, c *discussion.Comment, users []int64) (err error) {
		about.Key, about.Kind = notice.CommentKey(kind, c.ID), kind
		if about.Comment, err = n.readable(ctx, c); err != nil {
			return err
		}
		return n.tell(ctx, about, project, r, users)
	}
	if e.Type == event.CommentResolved {
		return tell(notice.Resolved, &c, authors(all, func(other discussion.Comment) bool { return other.ID == c.ID || other.Parent == c.ID }))
	}
	batch := []discussion.Comment{c}
	if e.Type == event.CommentCreated {
		// A decision brings many comments at the same time: each user gets one notice of them.
		if batch = batchOf(all, &c); batch[0].ID != c.ID {
			return nil
		}
	}
	var named []int64
	for i := range batch {
		users := slices.DeleteFunc(batch[i].Mentioned(), func(id int64) bool { return slices.Contains(named, id) })
		if err := tell(notice.Mention, &batch[i], users); err != nil {
			return err
		}
		named = append(named, users...)
	}
	if e.Type != event.CommentCreated {
		return nil
	}
	users := append(involved(r, nil), authors(all, func(discussion.Comment) bool { return true })...)
	slices.Sort(users)
	return tell(notice.Comment, &c, slices.DeleteFunc(slices.Compact(users), func(id int64) bool { return slices.Contains(named, id) }))
}

// readable returns the text of a comment with the names of the users that it names.
func (n *round) readable(ctx context.Context, c *discussion.Comment) (string, error) {
	ids := c.Mentioned()
	if len(ids) == 0 {
		return c.Text, nil
	}
	users, err := n.stores.Users.UsersByIDs(ctx, ids)
	names := map[int64]string{}
	for i := range users {
		names[users[i].ID] = users[i].Name
	}
	return discussion.WithNames(c.Text, names), err
}

// batchOf returns the comments of all that were made at once with c and not deleted since, by id.
func batchOf(all []discussion.Comment, c *discussion.Comment) (made []discussion.Comment) {
	for _, other := range all {
		if other.RequestID == c.RequestID && other.At.Equal(c.At) && other.By.Same(c.By) && other.DeletedAt.IsZero() {
			made = append(made, other)
		}
	}
	return made
}

// authors returns the authors of the comments that match, ascending, each once.
func authors(all []discussion.Comment, match func(discussion.Comment) bool) (users []int64) {
	for _, c := range all {
		if match(c) {
			users = append(users, c.By.ID)
		}
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// quiet reports whether about is of a comment on a request about which its user has got a mail, or gets one, within
// quietMails.
func (n *round) quiet(ctx context.Context, about *notice.Notice, mailed []*notice.Notice) (bool, error) {
	if about.Kind != notice.Comment {
		return false, nil
	}
	if slices.ContainsFunc(mailed, func(m *notice.Notice) bool { return m.UserID == about.UserID && m.ApprovalID == about.ApprovalID }) {
		return true, nil
	}
	return n.stores.Mails.Mailed(ctx, about.UserID, about.ApprovalID, quietMails)
}
