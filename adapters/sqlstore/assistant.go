package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/assistant"
	"imprimatur/core/event"
)

// assistantStore implements ports.AssistantStore.
type assistantStore struct{ sqldb.Conn }

var assistants = sqldb.NewTableOf("assistants", "assistant", func(a *core.Assistant) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &a.ID},
		{Name: "user_id", Kind: "bigint", Of: &a.UserID},
		{Name: "tenant_id", Kind: "bigint", Of: &a.TenantID},
		{Name: "name", Kind: "text", Of: &a.Name},
		{Name: "hash", Kind: "bytea", Of: sqldb.Octets(a.Hash[:])},
		{Name: "hint", Kind: "text", Of: &a.Hint},
		{Name: "projects", Kind: "text", Of: sqldb.ListInJSON(&a.ProjectIDs)},
		{Name: "drafts", Kind: "boolean", Of: &a.Drafts},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&a.CreatedAt)},
		{Name: "expires_at", Kind: "bigint", Of: (*sqldb.Instant)(&a.ExpiresAt)},
		{Name: "revoked_at", Kind: "bigint", Of: (*sqldb.Instant)(&a.RevokedAt)},
	}
})

func (s assistantStore) AssistantsOf(ctx context.Context, userID int64) ([]core.Assistant, error) {
	return assistants.All(ctx, s.Conn, " WHERE user_id = ? ORDER BY id", userID)
}

func (s assistantStore) Assistant(ctx context.Context, id int64) (core.Assistant, error) {
	return assistants.One(ctx, s.Conn, " WHERE id = ?", id)
}

func (s assistantStore) AssistantByHash(ctx context.Context, hash [32]byte) (core.Assistant, error) {
	return assistants.One(ctx, s.Conn, " WHERE hash = ?", hash[:])
}

func (s assistantStore) Lock(ctx context.Context, id int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM assistants WHERE id = ?"+s.ForUpdate(), id)
}

func (s assistantStore) Insert(ctx context.Context, a *core.Assistant) error {
	return assistants.Add(ctx, s.Conn, a, &a.ID, func() event.Event { return assistant.Changed(event.AssistantCreated, a) })
}

func (s assistantStore) Revoke(ctx context.Context, a *core.Assistant) error {
	return s.Note(ctx, assistants.Thing, assistant.Changed(event.AssistantRevoked, a),
		"UPDATE assistants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", sqldb.Instant(a.RevokedAt), a.ID)
}
