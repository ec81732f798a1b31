package delivery

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/secret"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// Webhooks manages the webhooks of Projects.
type Webhooks struct {
	webhooks    ports.WebhookStore
	log         ports.DeliveryLog
	events      ports.EventStore
	collections ports.CollectionStore
	tx          ports.Tx
	addresses   ports.Addresses
	secret      secret.Key
	clock       ports.Clock
}

// NewWebhooks returns Webhooks. key encrypts the secrets.
func NewWebhooks(stores ports.Stores, tx ports.Tx, addresses ports.Addresses, key secret.Key, clock ports.Clock) *Webhooks {
	return &Webhooks{
		webhooks: stores.Webhooks, log: stores.DeliveryLog, events: stores.Events, collections: stores.Collections,
		tx: tx, addresses: addresses, secret: key, clock: clock,
	}
}

const (
	mostWebhooks = 20 // of a Project
	mostReplayed = 10_000
	mostQuiet    = 10 * time.Minute
	mostGathered = time.Hour
)

// Change changes the members of a webhook that are given.
type Change struct {
	Name        *string
	URL         *string
	Events      *[]string
	Collections *[]string
	Locales     *[]string
	Imports     *bool
	Active      *bool
	Coalesce    core.Optional[Coalesce] // null: each event is a delivery
	Headers     *map[string]string
}

// Coalesce says how long events are gathered, in seconds.
type Coalesce struct{ Quiet, Most int }

// ListedWebhook is a webhook and how its latest delivery went; nil: it has none.
type ListedWebhook struct {
	webhook.Webhook
	Last *webhook.DeliveryResult
}

// List returns the webhooks of a Project, ordered by id.
func (ws *Webhooks) List(ctx context.Context, project *core.Project) ([]ListedWebhook, error) {
	found, err := ws.webhooks.Webhooks(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	latest, err := ws.log.Latest(ctx, project.ID)
	listed := make([]ListedWebhook, len(found))
	for i, w := range found {
		listed[i].Webhook = w
		if at := slices.IndexFunc(latest, func(r webhook.DeliveryResult) bool { return r.WebhookID == w.ID }); at >= 0 {
			listed[i].Last = &latest[at]
		}
	}
	return listed, err
}

// Webhook returns one webhook of a Project.
func (ws *Webhooks) Webhook(ctx context.Context, project *core.Project, id int64) (webhook.Webhook, error) {
	return ws.webhooks.Webhook(ctx, project.ID, id)
}

// Create adds a webhook and returns it with its signing secret, which cannot be read later.
func (ws *Webhooks) Create(ctx context.Context, actor core.Actor, project *core.Project, in Change) (w webhook.Webhook, signing string, err error) {
	now := ws.clock.Now()
	w = webhook.Webhook{ProjectID: project.ID, Imports: true, Active: true, CreatedBy: actor.UserID(), CreatedAt: now}
	in.Name, in.URL, in.Events = orZero(in.Name), orZero(in.URL), orZero(in.Events)
	var kept secrets
	signing = kept.rotate(now)
	if err := ws.apply(ctx, in, &w, &kept, project); err != nil {
		return webhook.Webhook{}, "", err
	}
	w.UpdatedAt = now
	kept.seal(ws.secret, &w)
	err = ws.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		present, err := stores.Webhooks.Webhooks(ctx, project.ID)
		if err != nil {
			return err
		}
		if len(present) >= mostWebhooks {
			return core.Conflict("too_many_webhooks", "a project has at most %d webhooks", mostWebhooks)
		}
		return stores.Webhooks.Insert(ctx, &w)
	})
	if err != nil {
		return webhook.Webhook{}, "", err
	}
	return w, signing, nil
}

// Update changes a webhook. One that the program switched off is on again when Active is given.
func (ws *Webhooks) Update(ctx context.Context, actor core.Actor, project *core.Project, id int64, in Change) (webhook.Webhook, error) {
	return ws.change(ctx, actor, project, id, func(ctx context.Context, _ ports.Stores, w *webhook.Webhook, kept *secrets) error {
		return ws.apply(ctx, in, w, kept, project)
	})
}

// Rotate gives a webhook a new signing secret and returns it. The present one also signs for 24 hours.
func (ws *Webhooks) Rotate(ctx context.Context, actor core.Actor, project *core.Project, id int64) (w webhook.Webhook, signing string, err error) {
	w, err = ws.change(ctx, actor, project, id, func(ctx context.Context, stores ports.Stores, w *webhook.Webhook, kept *secrets) error {
		now, err := stores.Clock.Now(ctx) // the dispatchers, too, go by it
		w.UpdatedAt = later(now, w.UpdatedAt)
		signing = kept.rotate(now)
		return err
	})
	return w, signing, err
}

// Delete removes a webhook with its deliveries.
func (ws *Webhooks) Delete(ctx context.Context, actor core.Actor, project *core.Project, id int64) error {
	return ws.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		return stores.Webhooks.Delete(ctx, project.ID, id)
	})
}

// change runs do on a locked webhook and stores the result, if it differs.
func (ws *Webhooks) change(
	ctx context.Context, actor core.Actor, project *core.Project, id int64,
	do func(ctx context.Context, stores ports.Stores, w *webhook.Webhook, kept *secrets) error,
) (w webhook.Webhook, err error) {
	err = ws.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Webhooks.Lock(ctx, project.ID, id); err != nil {
			return err
		}
		if w, err = stores.Webhooks.Webhook(ctx, project.ID, id); err != nil {
			return err
		}
		kept, err := openSecrets(ws.secret, &w)
		if err != nil {
			kept = secrets{} // a new secret can be made
		}
		before := w.UpdatedAt
		if err := do(ctx, stores, &w, &kept); err != nil || w.UpdatedAt.Equal(before) {
			return err
		}
		kept.seal(ws.secret, &w)
		if err := stores.Webhooks.Update(ctx, w); err != nil {
			return err
		}
		if w.Active {
			return nil
		}
		_, err = stores.DeliveryLog.Park(ctx, project.ID, id)
		return err
	})
	return w, err
}

// apply changes w and kept by in, or returns all faults of in. It sets UpdatedAt if anything changes.
func (ws *Webhooks) apply(ctx context.Context, in Change, w *webhook.Webhook, kept *secrets, project *core.Project) error {
	var faults core.Faults
	before, headers := *w, kept.Headers
	assign(&w.Name, in.Name)
	assign(&w.Events, in.Events)
	assign(&w.Collections, in.Collections)
	assign(&w.Locales, in.Locales)
	assign(&kept.Headers, in.Headers)
	assign(&w.Imports, in.Imports)
	if in.Active != nil {
		w.Active, w.OffReason = *in.Active, ""
		if w.Active {
			w.FailingSince = time.Time{}
		}
	}
	if in.Coalesce.Given {
		w.Quiet, w.Most = 0, 0
		if c := in.Coalesce.Value; c != nil {
			checkCoalesce(*c, &faults)
			w.Quiet, w.Most = time.Duration(c.Quiet)*time.Second, time.Duration(c.Most)*time.Second
		}
	}
	checkName(w.Name, &faults)
	checkEvents(w.Events, &faults)
	checkLocales(w.Locales, project, &faults)
	if in.Collections != nil {
		present, err := ws.collections.Collections(ctx, project.ID)
		if err != nil {
			return err
		}
		checkCollections(w.Collections, present, &faults)
	}
	if in.Headers != nil {
		checkHeaders(kept.Headers, &faults)
	}
	if in.URL != nil {
		if *in.URL != w.URL {
			w.FailingSince = time.Time{}
		}
		if hostOf(*in.URL) != hostOf(w.URL) && len(headers) > 0 && in.Headers == nil {
			faults.Add("headers", nil, "must be given again, because the address has another host: their values are not shown to it")
		}
		w.URL = *in.URL
		if fault := ws.addresses.Fault(ctx, w.URL); fault != "" {
			faults.Add("url", core.Clip(w.URL), fault)
		} else if len(w.URL) > longestURL {
			faults.Addf("url", core.Clip(w.URL), "must have at most %d characters", longestURL)
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	if !same(before, *w) || !maps.Equal(headers, kept.Headers) {
		w.UpdatedAt = later(ws.clock.Now(), before.UpdatedAt)
	}
	return nil
}

// hostOf returns the host and the port of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// same reports whether two states of a webhook differ in nothing that users set.
func same(a, b webhook.Webhook) bool {
	return a.Name == b.Name && a.URL == b.URL && a.Active == b.Active && a.Imports == b.Imports && a.OffReason == b.OffReason && a.Quiet == b.Quiet && a.Most == b.Most &&
		slices.Equal(a.Events, b.Events) && slices.Equal(a.Collections, b.Collections) && slices.Equal(a.Locales, b.Locales)
}

// later returns now, or a time just after before: UpdatedAt tells states apart.
func later(now, before time.Time) time.Time {
	if after := before.Add(time.Millisecond); now.Before(after) {
		return after
	}
	return now
}

func assign[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func orZero[T any](given *T) *T {
	if given == nil {
		return new(T)
	}
	return given
}

// Headers returns the names of the additional headers of w, sorted.
func (ws *Webhooks) Headers(w webhook.Webhook) []string {
	kept, err := openSecrets(ws.secret, &w)
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(kept.Headers))
}

// Test sends a message without events to a webhook, also to one that is off.
func (ws *Webhooks) Test(ctx context.Context, actor core.Actor, project *core.Project, id int64) (webhook.Delivery, error) {
	d := webhook.Delivery{ProjectID: project.ID, WebhookID: id, Type: webhook.DeliveryTest, Status: webhook.DeliveryWaiting}
	err := ws.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := stores.Webhooks.Webhook(ctx, project.ID, id); err != nil {
			return err
		}
		return stores.Deliveries.Insert(ctx, 0, &d)
	})
	return d, err
}

// errOff is returned for requests to send events to a webhook that is off.
func errOff() error {
	return core.Conflict("webhook_off", "the webhook is off: switch it on first")
}

// lockActive locks a webhook that is to get deliveries, so that it is not switched off at the same time:
// that parks only those that exist. It returns core.ErrConflict if the webhook is off.
func lockActive(ctx context.Context, stores ports.Stores, projectID, id int64) (webhook.Webhook, error) {
	if err := stores.Webhooks.Lock(ctx, projectID, id); err != nil {
		return webhook.Webhook{}, err
	}
	w, err := stores.Webhooks.Webhook(ctx, projectID, id)
	if err == nil && !w.Active {
		err = errOff()
	}
	return w, err
}

// Replay delivers the events since a time again and returns their number. It returns
// core.KindInvalid if there are more than 10,000, and core.ErrConflict if the webhook is off.
func (ws *Webhooks) Replay(ctx context.Context, actor core.Actor, project *core.Project, id int64, since time.Time) (count int, err error) {
	w, err := ws.webhooks.Webhook(ctx, project.ID, id)
	if err != nil {
		return 0, err
	}
	if !w.Active {
		return 0, errOff()
	}
	wanted, count, err := ws.eventsSince(ctx, &w, since)
	if err != nil {
		return 0, err
	}
	if count > mostReplayed {
		return 0, core.Invalid(core.FieldError{Location: "since", Message: fmt.Sprintf("%d events are since then, at most %d can be delivered again", count, mostReplayed)})
	}
	return count, ws.tx.DoAlone(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if count == 0 {
			return nil
		}
		w, err := lockActive(ctx, stores, project.ID, id)
		if err != nil {
			return err
		}
		return deliver(ctx, stores, &w, wanted)
	})
}

// eventsSince returns the events since a time that w receives, at most mostReplayed, and their number.
func (ws *Webhooks) eventsSince(ctx context.Context, w *webhook.Webhook, since time.Time) (wanted []event.Event, count int, err error) {
	const page = 1000
	q := ports.EventQuery{ProjectID: w.ProjectID, Since: since, Limit: page}
	for {
		found, err := ws.events.Events(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for _, e := range found {
			if !w.Wants(&e) {
				continue
			}
			if count++; count <= mostReplayed {
				wanted = append(wanted, e)
			}
		}
		if len(found) < page {
			return wanted, count, nil
		}
		q.After = found[len(found)-1].ID
	}
}

// Logged is a delivery with its attempts.
type Logged struct {
	webhook.Delivery
	Log []webhook.DeliveryAttempt
}

// Deliveries returns deliveries of a webhook, newest first.
func (ws *Webhooks) Deliveries(ctx context.Context, q ports.DeliveryQuery) ([]Logged, error) {
	if _, err := ws.webhooks.Webhook(ctx, q.ProjectID, q.WebhookID); err != nil {
		return nil, err
	}
	found, err := ws.log.Deliveries(ctx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(found))
	logged := make([]Logged, len(found))
	for i, d := range found {
		ids[i], logged[i] = d.ID, Logged{Delivery: d}
	}
	attempts, err := ws.log.Attempts(ctx, q.ProjectID, ids)
	for _, a := range attempts {
		i := slices.Index(ids, a.DeliveryID)
		logged[i].Log = append(logged[i].Log, a)
	}
	return logged, err
}

// Retry sends a delivery again, now. It returns core.ErrConflict if the webhook is off.
func (ws *Webhooks) Retry(ctx context.Context, actor core.Actor, project *core.Project, webhookID, id int64) error {
	return ws.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := lockActive(ctx, stores, project.ID, webhookID); err != nil {
			return err
		}
		return stores.DeliveryLog.Retry(ctx, project.ID, webhookID, id)
	})
}
