package rest

import (
	"fmt"
	"net/http"
	"time"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

// overview is the JSON form of core.Overview.
type overview struct {
	Published []publishedDay    `json:"published" nullable:"false" doc:"How many versions became public on each day, oldest first."`
	Waiting   []waitingStep     `json:"waiting" nullable:"false" doc:"The pending requests by the step that they wait at."`
	Scheduled scheduledCount    `json:"scheduled"`
	Failed    int64             `json:"failed" doc:"The number of publications that failed and are retried." example:"1"`
	Entries   []collectionCount `json:"entries" nullable:"false" doc:"The entries of each collection, ordered by its slug."`
	Tokens    []tokenReads      `json:"tokens" doc:"The reads of each token in these days, the most first. null if the caller may not manage tokens."`
}

type publishedDay struct {
	Day   string `json:"day" format:"date" doc:"The day in UTC." example:"2026-01-02"`
	Count int64  `json:"count" example:"14"`
}

type waitingStep struct {
	Label         string   `json:"label" doc:"The label of the step; empty means none." example:"Legal"`
	StepOrder     int      `json:"stepOrder" example:"2"`
	Count         int64    `json:"count" doc:"The number of pending requests at this step." example:"3"`
	OldestSince   string   `json:"oldestSince" format:"date-time" doc:"Since when the oldest of them has waited at this step." example:"2026-01-01T15:04:05.000Z"`
	MedianSeconds *float64 `json:"medianSeconds" example:"5400"`
}

type scheduledCount struct {
	Count     int64   `json:"count" doc:"What is scheduled in the Project, publications and ends of publications." example:"4"`
	NextDueAt *string `json:"nextDueAt" format:"date-time" doc:"null means that nothing is scheduled." example:"2026-01-03T06:00:00.000Z"`
}

type collectionCount struct {
	CollectionID int64  `json:"collectionId" example:"2"`
	Name         string `json:"name" example:"Articles"`
	Published    int64  `json:"published" example:"250"`
	Drafts       int64  `json:"drafts" doc:"Entries without a published version, except the trash." example:"12"`
	Trashed      int64  `json:"trashed" example:"3"`
}

type tokenReads struct {
	ID    int64  `json:"id" example:"1"`
	Name  string `json:"name" example:"Website"`
	Reads int64  `json:"reads" example:"547500"`
}

// The range of days of an overview.
const minOverviewDays, maxOverviewDays = 7, 365

// describeOverview adds the descriptions of members that are too long for tags.
func (a *API) describeOverview() {
	endpoint.Describe[waitingStep](a.set, endpoint.Members{
		"medianSeconds": "The median of the time that requests took to pass a step with this label and position " +
			"in these days, of the last 1,000; null means that none did.",
	})
}

func (a *API) registerOverview() {
	a.describeOverview()
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects/{projectId}/overview", ID: "getOverview", Tag: "Projects", Action: access.ViewProject,
		Title: "Count what happens in a project", About: "Returns the counts for a first page. Reads of tokens count for the last 90 days at most.",
		Query: []*endpoint.QueryParam{daysParam(minOverviewDays, maxOverviewDays)},
	}, func(c *endpoint.Call, _ endpoint.None) (overview, error) {
		days, err := daysOf(c, minOverviewDays, maxOverviewDays)
		if err != nil {
			return overview{}, err
		}
		found, err := a.Drafts.Overview(c.Context(), c.Project(), days)
		if err != nil {
			return overview{}, err
		}
		shown := showOverview(found)
		switch _, err := a.Authorizer.Authorize(c.Context(), c.Actor, access.ManageTokens, access.Target{ProjectID: c.Project().ID}); core.KindOf(err) {
		case core.KindForbidden:
			shown.Tokens = nil
			return shown, nil
		default:
			return shown, err
		}
	})
}

func showOverview(o core.Overview) overview {
	return overview{
		Published: endpoint.Each(o.Published, func(d core.DayCount) publishedDay { return publishedDay{dayText(d.Day), d.Count} }),
		Waiting: endpoint.Each(o.Waiting, func(w core.WaitingStep) waitingStep {
			shown := waitingStep{w.Label, w.Order, w.Count, core.FormatTime(w.OldestSince), nil}
			if w.Median >= 0 {
				seconds := w.Median.Seconds()
				shown.MedianSeconds = &seconds
			}
			return shown
		}),
		Scheduled: scheduledCount{o.Scheduled, endpoint.TimeOrNull(o.NextDue)}, Failed: o.Failed,
		Entries: endpoint.Each(o.Collections, func(c core.CollectionCount) collectionCount { return collectionCount(c) }),
		Tokens:  endpoint.Each(o.Tokens, func(t core.TokenReads) tokenReads { return tokenReads(t) }),
	}
}

// defaultDays is the default of the parameter days.
const defaultDays = 30

// daysParam documents the parameter days, whose values are from least to most.
func daysParam(least, most float64) *endpoint.QueryParam {
	return endpoint.IntParam("days", "The number of days, today in UTC included.", defaultDays, least, &most, defaultDays)
}

// daysOf returns the value of the parameter days.
func daysOf(c *endpoint.Call, least, most int64) (int, error) {
	days := c.Int("days")
	switch {
	case days == nil:
		return defaultDays, c.BadQuery()
	case *days < least || *days > most:
		return 0, endpoint.BadParameter("days", fmt.Sprintf("must be from %d to %d", least, most))
	default:
		return int(*days), nil
	}
}

// dayText returns the date of the beginning of a day in UTC.
func dayText(day time.Time) string { return day.UTC().Format(time.DateOnly) }
