package memory

import (
	"context"

	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

type comments struct{ conn }

func (s comments) Comments(ctx context.Context, q discussion.CommentQuery) ([]discussion.Comment, error) {
	return view(ctx, s.conn, func(st *state) ([]discussion.Comment, error) {
		return byID(&st.comments, func(c discussion.Comment) bool { return q.Has(&c) }, discussion.CopyComment), nil
	})
}

func (s comments) Comment(ctx context.Context, projectID, id int64) (discussion.Comment, error) {
	return view(ctx, s.conn, func(st *state) (discussion.Comment, error) { return st.comment(projectID, id) })
}

func (st *state) comment(projectID, id int64) (discussion.Comment, error) {
	c, ok := st.comments.get(id)
	return found(discussion.CopyComment(c), ok && c.ProjectID == projectID, "comment")
}

// Hold needs no lock: transactions run one after another.
func (comments) Hold(ctx context.Context, _, _ int64) error { return ctx.Err() }

func (s comments) Insert(ctx context.Context, r *review.Request, c *discussion.Comment) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.request(c.ProjectID, c.RequestID); err != nil {
			return err
		}
		c.ID = st.comments.next()
		st.comments.put(c.ID, discussion.CopyComment(*c))
		st.record(discussion.CommentEvent(event.CommentCreated, r, c))
		return nil
	})
}

func (s comments) Update(ctx context.Context, r *review.Request, c *discussion.Comment, event event.Type) error {
	return s.change(ctx, func(st *state) error {
		next, err := st.comment(c.ProjectID, c.ID)
		if err != nil {
			return err
		}
		changed := discussion.CopyComment(*c)
		next.Text, next.Salt, next.Hash, next.EditedAt, next.Earlier = changed.Text, changed.Salt, changed.Hash, changed.EditedAt, changed.Earlier
		next.Quote, next.Replace = changed.Quote, changed.Replace
		next.ClosedIn, next.ResolvedBy, next.ResolvedAt, next.DeletedAt = changed.ClosedIn, changed.ResolvedBy, changed.ResolvedAt, changed.DeletedAt
		st.comments.put(next.ID, next)
		if next.ClosedIn != 0 {
			for _, reply := range byID(&st.comments, func(other discussion.Comment) bool { return other.Parent == next.ID && other.ClosedIn == 0 }, unshared) {
				reply.ClosedIn = next.ClosedIn
				st.comments.put(reply.ID, reply)
			}
		}
		st.record(discussion.CommentEvent(event, r, &next))
		return nil
	})
}
