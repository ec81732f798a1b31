package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/event"
	"imprimatur/ports"
)

func (a *API) registerEvents() {
	const about = "Returns the record of all changes, kept for 400 days unless the operator sets another time. It has no content of drafts. " +
		"An event of a transaction that is still running appears later, and can have a lower id than events that were already listed."
	query := []*endpoint.QueryParam{
		endpoint.EnumParam("type", "Only events of this type.", nil, wire.Each(event.Types(), func(t event.Type) string { return string(t) })...),
		endpoint.TextParam("actor", "Only events by this actor: `user:<id>`, `token:<id>` or `system`.", "user:6"),
		endpoint.IDParam("entry", "Only events of this entry.", 42),
		endpoint.TimeParam("since", "Only events at this time or later.", "2026-01-01T00:00:00Z"),
		endpoint.TimeParam("until", "Only events before this time.", "2026-02-01T00:00:00Z"),
		endpoint.EnumParam("order", "Whether the list begins with the oldest or the newest event.", "oldest", "oldest", "newest"),
		endpoint.IDParam("after", "Only the events that follow in this order: `meta.next` of the list before.", 1207),
		endpoint.LimitParam,
	}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects/{projectId}/events", ID: "listProjectEvents", Tag: "Events", Action: access.ViewProjectEvents,
		Title: "List the events of a project", About: about, Query: query,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.EventList, error) {
		return a.listEvents(c, ports.EventQuery{ProjectID: c.Project().ID})
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/tenants/{tenantId}/events", ID: "listTenantEvents", Tag: "Events", Action: access.ViewTenantEvents,
		Title: "List the events of a tenant", About: about + " The events of its Projects are included.", Query: query,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.EventList, error) {
		return a.listEvents(c, ports.EventQuery{TenantID: c.ID("tenantId")})
	})
}

// listEvents lists the events in the scope of q that the parameters select.
func (a *API) listEvents(c *endpoint.Call, q ports.EventQuery) (wire.EventList, error) {
	_, limit, err := checkWindow(nil, c.Int("limit"))
	if err != nil {
		return wire.EventList{}, err
	}
	q.Limit = int(limit) + 1
	q.EntryID, q.After = c.Positive("entry"), c.Positive("after")
	q.Since, q.Until = c.Bound("since"), c.Bound("until")
	if err := c.BadQuery(); err != nil {
		return wire.EventList{}, err
	}
	if order, given := c.Params["order"]; given {
		if q.Newest = order == "newest"; !q.Newest && order != "oldest" {
			return wire.EventList{}, endpoint.BadParameter("order", "must be oldest or newest")
		}
	}
	if text, given := c.Params["type"]; given {
		if q.Type = event.Type(text); !slices.Contains(event.Types(), q.Type) {
			return wire.EventList{}, endpoint.BadParameter("type", "must be a type of events, such as entry.published")
		}
	}
	if text, given := c.Params["actor"]; given {
		actor, ok := parseActor(text)
		if !ok {
			return wire.EventList{}, endpoint.BadParameter("actor", "must be user:<id>, token:<id> or system")
		}
		q.Actor = actor
	}
	found, err := a.Events.Events(c.Context(), q)
	if err != nil {
		return wire.EventList{}, err
	}
	list := wire.EventList{Meta: wire.EventMeta{Limit: limit, HasMore: int64(len(found)) > limit}}
	if list.Meta.HasMore {
		found = found[:limit]
		list.Meta.Next = &found[limit-1].ID
	}
	list.Data = wire.Each(found, wire.EventOf)
	return list, nil
}

// parseActor reads user:<id>, token:<id>, assistant:<id> or system.
func parseActor(text string) (core.ActorRef, bool) {
	if text == core.SystemActor.Ref().Kind {
		return core.SystemActor.Ref(), true
	}
	kind, digits, _ := strings.Cut(text, ":")
	id, err := strconv.ParseInt(digits, 10, 64)
	return core.ActorRef{Kind: kind, ID: id}, err == nil && id > 0 && (kind == "user" || kind == "token" || kind == core.KindAssistant)
}
