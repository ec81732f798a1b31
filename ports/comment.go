package ports

import (
	"context"

	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// CommentStore stores comments on requests. They are deleted with their Project.
type CommentStore interface {
	CommentReader

	// Hold waits until no other transaction changes the request or holds it, and keeps others from both until this
	// transaction ends.
	Hold(ctx context.Context, projectID, requestID int64) error
	// Insert adds c, a comment on r, and sets its ID. It records event.CommentCreated.
	Insert(ctx context.Context, r *review.Request, c *discussion.Comment) error
	// Update replaces Text, Salt, Hash, EditedAt, Earlier, Quote, Replace, ClosedIn, ResolvedBy, ResolvedAt and
	// DeletedAt. The open replies to c get its ClosedIn. It records event, whose type is event.CommentUpdated,
	// event.CommentResolved or event.CommentDeleted, about r.
	Update(ctx context.Context, r *review.Request, c *discussion.Comment, event event.Type) error
}

// CommentReader reads comments.
type CommentReader interface {
	// Comments returns the comments that q selects, by id.
	Comments(ctx context.Context, q discussion.CommentQuery) ([]discussion.Comment, error)
	Comment(ctx context.Context, projectID, id int64) (discussion.Comment, error)
}
