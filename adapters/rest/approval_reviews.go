package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// requestConflict documents the 409 response to a decision on a request that has changed.
type requestConflict struct {
	httpx.Problem

	Request *wire.ApprovalRequest `json:"request,omitempty" doc:"The current state of the request."`
}

// staleDecision documents the 409 response to a decision.
var staleDecision = &endpoint.Outcome{
	About: "The state of the request does not allow the decision, or differs from the expected step or content. request contains its current state.",
	Gives: reflect.TypeFor[requestConflict](),
	Example: requestConflict{httpx.Problem{
		Type: "about:blank", Title: "Conflict", Status: http.StatusConflict, Code: "stale_step", RequestID: "BZQ3K5T7N2MXW4RVJ6PCYD1HGE",
		Detail:   "the request is at step 2 by now",
		Instance: "/api/projects/1/collections/2/content/42/approval/approve",
	}, &storyAtLegal},
}

// reviewed is what the requests of a set of routes are about.
type reviewed struct {
	path string // of the request
	// suffix is the end of the operation ids, and thing what the texts call it.
	suffix, thing string
	subject       func(c *endpoint.Call) review.Subject
	example       func(wire.ApprovalRequest) wire.ApprovalRequest
}

// entryRequests is the path of the request of an entry.
const entryRequests = "/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/approval"

func (a *API) registerReviews() {
	entries := reviewed{
		path: entryRequests, thing: "entry", subject: func(c *endpoint.Call) review.Subject { return entryOf(c) },
		example: func(r wire.ApprovalRequest) wire.ApprovalRequest { return r },
	}
	a.registerRequests(entries)
	a.registerComparisons(entries, func(c *endpoint.Call) review.ItemRef { return entryOf(c) })
	releases := reviewed{
		path: oneRelease + "/approval", suffix: "Release", thing: "release", example: ofRelease,
		subject: func(c *endpoint.Call) review.Subject { return releaseOf(c) },
	}
	a.registerRequests(releases)
	a.registerComparisons(releases, func(c *endpoint.Call) review.ItemRef {
		return review.MemberRef{Release: releaseOf(c), EntryID: c.Positive(memberParam.Name)}
	}, memberParam)
	a.registerWithdrawal()
}

// registerRequests registers the routes of the requests about of.
func (a *API) registerRequests(of reviewed) {
	const tag = "Approval"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: of.path, ID: "getApproval" + of.suffix, Tag: tag, Action: access.ViewApproval, Versioned: true, Example: of.example(storySubmitted),
		Title: "Read the request of the " + of.thing, About: "Returns the open or the latest request. The status is 404 if the " + of.thing + " never had one.",
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, _ endpoint.None) (wire.ApprovalRequest, error) {
		v, err := a.Reviews.Current(c.Context(), c.Actor, ref)
		return shownRequest(c, v, err)
	}))
	for _, d := range []struct {
		endpoint.Operation

		what review.ActionType
		do   func(
			r *approval.Reviews, ctx context.Context, actor core.Actor, ref review.Subject, in approval.Decision,
		) (*approval.View, error)
	}{
		{endpoint.Operation{
			Path: of.path + "/approve", ID: "approve" + of.suffix, Title: "Approve",
			About: "Approves an open step. After the last approval the snapshot is published, immediately or at the scheduled time. One user approves a step, or one of the steps that are open together, once: otherwise the status is 409 with `already_approved`. This counts both users of a decision on behalf of another.",
			Sends: wire.DecisionInput{StepOrder: new(1), ContentHash: new(storyHash)}, Example: of.example(storyAtLegal),
		}, review.ActionApprove, (*approval.Reviews).Approve},
		{endpoint.Operation{
			Path: of.path + "/reject", ID: "reject" + of.suffix, Title: "Reject",
			About: "Ends the request if the step allows rejection. The entry does not change. A new submission starts at the first step.",
			Sends: wire.DecisionInput{Comment: new("We have this story already.")}, Example: of.example(storyRejected),
		}, review.ActionReject, (*approval.Reviews).Reject},
		{endpoint.Operation{
			Path: of.path + "/request-revision", ID: "requestRevision" + of.suffix, Title: "Request a revision",
			About: "Ends the request if the step allows revision. The comment must say what to revise. A new submission starts at the first step.",
			Sends: wire.DecisionInput{Comment: new("Please name the source of the second quote.")}, Example: of.example(storySentBack),
		}, review.ActionRequestRevision, (*approval.Reviews).RequestRevision},
		{endpoint.Operation{
			Path: of.path + "/publish-now", ID: "publishNow" + of.suffix, Title: "Publish before the scheduled time",
			About: "Publishes an approved request immediately. Admins of the Project and users with the role of the last step may do so, unless allowSelfApproval excludes them.",
			Sends: wire.DecisionInput{}, Example: of.example(storyPublishedEarly),
		}, review.ActionPublishNow, (*approval.Reviews).PublishNow},
	} {
		op := d.Operation
		op.Method, op.Tag, op.Action = http.MethodPost, tag, access.DecideApproval
		op.Permit, op.Refusal = a.permits(of, d.what, false), a.permits(of, d.what, true)
		op.BodyOptional, op.Idempotent, op.Versioned, op.Conflict = true, true, true, staleDecision
		endpoint.Handle(a.set, op, withSubject(of, withIfMatch(a.requestVersion, nil, func(
			c *endpoint.Call, ref review.Subject, ifMatch *core.EntryTag, in wire.DecisionInput,
		) (wire.ApprovalRequest, error) {
			decision := approval.Decision{StepOrder: in.StepOrder, StepID: in.StepID, ContentHash: in.ContentHash, For: in.For}
			if ifMatch != nil {
				decision.IfMatch = &ifMatch.Version
			}
			core.Assign(&decision.Comment, in.Comment)
			decision.Comments = wire.Each(in.Comments, wire.CommentInput.Input)
			if err := a.sign(c, in.Signature, &decision); err != nil {
				return wire.ApprovalRequest{}, err
			}
			v, err := d.do(a.Reviews, c.Context(), c.Actor, ref, decision)
			return shownRequest(c, v, err)
		})))
	}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPut, Path: of.path + "/schedule", ID: "scheduleApproval" + of.suffix, Tag: tag,
		Action: access.DecideApproval, Permit: a.permits(of, review.ActionReschedule, true),
		Title: "Change when a request is published and unpublished",
		About: "Until a step is approved, the submitter may change the times. Users with the role of the last step may change them at any time, unless allowSelfApproval excludes them. While the request is pending, publishAt null means on approval. Once it is approved, a past publishAt means immediately. A time that the body omits stays. The record has each change as the action reschedule.",
		Sends: of.times(), Example: of.example(storyScheduled), Fails: []core.Kind{core.KindConflict}, Conflict: staleDecision, Headers: []string{"ETag"},
	}, withSubject(of, a.schedule))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: of.path + "/audit", ID: "auditApproval" + of.suffix, Tag: tag, Action: access.ViewApproval, Example: storyAudit,
		Title: "Verify a request's record",
		About: "Returns the actions with their hash chain, and the result of verifying the chain and the snapshot.",
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, _ endpoint.None) (wire.ApprovalAudit, error) {
		found, err := a.Reviews.Audit(c.Context(), c.Actor, ref)
		return wire.Shown(found, err, wire.ApprovalAuditOf)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: of.path + "/history", ID: "listApprovalHistory" + of.suffix, Tag: tag, Action: access.ViewApproval,
		Title: "List the requests of the " + of.thing, About: "Returns all requests of the " + of.thing + ", including the current one, the latest first.", Query: pageParams,
		Example: map[string]any{
			"data": []wire.ApprovalRequest{of.example(storyPublished), of.example(storySentBack)},
			"meta": wire.PagesMeta{Page: 1, PerPage: 25, Total: 2, HasMore: false},
		},
	}, withWindow(of.subject, func(c *endpoint.Call, ref review.Subject, window query.Window) (query.Page[approval.View], error) {
		return a.Reviews.History(c.Context(), c.Actor, ref, window)
	}, wire.ApprovalRequestOf))
	a.registerChallenge(of)
	a.registerComments(of)
}

// times returns the example of the times of a request.
func (of reviewed) times() map[string]any {
	if of.suffix != "" {
		return map[string]any{"publishAt": storyDue}
	}
	return map[string]any{"publishAt": storyDue, "unpublishAt": storyEnd}
}

// registerWithdrawal registers the end of the request of a release by those who may submit one.
func (a *API) registerWithdrawal() {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: oneRelease + "/approval/withdraw", ID: "withdrawRelease", Tag: releasesTag, Action: access.WriteReleases,
		BodyOptional: true, Idempotent: true, Versioned: true, Conflict: staleDecision, Status: http.StatusOK,
		Title: "Withdraw a release", About: "Ends the request of a submitted release, which is open again. A new submission starts at the first step.",
		Sends: wire.Withdrawal{Comment: new("The date has moved.")}, Example: ofRelease(storyWithdrawn),
	}, func(c *endpoint.Call, in wire.Withdrawal) (wire.ApprovalRequest, error) {
		comment := ""
		core.Assign(&comment, in.Comment)
		v, err := a.Reviews.Withdraw(c.Context(), c.Actor, releaseOf(c), comment)
		return shownRequest(c, v, err)
	})
}

// registerComparisons registers what compares one item of the request of a subject with other versions. query has the
// parameters that name the item, which item reads.
func (a *API) registerComparisons(of reviewed, item func(c *endpoint.Call) review.ItemRef, query ...*endpoint.QueryParam) {
	tag := "Approval"
	member := ""
	if of.suffix != "" {
		member = " of a member of a release"
	}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: of.path + "/diff", ID: "getApprovalDiff" + of.suffix, Tag: tag, Action: access.ViewApproval, Example: storyDiff,
		Title: "Compare the request" + member + " with the published version and the draft",
		About: "Returns what a reviewer needs to judge a request: the published version and the draft, without hidden fields, the definitions of the fields and the media that the versions show, and two JSON Patches (RFC 6902) of the fields: from the published version to the snapshot, and from the snapshot to the draft. " +
			"With from, the response also has the snapshot of that request, and the patch from it to the snapshot of the present request: what has changed since a review. " +
			"A caller who sees the request through a custom role alone may not read the entry and gets nothing of the draft. " +
			"Where a version shows media, its fields have the member `" + core.MediaMember + "` with the hash and the words of each item by id, so that a changed caption has the path `/" + core.MediaMember + "/12/caption`.",
		Query: append(slices.Clone(query), earlierParam),
	}, withItem(item, func(c *endpoint.Call, ref review.ItemRef) (wire.ApprovalDiff, error) {
		from := c.Positive(earlierParam.Name)
		if err := c.BadQuery(); err != nil {
			return wire.ApprovalDiff{}, err
		}
		found, err := a.Reviews.Diff(c.Context(), c.Actor, ref, from)
		return wire.Shown(found, err, func(d *approval.Diff) wire.ApprovalDiff { return wire.ApprovalDiffOf(a.Files, d) })
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: of.path + "/changes", ID: "listApprovalChanges" + of.suffix, Tag: tag, Action: access.ViewApproval, Example: storyChanges,
		Title: "Compare the request" + member + " by the keys of items",
		About: "Returns the changes from the published version to the snapshot, or from that of the request `from`. With `to=draft` it returns those from the snapshot, or from that of `from`, to the draft; " +
			"a caller who sees the request through a custom role alone gets 403. " + aboutChanges,
		Query: append(slices.Clone(query), earlierParam, endpoint.EnumParam("to", "The second version.", "snapshot", "draft", "snapshot")),
	}, withItem(item, a.approvalChanges))
}

// memberParam names the member of a release that is compared.
var memberParam = func() *endpoint.QueryParam {
	p := endpoint.IDParam("entryId", "The entry id of the member. If the request has no such entry, the status is 404.", 42)
	p.Required = true
	return p
}()

// withItem returns a function for endpoint.Handle. It calls do with the item that the request names.
func withItem[A any](item func(c *endpoint.Call) review.ItemRef, do func(c *endpoint.Call, ref review.ItemRef) (A, error)) func(*endpoint.Call, endpoint.None) (A, error) {
	return func(c *endpoint.Call, _ endpoint.None) (A, error) {
		ref := item(c)
		if ref.Entry() == 0 {
			var none A
			return none, cmp.Or(c.BadQuery(), endpoint.BadParameter(memberParam.Name, "is required"))
		}
		return do(c, ref)
	}
}

// permits returns Operation.Permit or, with now, Operation.Refusal of an action on the request in the path.
func (a *API) permits(of reviewed, what review.ActionType, now bool) func(c *endpoint.Call) error {
	return func(c *endpoint.Call) error { return a.Reviews.Permits(c.Context(), c.Actor, of.subject(c), what, now) }
}

// earlierParam names the earlier request with which a request is compared.
var earlierParam = endpoint.IDParam("from", "The id of an earlier request of the same entry or release. If there is no such request, the status is 404.", 7)

func (a *API) approvalChanges(c *endpoint.Call, ref review.ItemRef) ([]wire.Change, error) {
	which := approval.Comparison{From: c.Positive(earlierParam.Name)}
	to, given := c.Params["to"]
	if given && to != "draft" && to != "snapshot" {
		return nil, endpoint.BadParameter("to", "must be draft or snapshot")
	}
	which.ToDraft = to == "draft"
	if err := c.BadQuery(); err != nil {
		return nil, err
	}
	found, err := a.Reviews.Changes(c.Context(), c.Actor, ref, which)
	return wire.Shown(found, err, wire.ChangesOf)
}

func (a *API) schedule(c *endpoint.Call, ref review.Subject, in wire.ScheduleInput) (wire.ApprovalRequest, error) {
	if !in.PublishAt.Given && !in.UnpublishAt.Given {
		return wire.ApprovalRequest{}, core.Invalid(core.FieldError{Location: "publishAt", Message: "or unpublishAt is required; null means on approval, or no end"})
	}
	v, err := a.Reviews.Reschedule(c.Context(), c.Actor, ref, schedule.Times{PublishAt: in.PublishAt.Optional, UnpublishAt: in.UnpublishAt.Optional})
	return shownRequest(c, v, err)
}

// shownRequest sets the ETag of the response to c and returns the request. If the decision does not
// fit the state of the request, the error contains the current request.
func shownRequest(c *endpoint.Call, v *approval.View, err error) (wire.ApprovalRequest, error) {
	if conflict, ok := errors.AsType[*approval.StateError](err); ok {
		err = &httpx.Extended{Err: err, Name: "request", Value: wire.ApprovalRequestOf(*conflict.View)}
	}
	if err != nil {
		return wire.ApprovalRequest{}, err
	}
	epoch, err := c.Epoch()
	if err != nil {
		return wire.ApprovalRequest{}, err
	}
	c.Writer.Header()["Etag"] = []string{httpx.VersionETag(v.Request.Version, epoch)}
	return wire.ApprovalRequestOf(*v), nil
}

// requestVersion returns the version of the current request of the subject.
func (a *API) requestVersion(c *endpoint.Call, ref review.Subject, _ httpx.Match) (version int64, tags []string, err error) {
	v, err := a.Reviews.Current(c.Context(), c.Actor, ref)
	if err != nil {
		return 0, nil, err
	}
	return v.Request.Version, nil, nil
}

// releaseOf returns the release in the path.
func releaseOf(c *endpoint.Call) review.ReleaseRef {
	return review.ReleaseRef{Project: c.Project(), ID: c.ID("releaseId")}
}

// withSubject returns a function for endpoint.Handle. It reads what the request is about from the path and calls do
// with it.
func withSubject[B, A any](of reviewed, do func(c *endpoint.Call, ref review.Subject, body B) (A, error)) func(*endpoint.Call, B) (A, error) {
	return func(c *endpoint.Call, body B) (A, error) { return do(c, of.subject(c), body) }
}

// withRef returns a function for endpoint.Handle. It reads the ids of the entry from the path
// and calls do with them.
func withRef[B, A any](do func(c *endpoint.Call, ref review.EntryRef, body B) (A, error)) func(*endpoint.Call, B) (A, error) {
	return func(c *endpoint.Call, body B) (A, error) { return do(c, entryOf(c), body) }
}

// withNumber is withRef for a function that also needs the path parameter number. Errors contain
// kind, the name of the numbered resource.
func withNumber[B, A any](kind string, do func(c *endpoint.Call, ref review.EntryRef, number int64, body B) (A, error)) func(*endpoint.Call, B) (A, error) {
	return withRef(func(c *endpoint.Call, ref review.EntryRef, body B) (A, error) {
		number, err := c.Number("number", kind)
		if err != nil {
			var nothing A
			return nothing, err
		}
		return do(c, ref, number, body)
	})
}
