package core

import "slices"

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

	EventWebhookCreated EventType = "webhook.created"
	EventWebhookUpdated EventType = "webhook.updated"
	EventWebhookOff     EventType = "webhook.off" // switched off by the program
	EventWebhookDeleted EventType = "webhook.deleted"

	EventKeyCreated EventType = "key.created" // a signing key of the installation
	EventKeyEnded   EventType = "key.ended"   // another key follows it
	EventKeyRevoked EventType = "key.revoked"
)

// Affected is a set of the things that an event can change and that processes cache.
type Affected uint8

// The elements of Affected.
const (
	AffectsContent  Affected = 1 << iota // what readers of the Project see
	AffectsSchema                        // the Project and its collections
	AffectsTokens                        // the tokens
	AffectsAccounts                      // accounts, roles and sessions
)

// eventTypes has a row for each type of event: the type and what its events affect. It is the only
// list of them. Readers of governed Projects see sealed media, which begins with a workflow; the
// publication of a request or a schedule has an event of its entry beside its own.
var eventTypes = []eventType{
	{EventEntryCreated, AffectsContent},
	{EventEntryUpdated, AffectsContent},
	{EventEntryPublished, AffectsContent},
	{EventEntryUnpublished, AffectsContent},
	{EventEntryTrashed, AffectsContent},
	{EventEntryRestored, AffectsContent},
	{EventEntryDestroyed, AffectsContent},
	{EventRequestSubmitted, 0},
	{EventRequestApproved, 0},
	{EventRequestRejected, 0},
	{EventRequestRevisionRequested, 0},
	{EventRequestWithdrawn, 0},
	{EventRequestRescheduled, 0},
	{EventRequestPublished, 0},
	{EventPublicationScheduled, 0},
	{EventPublicationUnscheduled, 0},
	{EventPublicationFailed, 0},
	{EventMediaCreated, AffectsContent},
	{EventMediaUpdated, AffectsContent},
	{EventMediaDeleted, AffectsContent},
	{EventCollectionCreated, AffectsSchema | AffectsContent},
	{EventCollectionUpdated, AffectsSchema | AffectsContent},
	{EventCollectionDeleted, AffectsSchema | AffectsContent},
	{EventCollectionAcknowledged, AffectsSchema | AffectsContent},
	{EventProjectCreated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens},
	{EventProjectUpdated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens},
	{EventProjectDeleted, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens},
	{EventProjectRepaired, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens},
	{EventProjectAcknowledged, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens},
	{EventWorkflowUpdated, AffectsContent},
	{EventTenantCreated, AffectsAccounts},
	{EventTenantUpdated, AffectsAccounts},
	{EventTenantDeleted, AffectsAccounts},
	{EventDepartmentCreated, AffectsAccounts},
	{EventDepartmentUpdated, AffectsAccounts},
	{EventDepartmentDeleted, AffectsAccounts},
	{EventRoleCreated, AffectsAccounts},
	{EventRoleUpdated, AffectsAccounts},
	{EventRoleDeleted, AffectsAccounts},
	{EventRoleGiven, AffectsAccounts},
	{EventRoleTaken, AffectsAccounts},
	{EventUserCreated, AffectsAccounts},
	{EventUserUpdated, AffectsAccounts},
	{EventMemberUpdated, AffectsAccounts},
	{EventMemberRemoved, AffectsAccounts},
	{EventTokenCreated, AffectsTokens},
	{EventTokenUpdated, AffectsTokens},
	{EventTokenRevoked, AffectsTokens},
	{EventSessionCreated, 0},
	{EventSessionEnded, AffectsAccounts},
	{EventWebhookCreated, 0},
	{EventWebhookUpdated, 0},
	{EventWebhookOff, 0},
	{EventWebhookDeleted, 0},
	{EventKeyCreated, 0},
	{EventKeyEnded, 0},
	{EventKeyRevoked, 0},
}

type eventType struct {
	Type    EventType
	Affects Affected
}

// EventTypes returns all types of events, in the order of their declaration.
func EventTypes() []EventType {
	types := make([]EventType, len(eventTypes))
	for i, row := range eventTypes {
		types[i] = row.Type
	}
	return types
}

// Affects returns what events of the type affect. known is false for a type of a newer version of
// the program, whose events may affect everything.
func (t EventType) Affects() (affected Affected, known bool) {
	i := slices.IndexFunc(eventTypes, func(row eventType) bool { return row.Type == t })
	if i < 0 {
		return 0, false
	}
	return eventTypes[i].Affects, true
}
