package core

import (
	"time"

	"imprimatur/core/canonical"
)

// EventType is the kind of a committed change.
type EventType string

// The types of events.
const (
	EventEntryCreated     EventType = "entry.created"
	EventEntryUpdated     EventType = "entry.updated" // the draft changed
	EventEntryPublished   EventType = "entry.published"
	EventEntryUnpublished EventType = "entry.unpublished"
	EventEntryTrashed     EventType = "entry.trashed"
	EventEntryRestored    EventType = "entry.restored"
	EventEntryDestroyed   EventType = "entry.destroyed"

	EventRequestSubmitted         EventType = "request.submitted"
	EventRequestApproved          EventType = "request.approved" // at one step
	EventRequestRejected          EventType = "request.rejected"
	EventRequestRevisionRequested EventType = "request.revision_requested"
	EventRequestWithdrawn         EventType = "request.withdrawn"
	EventRequestRescheduled       EventType = "request.rescheduled"
	EventRequestPublished         EventType = "request.published"

	EventPublicationScheduled   EventType = "publication.scheduled"   // for an entry that no workflow governs
	EventPublicationUnscheduled EventType = "publication.unscheduled" // published, replaced or cancelled
	EventPublicationFailed      EventType = "publication.failed"

	EventMediaCreated EventType = "media.created"
	EventMediaUpdated EventType = "media.updated"
	EventMediaDeleted EventType = "media.deleted"

	EventCollectionCreated EventType = "collection.created"
	EventCollectionUpdated EventType = "collection.updated"
	EventCollectionDeleted EventType = "collection.deleted"
	// EventCollectionAcknowledged precedes a change of the collection that changes what
	// readers see of published entries of a governed Project.
	EventCollectionAcknowledged EventType = "collection.acknowledged"

	EventProjectCreated  EventType = "project.created"
	EventProjectUpdated  EventType = "project.updated"
	EventProjectDeleted  EventType = "project.deleted"
	EventProjectRepaired EventType = "project.repaired" // its index was rebuilt from the documents
	// EventProjectAcknowledged is EventCollectionAcknowledged for a change of the Project.
	EventProjectAcknowledged EventType = "project.acknowledged"
	EventWorkflowUpdated     EventType = "workflow.updated" // set, changed or removed

	EventTenantCreated     EventType = "tenant.created"
	EventTenantUpdated     EventType = "tenant.updated"
	EventTenantDeleted     EventType = "tenant.deleted"
	EventDepartmentCreated EventType = "department.created"
	EventDepartmentUpdated EventType = "department.updated"
	EventDepartmentDeleted EventType = "department.deleted"

	EventRoleCreated EventType = "role.created"
	EventRoleUpdated EventType = "role.updated"
	EventRoleDeleted EventType = "role.deleted"
	EventRoleGiven   EventType = "role.given"
	EventRoleTaken   EventType = "role.taken"

	EventUserCreated EventType = "user.created"
	EventUserUpdated EventType = "user.updated"

	EventMemberUpdated EventType = "member.updated" // a role was assigned or replaced
	EventMemberRemoved EventType = "member.removed"

	EventTokenCreated EventType = "token.created"
	EventTokenUpdated EventType = "token.updated"
	EventTokenRevoked EventType = "token.revoked"

	EventSessionCreated EventType = "session.created"
	EventSessionEnded   EventType = "session.ended" // before it expired

	EventKeyCreated EventType = "key.created" // a signing key of the installation
	EventKeyEnded   EventType = "key.ended"   // another key follows it
	EventKeyRevoked EventType = "key.revoked"
)

// EventTypes has all types of events.
var EventTypes = []EventType{
	EventEntryCreated, EventEntryUpdated, EventEntryPublished, EventEntryUnpublished,
	EventEntryTrashed, EventEntryRestored, EventEntryDestroyed, EventRequestSubmitted,
	EventRequestApproved, EventRequestRejected, EventRequestRevisionRequested, EventRequestWithdrawn,
	EventRequestRescheduled, EventRequestPublished, EventPublicationScheduled,
	EventPublicationUnscheduled, EventPublicationFailed, EventMediaCreated, EventMediaUpdated,
	EventMediaDeleted, EventCollectionCreated, EventCollectionUpdated, EventCollectionDeleted,
	EventCollectionAcknowledged, EventProjectCreated, EventProjectUpdated, EventProjectDeleted,
	EventProjectRepaired, EventProjectAcknowledged, EventWorkflowUpdated, EventTenantCreated,
	EventTenantUpdated, EventTenantDeleted, EventDepartmentCreated, EventDepartmentUpdated,
	EventDepartmentDeleted, EventRoleCreated, EventRoleUpdated, EventRoleDeleted, EventRoleGiven,
	EventRoleTaken, EventUserCreated, EventUserUpdated, EventMemberUpdated, EventMemberRemoved,
	EventTokenCreated, EventTokenUpdated, EventTokenRevoked, EventSessionCreated, EventSessionEnded,
	EventKeyCreated, EventKeyEnded, EventKeyRevoked,
}

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
	// token, user, department, custom role or signing key. For a session or a role in a scope it is the id
	// of the user.
	SubjectID     int64
	Collection    string // slug
	EntryID       int64
	Locale        string
	ContentHash   string // of the submitted, decided or published content; see Collection.Snapshot
	ReleaseNumber string
	RequestID     string // the id of the HTTP request
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
	if before == nil {
		add(true, EventEntryCreated)
		before = &Entry{UpdatedAt: after.UpdatedAt}
	}
	add(!after.UpdatedAt.Equal(before.UpdatedAt), EventEntryUpdated)
	if after.Published != nil && !after.ReleasedAt.Equal(before.ReleasedAt) {
		add(true, EventEntryPublished)
		events[len(events)-1].ContentHash = after.PublishedHash
	}
	add(after.Published == nil && !before.PublishedAt.IsZero(), EventEntryUnpublished)
	add(before.TrashedAt.IsZero() && !after.TrashedAt.IsZero(), EventEntryTrashed)
	add(!before.TrashedAt.IsZero() && after.TrashedAt.IsZero(), EventEntryRestored)
	add(len(events) == 0, EventEntryUpdated) // two writes in the same millisecond
	return events
}

// EntryEvent returns an event of that type for e, without ContentHash.
func EntryEvent(schema Schema, t EventType, e *Entry) Event {
	return Event{
		Type: t, TenantID: schema.Project.TenantID, ProjectID: schema.Project.ID,
		Collection: schema.Collection.Slug, EntryID: e.ID, Locale: e.Locale,
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
				Type: t, TenantID: r.TenantID, ProjectID: r.ProjectID, Collection: slug, EntryID: r.EntryID,
				Locale: r.Locale, ContentHash: r.ContentHash, ReleaseNumber: r.ReleaseNumber(),
			})
		}
	}
	return events
}

// TokenEvent returns the event of an update of a token. t is the token after the update.
func TokenEvent(t Token) Event {
	event := Event{Type: EventTokenUpdated, ProjectID: t.ProjectID, SubjectID: t.ID}
	if !t.RevokedAt.IsZero() {
		event.Type = EventTokenRevoked
	}
	return event
}
