package rest

import (
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
)

// requestPage is one page of requests.
type requestPage struct {
	Data []approval.ShownRequest `json:"data" nullable:"false"`
	Meta endpoint.PagesMeta      `json:"meta"`
}

// inboxSummary is the JSON form of core.InboxSummary.
type inboxSummary struct {
	Pending           int64          `json:"pending" doc:"The number of requests that wait for the caller." example:"3"`
	ByProject         []inboxProject `json:"byProject" nullable:"false" doc:"Projects with such requests, the most first."`
	OldestSubmittedAt *string        `json:"oldestSubmittedAt" format:"date-time" doc:"null means that no request waits." example:"2026-01-02T15:04:05.000Z"`
	SubmittedByMe     int64          `json:"submittedByMe" doc:"The number of open requests that the caller submitted." example:"1"`
	Scheduled         int64          `json:"scheduled" doc:"The number of approved requests with a schedule, in the Projects of the caller." example:"1"`
}

type inboxProject struct {
	ProjectID int64  `json:"projectId" example:"1"`
	Name      string `json:"name" example:"World Desk"`
	Pending   int64  `json:"pending" example:"3"`
}

func showSummary(s core.InboxSummary) inboxSummary {
	return inboxSummary{
		Pending: s.Pending, OldestSubmittedAt: endpoint.TimeOrNull(s.OldestSubmittedAt), SubmittedByMe: s.SubmittedByMe, Scheduled: s.Scheduled,
		ByProject: endpoint.Each(s.ByProject, func(p core.InboxProject) inboxProject { return inboxProject(p) }),
	}
}

// pageParams are the parameters of a paginated list of requests.
var pageParams = []*endpoint.QueryParam{
	{
		Name: "page", In: "query", Description: "The number of the page, starting at 1.", Example: 1,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: endpoint.Ptr(1.0), Default: 1},
	},
	{
		Name: "perPage", In: "query", Description: "The number of requests per page.", Example: 25,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: endpoint.Ptr(1.0), Maximum: endpoint.Ptr(100.0), Default: 25},
	},
}

// inboxParams are the query parameters of the inbox.
var inboxParams = append(slices.Clone(pageParams), []*endpoint.QueryParam{
	{
		Name: "project", In: "query", Description: "Only requests of this Project.", Example: 1,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: endpoint.Ptr(1.0)},
	},
	{
		Name: "sort", In: "query", Description: "Oldest first, or newest first.", Example: "submittedAt:asc",
		Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"submittedAt", "submittedAt:asc", "submittedAt:desc"}, Default: "submittedAt:asc"},
	},
}...)

func (a *API) registerInbox() {
	const tag = "Approval inbox"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/approvals/pending", ID: "listPendingApprovals", Tag: tag, Action: access.SignedIn,
		Title: "List requests that wait for me", About: "Returns the requests of all Projects whose current step the caller may act on, oldest first and without snapshots.",
		Query: inboxParams, Example: map[string]any{"data": []approval.ShownRequest{storyInList}, "meta": endpoint.PagesMeta{Page: 1, PerPage: 25, Total: 1, HasMore: false}},
	}, a.listPending)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/approvals/summary", ID: "getApprovalSummary", Tag: tag, Action: access.SignedIn,
		Title: "Count requests that wait for me", About: "Returns counts over all Projects of the caller.",
	}, func(c *endpoint.Call, _ endpoint.None) (inboxSummary, error) {
		found, err := a.Inbox.Summary(c.Context(), c.Actor)
		return showSummary(found), err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/approvals/failed", ID: "listFailedPublications", Tag: tag, Action: access.SignedIn,
		Title: "List failed publications", About: "Returns the publications and ends of publications that failed, in Projects where the caller is an admin, ordered by the next attempt.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[schedule], error) {
		failed, err := a.Inbox.Failed(c.Context(), c.Actor)
		if err != nil {
			return endpoint.List[schedule]{}, err
		}
		found, err := a.Manager.Scheduled(c.Context(), failed)
		return endpoint.ListOf(found, showSchedule), err
	})
}

func (a *API) listPending(c *endpoint.Call, _ endpoint.None) (requestPage, error) {
	filter := approval.InboxFilter{Sort: "submittedAt:asc"}
	if err := pageOf(c, &filter.Window); err != nil {
		return requestPage{}, err
	}
	if err := c.Positive("project", &filter.ProjectID); err != nil {
		return requestPage{}, err
	}
	if sort, given := c.Params["sort"]; given {
		if !slices.Contains([]string{"submittedAt", "submittedAt:asc", "submittedAt:desc"}, sort) {
			return requestPage{}, endpoint.BadParameter("sort", "must be submittedAt:asc or submittedAt:desc")
		}
		filter.Sort = sort
	}
	found, err := a.Inbox.Pending(c.Context(), c.Actor, filter)
	return showPage(found, err)
}

// pageOf stores the parameters page and perPage in w. The use case checks their upper limits.
func pageOf(c *endpoint.Call, w *approval.Window) error {
	if err := c.Positive("page", &w.Page); err != nil {
		return err
	}
	return c.Positive("perPage", &w.PerPage)
}

func showPage(p *approval.Page, err error) (requestPage, error) {
	if err != nil {
		return requestPage{}, err
	}
	return requestPage{Data: endpoint.Each(p.Requests, func(v approval.View) approval.ShownRequest { return v.Show() }), Meta: endpoint.PagesMeta{Page: p.Page, PerPage: p.PerPage, Total: p.Total, HasMore: p.HasMore}}, nil
}
