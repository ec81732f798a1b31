package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/ports"
)

// Event is the JSON form of core.Event. Members that do not apply are left out.
type Event struct {
	ID            int64          `json:"id" doc:"Ascending in each Project." example:"1207"`
	Type          core.EventType `json:"type" example:"entry.published"`
	At            string         `json:"at" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Actor         core.ActorRef  `json:"actor"`
	TenantID      int64          `json:"tenantId,omitempty" example:"1"`
	ProjectID     int64          `json:"projectId,omitempty" example:"1"`
	SubjectID     int64          `json:"subjectId,omitempty" example:"6"`
	Collection    string         `json:"collection,omitempty" example:"articles"`
	EntryID       int64          `json:"entryId,omitempty" example:"42"`
	Locale        string         `json:"locale,omitempty" example:"en"`
	ContentHash   string         `json:"contentHash,omitempty" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ReleaseNumber string         `json:"releaseNumber,omitempty" example:"CR-2026-0001"`
	RequestID     string         `json:"requestId,omitempty" doc:"The id of the HTTP request." example:"BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
}

// ShowEvent returns e for a response.
func ShowEvent(e core.Event) Event {
	return Event{
		ID: e.ID, Type: e.Type, At: core.FormatTime(e.At), Actor: e.Actor, TenantID: e.TenantID, ProjectID: e.ProjectID,
		SubjectID: e.SubjectID, Collection: e.Collection, EntryID: e.EntryID, Locale: e.Locale, ContentHash: e.ContentHash,
		ReleaseNumber: e.ReleaseNumber, RequestID: e.RequestID,
	}
}

// eventList is the response body of a list of events.
type eventList struct {
	Data []Event   `json:"data" nullable:"false" doc:"The oldest first."`
	Meta eventMeta `json:"meta"`
}

type eventMeta struct {
	Limit   int64  `json:"limit" example:"25"`
	HasMore bool   `json:"hasMore" example:"false"`
	Next    *int64 `json:"next" doc:"The value of after for the following events; null if hasMore is false." example:"1207"`
}

// describeEvents adds the descriptions of members that are too long for tags.
func (a *API) describeEvents() {
	endpoint.Describe[Event](a.set, endpoint.Members{
		"subjectId": "The id of what changed, if no other member has it: a media item, token, department or custom role; for a session or a role, its user.",
	})
}

func (a *API) registerEvents() {
	a.describeEvents()
	const about = "Returns the record of all changes, kept for 400 days unless the operator sets another time. It has no content of drafts. " +
		"An event of a transaction that is still running appears later, and can have a lower id than events that were already listed."
	query := []*endpoint.QueryParam{
		endpoint.EnumParam("type", "Only events of this type.", nil, endpoint.Each(core.EventTypes(), func(t core.EventType) string { return string(t) })...),
		endpoint.TextParam("actor", "Only events by this actor: `user:<id>`, `token:<id>` or `system`.", "user:6"),
		endpoint.IDParam("entry", "Only events of this entry.", 42),
		endpoint.TimeParam("since", "Only events at this time or later.", "2026-01-01T00:00:00Z"),
		endpoint.TimeParam("until", "Only events before this time.", "2026-02-01T00:00:00Z"),
		endpoint.IDParam("after", "Only events with a higher id: `meta.next` of the list before.", 1207),
		endpoint.LimitParam,
	}
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects/{projectId}/events", ID: "listProjectEvents", Tag: "Events", Action: access.ViewProjectEvents,
		Title: "List the events of a project", About: about, Query: query,
	}, func(c *endpoint.Call, _ endpoint.None) (eventList, error) {
		return a.listEvents(c, ports.EventQuery{ProjectID: c.Project().ID})
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/tenants/{tenantId}/events", ID: "listTenantEvents", Tag: "Events", Action: access.ViewTenantEvents,
		Title: "List the events of a tenant", About: about + " The events of its Projects are included.", Query: query,
	}, func(c *endpoint.Call, _ endpoint.None) (eventList, error) {
		return a.listEvents(c, ports.EventQuery{TenantID: c.ID("tenantId")})
	})
}

// listEvents lists the events in the scope of q that the parameters select.
func (a *API) listEvents(c *endpoint.Call, q ports.EventQuery) (eventList, error) {
	_, limit, err := checkWindow(nil, c.Int("limit"))
	if err != nil {
		return eventList{}, err
	}
	q.Limit = int(limit) + 1
	q.EntryID, q.After = c.Positive("entry"), c.Positive("after")
	q.Since, q.Until = c.Bound("since"), c.Bound("until")
	if err := c.BadQuery(); err != nil {
		return eventList{}, err
	}
	if text, given := c.Params["type"]; given {
		if q.Type = core.EventType(text); !slices.Contains(core.EventTypes(), q.Type) {
			return eventList{}, endpoint.BadParameter("type", "must be a type of events, such as entry.published")
		}
	}
	if text, given := c.Params["actor"]; given {
		actor, ok := parseActor(text)
		if !ok {
			return eventList{}, endpoint.BadParameter("actor", "must be user:<id>, token:<id> or system")
		}
		q.Actor = actor
	}
	found, err := a.Events.Events(c.Context(), q)
	if err != nil {
		return eventList{}, err
	}
	list := eventList{Meta: eventMeta{Limit: limit, HasMore: int64(len(found)) > limit}}
	if list.Meta.HasMore {
		found = found[:limit]
		list.Meta.Next = &found[limit-1].ID
	}
	list.Data = endpoint.Each(found, ShowEvent)
	return list, nil
}

// parseActor reads user:<id>, token:<id> or system.
func parseActor(text string) (core.ActorRef, bool) {
	if text == core.SystemActor.Ref().Kind {
		return core.SystemActor.Ref(), true
	}
	kind, digits, _ := strings.Cut(text, ":")
	id, err := strconv.ParseInt(digits, 10, 64)
	return core.ActorRef{Kind: kind, ID: id}, err == nil && id > 0 && (kind == "user" || kind == "token")
}
