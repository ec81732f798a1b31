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

	EventReleaseCreated   EventType = "release.created"
	EventReleaseUpdated   EventType = "release.updated" // or its members
	EventReleaseClosed    EventType = "release.closed"  // given up after a submission
	EventReleaseDeleted   EventType = "release.deleted"
	EventReleasePublished EventType = "release.published" // follows the events of its entries
	EventReleaseFailed    EventType = "release.failed"    // was not published at its time

	EventCommentCreated  EventType = "comment.created"
	EventCommentUpdated  EventType = "comment.updated"
	EventCommentResolved EventType = "comment.resolved"
	EventCommentDeleted  EventType = "comment.deleted"

	EventDelegationCreated EventType = "delegation.created"
	EventDelegationEnded   EventType = "delegation.ended" // by a user; not by time

	EventAssistantCreated EventType = "assistant.created"
	EventAssistantRevoked EventType = "assistant.revoked"

	EventPublicationScheduled   EventType = "publication.scheduled"   // for an entry that no workflow governs
	EventPublicationUnscheduled EventType = "publication.unscheduled" // published, replaced or cancelled
	EventPublicationFailed      EventType = "publication.failed"

	EventMediaCreated EventType = "media.created"
	EventMediaUpdated EventType = "media.updated"
	EventMediaDeleted EventType = "media.deleted"

	// EventImportFinished follows the events of an import, or of the part that it did before it stopped.
	EventImportFinished EventType = "import.finished"

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
	EventProjectRepaired EventType = "project.repaired" // its index, or files of sealed pictures, were made again
	// EventProjectAcknowledged is EventCollectionAcknowledged for a change of the Project.
	EventProjectAcknowledged EventType = "project.acknowledged"
	EventWorkflowUpdated     EventType = "workflow.updated" // set, changed or removed
	// EventWorkflowNames precedes a change of a collection or component by which a slug or a field that the workflow of
	// the Project names begins or ceases to exist.
	EventWorkflowNames EventType = "workflow.names_changed"

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
	EventUserLinked      EventType = "user.linked"   // to a person at an identity provider
	EventUserUnlinked    EventType = "user.unlinked" // from one

	EventInvitationCreated  EventType = "invitation.created"
	EventInvitationResent   EventType = "invitation.resent"
	EventInvitationRevoked  EventType = "invitation.revoked"
	EventInvitationAccepted EventType = "invitation.accepted"

	EventIdentityProviderCreated EventType = "identity_provider.created"
	EventIdentityProviderUpdated EventType = "identity_provider.updated" // or its claims of domains
	EventIdentityProviderDeleted EventType = "identity_provider.deleted"
	// EventDomainLost says an admin of a Tenant that the record of a claimed domain, Event.Place, is gone.
	EventDomainLost EventType = "domain.lost"

	EventMemberUpdated EventType = "member.updated" // a role was assigned or replaced
	EventMemberRemoved EventType = "member.removed"
	EventMemberKept    EventType = "member.kept" // the last admin of a Tenant, whom no group makes one any more

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

	// EventInstallationRestored is the first event of an epoch after a restore of the database, and
	// EventInstallationResumed ends the pause after it.
	EventInstallationRestored EventType = "installation.restored"
	EventInstallationResumed  EventType = "installation.resumed"
)

// Affected is a set of the things that an event can change and that processes cache.
type Affected uint8

// The elements of Affected.
const (
	AffectsContent    Affected = 1 << iota // what readers of the Project see
	AffectsSchema                          // the Project and its collections
	AffectsTokens                          // the tokens
	AffectsAccounts                        // accounts, roles and sessions
	AffectsEverything                      // the whole database
)

// Tagged is the kind of thing that an event is about, for the tags of cached responses.
type Tagged uint8

// The kinds.
const (
	TagsNothing    Tagged = iota
	TagsEntry             // an entry, if Event.Public
	TagsMedia             // a media item
	TagsDefinition        // a definition, on which all responses of the Project depend
	TagsRelease           // the entries of a release, Event.Released
)

// eventTypes has a row for each type of event: the type, what its events affect, whether they
// belong to a Project, and what they are about. It is the only list of them. Readers of governed Projects see sealed media, which begins with a workflow; the
// publication of a request or a schedule has an event of its entry beside its own.
var eventTypes = []eventType{
	{EventEntryCreated, AffectsContent, true, TagsEntry},
	{EventEntryUpdated, AffectsContent, true, TagsEntry},
	{EventEntryPublished, AffectsContent, true, TagsEntry},
	{EventEntryUnpublished, AffectsContent, true, TagsEntry},
	{EventEntryTrashed, AffectsContent, true, TagsEntry},
	{EventEntryRestored, AffectsContent, true, TagsEntry},
	{EventEntryDestroyed, AffectsContent, true, TagsEntry},
	{EventRequestSubmitted, 0, true, TagsNothing},
	{EventRequestApproved, 0, true, TagsNothing},
	{EventRequestRejected, 0, true, TagsNothing},
	{EventRequestRevisionRequested, 0, true, TagsNothing},
	{EventRequestWithdrawn, 0, true, TagsNothing},
	{EventRequestRescheduled, 0, true, TagsNothing},
	{EventRequestPublished, 0, true, TagsNothing},
	{EventReleaseCreated, 0, true, TagsNothing},
	{EventReleaseUpdated, 0, true, TagsNothing},
	{EventReleaseClosed, 0, true, TagsNothing},
	{EventReleaseDeleted, 0, true, TagsNothing},
	{EventReleasePublished, 0, true, TagsRelease},
	{EventReleaseFailed, 0, true, TagsNothing},
	{EventCommentCreated, 0, true, TagsNothing},
	{EventCommentUpdated, 0, true, TagsNothing},
	{EventCommentResolved, 0, true, TagsNothing},
	{EventCommentDeleted, 0, true, TagsNothing},
	{EventDelegationCreated, AffectsAccounts, false, TagsNothing},
	{EventDelegationEnded, AffectsAccounts, false, TagsNothing},
	{EventAssistantCreated, AffectsAccounts, false, TagsNothing},
	{EventAssistantRevoked, AffectsAccounts, false, TagsNothing},
	{EventPublicationScheduled, 0, true, TagsNothing},
	{EventPublicationUnscheduled, 0, true, TagsNothing},
	{EventPublicationFailed, 0, true, TagsNothing},
	{EventMediaCreated, AffectsContent, true, TagsMedia},
	{EventMediaUpdated, AffectsContent, true, TagsMedia},
	{EventMediaDeleted, AffectsContent, true, TagsMedia},
	{EventImportFinished, 0, true, TagsDefinition}, // caches may have got none of the events before it
	{EventCollectionCreated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{EventCollectionUpdated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{EventCollectionDeleted, AffectsSchema | AffectsContent, true, TagsDefinition},
	{EventCollectionAcknowledged, AffectsSchema | AffectsContent, true, TagsDefinition},
	{EventComponentCreated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{EventComponentUpdated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{EventComponentDeleted, AffectsSchema | AffectsContent, true, TagsDefinition},
	{EventProjectCreated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{EventProjectUpdated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{EventProjectDeleted, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{EventProjectRepaired, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{EventProjectAcknowledged, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{EventWorkflowUpdated, AffectsContent, true, TagsNothing},
	{EventWorkflowNames, 0, true, TagsNothing},
	{EventTenantCreated, AffectsAccounts, false, TagsNothing},
	{EventTenantUpdated, AffectsAccounts, false, TagsNothing},
	{EventTenantDeleted, AffectsAccounts, false, TagsNothing},
	{EventDepartmentCreated, AffectsAccounts, false, TagsNothing},
	{EventDepartmentUpdated, AffectsAccounts, false, TagsNothing},
	{EventDepartmentDeleted, AffectsAccounts, false, TagsNothing},
	{EventRoleCreated, AffectsAccounts, false, TagsNothing},
	{EventRoleUpdated, AffectsAccounts, false, TagsNothing},
	{EventRoleDeleted, AffectsAccounts, false, TagsNothing},
	{EventRoleGiven, AffectsAccounts, false, TagsNothing},
	{EventRoleTaken, AffectsAccounts, false, TagsNothing},
	{EventUserCreated, AffectsAccounts, false, TagsNothing},
	{EventUserUpdated, AffectsAccounts, false, TagsNothing},
	{EventEmailChanged, AffectsAccounts, false, TagsNothing},
	{EventPasswordChanged, AffectsAccounts, false, TagsNothing},
	{EventUserLinked, AffectsAccounts, false, TagsNothing},
	{EventUserUnlinked, AffectsAccounts, false, TagsNothing},
	{EventInvitationCreated, 0, false, TagsNothing},
	{EventInvitationResent, 0, false, TagsNothing},
	{EventInvitationRevoked, 0, false, TagsNothing},
	{EventInvitationAccepted, 0, false, TagsNothing},
	{EventIdentityProviderCreated, 0, false, TagsNothing},
	{EventIdentityProviderUpdated, 0, false, TagsNothing},
	{EventIdentityProviderDeleted, 0, false, TagsNothing},
	{EventDomainLost, 0, false, TagsNothing},
	{EventMemberUpdated, AffectsAccounts, true, TagsNothing},
	{EventMemberRemoved, AffectsAccounts, true, TagsNothing},
	{EventMemberKept, 0, false, TagsNothing},
	{EventTokenCreated, AffectsTokens, true, TagsNothing},
	{EventTokenUpdated, AffectsTokens, true, TagsNothing},
	{EventTokenRevoked, AffectsTokens, true, TagsNothing},
	{EventSessionCreated, 0, false, TagsNothing},
	{EventSessionVerified, AffectsAccounts, false, TagsNothing},
	{EventSessionEnded, AffectsAccounts, false, TagsNothing},
	{EventSessionFailed, 0, false, TagsNothing},
	{EventFactorAdded, AffectsAccounts, false, TagsNothing},
	{EventFactorRemoved, AffectsAccounts, false, TagsNothing},
	{EventFactorUsedBack, 0, false, TagsNothing},
	{EventRecoveryRenewed, 0, false, TagsNothing},
	{EventRecoveryUsed, 0, false, TagsNothing},
	{EventWebhookCreated, 0, true, TagsNothing},
	{EventWebhookUpdated, 0, true, TagsNothing},
	{EventWebhookOff, 0, true, TagsNothing},
	{EventWebhookDeleted, 0, true, TagsNothing},
	{EventKeyCreated, 0, false, TagsNothing},
	{EventKeyEnded, 0, false, TagsNothing},
	{EventKeyRevoked, 0, false, TagsNothing},
	{EventInstallationRestored, AffectsEverything, false, TagsNothing},
	{EventInstallationResumed, AffectsEverything, false, TagsNothing},
}

type eventType struct {
	Type      EventType
	Affects   Affected
	InProject bool
	Tagged    Tagged
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

// Tagged returns the kind of thing that events of the type are about. Events of a newer version of the
// program may change a definition.
func (t EventType) Tagged() Tagged {
	i := slices.IndexFunc(eventTypes, func(row eventType) bool { return row.Type == t })
	if i < 0 {
		return TagsDefinition
	}
	return eventTypes[i].Tagged
}

// Shown reports whether readers see each change of the type: changes of the media library, and those
// after which copies of content have to be read again. Whether they see that of an entry depends on
// the entry. They see changes of other definitions in the content.
func (t EventType) Shown() bool {
	return t.Tagged() == TagsMedia || t == EventCollectionDeleted || t == EventProjectRepaired
}
