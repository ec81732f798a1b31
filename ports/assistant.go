package ports

import (
	"context"

	"imprimatur/core"
)

// AssistantStore stores assistants. They stay when they are revoked.
type AssistantStore interface {
	AssistantReader

	// Lock locks the assistant until the transaction ends, as UserStore.Lock locks an account.
	Lock(ctx context.Context, id int64) error
	// Insert adds a and sets its ID. It records event.AssistantCreated.
	Insert(ctx context.Context, a *core.Assistant) error
	// Revoke sets RevokedAt to that of a, and records event.AssistantRevoked. It returns core.ErrNotFound if the
	// assistant does not exist or is revoked.
	Revoke(ctx context.Context, a *core.Assistant) error
}

// AssistantReader reads assistants, revoked and expired ones too.
type AssistantReader interface {
	// AssistantsOf returns the assistants of a user, by id.
	AssistantsOf(ctx context.Context, userID int64) ([]core.Assistant, error)
	Assistant(ctx context.Context, id int64) (core.Assistant, error)
	AssistantByHash(ctx context.Context, hash [32]byte) (core.Assistant, error)
}
