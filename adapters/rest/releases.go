package rest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/installation"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/schedule"
)

const (
	releasesTag = "Releases"
	allReleases = "/api/projects/{projectId}/releases"
	oneRelease  = allReleases + "/{releaseId}"
)

// staleRelease documents the 412 response to a change of a release.
type staleRelease struct {
	httpx.Problem

	Current wire.Release `json:"current" doc:"The release as it is now."`
}

// storyRelease is the release of the examples.
var storyRelease = wire.Release{
	ID: 12, Name: "Spring campaign", Description: "Everything for the first of March.", State: release.Open,
	Counts: wire.ReleaseCounts{Members: 12, Publish: 10, Unpublish: 2}, CreatedBy: core.ActorRef{Kind: "user", ID: 6, Name: "Emil Santos"},
	CreatedAt: "2026-01-02T15:04:05.000Z", Version: 3,
}

var staleReleaseOutcome = &endpoint.Outcome{
	About: "The version in If-Match is not the current one. current is the release as it is now.",
	Gives: reflect.TypeFor[staleRelease](),
	Example: staleRelease{httpx.Problem{
		Type: "about:blank", Title: "Precondition Failed", Status: http.StatusPreconditionFailed, Code: "precondition_failed",
		Detail: "the release has another version than the one given", Instance: "/api/projects/1/releases/12", RequestID: "BZQ3K5T7N2MXW4RVJ6PCYD1HGE",
	}, storyRelease},
}

func (a *API) registerReleases() {
	states := wire.Each(release.States(), func(s release.State) string { return string(s) })
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: allReleases, ID: "listReleases", Tag: releasesTag, Action: access.ViewReleases,
		Title: "List a project's releases", About: "Returns the releases, the newest first. A release is a set of entries that are published and unpublished together, after one review if a workflow governs the Project.",
		Query: append([]*endpoint.QueryParam{
			endpoint.EnumParam("state", "Only releases in this state.", nil, states...),
			endpoint.TextParam("search", "Only releases whose name or description contains this text, in any case.", "spring"),
			endpoint.IDParam("entryId", "Only releases that have or had this entry as a member.", 42),
		}, pageParams...),
	}, a.listReleases)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: allReleases, ID: "createRelease", Tag: releasesTag, Action: access.ProposeReleases, Idempotent: true, Versioned: true,
		Title: "Create a release", About: "Creates an open release without members. A project has at most 200 releases that are not published or closed.",
		Status: http.StatusCreated, Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.ReleaseInput) (wire.Release, error) {
		r, err := a.Releases.Create(c.Context(), c.Actor, c.Project(), in.Change())
		return shownRelease(c, r, err)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: oneRelease, ID: "getRelease", Tag: releasesTag, Action: access.ViewReleases, Versioned: true,
		Title: "Read a release", About: "Returns one release. Its members are a list of their own.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Release, error) {
		r, err := a.Releases.Release(c.Context(), c.Actor, c.Project(), c.ID("releaseId"))
		return shownRelease(c, r, err)
	})
	endpoint.Handle(a.set, releaseChange(endpoint.Operation{
		Method: http.MethodPatch, Path: oneRelease, ID: "updateRelease",
		Title: "Change a release", About: "Changes the members that the body contains. Only an open release changes; otherwise the status is 409 `not_open`.",
	}), withRelease(a, func(c *endpoint.Call, ref releasing.Ref, in wire.ReleaseChange) (wire.Release, error) {
		r, err := a.Releases.Update(c.Context(), c.Actor, ref, in.Change())
		return shownRelease(c, r, err)
	}))
	endpoint.Handle(a.set, releaseChange(endpoint.Operation{
		Method: http.MethodDelete, Path: oneRelease, ID: "deleteRelease",
		Title: "Delete or close a release", About: "Deletes an open release that was never submitted. One that was is closed instead and kept with its rounds.",
	}), withRelease(a, func(c *endpoint.Call, ref releasing.Ref, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Releases.Delete(c.Context(), c.Actor, ref)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: oneRelease + "/check", ID: "checkRelease", Tag: releasesTag, Action: access.ReadContent, Fails: []core.Kind{core.KindConflict}, Status: http.StatusOK,
		Title: "Check a release", About: "Returns what a submission of the open release would answer, and changes nothing. References are judged by what readers see after the release: two members may need each other. " +
			"Of a submitted release it returns the warnings of what was submitted, and no faults.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.ReleaseCheck, error) {
		found, err := a.Releases.Check(c.Context(), c.Actor, c.Project(), c.ID("releaseId"))
		return wire.Shown(found, err, wire.ReleaseCheckOf)
	})
	a.registerReleaseMembers()
	a.registerReleasePublication()
}

// releaseChange completes op, a change of an open release.
func releaseChange(op endpoint.Operation) endpoint.Operation {
	op.Tag, op.Versioned, op.Stale = releasesTag, true, staleReleaseOutcome
	if op.Action.Name == "" {
		op.Action = access.WriteReleases
	}
	op.Fails = append(op.Fails, core.KindConflict)
	return op
}

func (a *API) listReleases(c *endpoint.Call, _ endpoint.None) (wire.Pages[wire.Release], error) {
	f := releasing.Filter{Search: c.Params["search"], EntryID: c.Positive("entryId"), Window: query.Window{Page: c.Positive("page"), PerPage: c.Positive("perPage")}}
	if state, given := c.Params["state"]; given {
		f.States = []release.State{release.State(state)}
		if !f.States[0].Valid() {
			return wire.Pages[wire.Release]{}, endpoint.BadParameter("state", "must be "+core.Joined(release.States()))
		}
	}
	if err := c.BadQuery(); err != nil {
		return wire.Pages[wire.Release]{}, err
	}
	page, err := a.Releases.List(c.Context(), c.Actor, c.Project(), f)
	return wire.PagesOf(page, err, wire.ReleaseOf)
}

// shownRelease sets the ETag of the response to c and returns the release.
func shownRelease(c *endpoint.Call, r release.Release, err error) (wire.Release, error) {
	if err != nil {
		return wire.Release{}, err
	}
	epoch, err := c.Epoch()
	if err != nil {
		return wire.Release{}, err
	}
	tag := httpx.VersionETag(r.Version, epoch)
	c.Writer.Header()["Etag"] = []string{tag}
	shown := wire.ReleaseOf(r)
	if epoch != installation.FirstEpoch {
		shown.ETag = strings.Trim(tag, `"`)
	}
	return shown, nil
}

// withRelease returns a function for endpoint.Handle of a change of the release in the path, in the version of
// If-Match. If it has another version, the error contains the current release.
func withRelease[B, A any](a *API, do func(c *endpoint.Call, ref releasing.Ref, body B) (A, error)) func(*endpoint.Call, B) (A, error) {
	return func(c *endpoint.Call, body B) (answer A, err error) {
		epoch, err := c.Epoch()
		if err != nil {
			return answer, err
		}
		match, err := httpx.IfMatch(c.Request, epoch)
		if err != nil {
			return answer, err
		}
		ref := releasing.Ref{Project: c.Project(), ID: c.ID("releaseId")}
		tag, err := match.Entry(func() (int64, []string, error) {
			r, err := a.Releases.Release(c.Context(), c.Actor, ref.Project, ref.ID)
			return r.Version, nil, err
		})
		if tag != nil {
			ref.IfMatch = &tag.Version
		}
		if err == nil {
			answer, err = do(c, ref, body)
		}
		if !releasing.IsStale(err) {
			return answer, err
		}
		current, failed := a.Releases.Release(c.Context(), c.Actor, ref.Project, ref.ID)
		if failed != nil {
			return answer, failed
		}
		return answer, &httpx.Extended{Err: err, Name: "current", Value: wire.ReleaseOf(current)}
	}
}

func (a *API) registerReleaseMembers() {
	const members = oneRelease + "/members"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: members, ID: "listReleaseMembers", Tag: releasesTag, Action: access.ViewReleases, Query: releaseMembersParams(),
		Title: "List the members of a release", About: "Returns the entries of the release, ordered by their ids. Those of an open release are as they are now, others as they were submitted. counts and paths are those of all members, without the filters.",
	}, a.listReleaseMembers)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: members + "/{contentId}", ID: "getReleaseMember", Tag: releasesTag, Action: access.ViewReleases,
		Title: "Read a member of a release", About: "Returns the member with what it publishes and with what it changes for readers. With from, it is also compared with the member in that earlier round: changes are then from that to the snapshot.",
		Query: []*endpoint.QueryParam{earlierRoundParam},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.ReleaseMemberContent, error) {
		from := c.Positive(earlierRoundParam.Name)
		if err := c.BadQuery(); err != nil {
			return wire.ReleaseMemberContent{}, err
		}
		found, err := a.Releases.Member(c.Context(), c.Actor, c.Project(), c.ID("releaseId"), c.ID("contentId"), from)
		return wire.Shown(found, err, func(m *releasing.MemberContent) wire.ReleaseMemberContent {
			return wire.ReleaseMemberContentOf(a.Files, m)
		})
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: oneRelease + "/seen", ID: "markReleaseMembers", Tag: releasesTag, Action: access.ViewReleases, Fails: []core.Kind{core.KindConflict},
		Title: "Mark members of a release as seen", About: "Keeps which members of a submitted release the caller has seen, with which content. The marks are the caller's own and no part of the record. If a member has other content, the status is 409 `content_changed`.",
	}, func(c *endpoint.Call, in wire.ReleaseMarks) (endpoint.None, error) {
		return endpoint.None{}, a.Releases.Mark(c.Context(), c.Actor, c.Project(), c.ID("releaseId"), in.Marks())
	})
	endpoint.Handle(a.set, releaseChange(endpoint.Operation{
		Method: http.MethodPost, Path: members, ID: "putReleaseMembers", Action: access.ProposeReleases, Idempotent: true, Status: http.StatusOK,
		Title: "Add members to a release", About: "Adds entries to an open release, all or none, in place of the members with the same entries. " +
			"The release publishes the draft of an entry as it is at the submission, publishes one of its past publications again, or unpublishes the entry. " +
			"An entry may be in several open releases. A release has at most 1,000 members. The problem of an invalid body lists the faults by the index of the entry.",
	}), withRelease(a, func(c *endpoint.Call, ref releasing.Ref, in wire.ReleaseMembersInput) (wire.Release, error) {
		r, err := a.Releases.PutMembers(c.Context(), c.Actor, ref, in.Inputs())
		return shownRelease(c, r, err)
	}))
	endpoint.Handle(a.set, releaseChange(endpoint.Operation{
		Method: http.MethodDelete, Path: members, ID: "removeReleaseMembers", Status: http.StatusOK,
		Title: "Remove members from a release", About: "Removes entries from an open release. An entry that is no member is no error.",
	}), withRelease(a, func(c *endpoint.Call, ref releasing.Ref, in wire.ReleaseMembersGone) (wire.Release, error) {
		r, err := a.Releases.RemoveMembers(c.Context(), c.Actor, ref, in.EntryIDs)
		return shownRelease(c, r, err)
	}))
}

// earlierRoundParam names the request of a release with which a member is compared.
var earlierRoundParam = endpoint.IDParam("from", "The id of an earlier request of the release. If the release has no such request, or that has no such member, the status is 404.", 7)

// releaseMembersParams are the query parameters of the list of members.
func releaseMembersParams() []*endpoint.QueryParam {
	return []*endpoint.QueryParam{
		endpoint.IntParam("page", "The number of the page, starting at 1.", 1, 1, nil, 1),
		endpoint.IntParam("perPage", "The number of members per page.", releasing.DefaultPerPage, 1, new(float64(releasing.MaxMembersPerPage)), releasing.DefaultPerPage),
		endpoint.EnumParam("action", "Only members with this action.", nil, "publish", "unpublish"),
		endpoint.TextParam("collection", "Only entries of the collection with this slug.", "articles"),
		endpoint.TextParam("locale", "Only entries in this locale.", "en"),
		endpoint.EnumParam("kind", "Only members that change this for readers: they see the entry for the first time or again, another version of it, or no longer.", nil, "new", "changed", "unpublish"),
		endpoint.EnumParam("seen", "Only members whose content the caller has marked as seen, or the others.", nil, "true", "false"),
		endpoint.EnumParam("unchanged", "Only members with action, content and base as in the round of the caller's last decision, or the others.", nil, "true", "false"),
		endpoint.TextParam("changed", "Only members that change this path, or one below it: body, body.hero for the items of a type, body.hero.title; @media stands for the words and files of media. None while the release is open.", "title"),
	}
}

func (a *API) listReleaseMembers(c *endpoint.Call, _ endpoint.None) (wire.ReleaseMembers, error) {
	f := releasing.MemberFilter{
		Window:     query.Window{Page: c.Positive("page"), PerPage: c.Positive("perPage")},
		Collection: c.Params["collection"], Locale: c.Params["locale"], Changed: c.Params["changed"],
		Action: schedule.Action(c.Params["action"]), Kind: release.Kind(c.Params["kind"]),
	}
	if _, given := c.Params["seen"]; given {
		f.Seen = new(c.Bool("seen"))
	}
	if _, given := c.Params["unchanged"]; given {
		f.Unchanged = new(c.Bool("unchanged"))
	}
	if err := c.BadQuery(); err != nil {
		return wire.ReleaseMembers{}, err
	}
	for _, p := range releaseMembersParams() {
		if value, given := c.Params[p.Name]; given && p.Schema.Enum != nil && !slices.Contains(p.Schema.Enum, any(value)) {
			return wire.ReleaseMembers{}, endpoint.BadParameter(p.Name, fmt.Sprintf("must be one of %v", p.Schema.Enum))
		}
	}
	page, err := a.Releases.Members(c.Context(), c.Actor, c.Project(), c.ID("releaseId"), f)
	return wire.Shown(page, err, wire.ReleaseMembersOf)
}
