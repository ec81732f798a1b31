package sqlstore

import (
	"context"
	"time"

	"imprimatur/core/event"
	"imprimatur/core/webhook"
)

// webhookStore implements ports.WebhookStore.
type webhookStore struct{ conn }

var webhooks = rowsOf("webhooks", "webhook", func(w *webhook.Webhook) []member {
	return []member{
		{name: "id", kind: "bigint", of: &w.ID, fixed: true},
		{name: "project_id", kind: "bigint", of: &w.ProjectID, fixed: true},
		{name: "name", kind: "text", of: &w.Name},
		{name: "url", kind: "text", of: &w.URL},
		{name: "events", kind: "text", of: inJSON[[]string]{&w.Events}},
		{name: "collections", kind: "text", of: inJSON[[]string]{&w.Collections}},
		{name: "locales", kind: "text", of: inJSON[[]string]{&w.Locales}},
		{name: "imports", kind: "boolean", of: &w.Imports},
		{name: "active", kind: "boolean", of: &w.Active},
		{name: "quiet", kind: "bigint", of: (*period)(&w.Quiet)},
		{name: "most", kind: "bigint", of: (*period)(&w.Most)},
		{name: "secrets", kind: "bytea", of: &w.Secrets},
		{name: "failing_since", kind: "bigint", of: (*instant)(&w.FailingSince)},
		{name: "off_reason", kind: "text", of: &w.OffReason},
		{name: "created_by", kind: "bigint", of: nullIfZero[int64]{&w.CreatedBy}, fixed: true},
		{name: "created_at", kind: "bigint", of: (*instant)(&w.CreatedAt), fixed: true},
		{name: "updated_at", kind: "bigint", of: (*instant)(&w.UpdatedAt)},
	}
})

const ofWebhook = "project_id = @project AND id = ?"

func (s webhookStore) Webhooks(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	return webhooks.all(ctx, s.conn, " WHERE project_id = ? ORDER BY id", projectID)
}

func (s webhookStore) Webhook(ctx context.Context, projectID, id int64) (webhook.Webhook, error) {
	return webhooks.one(ctx, s.conn, " WHERE "+ofWebhook, projectID, id)
}

func (s webhookStore) Lock(ctx context.Context, projectID, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM webhooks WHERE "+ofWebhook+s.forUpdate(), projectID, id)
}

func (s webhookStore) Insert(ctx context.Context, w *webhook.Webhook) error {
	return webhooks.add(ctx, s.conn, w, &w.ID, func() event.Event {
		return event.Event{Type: event.WebhookCreated, ProjectID: w.ProjectID, SubjectID: w.ID}
	})
}

func (s webhookStore) Update(ctx context.Context, w webhook.Webhook) error {
	return webhooks.put(ctx, s.conn, &w, webhook.Updated(w), ofWebhook, w.ProjectID, w.ID)
}

// NoteFailing records no event: nothing that a user has set changes.
func (s webhookStore) NoteFailing(ctx context.Context, projectID, id int64, since time.Time) error {
	_, err := s.do(ctx, webhooks.thing, "UPDATE webhooks SET failing_since = ? WHERE "+ofWebhook, instant(since), projectID, id)
	return err
}

func (s webhookStore) Delete(ctx context.Context, projectID, id int64) error {
	return webhooks.drop(ctx, s.conn, event.Event{Type: event.WebhookDeleted, ProjectID: projectID, SubjectID: id}, ofWebhook, projectID, id)
}
