package sqlstore

import (
	"context"
	"time"

	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// commentStore implements ports.CommentStore.
type commentStore struct{ conn }

var comments = rowsOf("comments", "comment", func(c *discussion.Comment) []member {
	return []member{
		{name: "project_id", kind: "bigint", of: &c.ProjectID, fixed: true},
		{name: "id", kind: "bigint", of: &c.ID, fixed: true},
		{name: "request_id", kind: "bigint", of: &c.RequestID, fixed: true},
		{name: "release_id", kind: "bigint", of: &c.ReleaseID, fixed: true},
		{name: "entry_id", kind: "bigint", of: &c.EntryID, fixed: true},
		{name: "field", kind: "text", of: &c.Field, fixed: true},
		{name: "field_id", kind: "integer", of: &c.FieldID, fixed: true},
		{name: "item_key", kind: "text", of: &c.Key, fixed: true},
		{name: "quote", kind: "text", of: nullJSON[*discussion.Quote]{&c.Quote}},
		{name: "replacement", kind: "text", of: &c.Replace},
		{name: "parent", kind: "bigint", of: &c.Parent, fixed: true},
		{name: "must_step", kind: "integer", of: &c.Must, fixed: true},
		{name: "created_at", kind: "bigint", of: (*instant)(&c.At), fixed: true},
		{name: "author_id", kind: "bigint", of: &c.By.ID, fixed: true},
		{name: "author_name", kind: "text", of: &c.By.Name, fixed: true},
		{name: "body", kind: "text", of: &c.Text},
		{name: "salt", kind: "bytea", of: &c.Salt},
		{name: "hash", kind: "text", of: &c.Hash},
		{name: "edited_at", kind: "bigint", of: (*instant)(&c.EditedAt)},
		{name: "earlier", kind: "text", of: nullJSON[[]discussion.EarlierText]{&c.Earlier}},
		{name: "closed_in", kind: "bigint", of: &c.ClosedIn},
		{name: "resolver_id", kind: "bigint", of: &c.ResolvedBy.ID},
		{name: "resolver_name", kind: "text", of: &c.ResolvedBy.Name},
		{name: "resolved_at", kind: "bigint", of: (*instant)(&c.ResolvedAt)},
		{name: "deleted_at", kind: "bigint", of: (*instant)(&c.DeletedAt)},
	}
})

func scanComment(from Rows) (c discussion.Comment, err error) {
	err = comments.scanInto(from, &c)
	c.By.Kind = "user"
	for i := range c.Earlier {
		c.Earlier[i].At = c.Earlier[i].At.UTC().Truncate(time.Millisecond)
	}
	if c.ResolvedBy.ID != 0 {
		c.ResolvedBy.Kind = "user"
	}
	return c, err
}

func (s commentStore) Comments(ctx context.Context, q discussion.CommentQuery) ([]discussion.Comment, error) {
	text, args := comments.selected+" WHERE project_id = @project AND release_id = ? AND request_id <= @request"+
		" AND (request_id = @request OR closed_in = 0 OR closed_in >= @request)", []any{q.ProjectID, q.ReleaseID, q.RequestID}
	if q.ReleaseID == 0 {
		text, args = text+" AND entry_id = ?", append(args, q.EntryID)
	}
	return collect(ctx, s.conn, scanComment, text+" ORDER BY id", args...)
}

func (s commentStore) Comment(ctx context.Context, projectID, id int64) (discussion.Comment, error) {
	return single(ctx, s.conn, "comment", scanComment, comments.selected+" WHERE project_id = @project AND id = ?", projectID, id)
}

func (s commentStore) Hold(ctx context.Context, projectID, requestID int64) error {
	return s.lock(ctx, "SELECT 1 FROM approval_requests WHERE project_id = @project AND id = ?"+s.forUpdate(), projectID, requestID)
}

func (s commentStore) Insert(ctx context.Context, r *review.Request, c *discussion.Comment) error {
	return comments.add(ctx, s.conn, c, &c.ID, func() event.Event { return discussion.CommentEvent(event.CommentCreated, r, c) })
}

func (s commentStore) Update(ctx context.Context, r *review.Request, c *discussion.Comment, event event.Type) error {
	return s.change(ctx, func(ctx context.Context, inside conn) error {
		err := comments.put(ctx, inside, c, discussion.CommentEvent(event, r, c), "project_id = ? AND id = ?", c.ProjectID, c.ID)
		if err != nil || c.ClosedIn == 0 {
			return err
		}
		_, err = inside.do(ctx, comments.thing, "UPDATE comments SET closed_in = ? WHERE project_id = @project AND request_id >= ? AND parent = ? AND closed_in = 0",
			c.ClosedIn, c.ProjectID, c.RequestID, c.ID)
		return err
	})
}
