package core

import (
	"time"

	"imprimatur/core/canonical"
)

// Event is one committed change. It is recorded in the transaction of the change. It contains
// no content of drafts. Members that do not apply are zero.
type Event struct {
	ID        int64 // ascending; see ports.EventStore for the order of commits
	Type      EventType
	At        time.Time // the database's clock
	Actor     ActorRef
	TenantID  int64 // 0: the event belongs to no Tenant
	ProjectID int64 // 0: the event belongs to no Project
	// SubjectID is the id of the changed thing if no other member has the id: a media item,
	// component, token, user, department, custom role, signing key or approval request. For a session or a role in a scope it is the id
	// of the user.
	SubjectID     int64
	Collection    string // slug
	EntryID       int64
	Locale        string
	ContentHash   string // of the submitted, decided or published content; see Collection.Snapshot
	ReleaseNumber string
	RequestID     string // the id of the HTTP request
	Group         int64  // the translation group of EntryID
	Slug          string // of what was published: its first slug field; of a component
	// Public reports whether the change is one that readers of published content, or of the media
	// library, see. Stores set it for the types that are always public, see EventType.Shown.
	Public bool
}

// SystemActor is the actor of background jobs and of commands.
var SystemActor = Actor{System: true}

// EntryEvents returns the events, at least one, of a write that changes an entry of the schema's
// collection from before to after. before is nil for a new entry; only its times are used.
func EntryEvents(schema Schema, before, after *Entry) []Event {
	var events []Event
	add := func(happened bool, t EventType) {
		if happened {
			events = append(events, EntryEvent(schema, t, after))
		}
	}
	was, is := before.IsPublic(), after.IsPublic()
	if before == nil {
		add(true, EventEntryCreated)
		before = &Entry{UpdatedAt: after.UpdatedAt}
	}
	add(!after.UpdatedAt.Equal(before.UpdatedAt), EventEntryUpdated)
	if after.Published != nil && !after.ReleasedAt.Equal(before.ReleasedAt) {
		add(true, EventEntryPublished)
		events[len(events)-1].ContentHash = after.PublishedHash
		events[len(events)-1].Slug = schema.Collection.Slugged(after.Published)
		events[len(events)-1].Public = is
	}
	add(after.Published == nil && !before.PublishedAt.IsZero(), EventEntryUnpublished)
	add(before.TrashedAt.IsZero() && !after.TrashedAt.IsZero(), EventEntryTrashed)
	add(!before.TrashedAt.IsZero() && after.TrashedAt.IsZero(), EventEntryRestored)
	add(len(events) == 0, EventEntryUpdated) // two writes in the same millisecond
	redated := is && !after.CreatedAt.Equal(before.CreatedAt)
	if was != is || redated {
		events[len(events)-1].Public = true
	}
	return events
}

// EntryEvent returns an event of that type for e, without ContentHash.
func EntryEvent(schema Schema, t EventType, e *Entry) Event {
	return Event{
		Type: t, TenantID: schema.Project.TenantID, ProjectID: schema.Project.ID,
		Collection: schema.Collection.Slug, EntryID: e.ID, Locale: e.Locale, Group: e.Group, Public: t == EventEntryDestroyed && e.IsPublic(),
	}
}

// actionEvents maps actions on requests to events. ActionPublishNow has no event, because it is
// always followed by an ActionPublish, which has one.
var actionEvents = map[ActionType]EventType{
	ActionSubmit: EventRequestSubmitted, ActionApprove: EventRequestApproved, ActionReject: EventRequestRejected,
	ActionRequestRevision: EventRequestRevisionRequested, ActionWithdraw: EventRequestWithdrawn,
	ActionReschedule: EventRequestRescheduled, ActionPublish: EventRequestPublished,
}

// RequestEvents returns the events of actions on r.
func RequestEvents(r *Request, actions ...*ApprovalAction) []Event {
	var events []Event
	slug, _ := canonical.Text(Document(r.Snapshot).Value("collection")) // "" for a damaged snapshot
	for _, a := range actions {
		if t, ok := actionEvents[a.Type]; ok {
			events = append(events, Event{
				Type: t, TenantID: r.TenantID, ProjectID: r.ProjectID, SubjectID: r.ID, Collection: slug, EntryID: r.EntryID,
				Locale: r.Locale, ContentHash: r.ContentHash, ReleaseNumber: r.ReleaseNumber(),
			})
		}
	}
	return events
}

// WebhookEvent returns the event of an update of a webhook. w is the webhook after the update.
func WebhookEvent(w Webhook) Event {
	event := Event{Type: EventWebhookUpdated, ProjectID: w.ProjectID, SubjectID: w.ID}
	if w.OffReason != "" {
		event.Type = EventWebhookOff
	}
	return event
}

// TokenEvent returns the event of an update of a token. t is the token after the update.
func TokenEvent(t Token) Event {
	event := Event{Type: EventTokenUpdated, ProjectID: t.ProjectID, SubjectID: t.ID}
	if !t.RevokedAt.IsZero() {
		event.Type = EventTokenRevoked
	}
	return event
}
