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

// requestConflict documents the 409 response to a decision on a changed request.
type requestConflict struct {
	httpx.Problem

	Request *approval.ShownRequest `json:"request,omitempty" doc:"The current state of the request."`
}

// tooLate is the 409 of a decision.
var tooLate = &outcome{
	about: "The state of the request does not allow the decision, or differs from the expected step or content. request contains its current state.",
	gives: reflect.TypeFor[requestConflict](),
	example: requestConflict{httpx.Problem{
		Type: "about:blank", Title: "Conflict", Status: http.StatusConflict, Code: "stale_step", RequestID: "BZQ3K5T7N2MXW4RVJ6PCYD1HGE",
		Detail:   "the request is at step 2 by now",
		Instance: "/api/projects/1/collections/2/content/42/approval/approve",
	}, &storyAtLegal},
}

// decide is one decision of approval.Reviews.
type decide func(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, in approval.Decision,
) (*approval.View, error)

func (a *API) registerReviews() {
	const (
		tag = "Approval"
		one = "/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval"
	)
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getApproval", tag: tag, action: access.ViewApproval, versioned: true, example: storySubmitted,
		title: "Read an entry's request", about: "Returns the open or the latest request. The status is 404 if the entry never had one.",
	}, withRequest(func(c *call, ref entryRef, _ none) (approval.ShownRequest, error) {
		return requestTo(c)(a.Reviews.Current(c.ctx(), c.actor, c.project(), ref.collection, ref.id))
	}))
	for _, d := range []struct {
		operation

		do func(*approval.Reviews) decide
	}{
		{operation{
			path: one + "/approve", id: "approve", title: "Approve",
			about: "Approves the current step. After the last step the snapshot is published, immediately or at the scheduled time.",
			sends: decisionInput{StepOrder: ptr(1), ContentHash: ptr(storyHash)}, example: storyAtLegal,
		}, func(d *approval.Reviews) decide { return d.Approve }},
		{operation{
			path: one + "/reject", id: "reject", title: "Reject",
			about: "Ends the request if the current step allows rejection. The entry does not change. A new submission starts at the first step.",
			sends: decisionInput{Comment: ptr("We have this story already.")}, example: storyRejected,
		}, func(d *approval.Reviews) decide { return d.Reject }},
		{operation{
			path: one + "/request-revision", id: "requestRevision", title: "Request a revision",
			about: "Ends the request if the current step allows revision. The comment must say what to revise. A new submission starts at the first step.",
			sends: decisionInput{Comment: ptr("Please name the source of the second quote.")}, example: storySentBack,
		}, func(d *approval.Reviews) decide { return d.RequestRevision }},
		{operation{
			path: one + "/publish-now", id: "publishNow", title: "Publish before the scheduled time",
			about: "Publishes an approved request immediately. Admins of the Project and users that may act on the last step may do so.",
			sends: decisionInput{}, example: storyPublishedEarly,
		}, func(d *approval.Reviews) decide { return d.PublishNow }},
	} {
		op := d.operation
		op.method, op.tag, op.action = http.MethodPost, tag, access.DecideApproval
		op.bodyOptional, op.idempotent, op.versioned = true, true, true
		op.fails, op.conflict = []core.Kind{core.KindConflict}, tooLate
		handle(a.set, op, withVersion(a.requestVersion, func(c *call, ref entryRef, ifMatch *int64, in decisionInput) (approval.ShownRequest, error) {
			decision := approval.Decision{StepOrder: in.StepOrder, ContentHash: in.ContentHash, IfMatch: ifMatch}
			if in.Comment != nil {
				decision.Comment = *in.Comment
			}
			return requestTo(c)(d.do(a.Reviews)(c.ctx(), c.actor, c.project(), ref.collection, ref.id, decision))
		}))
	}
	handle(a.set, operation{
		method: http.MethodPut, path: one + "/schedule", id: "scheduleApproval", tag: tag, action: access.DecideApproval,
		title: "Change the publication time of a request",
		about: "While the request is pending, its submitter and users that may use publish-now may change the time; null means on approval. After approval, only users that may use publish-now may change it; a past time means immediately.",
		sends: map[string]any{"publishAt": storyScheduled.ScheduledPublishAt}, example: storyScheduled, fails: []core.Kind{core.KindConflict}, conflict: tooLate, headers: []string{"ETag"},
	}, withRequest(a.schedule))
	handle(a.set, operation{
		method: http.MethodGet, path: one + "/diff", id: "getApprovalDiff", tag: tag, action: access.ViewApproval, example: storyDiff,
		title: "Compare a request with the published version and the draft",
		about: "Returns two JSON Patches (RFC 6902) of the fields: from the published version to the snapshot, and from the snapshot to the draft.",
	}, withRequest(func(c *call, ref entryRef, _ none) (approvalDiff, error) {
		diff, err := a.Reviews.Diff(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
		if err != nil {
			return approvalDiff{}, err
		}
		return approvalDiff{patch(diff.PublishedToSnapshot), patch(diff.SnapshotToDraft)}, nil
	}))
	handle(a.set, operation{
		method: http.MethodGet, path: one + "/audit", id: "auditApproval", tag: tag, action: access.ViewApproval, example: storyAudit,
		title: "Verify a request's record",
		about: "Returns the actions with their hash chain, and the result of verifying the chain and the snapshot.",
	}, withRequest(func(c *call, ref entryRef, _ none) (approval.ShownAudit, error) {
		audit, err := a.Reviews.Audit(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
		if err != nil {
			return approval.ShownAudit{}, err
		}
		return audit.Show(), nil
	}))
	handle(a.set, operation{
		method: http.MethodGet, path: one + "/history", id: "listApprovalHistory", tag: tag, action: access.ViewApproval,
		title: "List an entry's requests", about: "Returns all requests of the entry, including the current one, the latest first.", query: pageParams,
		example: map[string]any{"data": []approval.ShownRequest{storyPublished, storySentBack}, "meta": pagesMeta{1, 25, 2, false}},
	}, withRequest(a.history))
}

func (a *API) history(c *call, ref entryRef, _ none) (requestPage, error) {
	var window approval.Window
	if err := pageOf(c, &window); err != nil {
		return requestPage{}, err
	}
	found, err := a.Reviews.History(c.ctx(), c.actor, c.project(), ref.collection, ref.id, window)
	return showPage(found, err)
}

func (a *API) schedule(c *call, ref entryRef, in scheduleInput) (approval.ShownRequest, error) {
	if !in.PublishAt.Given {
		return approval.ShownRequest{}, core.Invalid(core.FieldError{Location: "publishAt", Message: "is required; null is once approved"})
	}
	return requestTo(c)(a.Reviews.Reschedule(c.ctx(), c.actor, c.project(), ref.collection, ref.id, in.PublishAt.Value))
}

// requestTo returns a function that sets the ETag of the response to c and returns the
// request. If a decision was too late, the error contains the current request.
func requestTo(c *call) func(*approval.View, error) (approval.ShownRequest, error) {
	return func(v *approval.View, err error) (approval.ShownRequest, error) {
		var late *approval.StateError
		switch {
		case errors.As(err, &late):
			return approval.ShownRequest{}, &httpx.Extended{Err: err, Name: "request", Value: late.View.Show()}
		case err != nil:
			return approval.ShownRequest{}, err
		}
		c.w.Header()["Etag"] = []string{httpx.VersionETag(v.Request.Version)}
		return v.Show(), nil
	}
}

// requestVersion returns the version of the request of the entry.
func (a *API) requestVersion(c *call, ref entryRef) (int64, error) {
	v, err := a.Reviews.Current(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
	if err != nil {
		return 0, err
	}
	return v.Request.Version, nil
}

// withRequest reads the entry in the path of a request.
func withRequest[B, A any](do func(c *call, ref entryRef, body B) (A, error)) func(*call, B) (A, error) {
	return func(c *call, body B) (A, error) {
		ref, err := entryOf(c)
		if err != nil {
			var nothing A
			return nothing, err
		}
		return do(c, ref, body)
	}
}
