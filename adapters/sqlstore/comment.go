package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// commentStore implements ports.CommentStore.
type commentStore struct{ conn }

type commentRow struct {
	bun.BaseModel `bun:"table:comments"`

	ProjectID    int64
	ID           int64 `bun:",pk,autoincrement"`
	RequestID    int64
	ReleaseID    int64
	EntryID      int64
	Field        string
	FieldID      int
	ItemKey      string
	Quote        *encoded[discussion.Quote]
	Replacement  *string
	Parent       int64
	MustStep     int
	CreatedAt    instant
	AuthorID     int64
	AuthorName   string
	Body         string
	Salt         []byte
	Hash         string
	EditedAt     instant
	Earlier      *encoded[[]discussion.EarlierText]
	ClosedIn     int64
	ResolverID   int64
	ResolverName string
	ResolvedAt   instant
	DeletedAt    instant
}

func newCommentRow(c *discussion.Comment) *commentRow {
	row := &commentRow{
		ProjectID: c.ProjectID, ID: c.ID, RequestID: c.RequestID, ReleaseID: c.ReleaseID, EntryID: c.EntryID,
		Field: c.Field, FieldID: c.FieldID, ItemKey: c.Key, Replacement: c.Replace, Parent: c.Parent, MustStep: c.Must,
		CreatedAt: instant(c.At), AuthorID: c.By.ID, AuthorName: c.By.Name, Body: c.Text, Salt: c.Salt, Hash: c.Hash, EditedAt: instant(c.EditedAt),
		ClosedIn: c.ClosedIn, ResolverID: c.ResolvedBy.ID, ResolverName: c.ResolvedBy.Name, ResolvedAt: instant(c.ResolvedAt), DeletedAt: instant(c.DeletedAt),
	}
	if c.Quote != nil {
		row.Quote = &encoded[discussion.Quote]{*c.Quote}
	}
	if c.Earlier != nil {
		row.Earlier = &encoded[[]discussion.EarlierText]{c.Earlier}
	}
	return row
}

// commentColumns are the columns of a comment in the order of scanComment.
const commentColumns = "project_id, id, request_id, release_id, entry_id, field, field_id, item_key, coalesce(quote, 'null'), replacement, parent, must_step," +
	" created_at, author_id, author_name, body, salt, hash, edited_at, coalesce(earlier, 'null'), closed_in, resolver_id, resolver_name, resolved_at, deleted_at"

func scanComment(rows Rows) (c discussion.Comment, err error) {
	var quote encoded[*discussion.Quote]
	var earlier encoded[[]discussion.EarlierText]
	err = rows.Scan(&c.ProjectID, &c.ID, &c.RequestID, &c.ReleaseID, &c.EntryID, &c.Field, &c.FieldID, &c.Key, &quote, &c.Replace, &c.Parent, &c.Must,
		(*instant)(&c.At), &c.By.ID, &c.By.Name, &c.Text, &c.Salt, &c.Hash, (*instant)(&c.EditedAt), &earlier, &c.ClosedIn,
		&c.ResolvedBy.ID, &c.ResolvedBy.Name, (*instant)(&c.ResolvedAt), (*instant)(&c.DeletedAt))
	c.Quote, c.Earlier, c.By.Kind = quote.v, earlier.v, "user"
	for i := range c.Earlier {
		c.Earlier[i].At = c.Earlier[i].At.UTC().Truncate(time.Millisecond)
	}
	if c.ResolvedBy.ID != 0 {
		c.ResolvedBy.Kind = "user"
	}
	return c, err
}

func (s commentStore) Comments(ctx context.Context, q discussion.CommentQuery) ([]discussion.Comment, error) {
	text, args := "SELECT "+commentColumns+" FROM comments WHERE project_id = @project AND release_id = ? AND request_id <= @request"+
		" AND (request_id = @request OR closed_in = 0 OR closed_in >= @request)", []any{q.ProjectID, q.ReleaseID, q.RequestID}
	if q.ReleaseID == 0 {
		text, args = text+" AND entry_id = ?", append(args, q.EntryID)
	}
	return collect(ctx, s.conn, scanComment, text+" ORDER BY id", args...)
}

func (s commentStore) Comment(ctx context.Context, projectID, id int64) (discussion.Comment, error) {
	return single(ctx, s.conn, "comment", scanComment, "SELECT "+commentColumns+" FROM comments WHERE project_id = @project AND id = ?", projectID, id)
}

func (s commentStore) Hold(ctx context.Context, projectID, requestID int64) error {
	return s.lock(ctx, "SELECT 1 FROM approval_requests WHERE project_id = @project AND id = ?"+s.forUpdate(), projectID, requestID)
}

func (s commentStore) Insert(ctx context.Context, r *review.Request, c *discussion.Comment) error {
	row := newCommentRow(c)
	return s.insert(ctx, newRow{row, &row.ID, &c.ID}, "request", func() event.Event {
		c.ID = row.ID
		return discussion.CommentEvent(event.CommentCreated, r, c)
	})
}

func (s commentStore) Update(ctx context.Context, r *review.Request, c *discussion.Comment, event event.Type) error {
	q := s.write.NewUpdate().Model(newCommentRow(c)).
		Column("body", "salt", "hash", "edited_at", "earlier", "quote", "replacement", "closed_in", "resolver_id", "resolver_name", "resolved_at", "deleted_at").
		Where("project_id = ? AND id = ?", c.ProjectID, c.ID)
	return s.change(ctx, func(ctx context.Context, inside conn) error {
		result, err := q.Conn(inside.write).Exec(ctx)
		if err != nil {
			return inside.written(err, "comment")
		}
		if err := inside.affected(result, "comment", discussion.CommentEvent(event, r, c)); err != nil || c.ClosedIn == 0 {
			return err
		}
		_, err = inside.exec(ctx, "UPDATE comments SET closed_in = ? WHERE project_id = @project AND request_id >= ? AND parent = ? AND closed_in = 0",
			c.ClosedIn, c.ProjectID, c.RequestID, c.ID)
		return inside.db.fault(err, "comment")
	})
}
