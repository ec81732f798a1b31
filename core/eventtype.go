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

	EventComponentCreated EventType = "component.created"
	EventComponentUpdated EventType = "component.updated"
	EventComponentDeleted EventType = "component.deleted"

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
	// EventEmailChanged and EventPasswordChanged come instead of EventUserUpdated when nothing
	// else of the account has changed.
	EventEmailChanged    EventType = "user.email_changed"
	EventPasswordChanged EventType = "user.password_changed"

	EventInvitationCreated  EventType = "invitation.created"
	EventInvitationResent   EventType = "invitation.resent"
	EventInvitationRevoked  EventType = "invitation.revoked"
	EventInvitationAccepted EventType = "invitation.accepted"

	EventMemberUpdated EventType = "member.updated" // a role was assigned or replaced
	EventMemberRemoved EventType = "member.removed"

	EventTokenCreated EventType = "token.created"
	EventTokenUpdated EventType = "token.updated"
	EventTokenRevoked EventType = "token.revoked"

	EventSessionCreated  EventType = "session.created"
	EventSessionVerified EventType = "session.verified" // its user proved again who they are
	EventSessionEnded    EventType = "session.ended"    // before it expired
	EventSessionFailed   EventType = "session.failed"   // a wrong password or second factor

	EventFactorAdded     EventType = "factor.added" // a second factor: an authenticator app or a passkey
	EventFactorRemoved   EventType = "factor.removed"
	EventFactorUsedBack  EventType = "factor.used_back" // a passkey whose counter went back: maybe a copy
	EventRecoveryRenewed EventType = "recovery.renewed" // new recovery codes
	EventRecoveryUsed    EventType = "recovery.used"

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

// eventTypes has a row for each type of event: the type, what its events affect, and whether they
// belong to a Project. It is the only list of them. Readers of governed Projects see sealed media, which begins with a workflow; the
// publication of a request or a schedule has an event of its entry beside its own.
var eventTypes = []eventType{
	{EventEntryCreated, AffectsContent, true},
	{EventEntryUpdated, AffectsContent, true},
	{EventEntryPublished, AffectsContent, true},
	{EventEntryUnpublished, AffectsContent, true},
	{EventEntryTrashed, AffectsContent, true},
	{EventEntryRestored, AffectsContent, true},
	{EventEntryDestroyed, AffectsContent, true},
	{EventRequestSubmitted, 0, true},
	{EventRequestApproved, 0, true},
	{EventRequestRejected, 0, true},
	{EventRequestRevisionRequested, 0, true},
	{EventRequestWithdrawn, 0, true},
	{EventRequestRescheduled, 0, true},
	{EventRequestPublished, 0, true},
	{EventPublicationScheduled, 0, true},
	{EventPublicationUnscheduled, 0, true},
	{EventPublicationFailed, 0, true},
	{EventMediaCreated, AffectsContent, true},
	{EventMediaUpdated, AffectsContent, true},
	{EventMediaDeleted, AffectsContent, true},
	{EventCollectionCreated, AffectsSchema | AffectsContent, true},
	{EventCollectionUpdated, AffectsSchema | AffectsContent, true},
	{EventCollectionDeleted, AffectsSchema | AffectsContent, true},
	{EventCollectionAcknowledged, AffectsSchema | AffectsContent, true},
	{EventComponentCreated, AffectsSchema | AffectsContent, true},
	{EventComponentUpdated, AffectsSchema | AffectsContent, true},
	{EventComponentDeleted, AffectsSchema | AffectsContent, true},
	{EventProjectCreated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true},
	{EventProjectUpdated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true},
	{EventProjectDeleted, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true},
	{EventProjectRepaired, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true},
	{EventProjectAcknowledged, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true},
	{EventWorkflowUpdated, AffectsContent, true},
	{EventTenantCreated, AffectsAccounts, false},
	{EventTenantUpdated, AffectsAccounts, false},
	{EventTenantDeleted, AffectsAccounts, false},
	{EventDepartmentCreated, AffectsAccounts, false},
	{EventDepartmentUpdated, AffectsAccounts, false},
	{EventDepartmentDeleted, AffectsAccounts, false},
	{EventRoleCreated, AffectsAccounts, false},
	{EventRoleUpdated, AffectsAccounts, false},
	{EventRoleDeleted, AffectsAccounts, false},
	{EventRoleGiven, AffectsAccounts, false},
	{EventRoleTaken, AffectsAccounts, false},
	{EventUserCreated, AffectsAccounts, false},
	{EventUserUpdated, AffectsAccounts, false},
	{EventEmailChanged, AffectsAccounts, false},
	{EventPasswordChanged, AffectsAccounts, false},
	{EventInvitationCreated, 0, false},
	{EventInvitationResent, 0, false},
	{EventInvitationRevoked, 0, false},
	{EventInvitationAccepted, 0, false},
	{EventMemberUpdated, AffectsAccounts, true},
	{EventMemberRemoved, AffectsAccounts, true},
	{EventTokenCreated, AffectsTokens, true},
	{EventTokenUpdated, AffectsTokens, true},
	{EventTokenRevoked, AffectsTokens, true},
	{EventSessionCreated, 0, false},
	{EventSessionVerified, AffectsAccounts, false},
	{EventSessionEnded, AffectsAccounts, false},
	{EventSessionFailed, 0, false},
	{EventFactorAdded, AffectsAccounts, false},
	{EventFactorRemoved, AffectsAccounts, false},
	{EventFactorUsedBack, 0, false},
	{EventRecoveryRenewed, 0, false},
	{EventRecoveryUsed, 0, false},
	{EventWebhookCreated, 0, true},
	{EventWebhookUpdated, 0, true},
	{EventWebhookOff, 0, true},
	{EventWebhookDeleted, 0, true},
	{EventKeyCreated, 0, false},
	{EventKeyEnded, 0, false},
	{EventKeyRevoked, 0, false},
}

type eventType struct {
	Type      EventType
	Affects   Affected
	InProject bool
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
