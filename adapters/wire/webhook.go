package wire

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/delivery"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// Webhook is an address that gets the events of a Project.
type Webhook struct {
	ID           int64            `json:"id" example:"1"`
	ProjectID    int64            `json:"projectId" example:"1"`
	Name         string           `json:"name" example:"Website"`
	URL          string           `json:"url" format:"uri" example:"https://build.example.org/hook"`
	Events       []string         `json:"events" nullable:"false" doc:"Types of events; entry.* stands for all types that begin with entry., and * for all." example:"[\"entry.published\",\"entry.unpublished\"]"`
	Collections  []string         `json:"collections" nullable:"false" doc:"Events of other collections are not delivered; empty: no restriction." example:"[\"articles\"]"`
	Locales      []string         `json:"locales" nullable:"false" doc:"Events of other locales are not delivered; empty: no restriction." example:"[\"en\"]"`
	Imports      bool             `json:"imports" doc:"Whether the events of imports are delivered. import.finished is in any case." example:"true"`
	Active       bool             `json:"active" example:"true"`
	Coalesce     OrNull[Coalesce] `json:"coalesce" doc:"How long events are gathered into one message; null: each event is a message."`
	Headers      []string         `json:"headers" nullable:"false" doc:"The names of the additional headers. Their values are never shown." example:"[\"Authorization\"]"`
	FailingSince *string          `json:"failingSince" format:"date-time" doc:"The first failed attempt since the last successful one; null: the last one was successful." example:"2026-01-02T15:04:05.000Z"`
	OffReason    *OffReason       `json:"offReason" doc:"gone (the receiver answered 410) or failing (for 3 days) if the program switched it off, else null." example:"gone"`
	CreatedBy    *int64           `json:"createdBy" doc:"The id of the user." example:"3"`
	CreatedAt    string           `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt    string           `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Secret       string           `json:"secret,omitempty" doc:"Signs the messages. Only the responses that create it contain it." example:"whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="`
}

// TransformSchema implements huma.SchemaTransformer.
func (Webhook) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema { return withEvents(s) }

// withEvents lists the values of the member events.
func withEvents(s *huma.Schema) *huma.Schema {
	s.Properties["events"].Items.Enum = Each(event.Patterns(), func(pattern string) any { return pattern })
	return s
}

// ListedWebhook is a webhook with its latest delivery.
type ListedWebhook struct {
	Webhook
	LastDelivery OrNull[LastDelivery] `json:"lastDelivery" doc:"How the latest delivery went; null: none is stored."`
}

// LastDelivery is how the latest delivery of a webhook went.
type LastDelivery struct {
	Status   webhook.DeliveryStatus `json:"status" doc:"parked: given up." example:"delivered"`
	Attempts int                    `json:"attempts" doc:"The number of ended attempts." example:"1"`
	At       string                 `json:"at" format:"date-time" doc:"Of the last attempt; before the first, of the delivery." example:"2026-01-02T15:04:05.010Z"`
	Code     *int                   `json:"code" doc:"The status of the last response; null: none came." example:"204"`
}

// TransformSchema implements huma.SchemaTransformer.
func (LastDelivery) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(s, "status", webhook.DeliveryStatuses())
}

// ListedWebhookOf returns l for a response. headers are the names of its additional headers.
func ListedWebhookOf(l delivery.ListedWebhook, headers []string) ListedWebhook {
	shown := ListedWebhook{Webhook: WebhookOf(l.Webhook, headers)}
	if last := l.Last; last != nil {
		shown.LastDelivery.Value = &LastDelivery{Status: last.Status, Attempts: last.Attempts, At: core.FormatTime(last.At), Code: core.NullIfZero(last.Code)}
	}
	return shown
}

// Coalesce says how long events are gathered, in seconds.
type Coalesce struct {
	Quiet int `json:"quiet" minimum:"1" maximum:"600" doc:"The message goes out when no event has been added for so long." example:"10"`
	Most  int `json:"most" minimum:"1" maximum:"3600" doc:"It goes out so long after its first event at the latest." example:"60"`
}

// WebhookOf returns w for a response. headers are the names of its additional headers.
func WebhookOf(w webhook.Webhook, headers []string) Webhook {
	shown := Webhook{
		ID: w.ID, ProjectID: w.ProjectID, Name: w.Name, URL: w.URL, Imports: w.Imports, Active: w.Active,
		Events: append([]string{}, w.Events...), Collections: append([]string{}, w.Collections...), Locales: append([]string{}, w.Locales...),
		Headers: append([]string{}, headers...), FailingSince: TimeOrNull(w.FailingSince), OffReason: core.NullIfZero(OffReason(w.OffReason)),
		CreatedBy: core.NullIfZero(w.CreatedBy), CreatedAt: core.FormatTime(w.CreatedAt), UpdatedAt: core.FormatTime(w.UpdatedAt),
	}
	if w.Gathers() {
		shown.Coalesce.Value = &Coalesce{Quiet: int(w.Quiet.Seconds()), Most: int(w.Most.Seconds())}
	}
	return shown
}

// WebhookInput describes a new webhook.
type WebhookInput struct {
	Name        string             `json:"name" example:"Website"`
	URL         string             `json:"url" doc:"An https address on port 443 of a public host." example:"https://build.example.org/hook"`
	Events      []string           `json:"events" nullable:"false" doc:"Types of events; entry.* stands for all types that begin with entry., and * for all." example:"[\"entry.published\",\"entry.unpublished\"]"`
	Collections []string           `json:"collections,omitempty" nullable:"false" example:"[\"articles\"]"`
	Locales     []string           `json:"locales,omitempty" nullable:"false" example:"[\"en\"]"`
	Imports     *bool              `json:"imports,omitempty" doc:"false leaves out the events of imports, except import.finished. true by default." example:"true"`
	Active      *bool              `json:"active,omitempty" doc:"true by default." example:"true"`
	Coalesce    Optional[Coalesce] `json:"coalesce,omitempty" doc:"How long events are gathered into one message; null: each event is a message."`
	Headers     map[string]string  `json:"headers,omitempty" nullable:"false" doc:"At most 10 additional headers of the requests, for instance for a password of the receiver." example:"{\"Authorization\":\"Bearer abc\"}"`
}

// TransformSchema implements huma.SchemaTransformer.
func (WebhookInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return withEvents(s)
}

// Change returns in for the use case.
func (in WebhookInput) Change() delivery.Change {
	return WebhookChange{
		Name: &in.Name, URL: &in.URL, Events: &in.Events, Collections: &in.Collections, Locales: &in.Locales, Imports: in.Imports, Active: in.Active, Headers: &in.Headers, Coalesce: in.Coalesce,
	}.Change()
}

// WebhookChange changes the members of a webhook that a body contains.
type WebhookChange struct {
	Name        *string            `json:"name,omitempty" example:"Website"`
	URL         *string            `json:"url,omitempty" example:"https://build.example.org/hook"`
	Events      *[]string          `json:"events,omitempty" example:"[\"*\"]"`
	Collections *[]string          `json:"collections,omitempty" example:"[]"`
	Locales     *[]string          `json:"locales,omitempty" example:"[]"`
	Imports     *bool              `json:"imports,omitempty" doc:"false leaves out the events of imports, except import.finished." example:"true"`
	Active      *bool              `json:"active,omitempty" doc:"true also switches on what the program switched off." example:"true"`
	Coalesce    Optional[Coalesce] `json:"coalesce,omitempty" doc:"null: each event is a message."`
	Headers     *map[string]string `json:"headers,omitempty" doc:"Replaces all additional headers." example:"{}"`
}

// TransformSchema implements huma.SchemaTransformer.
func (WebhookChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return withEvents(s)
}

// Change returns in for the use case.
func (in WebhookChange) Change() delivery.Change {
	return delivery.Change{
		Name: in.Name, URL: in.URL, Events: in.Events, Collections: in.Collections, Locales: in.Locales, Imports: in.Imports, Active: in.Active, Headers: in.Headers,
		Coalesce: core.Optional[delivery.Coalesce]{Given: in.Coalesce.Given, Value: (*delivery.Coalesce)(in.Coalesce.Value)},
	}
}

// Message is the body of a request to a webhook. T is DeliveredEvent, EventBatch or WebhookTest.
type Message[T any] struct {
	Type      string `json:"type" doc:"The type of the event, batch or webhook.test." example:"entry.published"`
	Timestamp string `json:"timestamp" format:"date-time" doc:"When it happened; of a batch: the latest event." example:"2026-01-02T15:04:05.000Z"`
	Data      T      `json:"data"`
}

// EventBatch has the events of one message.
type EventBatch struct {
	Count     int              `json:"count" doc:"The number of events, also of those that are left out." example:"7"`
	Events    []DeliveredEvent `json:"events" nullable:"false" doc:"At most 100, the oldest first."`
	Truncated bool             `json:"truncated" doc:"Whether events are left out." example:"false"`
}

// WebhookTest is what a test sends.
type WebhookTest struct {
	ProjectID int64 `json:"projectId" example:"1"`
	WebhookID int64 `json:"webhookId" example:"1"`
}

// MessageOf returns m for a request, as a Message. tags returns the cache tags that an event outdates.
func MessageOf(m ports.WebhookMessage, tags func(*event.Event) []string) any {
	events := make([]DeliveredEvent, len(m.Events))
	for i, e := range m.Events {
		events[i] = DeliveredEventOf(e)
		events[i].Tags = tags(&e)
	}
	switch d := m.Delivery; d.Type {
	case webhook.DeliveryTest:
		return Message[WebhookTest]{d.Type, core.FormatTime(d.CreatedAt), WebhookTest{d.ProjectID, d.WebhookID}}
	case webhook.DeliveryBatch:
		return Message[EventBatch]{d.Type, events[len(events)-1].At, EventBatch{d.Count, events, d.Count > len(events)}}
	default:
		return Message[DeliveredEvent]{d.Type, events[0].At, events[0]}
	}
}

// DeliveredEvent is an event as webhooks get it: it names its actor only by id.
type DeliveredEvent struct {
	Event
	Actor DeliveredActor `json:"actor"`
	Tags  []string       `json:"tags,omitempty" doc:"The tags of the cached responses that the change outdates, if the installation has cache tags." example:"[\"kq3Zb8v1Yxw\"]"`
}

// DeliveredActor is who made a change.
type DeliveredActor struct {
	Kind string `json:"kind" enum:"user,token,system" example:"user"`
	ID   int64  `json:"id" doc:"0 means the system." example:"6"`
}

// DeliveredEventOf returns e for a message.
func DeliveredEventOf(e event.Event) DeliveredEvent {
	e.Reason, e.Role, e.Place = "", "", ""
	return DeliveredEvent{Event: EventOf(e), Actor: DeliveredActor{e.Actor.Kind, e.Actor.ID}}
}

// Delivery is a message to a webhook.
type Delivery struct {
	ID        int64                  `json:"id" example:"31"`
	MessageID string                 `json:"messageId" doc:"The header webhook-id of its requests." example:"dlv_3jv6tyzq2dz5a7lw4mfkq2cxoe"`
	Type      string                 `json:"type" doc:"The type of the message: that of its event, batch or webhook.test." example:"entry.published"`
	Events    []int64                `json:"events" nullable:"false" doc:"The ids of the events, at most 100; empty for a test." example:"[1207]"`
	Count     int                    `json:"count" doc:"The number of events, also of those that are left out." example:"1"`
	Status    webhook.DeliveryStatus `json:"status" doc:"parked: given up." example:"delivered"`
	CreatedAt string                 `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	NextAt    *string                `json:"nextAt" format:"date-time" doc:"When the next attempt is due; null: never." example:"2026-01-02T15:04:35.000Z"`
	EndedAt   *string                `json:"endedAt" format:"date-time" doc:"When it was delivered or parked." example:"2026-01-02T15:04:05.200Z"`
	Attempts  []DeliveryAttempt      `json:"attempts" nullable:"false" doc:"The oldest first."`
}

// TransformSchema implements huma.SchemaTransformer.
func (Delivery) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(s, "status", webhook.DeliveryStatuses())
}

// DeliveryAttempt is one request of a delivery.
type DeliveryAttempt struct {
	Number   int     `json:"number" example:"1"`
	At       string  `json:"at" format:"date-time" example:"2026-01-02T15:04:05.010Z"`
	Duration int64   `json:"duration" doc:"In milliseconds." example:"182"`
	Code     *int    `json:"code" doc:"The status of the response; null: none came." example:"204"`
	Fault    *string `json:"fault" doc:"Why no response came." example:"no answer within 15 s"`
	Answer   string  `json:"answer" doc:"The first 1,000 bytes of the response, if the host is public." example:"ok"`
}

// DeliveryOf returns d for a response.
func DeliveryOf(d delivery.Logged) Delivery {
	shown := Delivery{
		ID: d.ID, MessageID: d.Message, Type: d.Type, Events: append([]int64{}, d.Events...), Count: d.Count, Status: d.Status,
		CreatedAt: core.FormatTime(d.CreatedAt), EndedAt: TimeOrNull(d.EndedAt), Attempts: []DeliveryAttempt{},
	}
	if d.EndedAt.IsZero() {
		shown.NextAt = TimeOrNull(d.DueAt)
	}
	for _, a := range d.Log {
		shown.Attempts = append(shown.Attempts, DeliveryAttempt{
			Number: a.Number, At: core.FormatTime(a.At), Duration: a.Took.Milliseconds(), Code: core.NullIfZero(a.Code), Fault: core.NullIfZero(a.Fault), Answer: a.Answer,
		})
	}
	return shown
}

// DeliveryList is a list of deliveries.
type DeliveryList struct {
	Data []Delivery   `json:"data" nullable:"false" doc:"The newest first."`
	Meta DeliveryMeta `json:"meta"`
}

// DeliveryMeta describes a DeliveryList.
type DeliveryMeta struct {
	Limit   int64  `json:"limit" example:"25"`
	HasMore bool   `json:"hasMore" example:"false"`
	Next    *int64 `json:"next" doc:"The value of after for the following deliveries; null if hasMore is false." example:"31"`
}

// Replay asks for events again.
type Replay struct {
	Since time.Time `json:"since" doc:"The events since then are delivered again, at most 10,000." example:"2026-01-02T15:00:00.000Z"`
}

// Replayed is the result of a replay.
type Replayed struct {
	Events int `json:"events" doc:"The number of events that are delivered again." example:"12"`
}
