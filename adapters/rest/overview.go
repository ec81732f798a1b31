package rest

import (
	"fmt"
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

// The range of days of an overview.
const minOverviewDays, maxOverviewDays = 7, 365

func (a *API) registerOverview() {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects/{projectId}/overview", ID: "getOverview", Tag: "Projects", Action: access.ViewProject,
		Title: "Count what happens in a project", About: "Returns the counts for a first page. Reads of tokens count for the last 90 days at most.",
		Query: []*endpoint.QueryParam{daysParam(minOverviewDays, maxOverviewDays)},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Overview, error) {
		days, err := daysOf(c, minOverviewDays, maxOverviewDays)
		if err != nil {
			return wire.Overview{}, err
		}
		found, err := a.Drafts.Overview(c.Context(), c.Project(), days)
		if err != nil {
			return wire.Overview{}, err
		}
		unreachable, err := a.Inbox.CountUnreachable(c.Context(), c.Project())
		if err != nil {
			return wire.Overview{}, err
		}
		shown := wire.OverviewOf(found, unreachable)
		switch _, err := a.Authorizer.Authorize(c.Context(), c.Actor, access.ManageTokens, access.Target{ProjectID: c.Project().ID}); core.KindOf(err) {
		case core.KindForbidden:
			shown.Tokens = nil
			return shown, nil
		default:
			return shown, err
		}
	})
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
