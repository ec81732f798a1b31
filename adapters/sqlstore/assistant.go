package sqlstore

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/assistant"
	"imprimatur/core/event"
)

// assistantStore implements ports.AssistantStore.
type assistantStore struct{ conn }

var assistants = rowsOf("assistants", "assistant", func(a *core.Assistant) []member {
	return []member{
		{name: "id", kind: "bigint", of: &a.ID},
		{name: "user_id", kind: "bigint", of: &a.UserID},
		{name: "tenant_id", kind: "bigint", of: &a.TenantID},
		{name: "name", kind: "text", of: &a.Name},
		{name: "hash", kind: "bytea", of: octets{a.Hash[:]}},
		{name: "hint", kind: "text", of: &a.Hint},
		{name: "projects", kind: "text", of: ListInJSON(&a.ProjectIDs)},
		{name: "drafts", kind: "boolean", of: &a.Drafts},
		{name: "created_at", kind: "bigint", of: (*instant)(&a.CreatedAt)},
		{name: "expires_at", kind: "bigint", of: (*instant)(&a.ExpiresAt)},
		{name: "revoked_at", kind: "bigint", of: (*instant)(&a.RevokedAt)},
	}
})

func (s assistantStore) AssistantsOf(ctx context.Context, userID int64) ([]core.Assistant, error) {
	return assistants.all(ctx, s.conn, " WHERE user_id = ? ORDER BY id", userID)
}

func (s assistantStore) Assistant(ctx context.Context, id int64) (core.Assistant, error) {
	return assistants.one(ctx, s.conn, " WHERE id = ?", id)
}

func (s assistantStore) AssistantByHash(ctx context.Context, hash [32]byte) (core.Assistant, error) {
	return assistants.one(ctx, s.conn, " WHERE hash = ?", hash[:])
}

func (s assistantStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM assistants WHERE id = ?"+s.forUpdate(), id)
}

func (s assistantStore) Insert(ctx context.Context, a *core.Assistant) error {
	return assistants.add(ctx, s.conn, a, &a.ID, func() event.Event { return assistant.Changed(event.AssistantCreated, a) })
}

func (s assistantStore) Revoke(ctx context.Context, a *core.Assistant) error {
	return s.note(ctx, assistants.thing, assistant.Changed(event.AssistantRevoked, a),
		"UPDATE assistants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", instant(a.RevokedAt), a.ID)
}
