package rest

import (
	"net/http"
	"reflect"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
)

func (a *API) registerReleasePublication() {
	endpoint.Register[wire.ReleasePublishInput, wire.Release](a.set, releaseChange(endpoint.Operation{
		Method: http.MethodPost, Path: oneRelease + "/publish", ID: "publishRelease", Action: access.ProposeReleases, BodyOptional: true, Idempotent: true,
		Title: "Submit or publish a release", About: "Seals what the members publish. If a workflow governs the Project, the status is 202 and the body is the open approval request; while it is open, the call changes nothing. " +
			"Otherwise the release is published at once, or waits for its time as `approved`. If a member cannot be published, nothing is submitted, and the problem lists all faults of all members: the status is 409 `member_gone` or `in_review`, or 422 for content.",
		Accepted: &endpoint.Outcome{
			About: "A workflow governs the Project. The body is the open approval request.", Gives: reflect.TypeFor[wire.ApprovalRequest](), Example: ofRelease(storySubmitted),
		},
	}), func(c *endpoint.Call, in wire.ReleasePublishInput) error {
		answer, err := withRelease(a, a.publishRelease)(c, in)
		if err != nil {
			return err
		}
		return c.WriteJSON(answer)
	})
	endpoint.Handle(a.set, releaseChange(endpoint.Operation{
		Method: http.MethodDelete, Path: oneRelease + "/publish", ID: "unscheduleRelease", Status: http.StatusOK,
		Title: "Cancel the scheduled publication of a release", About: "Opens a release again that waits for its time and that no workflow governs. One with an approval request is opened by withdrawing that.",
	}), withRelease(a, func(c *endpoint.Call, ref releasing.Ref, _ endpoint.None) (wire.Release, error) {
		r, err := a.Releases.Unschedule(c.Context(), c.Actor, ref)
		return shownRelease(c, r, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: oneRelease + "/revert", ID: "revertRelease", Tag: releasesTag, Action: access.WriteReleases, Idempotent: true, Versioned: true, BodyOptional: true,
		Status: http.StatusCreated, Fails: []core.Kind{core.KindConflict},
		Title: "Take back a published release", About: "Creates an open release that unpublishes what readers saw for the first time with the release, and publishes again what they saw before. It is reviewed like any other; drafts do not change. " +
			"Members that were published, unpublished or deleted since are 409 `changed_since`, which lists them.",
	}, func(c *endpoint.Call, in wire.ReleaseRevertInput) (wire.Release, error) {
		r, err := a.Releases.Revert(c.Context(), c.Actor, c.Project(), c.ID("releaseId"), in.SkipChanged)
		return shownRelease(c, r, err)
	})
}

// publishRelease submits or publishes a release and returns its request, or the release.
func (a *API) publishRelease(c *endpoint.Call, ref releasing.Ref, in wire.ReleasePublishInput) (any, error) {
	r, err := a.Releases.Publish(c.Context(), c.Actor, ref, releasing.Publication{PublishAt: in.PublishAt.Optional, Comment: in.Comment})
	if err != nil || !r.Latest.Status.Open() {
		return shownRelease(c, r, err)
	}
	c.Status = http.StatusAccepted
	v, err := a.Reviews.Current(c.Context(), c.Actor, review.ReleaseRef{Project: ref.Project, ID: ref.ID})
	return shownRequest(c, v, err)
}
