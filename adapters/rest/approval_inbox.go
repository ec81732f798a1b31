package rest

import (
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
)

// requestPage is one page of requests.
type requestPage struct {
	Data []approval.ShownRequest `json:"data" nullable:"false"`
	Meta pagesMeta               `json:"meta"`
}

// inboxSummary is core.InboxSummary on the wire.
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

// publication is core.Publication on the wire.
type publication struct {
	ProjectID    int64         `json:"projectId" example:"1"`
	CollectionID int64         `json:"collectionId" example:"2"`
	EntryID      int64         `json:"entryId" example:"42"`
	RequestID    *int64        `json:"requestId" doc:"null means that no workflow governed the entry when it was scheduled." example:"9"`
	DueAt        string        `json:"dueAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ScheduledBy  core.ActorRef `json:"scheduledBy"`
	Attempts     int           `json:"attempts" doc:"The number of failed attempts." example:"2"`
	Fault        string        `json:"fault" doc:"The error of the last attempt." example:"some values are not valid: fields.slug is taken"`
	RetryAt      string        `json:"retryAt" format:"date-time" doc:"The time of the next attempt." example:"2026-01-02T15:04:09.000Z"`
}

func showPublication(p core.Publication) publication {
	return publication{
		p.ProjectID, p.CollectionID, p.EntryID, idOrNull(p.RequestID), core.FormatTime(p.DueAt),
		p.ScheduledBy, p.Attempts, p.LastFault, core.FormatTime(p.RetryAt),
	}
}

func showSummary(s core.InboxSummary) inboxSummary {
	return inboxSummary{
		Pending: s.Pending, OldestSubmittedAt: stamp(s.OldestSubmittedAt), SubmittedByMe: s.SubmittedByMe, Scheduled: s.Scheduled,
		ByProject: each(s.ByProject, func(p core.InboxProject) inboxProject { return inboxProject(p) }),
	}
}

// pageParams are the parameters of a paginated list of requests.
var pageParams = []*queryParam{
	{
		Name: "page", In: "query", Description: "The number of the page, starting at 1.", Example: 1,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0), Default: 1},
	},
	{
		Name: "perPage", In: "query", Description: "The number of requests per page.", Example: 25,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0), Maximum: ptr(100.0), Default: 25},
	},
}

// inboxParams are the query parameters of the inbox.
var inboxParams = append(slices.Clone(pageParams), []*queryParam{
	{
		Name: "project", In: "query", Description: "Only requests of this Project.", Example: 1,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0)},
	},
	{
		Name: "sort", In: "query", Description: "Oldest first, or newest first.", Example: "submittedAt:asc",
		Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"submittedAt", "submittedAt:asc", "submittedAt:desc"}, Default: "submittedAt:asc"},
	},
}...)

func (a *API) registerInbox() {
	const tag = "Approval inbox"
	handle(a.set, operation{
		method: http.MethodGet, path: "/api/approvals/pending", id: "listPendingApprovals", tag: tag, action: access.SignedIn,
		title: "List requests that wait for me", about: "Returns the requests of all Projects whose current step the caller may act on, oldest first and without snapshots.",
		query: inboxParams, example: map[string]any{"data": []approval.ShownRequest{storyInList}, "meta": pagesMeta{1, 25, 1, false}},
	}, a.listPending)
	handle(a.set, operation{
		method: http.MethodGet, path: "/api/approvals/summary", id: "getApprovalSummary", tag: tag, action: access.SignedIn,
		title: "Count requests that wait for me", about: "Returns counts over all Projects of the caller.",
	}, func(c *call, _ none) (inboxSummary, error) {
		found, err := a.Inbox.Summary(c.ctx(), c.actor)
		return showSummary(found), err
	})
	handle(a.set, operation{
		method: http.MethodGet, path: "/api/approvals/failed", id: "listFailedPublications", tag: tag, action: access.SignedIn,
		title: "List failed publications", about: "Returns the failed publications in Projects where the caller is an admin, ordered by their next attempt.",
	}, func(c *call, _ none) (list[publication], error) {
		found, err := a.Inbox.Failed(c.ctx(), c.actor)
		return listOf(found, showPublication), err
	})
}

func (a *API) listPending(c *call, _ none) (requestPage, error) {
	filter := approval.InboxFilter{Sort: "submittedAt:asc"}
	if err := pageOf(c, &filter.Window); err != nil {
		return requestPage{}, err
	}
	if err := c.positive("project", &filter.ProjectID); err != nil {
		return requestPage{}, err
	}
	if sort, given := c.params["sort"]; given {
		if !slices.Contains([]string{"submittedAt", "submittedAt:asc", "submittedAt:desc"}, sort) {
			return requestPage{}, badParameter("sort", "must be submittedAt:asc or submittedAt:desc")
		}
		filter.Sort = sort
	}
	found, err := a.Inbox.Pending(c.ctx(), c.actor, filter)
	return showPage(found, err)
}

// pageOf reads the page parameters. The use case checks their limits.
func pageOf(c *call, w *approval.Window) error {
	if err := c.positive("page", &w.Page); err != nil {
		return err
	}
	return c.positive("perPage", &w.PerPage)
}

func showPage(p *approval.Page, err error) (requestPage, error) {
	if err != nil {
		return requestPage{}, err
	}
	return requestPage{Data: each(p.Requests, func(v approval.View) approval.ShownRequest { return v.Show() }), Meta: pagesMeta{p.Page, p.PerPage, p.Total, p.HasMore}}, nil
}
