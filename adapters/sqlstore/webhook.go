package sqlstore

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
)

// webhookStore implements ports.WebhookStore.
type webhookStore struct{ sqldb.Conn }

var webhooks = sqldb.NewTableOf("webhooks", "webhook", func(w *webhook.Webhook) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &w.ID, Fixed: true},
		{Name: "project_id", Kind: "bigint", Of: &w.ProjectID, Fixed: true},
		{Name: "name", Kind: "text", Of: &w.Name},
		{Name: "url", Kind: "text", Of: &w.URL},
		{Name: "events", Kind: "text", Of: sqldb.InJSON(&w.Events)},
		{Name: "collections", Kind: "text", Of: sqldb.InJSON(&w.Collections)},
		{Name: "locales", Kind: "text", Of: sqldb.InJSON(&w.Locales)},
		{Name: "imports", Kind: "boolean", Of: &w.Imports},
		{Name: "active", Kind: "boolean", Of: &w.Active},
		{Name: "quiet", Kind: "bigint", Of: (*sqldb.Period)(&w.Quiet)},
		{Name: "most", Kind: "bigint", Of: (*sqldb.Period)(&w.Most)},
		{Name: "secrets", Kind: "bytea", Of: &w.Secrets},
		{Name: "failing_since", Kind: "bigint", Of: (*sqldb.Instant)(&w.FailingSince)},
		{Name: "off_reason", Kind: "text", Of: &w.OffReason},
		{Name: "created_by", Kind: "bigint", Of: sqldb.NullIfZero(&w.CreatedBy), Fixed: true},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&w.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&w.UpdatedAt)},
	}
})

const ofWebhook = "project_id = @project AND id = ?"

func (s webhookStore) Webhooks(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	return webhooks.All(ctx, s.Conn, " WHERE project_id = ? ORDER BY id", projectID)
}

func (s webhookStore) Webhook(ctx context.Context, projectID, id int64) (webhook.Webhook, error) {
	return webhooks.One(ctx, s.Conn, " WHERE "+ofWebhook, projectID, id)
}

func (s webhookStore) Lock(ctx context.Context, projectID, id int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM webhooks WHERE "+ofWebhook+s.ForUpdate(), projectID, id)
}

func (s webhookStore) Insert(ctx context.Context, w *webhook.Webhook) error {
	return webhooks.Add(ctx, s.Conn, w, &w.ID, func() event.Event {
		return event.Event{Type: event.WebhookCreated, ProjectID: w.ProjectID, SubjectID: w.ID}
	})
}

func (s webhookStore) Update(ctx context.Context, w webhook.Webhook) error {
	return webhooks.Put(ctx, s.Conn, &w, webhook.Updated(w), ofWebhook, w.ProjectID, w.ID)
}

// NoteFailing records no event: nothing that a user has set changes.
func (s webhookStore) NoteFailing(ctx context.Context, projectID, id int64, since time.Time) error {
	_, err := s.Do(ctx, webhooks.Thing, "UPDATE webhooks SET failing_since = ? WHERE "+ofWebhook, sqldb.Instant(since), projectID, id)
	return err
}

func (s webhookStore) Delete(ctx context.Context, projectID, id int64) error {
	return webhooks.Drop(ctx, s.Conn, event.Event{Type: event.WebhookDeleted, ProjectID: projectID, SubjectID: id}, ofWebhook, projectID, id)
}
