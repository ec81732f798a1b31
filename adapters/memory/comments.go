package memory

import (
	"context"

	"imprimatur/core"
)

type comments struct{ conn }

func (s comments) Comments(ctx context.Context, q core.CommentQuery) ([]core.Comment, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Comment, error) {
		return byID(&st.comments, func(c core.Comment) bool { return q.Has(&c) }, core.CopyComment), nil
	})
}

func (s comments) Comment(ctx context.Context, projectID, id int64) (core.Comment, error) {
	return view(ctx, s.conn, func(st *state) (core.Comment, error) { return st.comment(projectID, id) })
}

func (st *state) comment(projectID, id int64) (core.Comment, error) {
	c, ok := st.comments.get(id)
	return found(core.CopyComment(c), ok && c.ProjectID == projectID, "comment")
}

// Hold needs no lock: transactions run one after another.
func (comments) Hold(ctx context.Context, _, _ int64) error { return ctx.Err() }

func (s comments) Insert(ctx context.Context, r *core.Request, c *core.Comment) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.request(c.ProjectID, c.RequestID); err != nil {
			return err
		}
		c.ID = st.comments.next()
		st.comments.put(c.ID, core.CopyComment(*c))
		st.record(core.CommentEvent(core.EventCommentCreated, r, c))
		return nil
	})
}

func (s comments) Update(ctx context.Context, r *core.Request, c *core.Comment, event core.EventType) error {
	return s.change(ctx, func(st *state) error {
		next, err := st.comment(c.ProjectID, c.ID)
		if err != nil {
			return err
		}
		changed := core.CopyComment(*c)
		next.Text, next.Salt, next.Hash, next.EditedAt, next.Earlier = changed.Text, changed.Salt, changed.Hash, changed.EditedAt, changed.Earlier
		next.Quote, next.Replace = changed.Quote, changed.Replace
		next.ClosedIn, next.ResolvedBy, next.ResolvedAt, next.DeletedAt = changed.ClosedIn, changed.ResolvedBy, changed.ResolvedAt, changed.DeletedAt
		st.comments.put(next.ID, next)
		if next.ClosedIn != 0 {
			for _, reply := range byID(&st.comments, func(other core.Comment) bool { return other.Parent == next.ID && other.ClosedIn == 0 }, unshared) {
				reply.ClosedIn = next.ClosedIn
				st.comments.put(reply.ID, reply)
			}
		}
		st.record(core.CommentEvent(event, r, &next))
		return nil
	})
}
