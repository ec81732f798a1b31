package rest

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
)

// requestConflict documents the problem of a decision that came too late.
type requestConflict struct {
	httpx.Problem

	Request *approvalRequest `json:"request,omitempty" doc:"The request as it is now."`
}

// tooLate is the 409 of a decision.
var tooLate = &outcome{
	about: "The request is not in a state for this, or not what the caller takes it for; request shows it as it is now.",
	gives: reflect.TypeFor[requestConflict](),
	example: requestConflict{httpx.Problem{
		Type: "about:blank", Title: "Conflict", Status: http.StatusConflict, Code: "stale_step", RequestID: "BZQ3K5T7N2MXW4RVJ6PCYD1HGE",
		Detail:   "the request is at step 2 by now",
		Instance: "/api/projects/1/collections/2/content/42/approval/approve",
	}, &storyAtLegal},
}

// decide is one of the desk's decisions.
type decide func(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in approval.Decision,
) (*approval.View, error)

func (a *API) registerDesk() {
	const (
		tag = "Approval"
		one = "/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval"
	)
	handle(a, operation{
		method: http.MethodGet, path: one, id: "getApproval", tag: tag, action: access.ViewApproval, versioned: true, example: storySubmitted,
		title: "Read an entry's request", about: "The open one, or else the latest; 404 when there never was one.",
	}, withRequest(func(c *call, ref entryRef, _ none) (*approval.View, error) {
		return c.request(a.Reviews.Current(c.ctx(), c.actor, c.project(), ref.collection, ref.id))
	}))
	for _, d := range []struct {
		operation

		do func(*approval.Reviews) decide
	}{
		{operation{
			path: one + "/approve", id: "approve", title: "Approve",
			about: "Approves the current step. At the last one the snapshot is published, at once or when its time comes.",
			sends: decisionInput{StepOrder: ptr(1), ContentHash: ptr(storyHash)}, example: storyAtLegal,
		}, func(d *approval.Reviews) decide { return d.Approve }},
		{operation{
			path: one + "/reject", id: "reject", title: "Reject",
			about: "Ends the request, where the current step allows it. The entry stays as it is and can be submitted again, at the first step.",
			sends: decisionInput{Comment: ptr("We have this story already.")}, example: storyRejected,
		}, func(d *approval.Reviews) decide { return d.Reject }},
		{operation{
			path: one + "/request-revision", id: "requestRevision", title: "Request a revision",
			about: "Ends the request, where the current step allows it, and says in the comment what to revise. Submitted again, the content starts at the first step.",
			sends: decisionInput{Comment: ptr("Please name the source of the second quote.")}, example: storySentBack,
		}, func(d *approval.Reviews) decide { return d.RequestRevision }},
		{operation{
			path: one + "/publish-now", id: "publishNow", title: "Publish before the time",
			about: "Publishes an approved request that waits for its time. For admins of the Project, and who may act on its last step.",
			sends: decisionInput{}, example: storyPublishedEarly,
		}, func(d *approval.Reviews) decide { return d.PublishNow }},
	} {
		op := d.operation
		op.method, op.tag, op.action = http.MethodPost, tag, access.DecideApproval
		op.bodyOptional, op.idempotent, op.versioned = true, true, true
		op.fails, op.conflict = []core.Kind{core.KindConflict}, tooLate
		handle(a, op, withVersion((*call).requestVersion, func(c *call, ref entryRef, ifMatch *int64, in decisionInput) (*approval.View, error) {
			decision := approval.Decision{StepOrder: in.StepOrder, ContentHash: in.ContentHash, IfMatch: ifMatch}
			if in.Comment != nil {
				decision.Comment = *in.Comment
			}
			return c.request(d.do(a.Reviews)(c.ctx(), c.actor, c.project(), ref.collection, ref.id, decision))
		}))
	}
	handle(a, operation{
		method: http.MethodPut, path: one + "/schedule", id: "scheduleApproval", tag: tag, action: access.DecideApproval,
		title: "Change when a request is published",
		about: "While it is pending: its submitter, or who may publish it now; null is once approved. When it is approved: who may publish it now; a past time is at once.",
		sends: map[string]any{"publishAt": storyScheduled.ScheduledPublishAt}, example: storyScheduled, fails: []core.Kind{core.KindConflict}, conflict: tooLate, headers: []string{"ETag"},
	}, withRequest(a.schedule))
	handle(a, operation{
		method: http.MethodGet, path: one + "/diff", id: "getApprovalDiff", tag: tag, action: access.ViewApproval, example: storyDiff,
		title: "Compare a request with what is published and with the draft",
		about: "JSON Patches (RFC 6902) over the fields: from what readers see to the snapshot, and from the snapshot to the draft.",
	}, withRequest(func(c *call, ref entryRef, _ none) (*approval.Diff, error) {
		return a.Reviews.Diff(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
	}))
	handle(a, operation{
		method: http.MethodGet, path: one + "/audit", id: "auditApproval", tag: tag, action: access.ViewApproval, example: storyAudit,
		title: "Verify a request's record",
		about: "The actions with their chain of hashes, and whether chain and snapshot hold.",
	}, withRequest(func(c *call, ref entryRef, _ none) (*approval.Audit, error) {
		return a.Reviews.Audit(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
	}))
	handle(a, operation{
		method: http.MethodGet, path: one + "/history", id: "listApprovalHistory", tag: tag, action: access.ViewApproval,
		title: "List an entry's requests", about: "The latest first, the current one among them.", query: pageParams,
		example: map[string]any{"data": []approvalRequest{storyPublished, storySentBack}, "meta": pagesMeta{1, 25, 2, false}},
	}, withRequest(a.history))
}

func (a *API) history(c *call, ref entryRef, _ none) (requestPage, error) {
	var window approval.Window
	if err := c.pageOf(&window); err != nil {
		return requestPage{}, err
	}
	found, err := a.Reviews.History(c.ctx(), c.actor, c.project(), ref.collection, ref.id, window)
	return showPage(found, err)
}

func (a *API) schedule(c *call, ref entryRef, in scheduleInput) (*approval.View, error) {
	if !in.PublishAt.Given {
		return nil, core.Invalid(core.FieldError{Location: "publishAt", Message: "is required; null is once approved"})
	}
	return c.request(a.Reviews.Reschedule(c.ctx(), c.actor, c.project(), ref.collection, ref.id, in.PublishAt.Value))
}

// request answers with a request under its version or, when a decision came too late,
// refuses it and shows the request as it is now.
func (c *call) request(v *approval.View, err error) (*approval.View, error) {
	var late *approval.StateError
	switch {
	case errors.As(err, &late):
		return nil, &httpx.Extended{Err: err, Name: "request", Value: late.View}
	case err != nil:
		return nil, err
	}
	c.w.Header()["Etag"] = []string{httpx.VersionETag(v.Request.Version)}
	return v, nil
}

// requestVersion returns the version of the entry's request.
func (c *call) requestVersion(ref entryRef) (int64, error) {
	v, err := c.api.Reviews.Current(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
	if err != nil {
		return 0, err
	}
	return v.Request.Version, nil
}

// withRequest reads the entry whose request a path is about.
func withRequest[B, A any](do func(c *call, ref entryRef, body B) (A, error)) func(*call, B) (A, error) {
	return func(c *call, body B) (A, error) {
		ref, err := c.entry()
		if err != nil {
			var nothing A
			return nothing, err
		}
		return do(c, ref, body)
	}
}

// itself is for lists of what shows itself.
func itself[T any](v T) T { return v }
