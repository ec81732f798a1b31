package event

import "slices"

// Type is the kind of a committed change.
type Type string

// The types of events.
const (
	EntryCreated     Type = "entry.created"
	EntryUpdated     Type = "entry.updated" // the draft changed
	EntryPublished   Type = "entry.published"
	EntryUnpublished Type = "entry.unpublished"
	EntryTrashed     Type = "entry.trashed"
	EntryRestored    Type = "entry.restored"
	EntryDestroyed   Type = "entry.destroyed"

	RequestSubmitted         Type = "request.submitted"
	RequestApproved          Type = "request.approved" // at one step
	RequestRejected          Type = "request.rejected"
	RequestRevisionRequested Type = "request.revision_requested"
	RequestWithdrawn         Type = "request.withdrawn"
	RequestRescheduled       Type = "request.rescheduled"
	RequestPublished         Type = "request.published"

	ReleaseCreated   Type = "release.created"
	ReleaseUpdated   Type = "release.updated" // or its members
	ReleaseClosed    Type = "release.closed"  // given up after a submission
	ReleaseDeleted   Type = "release.deleted"
	ReleasePublished Type = "release.published" // follows the events of its entries
	ReleaseFailed    Type = "release.failed"    // was not published at its time

	CommentCreated  Type = "comment.created"
	CommentUpdated  Type = "comment.updated"
	CommentResolved Type = "comment.resolved"
	CommentDeleted  Type = "comment.deleted"

	DelegationCreated Type = "delegation.created"
	DelegationEnded   Type = "delegation.ended" // by a user; not by time

	AssistantCreated Type = "assistant.created"
	AssistantRevoked Type = "assistant.revoked"

	PublicationScheduled   Type = "publication.scheduled"   // for an entry that no workflow governs
	PublicationUnscheduled Type = "publication.unscheduled" // published, replaced or cancelled
	PublicationFailed      Type = "publication.failed"

	MediaCreated Type = "media.created"
	MediaUpdated Type = "media.updated"
	MediaDeleted Type = "media.deleted"

	// ImportFinished follows the events of an import, or of the part that it did before it stopped.
	ImportFinished Type = "import.finished"

	CollectionCreated Type = "collection.created"
	CollectionUpdated Type = "collection.updated"
	CollectionDeleted Type = "collection.deleted"
	// CollectionAcknowledged precedes a change of the collection that changes what
	// readers see of published entries of a governed Project.
	CollectionAcknowledged Type = "collection.acknowledged"

	ComponentCreated Type = "component.created"
	ComponentUpdated Type = "component.updated"
	ComponentDeleted Type = "component.deleted"

	ProjectCreated  Type = "project.created"
	ProjectUpdated  Type = "project.updated"
	ProjectDeleted  Type = "project.deleted"
	ProjectRepaired Type = "project.repaired" // its index, or files of sealed pictures, were made again
	// ProjectAcknowledged is CollectionAcknowledged for a change of the Project.
	ProjectAcknowledged Type = "project.acknowledged"
	WorkflowUpdated     Type = "workflow.updated" // set, changed or removed
	// WorkflowNames precedes a change of a collection or component by which a slug or a field that the workflow of
	// the Project names begins or ceases to exist.
	WorkflowNames Type = "workflow.names_changed"

	TenantCreated     Type = "tenant.created"
	TenantUpdated     Type = "tenant.updated"
	TenantDeleted     Type = "tenant.deleted"
	DepartmentCreated Type = "department.created"
	DepartmentUpdated Type = "department.updated"
	DepartmentDeleted Type = "department.deleted"

	RoleCreated Type = "role.created"
	RoleUpdated Type = "role.updated"
	RoleDeleted Type = "role.deleted"
	RoleGiven   Type = "role.given"
	RoleTaken   Type = "role.taken"

	UserCreated Type = "user.created"
	UserUpdated Type = "user.updated"
	// EmailChanged and PasswordChanged come instead of UserUpdated when nothing
	// else of the account has changed.
	EmailChanged    Type = "user.email_changed"
	PasswordChanged Type = "user.password_changed"
	UserLinked      Type = "user.linked"   // to a person at an identity provider
	UserUnlinked    Type = "user.unlinked" // from one

	InvitationCreated  Type = "invitation.created"
	InvitationResent   Type = "invitation.resent"
	InvitationRevoked  Type = "invitation.revoked"
	InvitationAccepted Type = "invitation.accepted"

	IdentityProviderCreated Type = "identity_provider.created"
	IdentityProviderUpdated Type = "identity_provider.updated" // or its claims of domains
	IdentityProviderDeleted Type = "identity_provider.deleted"
	// DomainLost says an admin of a Tenant that the record of a claimed domain, Event.Place, is gone.
	DomainLost Type = "domain.lost"

	MemberUpdated Type = "member.updated" // a role was assigned or replaced
	MemberRemoved Type = "member.removed"
	MemberKept    Type = "member.kept" // the last admin of a Tenant, whom no group makes one any more

	TokenCreated Type = "token.created"
	TokenUpdated Type = "token.updated"
	TokenRevoked Type = "token.revoked"

	SessionCreated  Type = "session.created"
	SessionVerified Type = "session.verified" // its user proved again who they are
	SessionEnded    Type = "session.ended"    // before it expired
	SessionFailed   Type = "session.failed"   // a wrong password or second factor

	FactorAdded     Type = "factor.added" // a second factor: an authenticator app or a passkey
	FactorRemoved   Type = "factor.removed"
	FactorUsedBack  Type = "factor.used_back" // a passkey whose counter went back: maybe a copy
	RecoveryRenewed Type = "recovery.renewed" // new recovery codes
	RecoveryUsed    Type = "recovery.used"

	WebhookCreated Type = "webhook.created"
	WebhookUpdated Type = "webhook.updated"
	WebhookOff     Type = "webhook.off" // switched off by the program
	WebhookDeleted Type = "webhook.deleted"

	KeyCreated Type = "key.created" // a signing key of the installation
	KeyEnded   Type = "key.ended"   // another key follows it
	KeyRevoked Type = "key.revoked"

	// InstallationRestored is the first event of an epoch after a restore of the database, and
	// InstallationResumed ends the pause after it.
	InstallationRestored Type = "installation.restored"
	InstallationResumed  Type = "installation.resumed"
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
	{EntryCreated, AffectsContent, true, TagsEntry},
	{EntryUpdated, AffectsContent, true, TagsEntry},
	{EntryPublished, AffectsContent, true, TagsEntry},
	{EntryUnpublished, AffectsContent, true, TagsEntry},
	{EntryTrashed, AffectsContent, true, TagsEntry},
	{EntryRestored, AffectsContent, true, TagsEntry},
	{EntryDestroyed, AffectsContent, true, TagsEntry},
	{RequestSubmitted, 0, true, TagsNothing},
	{RequestApproved, 0, true, TagsNothing},
	{RequestRejected, 0, true, TagsNothing},
	{RequestRevisionRequested, 0, true, TagsNothing},
	{RequestWithdrawn, 0, true, TagsNothing},
	{RequestRescheduled, 0, true, TagsNothing},
	{RequestPublished, 0, true, TagsNothing},
	{ReleaseCreated, 0, true, TagsNothing},
	{ReleaseUpdated, 0, true, TagsNothing},
	{ReleaseClosed, 0, true, TagsNothing},
	{ReleaseDeleted, 0, true, TagsNothing},
	{ReleasePublished, 0, true, TagsRelease},
	{ReleaseFailed, 0, true, TagsNothing},
	{CommentCreated, 0, true, TagsNothing},
	{CommentUpdated, 0, true, TagsNothing},
	{CommentResolved, 0, true, TagsNothing},
	{CommentDeleted, 0, true, TagsNothing},
	{DelegationCreated, AffectsAccounts, false, TagsNothing},
	{DelegationEnded, AffectsAccounts, false, TagsNothing},
	{AssistantCreated, AffectsAccounts, false, TagsNothing},
	{AssistantRevoked, AffectsAccounts, false, TagsNothing},
	{PublicationScheduled, 0, true, TagsNothing},
	{PublicationUnscheduled, 0, true, TagsNothing},
	{PublicationFailed, 0, true, TagsNothing},
	{MediaCreated, AffectsContent, true, TagsMedia},
	{MediaUpdated, AffectsContent, true, TagsMedia},
	{MediaDeleted, AffectsContent, true, TagsMedia},
	{ImportFinished, 0, true, TagsDefinition}, // caches may have got none of the events before it
	{CollectionCreated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{CollectionUpdated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{CollectionDeleted, AffectsSchema | AffectsContent, true, TagsDefinition},
	{CollectionAcknowledged, AffectsSchema | AffectsContent, true, TagsDefinition},
	{ComponentCreated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{ComponentUpdated, AffectsSchema | AffectsContent, true, TagsDefinition},
	{ComponentDeleted, AffectsSchema | AffectsContent, true, TagsDefinition},
	{ProjectCreated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{ProjectUpdated, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{ProjectDeleted, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{ProjectRepaired, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{ProjectAcknowledged, AffectsSchema | AffectsContent | AffectsAccounts | AffectsTokens, true, TagsDefinition},
	{WorkflowUpdated, AffectsContent, true, TagsNothing},
	{WorkflowNames, 0, true, TagsNothing},
	{TenantCreated, AffectsAccounts, false, TagsNothing},
	{TenantUpdated, AffectsAccounts, false, TagsNothing},
	{TenantDeleted, AffectsAccounts, false, TagsNothing},
	{DepartmentCreated, AffectsAccounts, false, TagsNothing},
	{DepartmentUpdated, AffectsAccounts, false, TagsNothing},
	{DepartmentDeleted, AffectsAccounts, false, TagsNothing},
	{RoleCreated, AffectsAccounts, false, TagsNothing},
	{RoleUpdated, AffectsAccounts, false, TagsNothing},
	{RoleDeleted, AffectsAccounts, false, TagsNothing},
	{RoleGiven, AffectsAccounts, false, TagsNothing},
	{RoleTaken, AffectsAccounts, false, TagsNothing},
	{UserCreated, AffectsAccounts, false, TagsNothing},
	{UserUpdated, AffectsAccounts, false, TagsNothing},
	{EmailChanged, AffectsAccounts, false, TagsNothing},
	{PasswordChanged, AffectsAccounts, false, TagsNothing},
	{UserLinked, AffectsAccounts, false, TagsNothing},
	{UserUnlinked, AffectsAccounts, false, TagsNothing},
	{InvitationCreated, 0, false, TagsNothing},
	{InvitationResent, 0, false, TagsNothing},
	{InvitationRevoked, 0, false, TagsNothing},
	{InvitationAccepted, 0, false, TagsNothing},
	{IdentityProviderCreated, 0, false, TagsNothing},
	{IdentityProviderUpdated, 0, false, TagsNothing},
	{IdentityProviderDeleted, 0, false, TagsNothing},
	{DomainLost, 0, false, TagsNothing},
	{MemberUpdated, AffectsAccounts, true, TagsNothing},
	{MemberRemoved, AffectsAccounts, true, TagsNothing},
	{MemberKept, 0, false, TagsNothing},
	{TokenCreated, AffectsTokens, true, TagsNothing},
	{TokenUpdated, AffectsTokens, true, TagsNothing},
	{TokenRevoked, AffectsTokens, true, TagsNothing},
	{SessionCreated, 0, false, TagsNothing},
	{SessionVerified, AffectsAccounts, false, TagsNothing},
	{SessionEnded, AffectsAccounts, false, TagsNothing},
	{SessionFailed, 0, false, TagsNothing},
	{FactorAdded, AffectsAccounts, false, TagsNothing},
	{FactorRemoved, AffectsAccounts, false, TagsNothing},
	{FactorUsedBack, 0, false, TagsNothing},
	{RecoveryRenewed, 0, false, TagsNothing},
	{RecoveryUsed, 0, false, TagsNothing},
	{WebhookCreated, 0, true, TagsNothing},
	{WebhookUpdated, 0, true, TagsNothing},
	{WebhookOff, 0, true, TagsNothing},
	{WebhookDeleted, 0, true, TagsNothing},
	{KeyCreated, 0, false, TagsNothing},
	{KeyEnded, 0, false, TagsNothing},
	{KeyRevoked, 0, false, TagsNothing},
	{InstallationRestored, AffectsEverything, false, TagsNothing},
	{InstallationResumed, AffectsEverything, false, TagsNothing},
}

type eventType struct {
	Type      Type
	Affects   Affected
	InProject bool
	Tagged    Tagged
}

// Types returns all types of events, in the order of their declaration.
func Types() []Type {
	types := make([]Type, len(eventTypes))
	for i, row := range eventTypes {
		types[i] = row.Type
	}
	return types
}

// Affects returns what events of the type affect. known is false for a type of a newer version of
// the program, whose events may affect everything.
func (t Type) Affects() (affected Affected, known bool) {
	i := slices.IndexFunc(eventTypes, func(row eventType) bool { return row.Type == t })
	if i < 0 {
		return 0, false
	}
	return eventTypes[i].Affects, true
}

// Tagged returns the kind of thing that events of the type are about. Events of a newer version of the
// program may change a definition.
func (t Type) Tagged() Tagged {
	i := slices.IndexFunc(eventTypes, func(row eventType) bool { return row.Type == t })
	if i < 0 {
		return TagsDefinition
	}
	return eventTypes[i].Tagged
}

// Shown reports whether readers see each change of the type: changes of the media library, and those
// after which copies of content have to be read again. Whether they see that of an entry depends on
// the entry. They see changes of other definitions in the content.
func (t Type) Shown() bool {
	return t.Tagged() == TagsMedia || t == CollectionDeleted || t == ProjectRepaired
}

// TellsOwner reports whether events of the type are about a way into the account. Its user is told
// also of own changes, in case that another person has made them.
func (t Type) TellsOwner() bool {
	switch t {
	case EmailChanged, PasswordChanged, UserLinked, UserUnlinked, FactorAdded, FactorRemoved, FactorUsedBack, RecoveryRenewed, RecoveryUsed:
		return true
	default:
		return false
	}
}
