package ports

import (
	"context"
	"time"

	"imprimatur/core/event"
	"imprimatur/core/webhook"
)

// WebhookStore stores the webhooks of Projects.
type WebhookStore interface {
	// Webhooks returns the webhooks of a Project, ordered by id.
	Webhooks(ctx context.Context, projectID int64) ([]webhook.Webhook, error)
	Webhook(ctx context.Context, projectID, id int64) (webhook.Webhook, error)
	// Lock locks a webhook until the transaction ends.
	Lock(ctx context.Context, projectID, id int64) error
	Insert(ctx context.Context, w *webhook.Webhook) error // sets ID
	Update(ctx context.Context, w webhook.Webhook) error
	// NoteFailing sets FailingSince.
	NoteFailing(ctx context.Context, projectID, id int64, since time.Time) error
	// Delete also removes the deliveries.
	Delete(ctx context.Context, projectID, id int64) error
}

// Outbox has the events that cause notices (notice.Of) or have receivers outside the
// installation. An event enters it in the transaction of the change; for the latter, if the Project has
// a webhook then.
type Outbox interface {
	// Take removes up to limit events from the outbox, the oldest first, and returns them. It skips
	// those with an id in except, and events that another transaction is taking. If the transaction is
	// rolled back, they stay.
	Take(ctx context.Context, limit int, except ...int64) ([]event.Event, error)
	// Hold returns the active webhooks of a Project, ordered by id. Until the transaction ends, none of
	// them is changed, switched off or deleted, so that no delivery is added to one that is off.
	Hold(ctx context.Context, projectID int64) ([]webhook.Webhook, error)
	// Events returns the events with the given ids that are stored, ordered by id.
	Events(ctx context.Context, ids []int64) ([]event.Event, error)
	// Backlog returns the number of events in the outbox and the time of the oldest.
	Backlog(ctx context.Context) (count int64, oldest time.Time, err error)
}

// DeliveryStore stores deliveries and their attempts. Times are the database's.
type DeliveryStore interface {
	// Insert adds deliveries, sets their ids, Message and CreatedAt, and DueAt to wait from now.
	Insert(ctx context.Context, wait time.Duration, deliveries ...*webhook.Delivery) error
	// Gather adds events to the delivery of the webhook that is gathering, and postpones it to quiet
	// from now, at most to most after its creation. It reports false if there is none. The caller has
	// locked the webhook (WebhookStore.Lock or Outbox.Hold).
	Gather(ctx context.Context, w webhook.Webhook, events []int64) (bool, error)
	// Claim begins an attempt of due deliveries of active webhooks, and of due tests, at most limit
	// together and room(id) of the webhook with that id, the earliest first, and returns them. Until
	// lease has passed, no other Claim returns them. Without due deliveries it writes nothing.
	Claim(ctx context.Context, limit int, lease time.Duration, room func(webhookID int64) int) ([]webhook.Delivery, error)
	// Record stores the outcome of the attempt that Claim began. again is the time until the next
	// attempt if d.Status is webhook.DeliveryWaiting; a delivery that was parked meanwhile stays so.
	Record(ctx context.Context, d webhook.Delivery, a webhook.DeliveryAttempt, again time.Duration) error
	// Waiting returns the number of deliveries that have not ended, and the earliest time at which one
	// of them is due.
	Waiting(ctx context.Context) (count int64, due time.Time, err error)
}

// DeliveryLog is what users and operators see of deliveries.
type DeliveryLog interface {
	// Receivers returns the webhooks of all Projects, ordered by id.
	Receivers(ctx context.Context) ([]webhook.Webhook, error)
	// Deliveries returns the deliveries that q selects, newest first.
	Deliveries(ctx context.Context, q DeliveryQuery) ([]webhook.Delivery, error)
	// Latest returns how the latest delivery of each webhook of a Project went, ordered by webhook.
	Latest(ctx context.Context, projectID int64) ([]webhook.DeliveryResult, error)
	// Attempts returns the attempts of deliveries, ordered by delivery and number.
	Attempts(ctx context.Context, projectID int64, deliveryIDs []int64) ([]webhook.DeliveryAttempt, error)
	// Retry makes a delivery due now, whatever its status is.
	Retry(ctx context.Context, projectID, webhookID, id int64) error
	// Park parks the deliveries of a webhook that are not sent, only those with the given ids if there
	// are any, and returns their number.
	Park(ctx context.Context, projectID, webhookID int64, ids ...int64) (parked int, err error)
}

// DeliveryQuery selects deliveries of a webhook.
type DeliveryQuery struct {
	ProjectID int64
	WebhookID int64
	Status    webhook.DeliveryStatus // empty: all
	Before    int64                  // id, exclusive; 0: from the newest
	Limit     int                    // positive
}

// WebhookSender sends messages to webhooks.
type WebhookSender interface {
	// Send makes one request, and returns after at most 15 s. It follows no redirect, and connects only
	// to addresses that are allowed.
	Send(ctx context.Context, m WebhookMessage) WebhookAnswer
}

// WebhookMessage is the message of one attempt.
type WebhookMessage struct {
	Delivery webhook.Delivery
	URL      string
	Events   []event.Event
	Headers  map[string]string
	Secrets  []string // each signs the message
}

// WebhookAnswer is what the receiver answered.
type WebhookAnswer struct {
	Code       int    // 0: none
	Fault      string // why there is no answer, in words for users
	Body       string // at most webhook.AnswerLength bytes; empty for a target that is not public
	RetryAfter time.Duration
}

// Addresses decides which addresses the program may connect to for users.
type Addresses interface {
	// Fault returns why no message may be sent to the URL, in words for users; empty: it may.
	Fault(ctx context.Context, url string) string
}
