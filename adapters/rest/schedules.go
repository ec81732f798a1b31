package rest

import (
	"net/http"
	"slices"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/reading"
)

// calendarParams are the query parameters that both lists of schedules have.
var calendarParams = []*endpoint.QueryParam{
	endpoint.TimeParam("from", "Only what happens at this time or later: the schedule itself, or the end of its publication.", "2026-01-01T00:00:00Z"),
	endpoint.TimeParam("to", "Only what happens before this time, likewise.", "2026-02-01T00:00:00Z"),
	endpoint.FlagParam("mine", "Only publications that the caller scheduled."),
	endpoint.FlagParam("failed", "Only publications that failed and are retried."),
	endpoint.FlagParam("done", "What took place from from to to, which both are needed and at most 62 days apart, instead of what is scheduled: publications of entries and of releases, and ends, the latest first. Imports by a command are left out."),
	endpoint.OffsetParam, endpoint.LimitParam,
}

func (a *API) registerSchedules() {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects/{projectId}/schedules", ID: "listSchedules", Tag: "Content", Action: access.ReadContent,
		Title: "List scheduled publications", About: "Returns what is scheduled in the Project, publications and ends of publications, with or without an approved request, ordered by the next attempt.",
		Query: append([]*endpoint.QueryParam{endpoint.IDParam("collection", "Only entries of this collection.", 2)}, calendarParams...),
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Page[wire.Schedule], error) {
		return a.listSchedules(c, []*core.Project{c.Project()})
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/schedules", ID: "listCalendar", Tag: "Content", Action: access.SignedIn,
		Title: "List scheduled publications of all Projects", About: "Returns what is scheduled in the Projects in which the caller has a role, as the list of one Project does.",
		Query: append([]*endpoint.QueryParam{endpoint.IDParam("project", "Only entries of this Project.", 1)}, calendarParams...),
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Page[wire.Schedule], error) {
		only := c.Positive("project")
		if err := c.BadQuery(); err != nil {
			return wire.Page[wire.Schedule]{}, err
		}
		projects, err := a.Organisation.Projects(c.Context(), c.Actor)
		if err != nil {
			return wire.Page[wire.Schedule]{}, err
		}
		if only != 0 {
			projects = slices.DeleteFunc(projects, func(p *core.Project) bool { return p.ID != only })
		}
		return a.listSchedules(c, projects)
	})
}

func (a *API) listSchedules(c *endpoint.Call, projects []*core.Project) (wire.Page[wire.Schedule], error) {
	f := reading.ScheduleFilter{
		CollectionID: c.Positive("collection"), Mine: c.Bool("mine"), Failed: c.Bool("failed"), Done: c.Bool("done"),
		From: c.Bound("from"), To: c.Bound("to"), Offset: c.Int("offset"), Limit: c.Int("limit"),
	}
	if err := c.BadQuery(); err != nil {
		return wire.Page[wire.Schedule]{}, err
	}
	found, err := a.Drafts.Schedules(c.Context(), c.Actor, projects, f)
	if err != nil {
		return wire.Page[wire.Schedule]{}, err
	}
	return wire.Page[wire.Schedule]{
		Data: wire.Each(found.Schedules, wire.ScheduleOf), Meta: wire.PageMeta{Offset: found.Offset, Limit: found.Limit, HasMore: found.HasMore},
	}, nil
}
