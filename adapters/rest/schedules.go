package rest

import (
	"net/http"
	"slices"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/reading"
)

// schedule is the JSON form of reading.Scheduled.
type schedule struct {
	ProjectID     int64               `json:"projectId" example:"1"`
	CollectionID  int64               `json:"collectionId" example:"2"`
	EntryID       int64               `json:"entryId" example:"42"`
	Locale        string              `json:"locale" example:"en"`
	Title         *string             `json:"title" doc:"The first 200 characters of what becomes public, or ends: of the field that names entries. null means none." example:"Harbour to close for repairs"`
	Action        core.ScheduleAction `json:"action" enum:"publish,unpublish" doc:"What happens to the entry." example:"publish"`
	RequestID     *int64              `json:"requestId" doc:"null means that no workflow governed the entry when it was scheduled." example:"9"`
	ReleaseNumber *string             `json:"releaseNumber" doc:"The release number of the request; null means no request." example:"CR-2026-0001"`
	DueAt         string              `json:"dueAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UnpublishAt   *string             `json:"unpublishAt" format:"date-time" doc:"The end of a publication that is still to come; null means none." example:"2026-04-03T06:00:00.000Z"`
	ScheduledBy   core.ActorRef       `json:"scheduledBy"`
	Attempts      int                 `json:"attempts" doc:"The number of failed attempts." example:"2"`
	Fault         string              `json:"fault" doc:"The error of the last attempt." example:"some values are not valid: fields.slug is taken"`
	RetryAt       string              `json:"retryAt" format:"date-time" doc:"The time of the next attempt." example:"2026-01-02T15:04:09.000Z"`
}

func showSchedule(s reading.Scheduled) schedule {
	return schedule{
		s.ProjectID, s.CollectionID, s.EntryID, s.Locale, core.NullIfZero(s.Title), s.Action, core.NullIfZero(s.RequestID), core.NullIfZero(s.ReleaseNumber),
		core.FormatTime(s.DueAt), endpoint.TimeOrNull(s.UnpublishAt), s.ScheduledBy, s.Attempts, s.LastFault, core.FormatTime(s.RetryAt),
	}
}

// calendarParams are the query parameters that both lists of schedules have.
var calendarParams = []*endpoint.QueryParam{
	endpoint.TimeParam("from", "Only what happens at this time or later: the schedule itself, or the end of its publication.", "2026-01-01T00:00:00Z"),
	endpoint.TimeParam("to", "Only what happens before this time, likewise.", "2026-02-01T00:00:00Z"),
	endpoint.FlagParam("mine", "Only publications that the caller scheduled."),
	endpoint.FlagParam("failed", "Only publications that failed and are retried."),
	endpoint.OffsetParam, endpoint.LimitParam,
}

func (a *API) registerSchedules() {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects/{projectId}/schedules", ID: "listSchedules", Tag: "Content", Action: access.ReadContent,
		Title: "List scheduled publications", About: "Returns what is scheduled in the Project, publications and ends of publications, with or without an approved request, ordered by the next attempt.",
		Query: append([]*endpoint.QueryParam{endpoint.IDParam("collection", "Only entries of this collection.", 2)}, calendarParams...),
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.Page[schedule], error) {
		return a.listSchedules(c, []*core.Project{c.Project()})
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/schedules", ID: "listCalendar", Tag: "Content", Action: access.SignedIn,
		Title: "List scheduled publications of all Projects", About: "Returns what is scheduled in the Projects in which the caller has a role, as the list of one Project does.",
		Query: append([]*endpoint.QueryParam{endpoint.IDParam("project", "Only entries of this Project.", 1)}, calendarParams...),
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.Page[schedule], error) {
		only := c.Positive("project")
		if err := c.BadQuery(); err != nil {
			return endpoint.Page[schedule]{}, err
		}
		projects, err := a.Organisation.Projects(c.Context(), c.Actor)
		if err != nil {
			return endpoint.Page[schedule]{}, err
		}
		if only != 0 {
			projects = slices.DeleteFunc(projects, func(p *core.Project) bool { return p.ID != only })
		}
		return a.listSchedules(c, projects)
	})
}

func (a *API) listSchedules(c *endpoint.Call, projects []*core.Project) (endpoint.Page[schedule], error) {
	f := reading.ScheduleFilter{
		CollectionID: c.Positive("collection"), Mine: c.Bool("mine"), Failed: c.Bool("failed"),
		From: c.Bound("from"), To: c.Bound("to"), Offset: c.Int("offset"), Limit: c.Int("limit"),
	}
	if err := c.BadQuery(); err != nil {
		return endpoint.Page[schedule]{}, err
	}
	found, err := a.Drafts.Schedules(c.Context(), c.Actor, projects, f)
	if err != nil {
		return endpoint.Page[schedule]{}, err
	}
	return endpoint.Page[schedule]{
		Data: endpoint.Each(found.Schedules, showSchedule), Meta: endpoint.PageMeta{Offset: found.Offset, Limit: found.Limit, HasMore: found.HasMore},
	}, nil
}
