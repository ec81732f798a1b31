package rest

import (
	"net/http"
	"slices"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/review"
)

// requestPage is one page of requests.
type requestPage = wire.Pages[wire.ApprovalRequest]

// failedPage is one page of failed publications.
type failedPage = wire.Pages[wire.Schedule]

// pageParams are the query parameters page and perPage.
var pageParams = endpoint.PageParams("items", approval.DefaultPerPage)

// inboxParams returns the query parameters of a list of the inbox.
func inboxParams(list review.InboxList) []*endpoint.QueryParam {
	sorts := approval.Sorts(list)
	params := append(slices.Clone(pageParams), endpoint.IDParam("project", "Only requests of this Project.", 1),
		endpoint.EnumParam("comments", "open selects only requests with open comments.", nil, "open"),
		endpoint.EnumParam("sort", "The earliest time first (asc), or the latest (desc).", sorts[0], sorts...))
	if list == review.InboxPending || list == review.InboxSubmitted {
		params = append(params, endpoint.EnumParam("overdue", "true selects only requests that are past the deadline of an open step or past their time of publication.", nil, "true"))
	}
	if list == review.InboxPending {
		const about = "Only requests that the caller may decide only on behalf of others (true), or in its own name (false)."
		params = append(params, endpoint.EnumParam("delegated", about, nil, "true", "false"))
	}
	return params
}

func (a *API) registerInbox() {
	const tag = "Approval inbox"
	for _, list := range []struct {
		list                   review.InboxList
		path, id, title, about string
		example                wire.ApprovalRequest
	}{
		{
			review.InboxPending, "pending", "listPendingApprovals", "List requests that wait for me",
			"Returns the requests of all Projects whose current step the caller may act on, oldest first.", listed(storySubmitted),
		},
		{
			review.InboxSubmitted, "submitted", "listSubmittedApprovals", "List requests that I submitted",
			"Returns the requests of any status that the caller submitted and may still see, newest first.", listed(storySentBack),
		},
		{
			review.InboxReturned, "returned", "listReturnedApprovals", "List requests that came back to me",
			"Returns the requests that the caller submitted and may still see, that a reviewer rejected or sent back, and whose entry was not submitted again and is not in the trash, newest first.", listed(storySentBack),
		},
		{
			review.InboxScheduled, "scheduled", "listScheduledApprovals", "List approved requests with a time",
			"Returns the approved requests with a time of publication in the Projects of the caller, the earliest time first.", listed(storyScheduled),
		},
		{
			review.InboxDecided, "decided", "listDecidedApprovals", "List requests that I decided",
			"Returns the requests in which the caller has approved, rejected or requested a revision and which the caller may still see, the newest decision first.", listed(storyPublished),
		},
	} {
		endpoint.Handle(a.set, endpoint.Operation{
			Method: http.MethodGet, Path: "/api/approvals/" + list.path, ID: list.id, Tag: tag, Action: access.SignedIn,
			Title: list.title, About: list.about + " Snapshots are null.",
			Query: inboxParams(list.list), Example: map[string]any{"data": []wire.ApprovalRequest{list.example}, "meta": wire.PagesMeta{Page: 1, PerPage: 25, Total: 1, HasMore: false}},
		}, func(c *endpoint.Call, _ endpoint.None) (requestPage, error) { return a.listInbox(c, list.list) })
	}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/approvals/summary", ID: "getApprovalSummary", Tag: tag, Action: access.SignedIn,
		Title: "Count requests that wait for me", About: "Returns counts over all Projects of the caller.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.InboxSummary, error) {
		found, err := a.Inbox.Summary(c.Context(), c.Actor)
		return wire.Shown(found, err, wire.InboxSummaryOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/approvals/failed", ID: "listFailedPublications", Tag: tag, Action: access.SignedIn,
		Title: "List failed publications", About: "Returns the publications and ends of publications that failed, in Projects where the caller is an admin, ordered by the next attempt.",
		Query: append(slices.Clone(pageParams), endpoint.IDParam("project", "Only publications of this Project.", 1)),
	}, a.listFailed)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/approvals/unreachable", ID: "listUnreachableApprovals", Tag: tag, Action: access.SignedIn,
		Title: "List requests that nobody can decide",
		About: "Returns the pending requests with a current or later step that no user can approve at present, in Projects where the caller has a role, oldest first. " +
			"It examines the 500 oldest pending requests. Snapshots are null.",
		Query: append(slices.Clone(pageParams), endpoint.IDParam("project", "Only requests of this Project.", 1)),
	}, a.listUnreachable)
}

func (a *API) listUnreachable(c *endpoint.Call, _ endpoint.None) (requestPage, error) {
	filter := approval.UnreachableFilter{Window: windowOf(c), ProjectID: c.Positive("project")}
	if err := c.BadQuery(); err != nil {
		return requestPage{}, err
	}
	found, err := a.Inbox.Unreachable(c.Context(), c.Actor, filter)
	return wire.PagesOf(found, err, wire.ApprovalRequestOf)
}

func (a *API) listFailed(c *endpoint.Call, _ endpoint.None) (failedPage, error) {
	filter := approval.FailedFilter{Window: windowOf(c), ProjectID: c.Positive("project")}
	if err := c.BadQuery(); err != nil {
		return failedPage{}, err
	}
	failed, err := a.Inbox.Failed(c.Context(), c.Actor, filter)
	if err != nil {
		return failedPage{}, err
	}
	found, err := a.Drafts.Scheduled(c.Context(), failed.Items)
	page := query.Page[reading.Scheduled]{Items: found, Window: failed.Window, Total: failed.Total, HasMore: failed.HasMore}
	return wire.PagesOf(page, err, wire.ScheduleOf)
}

func (a *API) listInbox(c *endpoint.Call, list review.InboxList) (requestPage, error) {
	filter := approval.InboxFilter{List: list, Window: windowOf(c), ProjectID: c.Positive("project")}
	if err := c.BadQuery(); err != nil {
		return requestPage{}, err
	}
	if state, given := c.Params["comments"]; given {
		if filter.Commented = state == "open"; !filter.Commented {
			return requestPage{}, endpoint.BadParameter("comments", "must be open")
		}
	}
	if overdue, given := c.Params["overdue"]; given {
		if filter.Overdue = overdue == "true"; !filter.Overdue {
			return requestPage{}, endpoint.BadParameter("overdue", "must be true")
		}
	}
	if sort, given := c.Params["sort"]; given {
		if sort == "" { // the use case would take "" as the default
			return requestPage{}, endpoint.BadParameter("sort", "must not be empty")
		}
		filter.Sort = sort
	}
	if delegated, given := c.Params["delegated"]; given {
		if delegated != "true" && delegated != "false" {
			return requestPage{}, endpoint.BadParameter("delegated", "must be true or false")
		}
		filter.Delegated = new(delegated == "true")
	}
	found, err := a.Inbox.List(c.Context(), c.Actor, filter)
	return wire.PagesOf(found, err, wire.ApprovalRequestOf)
}

// withWindow returns a function for endpoint.Handle. It reads what of returns from the path and the
// parameters page and perPage, and shows the page that list returns.
func withWindow[R, T, U any](
	of func(c *endpoint.Call) R, list func(c *endpoint.Call, ref R, window query.Window) (query.Page[T], error), show func(T) U,
) func(*endpoint.Call, endpoint.None) (wire.Pages[U], error) {
	return func(c *endpoint.Call, _ endpoint.None) (nothing wire.Pages[U], err error) {
		window := windowOf(c)
		if err := c.BadQuery(); err != nil {
			return nothing, err
		}
		found, err := list(c, of(c), window)
		return wire.PagesOf(found, err, show)
	}
}

// windowOf returns the parameters page and perPage. The use case checks their upper limits.
func windowOf(c *endpoint.Call) query.Window {
	return query.Window{Page: c.Positive("page"), PerPage: c.Positive("perPage")}
}
