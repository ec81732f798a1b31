package approval

import (
	"context"
	"fmt"
	"time"

	"imprimatur/core"
	"imprimatur/core/comments"
	"imprimatur/core/discussion"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Comments returns the comments on the subject's open or latest request, by id.
func (rs *Reviews) Comments(ctx context.Context, actor core.Actor, ref review.Subject) ([]comments.Shown, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	at, err := rs.stores.Clock.Now(ctx)
	if err != nil {
		return nil, err
	}
	return comments.New(rs.stores, ref.In(), &r, actor, at).List(ctx)
}

// AddComment adds a comment to the subject's open request. It returns core.KindConflict with the code "not_open" if that
// has ended, as do all changes of comments: those that are open come along into the next round.
func (rs *Reviews) AddComment(ctx context.Context, actor core.Actor, ref review.Subject, in comments.Input) (comments.Shown, error) {
	return rs.discuss(ctx, actor, ref, func(ctx context.Context, t *comments.Thread) (int64, error) {
		ids, err := t.Add(ctx, "", in)
		if err != nil {
			return 0, err
		}
		return ids[0], nil
	})
}

// EditComment changes the text of a comment; see comments.Thread.Edit.
func (rs *Reviews) EditComment(ctx context.Context, actor core.Actor, ref review.Subject, id int64, text string) (comments.Shown, error) {
	return rs.discuss(ctx, actor, ref, func(ctx context.Context, t *comments.Thread) (int64, error) {
		return id, t.Edit(ctx, id, text)
	})
}

// DeleteComment leaves a tombstone of a comment; see comments.Thread.Delete.
func (rs *Reviews) DeleteComment(ctx context.Context, actor core.Actor, ref review.Subject, id int64) error {
	_, err := rs.discuss(ctx, actor, ref, func(ctx context.Context, t *comments.Thread) (int64, error) {
		return id, t.Delete(ctx, id)
	})
	return err
}

// ResolveComment closes a comment; see comments.Thread.Resolve.
func (rs *Reviews) ResolveComment(ctx context.Context, actor core.Actor, ref review.Subject, id int64, reason string) (comments.Shown, error) {
	return rs.discuss(ctx, actor, ref, func(ctx context.Context, t *comments.Thread) (int64, error) {
		return id, t.Resolve(ctx, id, reason)
	})
}

// discuss runs do on the thread of the subject's request, which no other transaction changes meanwhile, and returns the
// comment with the id that do returns.
func (rs *Reviews) discuss(
	ctx context.Context, actor core.Actor, ref review.Subject, do func(ctx context.Context, t *comments.Thread) (int64, error),
) (shown comments.Shown, err error) {
	known, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return shown, err
	}
	err = rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		project, err := stores.Projects.Hold(ctx, known.ProjectID)
		if err != nil {
			return err
		}
		now, err := present(ctx, stores.Grants, stores.Users, actor)
		if err != nil {
			return err
		}
		if err := stores.Comments.Hold(ctx, known.ProjectID, known.ID); err != nil {
			return err
		}
		r, err := find(ctx, stores.Requests, now, ref)
		if err == nil && r.ID != known.ID {
			err = core.ErrChangedMeanwhile
		}
		if err != nil {
			return err
		}
		at, err := stores.Clock.Now(ctx)
		if err != nil {
			return err
		}
		t := comments.New(stores, project, &r, now, at)
		if !r.Status.Open() {
			return core.Conflict("not_open", "the request has ended: it is %s", statusText(r.Status))
		}
		id, err := do(ctx, t)
		if err != nil {
			return err
		}
		shown, err = t.Comment(ctx, id)
		return err
	})
	return shown, err
}

// bring adds the comments of a decision on r, which the transaction holds.
func bring(
	ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, r *review.Request, at time.Time, brought []comments.Input,
) error {
	switch {
	case len(brought) == 0:
		return nil
	case len(brought) > comments.MaxAtOnce:
		return core.Invalid(core.FieldError{Location: "comments", Message: fmt.Sprintf("must have at most %d comments", comments.MaxAtOnce)})
	}
	_, err := comments.New(stores, project, r, actor, at).Add(ctx, "comments", brought...)
	return err
}

// discussed sets r.OpenComments and returns the hash of the comments on r, which the transaction holds, for the record of a
// decision. It returns
// core.KindConflict with the code "must_open" if t approves a step that waits for comments.
func discussed(ctx context.Context, reader ports.CommentReader, r *review.Request, t transition) (hash string, err error) {
	if !t.what.Decision() || t.step == 0 {
		return "", nil
	}
	all, err := reader.Comments(ctx, discussion.CommentsOf(r))
	if err != nil {
		return "", err
	}
	open := 0
	r.OpenComments = 0
	for i := range all {
		if all[i].Blocks(r, t.step) {
			open++
		}
		if all[i].Parent == 0 && all[i].ClosedIn == 0 {
			r.OpenComments++
		}
	}
	switch {
	case t.what != review.ActionApprove || open == 0:
		return discussion.CommentsHash(all), nil
	case open == 1:
		return "", core.Conflict("must_open", "1 comment must be resolved before step %d is approved", r.Steps[t.step-1].Order)
	default:
		return "", core.Conflict("must_open", "%d comments must be resolved before step %d is approved", open, r.Steps[t.step-1].Order)
	}
}

// People returns up to comments.MaxPeople users that a comment on the subject's open or latest request can name, by name:
// those whose name has all words of search.
func (rs *Reviews) People(ctx context.Context, actor core.Actor, ref review.Subject, search string) ([]comments.Person, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	return comments.New(rs.stores, ref.In(), &r, actor, time.Time{}).People(ctx, search)
}

// ResolvesComment returns core.KindForbidden unless the actor may resolve a comment, or core.ErrNotFound.
func (rs *Reviews) ResolvesComment(ctx context.Context, actor core.Actor, ref review.Subject, id int64) error {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return err
	}
	return comments.New(rs.stores, ref.In(), &r, actor, time.Time{}).Resolves(ctx, id)
}

// OwnsComment returns core.KindForbidden unless the actor is the author of a comment, or core.ErrNotFound.
func (rs *Reviews) OwnsComment(ctx context.Context, actor core.Actor, ref review.Subject, id int64) error {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return err
	}
	return comments.New(rs.stores, ref.In(), &r, actor, time.Time{}).Owns(ctx, id)
}
