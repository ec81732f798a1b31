package sqlstore

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// commentStore implements ports.CommentStore.
type commentStore struct{ sqldb.Conn }

var comments = sqldb.NewTableOf("comments", "comment", func(c *discussion.Comment) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &c.ProjectID, Fixed: true},
		{Name: "id", Kind: "bigint", Of: &c.ID, Fixed: true},
		{Name: "request_id", Kind: "bigint", Of: &c.RequestID, Fixed: true},
		{Name: "release_id", Kind: "bigint", Of: &c.ReleaseID, Fixed: true},
		{Name: "entry_id", Kind: "bigint", Of: &c.EntryID, Fixed: true},
		{Name: "field", Kind: "text", Of: &c.Field, Fixed: true},
		{Name: "field_id", Kind: "integer", Of: &c.FieldID, Fixed: true},
		{Name: "item_key", Kind: "text", Of: &c.Key, Fixed: true},
		{Name: "quote", Kind: "text", Of: sqldb.NullJSON(&c.Quote)},
		{Name: "replacement", Kind: "text", Of: &c.Replace},
		{Name: "parent", Kind: "bigint", Of: &c.Parent, Fixed: true},
		{Name: "must_step", Kind: "integer", Of: &c.Must, Fixed: true},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.At), Fixed: true},
		{Name: "author_id", Kind: "bigint", Of: &c.By.ID, Fixed: true},
		{Name: "author_name", Kind: "text", Of: &c.By.Name, Fixed: true},
		{Name: "body", Kind: "text", Of: &c.Text},
		{Name: "salt", Kind: "bytea", Of: &c.Salt},
		{Name: "hash", Kind: "text", Of: &c.Hash},
		{Name: "edited_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.EditedAt)},
		{Name: "earlier", Kind: "text", Of: sqldb.NullJSON(&c.Earlier)},
		{Name: "closed_in", Kind: "bigint", Of: &c.ClosedIn},
		{Name: "resolver_id", Kind: "bigint", Of: &c.ResolvedBy.ID},
		{Name: "resolver_name", Kind: "text", Of: &c.ResolvedBy.Name},
		{Name: "resolved_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.ResolvedAt)},
		{Name: "deleted_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.DeletedAt)},
	}
})

func scanComment(from sqldb.Rows) (c discussion.Comment, err error) {
	err = comments.ScanInto(from, &c)
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
	text, args := comments.Selected+" WHERE project_id = @project AND release_id = ? AND request_id <= @request"+
		" AND (request_id = @request OR closed_in = 0 OR closed_in >= @request)", []any{q.ProjectID, q.ReleaseID, q.RequestID}
	if q.ReleaseID == 0 {
		text, args = text+" AND entry_id = ?", append(args, q.EntryID)
	}
	return sqldb.Collect(ctx, s.Conn, scanComment, text+" ORDER BY id", args...)
}

func (s commentStore) Comment(ctx context.Context, projectID, id int64) (discussion.Comment, error) {
	return sqldb.Single(ctx, s.Conn, "comment", scanComment, comments.Selected+" WHERE project_id = @project AND id = ?", projectID, id)
}

func (s commentStore) Hold(ctx context.Context, projectID, requestID int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM approval_requests WHERE project_id = @project AND id = ?"+s.ForUpdate(), projectID, requestID)
}

func (s commentStore) Insert(ctx context.Context, r *review.Request, c *discussion.Comment) error {
	return comments.Add(ctx, s.Conn, c, &c.ID, func() event.Event { return discussion.CommentEvent(event.CommentCreated, r, c) })
}

func (s commentStore) Update(ctx context.Context, r *review.Request, c *discussion.Comment, event event.Type) error {
	return s.Change(ctx, func(ctx context.Context, inside sqldb.Conn) error {
		err := comments.Put(ctx, inside, c, discussion.CommentEvent(event, r, c), "project_id = ? AND id = ?", c.ProjectID, c.ID)
		if err != nil || c.ClosedIn == 0 {
			return err
		}
		_, err = inside.Do(ctx, comments.Thing, "UPDATE comments SET closed_in = ? WHERE project_id = @project AND request_id >= ? AND parent = ? AND closed_in = 0",
			c.ClosedIn, c.ProjectID, c.RequestID, c.ID)
		return err
	})
}
