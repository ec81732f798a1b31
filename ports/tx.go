package ports

import (
	"context"

	"imprimatur/core"
)

// Stores are all stores, either directly on the database or inside one transaction.
type Stores struct {
	Tenants     TenantStore
	Departments DepartmentStore
	CustomRoles CustomRoleStore
	Projects    ProjectStore
	Users       UserStore
	Grants      GrantStore
	Sessions    SessionStore
	SignIns     FailedSignInStore
	Invitations InvitationStore
	Links       LinkStore
	Providers   IdentityProviderStore
	Domains     DomainClaimStore
	Identities  UserIdentityStore
	Spent       SpentStore
	TOTP        TOTPStore
	Recovery    RecoveryCodeStore
	Passkeys    PasskeyStore
	Tokens      TokenStore
	Collections CollectionStore
	Components  ComponentStore
	Entries     EntryStore
	Revisions   RevisionStore
	Origins     OriginStore
	Media       MediaStore
	Blobs       BlobLedger
	Renditions  RenditionStore
	Holds       HoldStore
	LocaleFills LocaleFillStore
	Deletions   DeletionStore

	Installation InstallationReader

	IndexChecks IndexChecker
	BlobChecks  BlobChecker

	Workflows    WorkflowStore
	Requests     RequestStore
	Releases     ReleaseStore
	Comments     CommentStore
	Delegations  DelegationStore
	Assistants   AssistantStore
	Previews     PreviewStore
	Schedules    ScheduleStore
	Publications PublicationStore
	Idempotency  IdempotencyStore
	SigningKeys  SigningKeyStore
	Events       EventStore
	Log          PublicLog
	Outbox       Outbox
	Webhooks     WebhookStore
	Deliveries   DeliveryStore
	DeliveryLog  DeliveryLog
	Notices      NoticeStore
	Reminders    Reminders
	Mails        MailStore
	Overviews    OverviewStore
	Aging        AgingStore
	Clock        DatabaseClock
}

// Tx runs work in one transaction.
type Tx interface {
	// Do calls do with stores of one transaction. It commits when do returns nil and rolls
	// back otherwise. The stores record every change as an event by actor in the same
	// transaction. The caches of this process are invalidated before Do returns. Do calls do
	// again when the database asks for a retry, so do must change state only through stores.
	// Do must not be nested. If actor.Claim is not nil, the transaction also calls
	// IdempotencyStore.TakeEffect for it, and rolls back when TakeEffect fails.
	Do(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores Stores) error) error
	// DoAlone is Do for a transaction that may take longer than some milliseconds. Transactions of
	// Do may wait for each other's commits; this one makes no other wait, so that their publications
	// become visible right after their times.
	DoAlone(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores Stores) error) error
}
