package memory

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

type comments struct{ scoped }

func (s comments) Comments(ctx context.Context, q discussion.CommentQuery) ([]discussion.Comment, error) {
	return where(ctx, s.store, func(c discussion.Comment) bool { return q.Has(&c) })
}

func (s comments) Comment(ctx context.Context, projectID, id int64) (discussion.Comment, error) {
	return get[discussion.Comment](ctx, s.store, in{projectID, id})
}

func (s comments) Hold(ctx context.Context, _, requestID int64) error {
	return s.hold(ctx, "request", requestID)
}

func (s comments) Insert(ctx context.Context, r *review.Request, c *discussion.Comment) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.requests.in(c.ProjectID, c.RequestID); err != nil {
			return err
		}
		c.ID = st.comments.next()
		st.comments.put(c.ID, *c)
		st.record(discussion.CommentEvent(event.CommentCreated, r, c))
		return nil
	})
}

func (s comments) Update(ctx context.Context, r *review.Request, c *discussion.Comment, event event.Type) error {
	return edit(ctx, s.store, in{c.ProjectID, c.ID}, func(st *state, next *discussion.Comment) error {
		next.Text, next.Salt, next.Hash, next.EditedAt, next.Earlier = c.Text, c.Salt, c.Hash, c.EditedAt, c.Earlier
		next.Quote, next.Replace = c.Quote, c.Replace
		next.ClosedIn, next.ResolvedBy, next.ResolvedAt, next.DeletedAt = c.ClosedIn, c.ResolvedBy, c.ResolvedAt, c.DeletedAt
		for _, reply := range st.comments.where(func(other discussion.Comment) bool {
			return next.ClosedIn != 0 && other.Parent == next.ID && other.ClosedIn == 0
		}) {
			reply.ClosedIn = next.ClosedIn
			st.comments.put(reply.ID, reply)
		}
		st.record(discussion.CommentEvent(event, r, next))
		return nil
	})
}

type workflows struct{ store }

func (s workflows) DepartmentWorkflow(ctx context.Context, departmentID int64) (review.Workflow, error) {
	return get[review.Workflow](ctx, s.store, scope{departmentID: departmentID})
}

func (s workflows) ProjectWorkflow(ctx context.Context, projectID int64) (review.Workflow, error) {
	return get[review.Workflow](ctx, s.store, scope{projectID: projectID})
}

func (s workflows) Governing(ctx context.Context, projectID int64) (review.Workflow, error) {
	return view(ctx, s.conn, func(st *state) (review.Workflow, error) {
		if w, ok := st.workflows.get(scope{projectID: projectID}); ok {
			return w, nil
		}
		p, ok := st.projects.get(projectID)
		if !ok || p.DepartmentID == 0 {
			return review.Workflow{}, core.NotFound(s.thing)
		}
		return st.workflows.one(scope{departmentID: p.DepartmentID})
	})
}

func (s workflows) UsingRole(ctx context.Context, customRoleID int64) ([]review.Workflow, error) {
	return where(ctx, s.store, func(w review.Workflow) bool { return review.UsesRole(w.Steps, customRoleID) })
}

func (s workflows) Put(ctx context.Context, w review.Workflow) error {
	return s.apply(ctx, func(st *state) {
		st.workflows.put(scopeOf(w), w)
		st.record(st.workflowEvent(scopeOf(w)))
	})
}

func (s workflows) Remove(ctx context.Context, w review.Workflow) error {
	return s.change(ctx, func(st *state) error {
		at := scopeOf(w)
		if _, err := st.workflows.one(at); err != nil {
			return err
		}
		st.workflows.remove(at)
		st.record(st.workflowEvent(at))
		return nil
	})
}

func (st *state) workflowEvent(at scope) event.Event {
	department, _ := st.departments.get(at.departmentID)
	return event.Event{Type: event.WorkflowUpdated, TenantID: department.TenantID, ProjectID: at.projectID, SubjectID: department.ID}
}

// scopeOf returns the scope that w governs.
func scopeOf(w review.Workflow) scope {
	return scope{departmentID: w.DepartmentID, projectID: w.ProjectID}
}
