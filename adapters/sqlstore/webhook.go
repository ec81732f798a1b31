package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core/event"
	"imprimatur/core/webhook"
)

// webhookStore implements ports.WebhookStore.
type webhookStore struct{ conn }

type webhookRow struct {
	bun.BaseModel `bun:"table:webhooks,alias:w"`

	ID           int64 `bun:",pk,autoincrement"`
	ProjectID    int64
	Name         string
	URL          string
	Events       encoded[[]string]
	Collections  encoded[[]string]
	Locales      encoded[[]string]
	Imports      bool
	Active       bool
	Quiet        int64
	Most         int64
	Secrets      []byte
	FailingSince instant
	OffReason    webhook.OffReason
	CreatedBy    int64 `bun:",nullzero"`
	CreatedAt    instant
	UpdatedAt    instant
}

func newWebhookRow(w webhook.Webhook) *webhookRow {
	return &webhookRow{
		ID: w.ID, ProjectID: w.ProjectID, Name: w.Name, URL: w.URL,
		Events: encoded[[]string]{w.Events}, Collections: encoded[[]string]{w.Collections}, Locales: encoded[[]string]{w.Locales},
		Imports: w.Imports, Active: w.Active, Quiet: w.Quiet.Milliseconds(), Most: w.Most.Milliseconds(), Secrets: w.Secrets,
		FailingSince: instant(w.FailingSince), OffReason: w.OffReason,
		CreatedBy: w.CreatedBy, CreatedAt: instant(w.CreatedAt), UpdatedAt: instant(w.UpdatedAt),
	}
}

func (r webhookRow) core() webhook.Webhook {
	return webhook.Webhook{
		ID: r.ID, ProjectID: r.ProjectID, Name: r.Name, URL: r.URL, Events: r.Events.v, Collections: r.Collections.v, Locales: r.Locales.v,
		Imports: r.Imports, Active: r.Active, Quiet: milliseconds(r.Quiet), Most: milliseconds(r.Most), Secrets: r.Secrets,
		FailingSince: time.Time(r.FailingSince), OffReason: r.OffReason,
		CreatedBy: r.CreatedBy, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

const ofWebhook = "project_id = ? AND id = ?"

func (s webhookStore) Webhooks(ctx context.Context, projectID int64) ([]webhook.Webhook, error) {
	return all[webhookRow](ctx, s.conn, "webhook", ordered("id", "project_id = ?", projectID))
}

func (s webhookStore) Webhook(ctx context.Context, projectID, id int64) (webhook.Webhook, error) {
	return one[webhookRow](ctx, s.conn, "webhook", where(ofWebhook, projectID, id))
}

func (s webhookStore) Lock(ctx context.Context, projectID, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM webhooks WHERE project_id = @project AND id = ?"+s.forUpdate(), projectID, id)
}

func (s webhookStore) Insert(ctx context.Context, w *webhook.Webhook) error {
	r := newWebhookRow(*w)
	return s.insert(ctx, newRow{r, &r.ID, &w.ID}, "webhook", func() event.Event {
		return event.Event{Type: event.WebhookCreated, ProjectID: r.ProjectID, SubjectID: r.ID}
	})
}

func (s webhookStore) Update(ctx context.Context, w webhook.Webhook) error {
	return s.updateBy(ctx, s.write.NewUpdate().Model(newWebhookRow(w)).
		Column("name", "url", "events", "collections", "locales", "imports", "active", "quiet", "most", "secrets", "failing_since", "off_reason", "updated_at").
		Where(ofWebhook, w.ProjectID, w.ID), "webhook", webhook.Updated(w))
}

// NoteFailing records no event: nothing that a user has set changes.
func (s webhookStore) NoteFailing(ctx context.Context, projectID, id int64, since time.Time) error {
	_, err := s.write.NewUpdate().Model((*webhookRow)(nil)).Set("failing_since = ?", instant(since)).Where(ofWebhook, projectID, id).Exec(ctx)
	return s.db.fault(err, "webhook")
}

func (s webhookStore) Delete(ctx context.Context, projectID, id int64) error {
	event := event.Event{Type: event.WebhookDeleted, ProjectID: projectID, SubjectID: id}
	return s.remove(ctx, (*webhookRow)(nil), "webhook", event, ofWebhook, projectID, id)
}
