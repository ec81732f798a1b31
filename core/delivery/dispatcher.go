package delivery

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/secret"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

const (
	// gone is the status code of a receiver that is not coming back.
	gone = 410
	// atOnce is the number of deliveries that a process sends at the same time, eachAtOnce that of one
	// receiver, and failingAtOnce that of one whose last attempt failed, so that slow and dead receivers
	// delay no others.
	atOnce        = 256
	eachAtOnce    = 4
	failingAtOnce = 1
	// lease is how long a claimed delivery is left alone: longer than an attempt takes.
	lease = time.Minute
)

// Dispatcher sends due deliveries. Any number of dispatchers may run on one database.
type Dispatcher struct {
	stores ports.Stores
	tx     ports.Tx
	sender ports.WebhookSender
	secret secret.Key

	// Observe, when not nil, is called after each attempt.
	Observe func(d webhook.Delivery, a webhook.DeliveryAttempt)
	// Tracer, when not nil, records a span for each attempt.
	Tracer ports.Tracer

	mu      sync.Mutex
	sending map[int64]int  // number of deliveries that are being sent, by webhook
	failing map[int64]bool // webhooks whose last attempt failed
	total   int
	running sync.WaitGroup
}

// NewDispatcher returns a Dispatcher. key opens the secrets of webhooks. All times are by the clock of
// the database: that of the process may jump.
func NewDispatcher(stores ports.Stores, tx ports.Tx, sender ports.WebhookSender, key secret.Key) *Dispatcher {
	return &Dispatcher{stores: stores, tx: tx, sender: sender, secret: key, sending: map[int64]int{}, failing: map[int64]bool{}}
}

// Dispatch begins to send due deliveries, as many as there is room for, and reports whether it has
// begun any. done is called after each.
func (d *Dispatcher) Dispatch(ctx context.Context, done func()) (begun bool, err error) {
	claimed, err := d.stores.Deliveries.Claim(ctx, d.room(), lease, d.roomOf)
	if err != nil {
		return false, err
	}
	for _, c := range claimed {
		d.count(c.WebhookID, 1)
		d.running.Go(func() {
			defer done()
			defer d.count(c.WebhookID, -1)
			// Without an outcome, the delivery is sent again after its lease.
			_ = d.traced(ctx, c)
		})
	}
	return len(claimed) > 0, nil
}

// Wait waits until all begun deliveries are sent or ctx of Dispatch has ended.
func (d *Dispatcher) Wait() { d.running.Wait() }

func (d *Dispatcher) room() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return atOnce - d.total
}

func (d *Dispatcher) roomOf(webhookID int64) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failing[webhookID] {
		return failingAtOnce - d.sending[webhookID]
	}
	return eachAtOnce - d.sending[webhookID]
}

func (d *Dispatcher) count(webhookID int64, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total += n
	if d.sending[webhookID] += n; d.sending[webhookID] == 0 {
		delete(d.sending, webhookID)
	}
}

// remember notes whether the last attempt of a webhook failed.
func (d *Dispatcher) remember(webhookID int64, failed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if failed {
		d.failing[webhookID] = true
	} else {
		delete(d.failing, webhookID)
	}
}

// claimedAt returns when Claim returned c, by the clock of the database.
func claimedAt(c webhook.Delivery) time.Time { return c.DueAt.Add(-lease) }

// traced makes one attempt, within a span if spans are recorded.
func (d *Dispatcher) traced(ctx context.Context, c webhook.Delivery) error {
	if d.Tracer == nil {
		return d.send(ctx, c, &webhook.DeliveryAttempt{})
	}
	within, end := d.Tracer.Begin(ctx, ports.SpanDelivery)
	var attempt webhook.DeliveryAttempt
	err := d.send(within, c, &attempt)
	attributes := map[string]any{
		"imprimatur.project": c.ProjectID, "imprimatur.webhook": c.WebhookID, "imprimatur.delivery": c.ID, "imprimatur.attempt": c.Attempts,
		"http.response.status_code": attempt.Code,
	}
	if attempt.Fault != "" {
		attributes["error.type"] = attempt.Fault
	}
	end(ports.Span{Name: "delivery", Attributes: attributes, Failed: err != nil || attempt.Code/100 != 2})
	return err
}

// send makes one attempt and records its outcome. It sets attempt, except after an error that leaves no
// outcome.
func (d *Dispatcher) send(ctx context.Context, c webhook.Delivery, attempt *webhook.DeliveryAttempt) error {
	w, err := d.stores.Webhooks.Webhook(ctx, c.ProjectID, c.WebhookID)
	if err != nil {
		return err
	}
	*attempt = webhook.DeliveryAttempt{DeliveryID: c.ID, Number: c.Attempts, At: claimedAt(c)}
	message, err := d.message(ctx, &w, c)
	var lost *core.Error
	switch {
	case errors.As(err, &lost) && lost.Kind == core.KindInternal:
		attempt.Fault = lost.Message
	case err != nil:
		return err
	default:
		began := time.Now()
		answer := d.sender.Send(ctx, message)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		attempt.Took, attempt.Code, attempt.Fault, attempt.Answer = time.Since(began), answer.Code, answer.Fault, answer.Body
		return d.record(ctx, &w, c, *attempt, answer.RetryAfter)
	}
	return d.record(ctx, &w, c, *attempt, 0)
}

// message returns what is sent. An event that is no longer stored is left out.
func (d *Dispatcher) message(ctx context.Context, w *webhook.Webhook, c webhook.Delivery) (ports.WebhookMessage, error) {
	opened, err := openSecrets(d.secret, w)
	if err != nil {
		return ports.WebhookMessage{}, err
	}
	events, err := d.stores.Outbox.Events(ctx, c.Events)
	if err != nil {
		return ports.WebhookMessage{}, err
	}
	if len(events) == 0 && len(c.Events) > 0 {
		return ports.WebhookMessage{}, &core.Error{Kind: core.KindInternal, Code: "events_gone", Message: "the events are no longer kept"}
	}
	return ports.WebhookMessage{
		Delivery: c, URL: w.URL, Events: events, Headers: opened.Headers, Secrets: opened.valid(claimedAt(c)),
	}, nil
}

// record stores the outcome of an attempt, by the clock of the database, and switches the webhook off if its receiver is gone.
func (d *Dispatcher) record(ctx context.Context, w *webhook.Webhook, c webhook.Delivery, a webhook.DeliveryAttempt, asked time.Duration) error {
	delivered := a.Code/100 == 2
	d.remember(w.ID, !delivered)
	var now time.Time
	err := whileUnavailable(ctx, func() (err error) {
		if now, err = d.stores.Clock.Now(ctx); err != nil {
			return err
		}
		switch {
		case delivered:
			c.Status = webhook.DeliveryDelivered
		case a.Code == gone || now.Sub(c.CreatedAt) >= givenUp:
			c.Status = webhook.DeliveryParked
		}
		return d.stores.Deliveries.Record(ctx, c, a, wait(a.Number, asked, rand.Float64())) //nolint:gosec // not a secret
	})
	if d.Observe != nil {
		d.Observe(c, a)
	}
	if err != nil || len(c.Events) == 0 { // a test
		return err
	}
	return d.judge(ctx, w, a.Code, now)
}

// whileUnavailable repeats work while the database is unavailable, for about 13 s, well within a lease:
// a message whose outcome is not recorded is sent again.
func whileUnavailable(ctx context.Context, work func() error) error {
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := work()
		if !errors.Is(err, core.ErrUnavailable) || pause > 10*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// judge notes since when a webhook fails, and switches it off when its receiver is gone or has failed
// for webhook.MostFailing.
func (d *Dispatcher) judge(ctx context.Context, w *webhook.Webhook, code int, now time.Time) error {
	delivered := code/100 == 2
	switch {
	case delivered && w.FailingSince.IsZero():
		return nil
	case delivered:
		return d.stores.Webhooks.NoteFailing(ctx, w.ProjectID, w.ID, time.Time{})
	case code == gone:
		return d.switchOff(ctx, w, webhook.OffGone, now)
	case w.FailingSince.IsZero():
		return d.stores.Webhooks.NoteFailing(ctx, w.ProjectID, w.ID, now)
	case now.Sub(w.FailingSince) >= webhook.MostFailing:
		return d.switchOff(ctx, w, webhook.OffFailing, now)
	default:
		return nil
	}
}

func (d *Dispatcher) switchOff(ctx context.Context, seen *webhook.Webhook, reason webhook.OffReason, now time.Time) error {
	return d.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Webhooks.Lock(ctx, seen.ProjectID, seen.ID); err != nil {
			return err
		}
		w, err := stores.Webhooks.Webhook(ctx, seen.ProjectID, seen.ID)
		if err != nil || !w.Active || w.URL != seen.URL || !w.UpdatedAt.Equal(seen.UpdatedAt) {
			return err // a user changed it meanwhile
		}
		w.Active, w.OffReason, w.UpdatedAt = false, reason, later(now, w.UpdatedAt)
		if err := stores.Webhooks.Update(ctx, w); err != nil {
			return err
		}
		_, err = stores.DeliveryLog.Park(ctx, w.ProjectID, w.ID)
		return err
	})
}
