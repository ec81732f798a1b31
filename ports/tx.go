package ports

import (
	"context"

	"imprimatur/core"
)

// Stores are all the stores there are, either on the database as it is or inside
// one transaction.
type Stores struct {
	Tenants     TenantStore
	Departments DepartmentStore
	CustomRoles CustomRoleStore
	Projects    ProjectStore
	Users       UserStore
	Grants      GrantStore
	Sessions    SessionStore
	SignIns     FailedSignInStore
	Tokens      TokenStore
	Collections CollectionStore
	Entries     EntryStore
	Origins     OriginStore
	Media       MediaStore
	Blobs       BlobLedger

	IndexChecks IndexChecker
	BlobChecks  BlobChecker

	Workflows    WorkflowStore
	Requests     RequestStore
	Publications PublicationStore
	Idempotency  IdempotencyStore
	Events       EventStore
}

// Tx runs work in one transaction.
type Tx interface {
	// Do calls do with stores that act in one transaction, which is committed when
	// do returns nil and leaves no trace otherwise. The stores record every change as an
	// event by actor, in the same transaction, and this process's caches know of it before
	// Do returns. do may be called again when the database asks for a retry, so it must
	// not change anything but through stores. Do must not be nested. Under a claim
	// (WithClaim) the transaction is one with IdempotencyStore.TakeEffect.
	Do(ctx context.Context, actor core.ActorRef, do func(ctx context.Context, stores Stores) error) error
}
